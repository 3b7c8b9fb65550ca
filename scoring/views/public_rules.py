from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from scoring.selectors.rule_sheets import in_words, is_frozen, load_versions
from tournament.models import Event
from tournament.views.access import public_event
from tournament.views.caching import kept_by_version


@public_event
@kept_by_version
def rules(request: HttpRequest, event: Event) -> HttpResponse:
    """The published rule sheet, with its earlier versions; until play starts it says that it may still change."""
    versions = load_versions(event)
    sheet = versions[0] if versions else None
    context = {
        "sheet": sheet,
        "rules": in_words(sheet) if sheet else None,
        "frozen": is_frozen(event),
        "earlier": [(version, in_words(version)) for version in versions[1:]],
    }
    return render(request, "scoring/public/rules.html", context)
