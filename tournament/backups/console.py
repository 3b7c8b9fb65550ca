"""The pages *Backups* and *Restore*.

*Backups* lists backups and problems. A director can make a backup there, and choose a USB stick or disk for copies.
*Restore* shows what restoring a backup would lose, and lets a director restore it.
"""

import datetime as dt
import shutil
from pathlib import Path
from typing import Any, Final, cast

import django_tables2 as tables
from django import forms
from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournament.backups.selectors import (
    BACKUP_FOLDER_NAME,
    INSTALLATION_MEMBER_NAME,
    Backup,
    BackupProblem,
    BackupUnreadable,
    describe_archive_restore,
    find_backup_copy_folders,
    get_database_member,
    is_backup_an_archive,
    list_backup_problems,
    list_backups,
    list_mounted_folders,
    load_identity_prefix,
    load_lost_log_entries,
    read_backup_manifest,
    read_backup_state,
)
from tournament.backups.services import BackupFailed, register_backup_copy_folder, request_restore
from tournament.core.dispatch import send_task
from tournament.core.pages.access import ActorRequest, staff_tournament_view
from tournament.core.pages.responses import render_confirmation
from tournament.core.permissions import may_direct_installation
from tournament.core.services.jobs import is_worker_running
from tournament.core.words import describe_log_verb
from tournament.errors import Conflict, DomainError, NotFound
from tournament.models import AuditEntry, Tournament, User
from tournament.templatetags.gin import local_day_time

MAX_LISTED_LOST_ENTRIES: Final = 20
_ADVICE_BY_PROBLEM: Final[dict[BackupProblem, Promise]] = {
    BackupProblem.FAILED: gettext_lazy("Read the reason below and correct it. Then back up now."),
    BackupProblem.DISK_FULL: gettext_lazy("Delete files that you do not need. Then backups go on by themselves."),
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
    restore = tables.Column(verbose_name=gettext_lazy("Restore"), accessor="path", orderable=False)

    class Meta:
        orderable = False
        caption = gettext_lazy("The backups on this computer, newest first")

    def __init__(self, *args: Any, tournament: Tournament, **options: Any) -> None:
        self.tournament, self.maker = tournament, load_identity_prefix()
        super().__init__(*args, **options)

    def render_made_at(self, record: Backup) -> str | SafeString:
        made_at = local_day_time(record.made_at, self.tournament.time_zone)
        if record.installation_prefix == self.maker:
            return made_at
        note = _("before a restore, or on another computer")
        return format_html('{}<br><span class="second">{}</span>', made_at, note)

    def render_size(self, value: int) -> str:
        return filesizeformat(value)

    def render_restore(self, record: Backup) -> SafeString:
        place = {"tournament": self.tournament.slug, "name": record.path.name}
        return format_html('<a href="{}">{}</a>', reverse("tournament:desk_restore", kwargs=place), _("Restore…"))


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
        return _request_backup(request, address)  # without it, the stick stays empty until the next backup is due
    if request.method == "POST" and not form.is_bound:
        return _request_backup(request, address)
    context = {"form": form, "folders": folders, "copy_folders": copied, **_load_page_context(tournament, request)}
    return render(request, "tournament/backups/backups.html", context, status=422 if form.errors else 200)


def _request_backup(request: ActorRequest, address: str) -> HttpResponse:
    if is_worker_running() and send_task("tournament.make_backup", only_if_due=False):
        return redirect(f"{address}?after={read_backup_state().finished}")
    messages.error(request, _("The background worker is not running, so no backup was made. Restart the program."))
    return redirect(address)


def _load_page_context(tournament: Tournament, request: ActorRequest) -> dict[str, Any]:
    """Return the template context for the page *Backups*: the backups and their problems.

    After a director has requested a backup, the query parameter `after` names the last backup before the request.
    `asked` is “waiting” until there is a newer backup, and then “made”.
    """
    backups, state = list_backups(settings.BACKUP_DIR), read_backup_state()
    after = request.GET.get("after")
    return {
        "table": _BackupTable(backups, tournament=tournament),
        "last": backups[0] if backups else None,
        "state": state,
        "asked": "" if after is None or state.failure else "waiting" if after == state.finished else "made",
        "problems": [(problem.label, _ADVICE_BY_PROBLEM[problem]) for problem in list_backup_problems(timezone.now())],
        "is_archive": is_backup_an_archive(),
        "minutes": settings.BACKUP_EVERY // dt.timedelta(minutes=1),
    }


# --- Restore ---------------------------------------------------------------------------------------------------------


@staff_tournament_view("direct")
def restore_page(request: ActorRequest, tournament: Tournament, name: str) -> HttpResponse:
    """Show what restoring the backup would lose. Restore it after a confirmation, or show the command for it."""
    backup = next((backup for backup in list_backups(settings.BACKUP_DIR) if backup.path.name == name), None)
    if backup is None:
        raise NotFound("no-backup", _("This backup is no longer on this computer. Choose another one on Backups."))
    try:
        manifest = read_backup_manifest(backup.path)
        lost = load_lost_log_entries(manifest).select_related("tournament")
    except BackupUnreadable as error:
        raise Conflict("unreadable", str(error)) from error
    if get_database_member(manifest) == INSTALLATION_MEMBER_NAME:
        raise Conflict("archive", describe_archive_restore(name))
    back = reverse("tournament:desk_backups", args=[tournament.slug])
    made_at = local_day_time(backup.made_at, tournament.time_zone)
    title = _("Restore the backup of %(at)s?") % {"at": made_at}
    may_restore = may_direct_installation(cast(User, request.user))
    if not may_restore:
        lost = lost.filter(tournament=tournament)
    if not (may_restore and settings.IS_SUPERVISED):
        context = {"name": name, "title": title, "lost": _list_lost(lost), "may_restore": may_restore, "back": back}
        return render(request, "tournament/backups/restore_by_command.html", context)
    problem = ""
    if request.method == "POST":
        reason = request.POST.get("reason", "").strip()
        try:
            asked = request_restore(backup, by=request.actor, reason=reason, time_zone=tournament.time_zone)
            return redirect("tournament:restore_outcome", pk=asked.pk)
        except DomainError as refusal:
            problem = refusal.message
    return render_confirmation(
        request,
        title=title,
        text=_("All tournaments on this computer will be as they were at that time."),
        happens=(
            _("First, a backup of today’s state is made. You can restore it if you change your mind."),
            _("Everybody’s pages are away for about a minute. Phones and the desk come back by themselves."),
            _("You may have to sign in again. Accounts and passwords are those of that time, too."),
            _("The log of each tournament shows who restored the backup, and why."),
        ),
        lists=[_list_lost(lost)],
        label=_("Restore the backup of %(at)s") % {"at": made_at},
        danger=True,
        reason=True,
        typed=request.POST.get("reason", ""),
        error=problem,
        back=back,
    )


def _list_lost(lost: QuerySet[AuditEntry]) -> dict[str, Any]:
    """Return a heading with the number of log rows that would be lost, and descriptions of the newest of these rows."""
    count = lost.count()
    if not count:
        return {"heading": _("Nothing would be lost"), "lines": [_("Nothing was recorded after this backup.")]}
    heading = ngettext("%(count)s action would be lost", "%(count)s actions would be lost, newest first", count)
    is_only_one = Tournament.objects.count() == 1
    lines = [_describe_lost_entry(entry, is_only_one) for entry in lost[:MAX_LISTED_LOST_ENTRIES]]
    if count > MAX_LISTED_LOST_ENTRIES:
        more = count - MAX_LISTED_LOST_ENTRIES
        lines.append(ngettext("and %(count)s earlier action", "and %(count)s earlier actions", more) % {"count": more})
    return {"heading": heading % {"count": count}, "lines": lines}


def _describe_lost_entry(entry: AuditEntry, is_only_one: bool) -> str:
    """Describe a logged action in one line. If there is only one tournament, its name is left out."""
    tournament = entry.tournament
    at = local_day_time(entry.at, tournament.time_zone)
    where = "" if is_only_one or entry.about == tournament.name else tournament.name
    parts = (at, entry.by_name, describe_log_verb(entry.verb), entry.about, where)
    return " · ".join(part for part in parts if part)
