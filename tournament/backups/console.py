"""The page *Backups* lists backups and problems, and shows what a restore would lose.

A director can also back up now, and choose a second place for backups.
"""

import datetime as dt
import shutil
from pathlib import Path
from typing import Any

import django_tables2 as tables
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.backups.selectors import (
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
from tournament.backups.words import PROBLEM_ADVICE, PROBLEM_TITLES
from tournament.core.dispatch import send_task
from tournament.core.pages.access import ActorRequest, staff_tournament_view
from tournament.core.services.jobs import is_worker_running
from tournament.models import Tournament
from tournament.templatetags.gin import local_day_time

MAX_LISTED_LOST_ENTRIES = 20


class _SecondPlaceForm(forms.Form):
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
        return format_html('<a href="?restore={}">{}</a>', record.path.name, _("What would be lost"))


@staff_tournament_view("direct")
def backups_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    folders = list_mounted_folders()
    is_place = request.method == "POST" and request.POST.get("act") == "place"
    form = _SecondPlaceForm(request.POST if is_place else None, folders=folders)
    if is_place and form.is_valid():
        try:
            register_backup_copy_folder(Path(form.cleaned_data["folder"]))
            messages.success(request, _("From now on, every backup is copied to this stick when it is plugged in."))
        except BackupFailed as error:
            messages.error(request, str(error))
        return redirect("tournament:desk_backups", tournament=tournament.slug)
    if request.method == "POST" and not is_place:
        if is_worker_running() and send_task("tournament.make_backup_now"):
            messages.success(request, _("A backup is being made. It is in the list in a moment."))
        else:
            messages.error(request, _("The worker is not running, so no backup was made. Start the program again."))
        return redirect("tournament:desk_backups", tournament=tournament.slug)
    context = _load_context(tournament, request.GET.get("restore", ""))
    return render(
        request,
        "tournament/backups/backups.html",
        {**context, "form": form, "folders": folders},
        status=422 if form.errors else 200,
    )


def _load_context(tournament: Tournament, restored: str) -> dict[str, Any]:
    now, backups = timezone.now(), list_backups(settings.BACKUP_DIR)
    chosen = next((backup for backup in backups if backup.path.name == restored), None)
    entries = load_log_entries_since(chosen.log_row, tournament) if chosen else None
    return {
        "table": _BackupTable(backups, tournament=tournament),
        "last": backups[0] if backups else None,
        "state": read_backup_state(),
        "places": find_backup_copy_folders(),
        "problems": [_describe_problem(problem) for problem in list_backup_problems(now)],
        "minutes": settings.BACKUP_EVERY // dt.timedelta(minutes=1),
        "chosen": chosen,
        "lost": list(entries[:MAX_LISTED_LOST_ENTRIES]) if entries is not None else [],
        "lost_count": entries.count() if entries is not None else 0,
    }


def _describe_problem(problem: BackupProblem) -> dict[str, Any]:
    return {"title": PROBLEM_TITLES[problem], "advice": PROBLEM_ADVICE[problem]}
