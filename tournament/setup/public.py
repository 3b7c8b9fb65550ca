"""Public site pages: tournaments and events, sign-in links, and the site's HTTPS certificate."""

import base64
import hashlib
import plistlib
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from allauth.account.signals import email_added, email_changed, password_set
from allauth.mfa.signals import authenticator_added
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from django.conf import settings
from django.contrib.auth import login
from django.db.models import Q, QuerySet
from django.dispatch import Signal, receiver
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournament.core.pages.access import (
    find_sign_in_link_creator,
    public_event_view,
    remember_sign_in_link_creator,
    staff_tournament_view,
)
from tournament.core.pages.following import cached_by_version, follows_topics
from tournament.core.pages.responses import find_site_url, make_qr_data_uri
from tournament.core.permissions import make_staff_actor
from tournament.core.selectors.events import is_demo_loading, load_public_events, load_tournament
from tournament.errors import NotFound
from tournament.models import Event, Tournament, User
from tournament.models.topic import BRACKET_TOPIC, ENTRANTS_TOPIC, PAIRINGS_TOPIC, PRIZES_TOPIC, STANDINGS_TOPIC
from tournament.ports import stage_provider
from tournament.registration.selectors.entries import make_entry_terms
from tournament.setup.services.sign_in import record_new_credential, use_sign_in_link


def home(request: HttpRequest) -> HttpResponse:
    tournaments = list(_load_listed_tournaments(request))
    context = {"tournaments": tournaments, "demo_is_loading": any(map(is_demo_loading, tournaments))}
    return render(request, "tournament/setup/home.html", context)


def _load_listed_tournaments(request: HttpRequest) -> QuerySet[Tournament]:
    """Return the tournaments for the home page. Only superusers and the staff of a copy see the copy."""
    user = request.user
    if not user.is_authenticated:
        return Tournament.objects.filter(is_copy=False)
    if user.is_superuser:
        return Tournament.objects.all()
    return Tournament.objects.filter(Q(is_copy=False) | Q(pk__in=user.roles.values("tournament")))


def tournament_page(request: HttpRequest, tournament: str) -> HttpResponse:
    found = load_tournament(tournament)
    context = {"tournament": found, "events": load_public_events(found), "demo_is_loading": is_demo_loading(found)}
    return render(request, "tournament/setup/tournament.html", context)


@public_event_view
@follows_topics(BRACKET_TOPIC, PAIRINGS_TOPIC, STANDINGS_TOPIC, ENTRANTS_TOPIC, PRIZES_TOPIC)
def event_page(request: HttpRequest, event: Event) -> HttpResponseBase:
    """Show the event's current state.

    Searches are not cached, because they would evict more useful pages. When a deadline passes, the page changes
    without a database write, so `cache_variant` is part of the cache key.
    """
    if "q" in request.GET:
        return stage_provider().show_event(request, event)
    vars(request)["cache_variant"] = make_entry_terms(event, timezone.now()).cache_key
    return _show_cached_event_page(request, event)


@cached_by_version
def _show_cached_event_page(request: HttpRequest, event: Event) -> HttpResponse:
    return stage_provider().show_event(request, event)


def sign_in(request: HttpRequest, token: str) -> HttpResponse:
    """Show a page with a button that uses the sign-in link. Mail scanners open links, but do not press buttons."""
    if request.method != "POST":
        return render(request, "tournament/setup/sign_in.html", {"token": token})
    link = use_sign_in_link(token)
    login(request, link.user, backend="django.contrib.auth.backends.ModelBackend")
    remember_sign_in_link_creator(request, link)
    safe = url_has_allowed_host_and_scheme(link.goes_to, allowed_hosts=None)
    return redirect(link.goes_to if safe else "/")


CREDENTIAL_BY_SIGNAL: Final = {
    password_set: "password",
    email_added: "email",
    email_changed: "email",
    authenticator_added: "second-factor",
}


@receiver([password_set, email_added, email_changed, authenticator_added], dispatch_uid="way_in_set")
def _record_credential(*, signal: Signal, request: HttpRequest, user: User, **_more: Any) -> None:
    if link := find_sign_in_link_creator(request):
        record_new_credential(user, CREDENTIAL_BY_SIGNAL[signal], by=make_staff_actor(user, link))


# --- The certificate of the hall -------------------------------------------------------------------------------------
# These pages help phones trust it, and explain what does not work without it.


@require_safe
def show_certificate_page(request: HttpRequest) -> HttpResponse:
    return render(request, "tournament/setup/trust/public.html", _make_trust_context(request))


@require_safe
def download_root_certificate(request: HttpRequest) -> HttpResponse:
    return _make_file_response(_require_root_certificate().pem, "application/x-x509-ca-cert", "hall.crt")


@require_safe
def download_apple_profile(request: HttpRequest) -> HttpResponse:
    return _make_file_response(
        _require_root_certificate().profile, "application/x-apple-aspen-config", "hall.mobileconfig"
    )


@staff_tournament_view("look")
def show_phone_setup(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Show the director a QR code for players to scan, and the certificate fingerprint to compare."""
    return render(request, "tournament/setup/trust/console.html", _make_trust_context(request))


def _make_trust_context(request: HttpRequest) -> dict[str, Any]:
    site = find_site_url(request)
    return {
        "trusted": _load_root_certificate(),
        "site": site,
        "site_qr": make_qr_data_uri(f"{site}/"),
        "trust_url": settings.TRUST_URL,
        "trust_qr": make_qr_data_uri(settings.TRUST_URL) if settings.TRUST_URL else "",
        "is_safe": request.is_secure(),
    }


@dataclass(frozen=True, slots=True)
class _RootCertificate:
    """A root certificate in the formats that phones need. `der` is its content, and phones list it under `name`."""

    name: str
    der: bytes

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 fingerprint in pairs of digits, as phones display it."""
        digest = hashlib.sha256(self.der).hexdigest().upper()
        return " ".join(digest[at : at + 2] for at in range(0, len(digest), 2))

    @property
    def pem(self) -> bytes:
        text = base64.encodebytes(self.der)
        return b"-----BEGIN CERTIFICATE-----\n" + text + b"-----END CERTIFICATE-----\n"

    @property
    def profile(self) -> bytes:
        """Return the certificate as a configuration profile for iPhone and iPad.

        The profile's identifiers are derived from the certificate, so that a second download replaces the first.
        """
        digest = hashlib.sha256(self.der).digest()
        certificate, whole = (str(uuid.UUID(bytes=digest[at : at + 16])).upper() for at in (0, 16))
        payload = {
            "PayloadType": "com.apple.security.root",
            "PayloadVersion": 1,
            "PayloadIdentifier": f"hall.gin-rummy.{certificate}",
            "PayloadUUID": certificate,
            "PayloadDisplayName": self.name,
            "PayloadCertificateFileName": "hall.crt",
            "PayloadContent": self.der,
        }
        return plistlib.dumps(
            {
                "PayloadType": "Configuration",
                "PayloadVersion": 1,
                "PayloadIdentifier": f"hall.gin-rummy.profile.{whole}",
                "PayloadUUID": whole,
                "PayloadDisplayName": self.name,
                "PayloadDescription": _(
                    "Lets this phone open the pages of the tournament hall safely. "
                    "It vouches for addresses of this hall and of private networks only."
                ),
                "PayloadContent": [payload],
            }
        )


def _load_root_certificate() -> _RootCertificate | None:
    """Return this installation's root certificate, or None if it did not create one."""
    if not settings.OWN_CERTIFICATE:
        return None
    found = x509.load_pem_x509_certificate(Path(settings.OWN_CERTIFICATE).read_bytes())
    name = found.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value
    return _RootCertificate(str(name), found.public_bytes(Encoding.DER))


def _require_root_certificate() -> _RootCertificate:
    found = _load_root_certificate()
    if found is None:
        raise NotFound("no-certificate", _("This installation has no certificate of its own. Start it with HTTPS=1."))
    return found


def _make_file_response(content: bytes, kind: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-cache"}
    return HttpResponse(content, content_type=kind, headers=headers)
