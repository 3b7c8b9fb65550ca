"""The site as an app on a phone: its name, its icons, and the pages that open without a network."""

from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournament.core.pages.access import entrant_page
from tournament.models import Entrant

ICONS = (
    ("icon-192.png", "192x192", "any"),
    ("icon-512.png", "512x512", "any"),
    ("icon-full.png", "512x512", "maskable"),
)


@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """Serve the service worker from the root. A worker serves no page above its own address."""
    found = finders.find("js/service_worker.js")
    assert isinstance(found, str)
    headers = {"Cache-Control": "no-cache"}
    return HttpResponse(Path(found).read_bytes(), content_type="text/javascript; charset=utf-8", headers=headers)


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """Show the page that the service worker has ready if another page needs the network."""
    return render(request, "scoring/cards/offline/offline.html")


@require_safe
def web_app(request: HttpRequest) -> JsonResponse:
    return _manifest(_("Gin rummy tournaments"), reverse("tournament:home"))


@require_safe
@entrant_page
def my_web_app(request: HttpRequest, entrant: Entrant) -> JsonResponse:
    """Return the app of a player, which starts at their own match."""
    return _manifest(entrant.event.name, reverse("scoring:my_match", kwargs={"token": entrant.token}))


def _manifest(name: str, start: str) -> JsonResponse:
    icons = [
        {"src": static(f"img/{file}"), "sizes": sizes, "type": "image/png", "purpose": purpose}
        for file, sizes, purpose in ICONS
    ]
    app: dict[str, Any] = {
        "id": start,
        "name": name,
        "short_name": _("Gin rummy"),
        "start_url": start,
        "scope": "/",
        "display": "standalone",
        "background_color": "#FBF8F1",
        "theme_color": "#0F5B3E",
        "icons": icons,
    }
    return JsonResponse(app, content_type="application/manifest+json")


@require_safe
def handover(request: HttpRequest) -> HttpResponse:
    """Show the page that the QR code on a phone without a network opens. Its script reads the rest of the address."""
    return render(request, "scoring/cards/offline/handover.html")
