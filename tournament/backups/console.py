"""The page *Backups* lists backups and problems, and shows what a restore would lose.

A director can also back up now, and choose a stick or disk for copies.
"""

import datetime as dt
import shutil
from pathlib import Path
from typing import Any, Final

import django_tables2 as tables
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.backups.selectors import (
    BACKUP_FOLDER_NAME,
    Backup,
    BackupProblem,
    find_backup_copy_folders,
    list_backup_problems,
    list_backups,
    list_mounted_folders,
    load_log_entries_since,
    read_backup_state,
)
from tournament.backups.services import BackupFailed, register_backup_copy_folder
from tournament.core.dispatch import send_task
from tournament.core.pages.access import ActorRequest, staff_tournament_view
from tournament.core.services.jobs import is_worker_running
from tournament.models import Tournament
from tournament.templatetags.gin import local_day_time

MAX_LISTED_LOST_ENTRIES: Final = 20
_ADVICE_BY_PROBLEM: Final[dict[BackupProblem, Promise]] = {
    BackupProblem.FAILED: gettext_lazy("Read the reason below and correct it. Then back up now."),
    BackupProblem.OLD: gettext_lazy("Back up now. If nothing happens, stop the program and start it again."),
    BackupProblem.COPY_FAILED: gettext_lazy("Check whether the stick is full or was pulled out. Then back up now."),
    BackupProblem.NOT_COPIED: gettext_lazy(
        "Plug in a stick, and choose it below. If this computer breaks, everything is on the stick."
    ),
}


class _CopyFolderForm(forms.Form):
    folder = forms.ChoiceField(label=gettext_lazy("Stick or disk"))

    def __init__(self, *args: Any, folders: list[Path], **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["folder"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(str(folder), _describe_folder(folder)) for folder in folders]


def _describe_folder(folder: Path) -> str:
    free = filesizeformat(shutil.disk_usage(folder).free)
    return _("%(name)s (%(free)s free)") % {"name": folder.name, "free": free}


class _BackupTable(tables.Table):
    made_at = tables.Column(verbose_name=gettext_lazy("Made"))
    size = tables.Column(
        verbose_name=gettext_lazy("Size"), attrs={"td": {"class": "is-number"}, "th": {"class": "is-number"}}
    )
    lost = tables.Column(verbose_name=gettext_lazy("Restore"), accessor="path", orderable=False)

    class Meta:
        orderable = False
        caption = gettext_lazy("The backups on this computer, newest first")

    def __init__(self, *args: Any, tournament: Tournament, **options: Any) -> None:
        self.tournament = tournament
        super().__init__(*args, **options)

    def render_made_at(self, record: Backup) -> str:
        return local_day_time(record.made_at, self.tournament.time_zone)

    def render_size(self, value: int) -> str:
        return filesizeformat(value)

    def render_lost(self, record: Backup) -> SafeString:
        return format_html('<a href="?restore={}">{}</a>', record.path.name, _("What would be lost?"))


@staff_tournament_view("direct")
def backups_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    address, copied = reverse("tournament:desk_backups", args=[tournament.slug]), find_backup_copy_folders()
    folders = [folder for folder in list_mounted_folders() if folder / BACKUP_FOLDER_NAME not in copied]
    form = _CopyFolderForm(request.POST if request.POST.get("act") == "copy" else None, folders=folders)
    if form.is_bound and form.is_valid():
        try:
            register_backup_copy_folder(Path(form.cleaned_data["folder"]))
            messages.success(request, _("From now on, every backup is copied to this stick while it is plugged in."))
        except BackupFailed as error:
            messages.error(request, str(error))
        return redirect(address)
    if request.method == "POST" and not form.is_bound:
        if is_worker_running() and send_task("tournament.make_backup", only_if_due=False):
            return redirect(f"{address}?after={read_backup_state().finished}")
        messages.error(request, _("The background worker is not running, so no backup was made. Restart the program."))
        return redirect(address)
    context = {"form": form, "folders": folders, "copy_folders": copied, **_load_page_context(tournament, request)}
    return render(request, "tournament/backups/backups.html", context, status=422 if form.errors else 200)


def _load_page_context(tournament: Tournament, request: ActorRequest) -> dict[str, Any]:
    """Return the page's template context: all backups, current problems, and what a restore would lose.

    The query parameter `restore` names the backup to restore. `asked` is “waiting” until there is a newer backup than
    the one named by the parameter `after`, and then “made”.
    """
    backups, state = list_backups(settings.BACKUP_DIR), read_backup_state()
    after = request.GET.get("after")
    chosen = next((backup for backup in backups if backup.path.name == request.GET.get("restore")), None)
    lost = load_log_entries_since(chosen.log_row).filter(tournament=tournament) if chosen else None
    return {
        "table": _BackupTable(backups, tournament=tournament),
        "last": backups[0] if backups else None,
        "state": state,
        "asked": "" if after is None or state.failure else "waiting" if after == state.finished else "made",
        "problems": [(problem.label, _ADVICE_BY_PROBLEM[problem]) for problem in list_backup_problems(timezone.now())],
        "minutes": settings.BACKUP_EVERY // dt.timedelta(minutes=1),
        "chosen": chosen,
        "lost": lost[:MAX_LISTED_LOST_ENTRIES] if lost is not None else (),
        "lost_count": lost.count() if lost is not None else 0,
    }
