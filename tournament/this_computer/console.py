"""The page *This computer*, for administrators at the computer itself: its state, backups, stop, and restart."""

import datetime as dt
from collections.abc import Callable
from functools import wraps
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from tournament import __version__
from tournament.backups.selectors import find_backup_copy_folders, list_backup_problems, read_backup_state
from tournament.core.dispatch import send_task
from tournament.core.pages.access import get_staff_actor, is_request_from_this_computer, sign_in_required
from tournament.core.pages.responses import find_site_url, make_qr_data_uri, render_confirmation
from tournament.core.permissions import require_installation_permission
from tournament.core.selectors.installation import load_club
from tournament.core.selectors.program import format_command
from tournament.core.services.jobs import is_worker_running
from tournament.errors import DomainError, NotAllowed
from tournament.models import Tournament
from tournament.second_laptop.selectors import describe_second_laptop_problem, read_link, read_second_laptop_status
from tournament.this_computer.forms import ClubForm
from tournament.this_computer.selectors.logs_to_send import make_logs_to_send
from tournament.this_computer.selectors.state import (
    PATH_PREFIX,
    RECENT_SIGN_IN,
    TRAFFIC_STATS_HEADER,
    RunAction,
    find_network_name,
    find_time_zone,
    load_backup_plan,
    load_open_work,
    load_recent_staff,
    measure_resources,
    parse_traffic_stats,
)
from tournament.this_computer.services import change_club, request_stop_or_restart
from tournament.this_computer.words import describe_clock_difference, load_failures

View = Callable[..., HttpResponseBase]
RECENT_WRITE: Final = dt.timedelta(minutes=2)
"""If something was recorded within this time, people are probably entering scores."""


def administrator_at_this_computer(view: View) -> View:
    """Decorate a view that only administrators may open, and only in a browser on this computer.

    Raises:
        NotAllowed: `other-computer`: the request came from another computer or through a proxy. `not-allowed`: the
            user is neither an administrator nor a director of all tournaments.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        if not is_request_from_this_computer(request):
            message = _("Only the computer that runs the program shows this page. On that computer, open %(address)s")
            raise NotAllowed("other-computer", message % {"address": _make_own_address(request)})
        return checked(request, **kwargs)

    @sign_in_required
    def checked(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        require_installation_permission(get_staff_actor(request))
        return view(request, **kwargs)

    return wrapped


def _make_own_address(request: HttpRequest) -> str:
    """Return the address of *This computer* in a browser on this computer, which is the same in every network."""
    port = urlsplit(f"//{request.get_host()}").port  # a page process listens on a socket, which has no port
    return f"{request.scheme}://127.0.0.1{f':{port}' if port else ''}{PATH_PREFIX}"


@require_http_methods(["GET", "POST"])
@administrator_at_this_computer
def show_this_computer(request: HttpRequest) -> HttpResponse:
    """Show how this computer and the program are doing. Handle the forms for a backup and for the club."""
    form = ClubForm(request.POST if request.POST.get("act") == "club" else None, instance=load_club())
    if form.is_bound and form.is_valid():
        values = form.cleaned_data
        change_club(name=values["name"], time_zone=values["time_zone"], by=get_staff_actor(request))
        messages.success(request, _("Saved."))
        return redirect("tournament:this_computer")
    if request.method == "POST" and not form.is_bound:
        if is_worker_running() and send_task("tournament.make_backup", only_if_due=False):
            messages.success(request, _("A backup is being made. Load this page again in a moment."))
        else:
            message = _("The background worker is not running, so no backup was made. Restart the program.")
            messages.error(request, message)
        return redirect("tournament:this_computer")
    now, site = timezone.now(), find_site_url(request)
    traffic = parse_traffic_stats(request.headers.get(TRAFFIC_STATS_HEADER, ""))
    newest = Tournament.objects.order_by("is_demo", "-pk").first()
    context = {
        "form": form,
        "now": now,
        "time_zone": find_time_zone(),
        "started_at": dt.datetime.fromisoformat(settings.STARTED_AT) if settings.STARTED_AT else None,
        "failures": load_failures(now),
        "traffic": traffic,
        "clock_difference": describe_clock_difference(traffic),
        "staff": load_recent_staff(now),
        "staff_hours": RECENT_SIGN_IN // dt.timedelta(hours=1),
        "is_worker_running": is_worker_running(),
        "site": site,
        "site_qr": make_qr_data_uri(f"{site}/"),
        "is_reachable": "//127." not in site and "//localhost" not in site,
        "trust_url": settings.TRUST_URL,
        "trust_qr": make_qr_data_uri(settings.TRUST_URL) if settings.TRUST_URL else "",
        "newest": newest,
        "backups": load_backup_plan(),
        "backup_state": read_backup_state(),
        "backup_problems": [problem.label for problem in list_backup_problems(now)],
        "copy_folders": find_backup_copy_folders(),
        "link": read_link(),
        "link_status": read_second_laptop_status(),
        "link_problem": describe_second_laptop_problem(),
        "resources": measure_resources(),
        "network": "" if getattr(request, "htmx", False) else find_network_name(),
        "data_folder": settings.VAR_DIR,
        "version": __version__,
        "build": settings.BUILD,
        "is_earlier_version": settings.IS_EARLIER_VERSION,
        "previous_version": settings.PREVIOUS_VERSION,
        "may_stop": settings.IS_SUPERVISED,
    }
    template = "tournament/this_computer/this_computer.html"
    return render(request, template, context, status=422 if form.errors else 200)


@require_safe
@administrator_at_this_computer
def download_logs(request: HttpRequest) -> HttpResponse:
    """Return the file *Logs to send*. With `?show`, the browser shows it instead of saving it."""
    now = timezone.now()
    disposition = "inline" if "show" in request.GET else "attachment"
    headers = {"Content-Disposition": f'{disposition}; filename="gin-rummy-logs-{now:%Y-%m-%d}.txt"'}
    return HttpResponse(make_logs_to_send(now), content_type="text/plain; charset=utf-8", headers=headers)


# --- Stop and restart ------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
@administrator_at_this_computer
def stop_or_restart(request: HttpRequest, action: RunAction) -> HttpResponse:
    """Show what a stop or restart would interrupt. After a confirmation, request it from the supervisor."""
    if not settings.IS_SUPERVISED:
        message = _("Another program runs this site, so it cannot be stopped here. Stop it where you started it.")
        raise NotAllowed("not-supervised", message)
    error = ""
    if request.method == "POST":
        try:
            request_stop_or_restart(action, by=get_staff_actor(request))
            query = urlencode({"since": settings.STARTED_AT})
            return redirect(f"{reverse(f'tournament:{action}_outcome')}?{query}")
        except DomainError as refusal:
            error = refusal.message
    is_restart = action is RunAction.RESTART
    consequence = (
        _("All pages are unavailable for about half a minute. They come back by themselves.")
        if is_restart
        else _("All pages are unavailable until you start the program again.")
    )
    return render_confirmation(
        request,
        title=_("Restart the program?") if is_restart else _("Stop the program?"),
        text=" ".join(_describe_interruptions(request)),
        happens=(consequence, _("Everything that was recorded stays. Phones keep unsent hands, and send them later.")),
        label=_("Restart the program") if is_restart else _("Stop the program"),
        danger=not is_restart,
        error=error,
        back=reverse("tournament:this_computer"),
    )


def _describe_interruptions(request: HttpRequest) -> list[str]:
    """Return sentences about the people and the jobs that a stop would interrupt."""
    traffic, work, sentences = parse_traffic_stats(request.headers.get(TRAFFIC_STATS_HEADER, "")), load_open_work(), []
    devices = traffic.devices if traffic is not None else 0
    if devices:
        text = ngettext("%(count)s phone is connected.", "%(count)s phones are connected.", devices)
        sentences.append(text % {"count": devices})
    else:
        sentences.append(_("No phone is connected."))
    now = timezone.now()
    if work.last_write is not None and work.last_write > now - RECENT_WRITE:
        sentences.append(_("People are probably entering scores: the last entry was recorded less than 2 minutes ago."))
    elif work.last_write is not None:
        sentences.append(_("The last entry was recorded %(time)s ago.") % {"time": timesince(work.last_write, now)})
    if work.jobs:
        text = ngettext(
            "%(count)s file is being made. It will be finished after the next start.",
            "%(count)s files are being made. They will be finished after the next start.",
            work.jobs,
        )
        sentences.append(text % {"count": work.jobs})
    return sentences


@require_safe
@administrator_at_this_computer
def show_run_outcome(request: HttpRequest, action: RunAction) -> HttpResponse:
    """Show that the program is stopping or restarting. After a restart, redirect to *This computer*."""
    address = reverse("tournament:this_computer")
    if action is RunAction.RESTART and request.GET.get("since") != settings.STARTED_AT:
        messages.success(request, _("The program has restarted."))
        return HttpResponseClientRedirect(address) if getattr(request, "htmx", False) else redirect(address)
    context = {"is_restart": action is RunAction.RESTART, "address": _make_own_address(request)}
    context["start_command"] = settings.START_COMMAND or format_command("run")
    return render(request, "tournament/this_computer/run_outcome.html", context)
