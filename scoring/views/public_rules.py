from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from scoring.rules.variants import VARIANTS
from scoring.selectors.rule_sheets import in_words, is_frozen, load_sheet_versions, set_in_words
from scoring.tables.rule_sets import games_of, options_of
from tournament.errors import NotFound
from tournament.models import Event
from tournament.views.access import public_event
from tournament.views.caching import kept_by_version


@public_event
@kept_by_version
def rules(request: HttpRequest, event: Event) -> HttpResponse:
    """The published rule sheet, with its earlier versions; until play starts it says that it may still change."""
    versions = load_sheet_versions(event)
    sheet = versions[0] if versions else None
    context = {
        "sheet": sheet,
        "rules": in_words(sheet) if sheet else None,
        "frozen": is_frozen(event),
        "earlier": [(version, in_words(version)) for version in versions[1:]],
    }
    return render(request, "scoring/public/rules.html", context)


def rule_sets(request: HttpRequest) -> HttpResponse:
    """All rule sets there are."""
    context = {"sets": [(name, set_in_words(name)) for name in VARIANTS]}
    return render(request, "scoring/public/rule_sets.html", context)


def rule_set(request: HttpRequest, rules: str) -> HttpResponse:
    """A rule set as it is before any director touches it."""
    if rules not in VARIANTS:
        raise NotFound("no-rules", "There is no such rule set. Look at the list of them.")
    context = {"rules": set_in_words(rules), "options": options_of(rules), "games": games_of(rules)}
    return render(request, "scoring/public/rule_set.html", context)
