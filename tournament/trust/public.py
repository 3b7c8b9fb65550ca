"""Pages that help phones trust the hall's certificate, and tell what is impossible without one."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournament.core.pages.access import console_tournament
from tournament.core.pages.links import qr_of, site_of
from tournament.errors import NotFound
from tournament.models import Tournament
from tournament.trust.selectors import Trusted, load_trusted


@require_safe
def trust(request: HttpRequest) -> HttpResponse:
    return render(request, "tournament/trust/public.html", trust_context(request))


@require_safe
def certificate(request: HttpRequest) -> HttpResponse:
    return _file(_trusted().pem, "application/x-x509-ca-cert", "hall.crt")


@require_safe
def profile(request: HttpRequest) -> HttpResponse:
    return _file(_trusted().profile, "application/x-apple-aspen-config", "hall.mobileconfig")


@console_tournament("look")
def phones(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Show the director a QR code of the address to hold up, and the fingerprint to compare."""
    return render(request, "tournament/trust/console.html", trust_context(request))


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
