"""Texts about problems with backups."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournament.backups.selectors import BackupProblem

PROBLEM_TITLES: Final[dict[BackupProblem, Promise]] = {
    BackupProblem.FAILED: _("The last backup failed."),
    BackupProblem.OLD: _("What was written more than half an hour ago is in no backup."),
    BackupProblem.COPY_FAILED: _("The last backup could not be copied to its second place."),
    BackupProblem.NO_SECOND_PLACE: _("Backups are only on this computer."),
}
PROBLEM_ADVICE: Final[dict[BackupProblem, Promise]] = {
    BackupProblem.FAILED: _("Free some space on this computer’s disk, then back up now."),
    BackupProblem.OLD: _("Back up now. If nothing happens, stop the program and start it again."),
    BackupProblem.COPY_FAILED: _("Look whether the stick is full or was pulled out, then back up now."),
    BackupProblem.NO_SECOND_PLACE: _("Plug in a stick and choose it below. It has everything if this computer breaks."),
}
