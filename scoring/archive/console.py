"""The pages for tournament files: download a file, upload a file, see what it contains, and open it here."""

import datetime as dt
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.signing import BadSignature, TimestampSigner
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from scoring.archive.selectors.export import export_tournament
from scoring.archive.selectors.files import ArchiveRefused
from scoring.archive.selectors.installations import INSTALLATION_EXTENSION, export_installation
from scoring.archive.services.exports import record_export
from scoring.archive.services.imports import ImportMode
from scoring.archive.services.installations import is_installation_empty, record_installation_export
from scoring.archive.services.uploads import (
    MAX_LISTED_ENTRIES,
    Upload,
    UploadState,
    can_replace_tournament,
    load_tournament_here,
    load_upload,
    request_import,
    store_upload,
)
from tournament.core.dispatch import send_task
from tournament.core.pages.access import ActorRequest, get_staff_actor, sign_in_required, staff_tournament_view
from tournament.core.pages.responses import render_confirmation
from tournament.core.permissions import is_allowed, may_direct_installation, require_installation_permission
from tournament.core.services.jobs import is_worker_running
from tournament.core.words import describe_log_verb
from tournament.errors import DomainError
from tournament.intake import TOURNAMENT_FILE_LIMITS, accepts_files
from tournament.models import Event, Tournament, User
from tournament.templatetags.gin import local_day_time

# --- Download --------------------------------------------------------------------------------------------------------

DOWNLOAD_LINK_LIFETIME: Final = dt.timedelta(minutes=5)


@staff_tournament_view("direct")
def tournament_file(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    """Show what a tournament file contains. Each button logs the download and then redirects to it.

    The download itself is a GET request, because making the file can take seconds, and must not delay writes. The POST
    parameter `event` is the slug of an event if only this event is downloaded.
    """
    may_export_all = may_direct_installation(cast(User, request.user))
    if request.method == "POST":
        if "everything" in request.POST:
            record_installation_export(by=request.actor)
            return redirect(_make_download_address(request, tournament, _EVERYTHING))
        event = get_object_or_404(tournament.events, slug=request.POST["event"]) if "event" in request.POST else None
        record_export(tournament, event, by=request.actor)
        return redirect(_make_download_address(request, tournament, event.slug if event is not None else ""))
    events = list(tournament.events.order_by("pk"))
    context = {"events": events if len(events) > 1 else [], "may_export_all": may_export_all}
    return render(request, "scoring/archive/file.html", context)


@require_safe
@staff_tournament_view("direct")
def download_file(request: ActorRequest, tournament: Tournament) -> HttpResponseBase:
    """Make and send a file of the tournament, one of its events, or the whole installation.

    The response sends a copy without a name, which the system deletes when the response closes it.
    """
    try:
        signed = _signer().unsign(request.GET.get("key", ""), max_age=DOWNLOAD_LINK_LIFETIME)
        user, slug, size = signed.split(" ")
    except (BadSignature, ValueError):
        user, slug, size = "", "", ""
    if (user, slug) != (str(cast(User, request.user).pk), tournament.slug):
        messages.error(request, _("This link has expired. Press the button to download the file."))
        return redirect("scoring:desk_file", tournament=tournament.slug)
    with tempfile.TemporaryDirectory(prefix="export-", dir=settings.VAR_DIR) as folder:
        path = Path(folder) / "file.zip"
        try:
            if size == _EVERYTHING:
                require_installation_permission(request.actor)
                export_installation(path)
            else:
                event = tournament.events.filter(slug=size).first()
                export_tournament(tournament, path, event=event)
        except ArchiveRefused as refusal:
            messages.error(request, refusal.message)
            return redirect("scoring:desk_file", tournament=tournament.slug)
        content = tempfile.TemporaryFile(dir=settings.VAR_DIR)  # noqa: SIM115 - the response closes it
        with open(path, "rb") as file:
            shutil.copyfileobj(file, content)
        content.seek(0)
    return FileResponse(
        content, as_attachment=True, filename=_make_file_name(tournament, size), content_type="application/zip"
    )


_EVERYTHING: Final = "*"
"""The value of `size` for a download of the whole installation.

For a download of one event, `size` is the event's slug. For a whole tournament, it is "".
"""


def _make_file_name(tournament: Tournament, size: str) -> str:
    at = f"{timezone.now().astimezone(ZoneInfo(tournament.time_zone)):%Y-%m-%d-%H%M}"
    if size == _EVERYTHING:
        return f"everything-{at}{INSTALLATION_EXTENSION}"
    mark = "copy-" if tournament.is_copy else ""
    return f"{mark}{tournament.slug}-{at}.{f'{size}.event' if size else 'tournament'}.zip"


def _make_download_address(request: ActorRequest, tournament: Tournament, size: str) -> str:
    """Return the URL of this download. The URL only works for this user."""
    key = _signer().sign(f"{cast(User, request.user).pk} {tournament.slug} {size}")
    return f"{reverse('scoring:desk_file_download', args=[tournament.slug])}?{urlencode({'key': key})}"


def _signer() -> TimestampSigner:
    return TimestampSigner(salt="tournament-file")


# --- Upload ----------------------------------------------------------------------------------------------------------


class _FileForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("The file of a tournament"),
        widget=forms.ClearableFileInput(attrs={"accept": ".zip"}),
        error_messages={
            "required": gettext_lazy("Choose the file of a tournament."),
            "empty": gettext_lazy("This file is empty. Download it again from where it was made."),
        },
    )
    key = forms.CharField(widget=forms.HiddenInput, max_length=32)


@accepts_files(TOURNAMENT_FILE_LIMITS)
@sign_in_required
def open_file(request: HttpRequest) -> HttpResponse:
    """Store an uploaded file. If the same form is submitted twice, the file is stored only once."""
    form = _FileForm(request.POST or None, request.FILES or None, initial={"key": uuid.uuid4().hex})
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        upload = store_upload(form.cleaned_data["key"], file.name, file.chunks(), cast(User, request.user))
        _send(upload)
        return redirect("scoring:upload", token=upload.token)
    context = {"form": form, "most_mb": TOURNAMENT_FILE_LIMITS.most_bytes // 1024 // 1024}
    return render(request, "scoring/archive/open_file.html", context, status=422 if form.errors else 200)


# --- What the file contains, and what to do with it -----------------------------------------------------------------

STUCK_AFTER_S: Final = 60
"""Seconds after which the page offers to try again, because the task may have been lost."""


@sign_in_required
def show_upload(request: HttpRequest, token: str) -> HttpResponse:
    """Show what an uploaded file contains, and what can be done with it. The page reloads while the worker is busy."""
    upload = load_upload(token, cast(User, request.user))
    if request.method == "POST":
        return _decide(request, upload)
    if upload.state is UploadState.IMPORTED:
        return _leave(request, upload)
    here = load_tournament_here(upload)
    may_replace = here is not None and is_allowed(cast(User, request.user), "direct", here)
    can_replace = here is not None and upload.state is UploadState.CHECKED and can_replace_tournament(upload, here)
    if here is not None and can_replace and may_replace and request.GET.get("act") == "replace":
        return _confirm_replacement(request, upload, here)
    is_waiting = upload.state in (UploadState.CHECKING, UploadState.IMPORTING)
    age = timezone.now().timestamp() - upload.folder.stat().st_mtime
    context = {
        "upload": upload,
        "is_waiting": is_waiting,
        "nobody_works": is_waiting and not is_worker_running(),
        "is_stuck": is_waiting and age > STUCK_AFTER_S,
        "here": here,
        "may_replace": may_replace,
        "can_replace": can_replace,
        **(_describe(upload, here) if upload.about and not upload.is_everything else {}),
    }
    if upload.is_everything:
        context |= {
            "about": upload.about,
            "made_at": local_day_time(dt.datetime.fromisoformat(upload.about["made_at"]), upload.about["time_zone"]),
            "is_empty": is_installation_empty(),
            "may_take": may_direct_installation(cast(User, request.user)),
        }
    return render(request, "scoring/archive/upload.html", context)


def _describe(upload: Upload, here: Tournament | None) -> dict[str, Any]:
    about = upload.about
    states = dict(Event.State.choices)
    zone = about["time_zone"]
    days = {name: dt.date.fromisoformat(about[name]) for name in ("starts_on", "ends_on")}
    lost = here.log.filter(seq__gt=about["shared"]).order_by("-seq") if here is not None else None
    return {
        "about": about,
        "when": Tournament(**days),
        "made_at": local_day_time(dt.datetime.fromisoformat(about["made_at"]), zone),
        "events": [{**each, "state": str(states.get(each["state"], each["state"]))} for each in about["events"]],
        "lost_count": lost.count() if lost is not None else 0,
        "lost": [_entry(entry.at, entry.by_name, entry.verb, entry.about, zone) for entry in lost[:MAX_LISTED_ENTRIES]]
        if lost is not None
        else [],
        "newer": [
            _entry(dt.datetime.fromisoformat(each["at"]), each["by_name"], each["verb"], each["about"], zone)
            for each in about["newer"]
        ],
    }


def _entry(at: dt.datetime, by_name: str, verb: str, about: str, zone: str) -> dict[str, str]:
    return {"at": local_day_time(at, zone), "by": by_name, "act": describe_log_verb(verb), "about": about}


def _decide(request: HttpRequest, upload: Upload) -> HttpResponse:
    """Record how the user wants to import the file, and let the worker do it. A second submission changes nothing."""
    again = redirect("scoring:upload", token=upload.token)
    if not is_worker_running():
        text = _("The background worker is not running, so nothing was done. Restart the program, and press again.")
        messages.error(request, text)
        return again
    act = request.POST.get("act", "")
    try:
        if act in ImportMode._value2member_map_:
            seen = request.POST.get("seen", "")
            upload = request_import(
                upload,
                ImportMode(act),
                by=get_staff_actor(request),
                reason=request.POST.get("reason", ""),
                seen_rows=int(seen) if seen.isdecimal() and len(seen) < 10 else None,
            )
    except DomainError as refusal:
        here = load_tournament_here(upload)
        if refusal.code in ("reason-needed", "changed-meanwhile") and here is not None:
            return _confirm_replacement(request, upload, here, error=refusal.message)
        messages.error(request, refusal.message)
        return again
    _send(upload)
    return again


def _send(upload: Upload) -> None:
    task = {UploadState.CHECKING: "scoring.check_upload", UploadState.IMPORTING: "scoring.import_upload"}
    if upload.state in task:
        send_task(task[upload.state], token=upload.token)


def _confirm_replacement(request: HttpRequest, upload: Upload, here: Tournament, error: str = "") -> HttpResponse:
    rows, lost = here.log.count(), here.log.filter(seq__gt=upload.about["shared"]).count()
    words = {"name": here.name}
    losses = ngettext(
        "%(count)s entry in the log here is not in the file, and would be lost.",
        "%(count)s entries in the log here are not in the file, and would be lost.",
        lost,
    ) % {"count": lost}
    return render_confirmation(
        request,
        title=_("Replace %(name)s with this file?") % words,
        text=_("The tournament on this computer becomes exactly what is in the file.") % words,
        happens=(
            losses if lost else _("Everything in the log here is also in the file, so nothing would be lost."),
            _("A backup is made first. The state from before is also kept as a file in the folder “replaced”."),
            _("Private links, signing codes, and codes on paper work as they did when the file was made."),
        ),
        label=_("Replace %(name)s") % words,
        danger=True,
        reason=True,
        typed=request.POST.get("reason", ""),
        error=error,
        fields=({"name": "act", "value": ImportMode.REPLACE.value}, {"name": "seen", "value": str(rows)}),
        back=reverse("scoring:upload", args=[upload.token]),
    )


def _leave(request: HttpRequest, upload: Upload) -> HttpResponse:
    """Redirect to the imported tournament, and show a message about the import."""
    mode = ImportMode(upload.mode)
    if upload.is_everything and mode is ImportMode.ORIGINAL:
        text = _("Everything goes on here. From now on, enter everything on this computer only.")
    elif upload.is_everything:
        text = _("These are copies. Try out what you like: nothing is sent, and the originals stay as they are.")
    elif mode is ImportMode.ORIGINAL:
        text = _("The tournament goes on here. From now on, enter everything on this computer only.")
    elif mode is ImportMode.COPY:
        text = _("This is a copy. Try out what you like: nothing is sent, and the original stays as it is.")
    else:
        text = _("The tournament was replaced. Its state from before is in %(file)s.") % {"file": upload.kept}
    messages.success(request, text)
    found = Tournament.objects.filter(slug=upload.imported).exists()
    address = reverse("tournament:today", args=[upload.imported]) if found else reverse("tournament:desk")
    if mode is not ImportMode.COPY and not cast(User, request.user).is_named:
        messages.warning(request, _("Everything you do here is recorded under your name. Enter it before you go on."))
        address = f"{reverse('tournament:own_name')}?{urlencode({'next': address})}"
    return HttpResponseClientRedirect(address) if request.headers.get("HX-Request") else redirect(address)
