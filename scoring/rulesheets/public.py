"""Public pages: the rule sheet of an event, and the rule sets with their options."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from scoring.rules.variants import VARIANTS
from scoring.rulesheets.selectors.sheets import describe_rule_set, describe_sheet, is_frozen, load_sheet_versions
from scoring.rulesheets.tables import describe_games, describe_options
from tournament.core.pages.access import public_event
from tournament.core.pages.following import cached_by_version, follows
from tournament.errors import NotFound
from tournament.models import Event


@public_event
@follows()
@cached_by_version
def rules(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the published rule sheet with its earlier versions. Until play starts, the page says that it may change."""
    versions = load_sheet_versions(event)
    sheet = versions[0] if versions else None
    context = {
        "sheet": sheet,
        "rules": describe_sheet(sheet) if sheet else None,
        "frozen": is_frozen(event),
        "earlier": [(version, describe_sheet(version)) for version in versions[1:]],
    }
    return render(request, "scoring/rulesheets/public.html", context)


def rule_sets(request: HttpRequest) -> HttpResponse:
    context = {"sets": [(name, describe_rule_set(name)) for name in VARIANTS]}
    return render(request, "scoring/rulesheets/rule_sets.html", context)


def rule_set(request: HttpRequest, rules: str) -> HttpResponse:
    if rules not in VARIANTS:
        raise NotFound("no-rules", _("There is no such rule set. Look at the list of rule sets."))
    context = {"rules": describe_rule_set(rules), "options": describe_options(rules), "games": describe_games(rules)}
    return render(request, "scoring/rulesheets/rule_set.html", context)
