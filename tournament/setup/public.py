""""""

from typing import Any, Final

from allauth.account.signals import email_added, email_changed, password_set
from allauth.mfa.signals import authenticator_added
from django.conf import settings
from django.contrib.auth import login
from django.dispatch import Signal, receiver
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournament.above import stages
from tournament.core.pages.access import console_tournament, keep_link, link_maker, public_event
from tournament.core.pages.following import follows, kept_by_version
from tournament.core.pages.responses import qr_of, site_of
from tournament.core.permissions import staff
from tournament.core.selectors.events import is_loading, load_tournament, public_events
from tournament.errors import NotFound
from tournament.models import Event, Tournament, User
from tournament.models.topic import BRACKET, ENTRANTS, PAIRINGS, PRIZES, STANDINGS
from tournament.registration.selectors.entry_options import entry_terms
from tournament.setup.selectors import Trusted, load_trusted
from tournament.setup.services.sign_in import record_way_in, use_link


def home(request: HttpRequest) -> HttpResponse:
    return render(request, "tournament/setup/home.html", _with_demo(list(Tournament.objects.all())))


def _with_demo(tournaments: list[Tournament]) -> dict[str, Any]:
    return {"tournaments": tournaments, "demo_is_loading": any(map(is_loading, tournaments))}


def tournament_page(request: HttpRequest, tournament: str) -> HttpResponse:
    found = load_tournament(tournament)
    context = {"tournament": found, "events": public_events(found), "demo_is_loading": is_loading(found)}
    return render(request, "tournament/setup/tournament.html", context)


@public_event
@follows(BRACKET, PAIRINGS, STANDINGS, ENTRANTS, PRIZES)
def event_page(request: HttpRequest, event: Event) -> HttpResponseBase:
    """Show what is being played. A search is not cached, because it would push out pages that others need.

    `kept_as` changes the cache key when a fee or a date has passed, although nothing was written.
    """
    if "q" in request.GET:
        return stages().show_event(request, event)
    vars(request)["kept_as"] = entry_terms(event, timezone.now()).kept_as
    return _kept_event_page(request, event)


@kept_by_version
def _kept_event_page(request: HttpRequest, event: Event) -> HttpResponse:
    return stages().show_event(request, event)


def sign_in(request: HttpRequest, token: str) -> HttpResponse:
    """Show a page with a button that uses the link, so that mail scanners do not use it up."""
    if request.method != "POST":
        return render(request, "tournament/setup/sign_in.html", {"token": token})
    link = use_link(token)
    login(request, link.user, backend="django.contrib.auth.backends.ModelBackend")
    keep_link(request, link)
    safe = url_has_allowed_host_and_scheme(link.goes_to, allowed_hosts=None)
    return redirect(link.goes_to if safe else "/")


@receiver([password_set, email_added, email_changed, authenticator_added], dispatch_uid="way_in_set")
def _way_in_was_set(*, signal: Signal, request: HttpRequest, user: User, **_more: Any) -> None:
    if link := link_maker(request):
        record_way_in(user, WAYS_IN[signal], by=staff(user, link))


WAYS_IN: Final = {
    password_set: "password",
    email_added: "email",
    email_changed: "email",
    authenticator_added: "second-factor",
}


# --- Public ----------------------------------------------------------------------------------------------------------
# Pages that help phones trust the hall's certificate, and tell what is impossible without one.


@require_safe
def trust(request: HttpRequest) -> HttpResponse:
    return render(request, "tournament/setup/trust/public.html", trust_context(request))


@require_safe
def certificate(request: HttpRequest) -> HttpResponse:
    return _file(_trusted().pem, "application/x-x509-ca-cert", "hall.crt")


@require_safe
def profile(request: HttpRequest) -> HttpResponse:
    return _file(_trusted().profile, "application/x-apple-aspen-config", "hall.mobileconfig")


@console_tournament("look")
def phones(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Show the director a QR code of the address to hold up, and the fingerprint to compare."""
    return render(request, "tournament/setup/trust/console.html", trust_context(request))


def trust_context(request: HttpRequest) -> dict[str, Any]:
    site = site_of(request)
    return {
        "trusted": load_trusted(),
        "site": site,
        "site_qr": qr_of(f"{site}/"),
        "trust_url": settings.TRUST_URL,
        "trust_qr": qr_of(settings.TRUST_URL) if settings.TRUST_URL else "",
        "is_safe": request.is_secure(),
    }


def _trusted() -> Trusted:
    found = load_trusted()
    if found is None:
        raise NotFound("no-certificate", _("This installation has no certificate of its own. Start it with HTTPS=1."))
    return found


def _file(content: bytes, kind: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-cache"}
    return HttpResponse(content, content_type=kind, headers=headers)
