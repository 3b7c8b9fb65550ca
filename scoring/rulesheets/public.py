from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from scoring.rules.variants import VARIANTS
from scoring.rulesheets.selectors.sheets import in_words, is_frozen, load_sheet_versions, set_in_words
from scoring.rulesheets.tables import games_of, options_of
from tournament.core.pages.access import public_event
from tournament.core.pages.following import follows, kept_by_version
from tournament.errors import NotFound
from tournament.models import Event


@public_event
@follows()
@kept_by_version
def rules(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the published rule sheet with its earlier versions. Until play starts, the page says that it may change."""
    versions = load_sheet_versions(event)
    sheet = versions[0] if versions else None
    context = {
        "sheet": sheet,
        "rules": in_words(sheet) if sheet else None,
        "frozen": is_frozen(event),
        "earlier": [(version, in_words(version)) for version in versions[1:]],
    }
    return render(request, "scoring/rulesheets/public.html", context)


def rule_sets(request: HttpRequest) -> HttpResponse:
    context = {"sets": [(name, set_in_words(name)) for name in VARIANTS]}
    return render(request, "scoring/rulesheets/rule_sets.html", context)


def rule_set(request: HttpRequest, rules: str) -> HttpResponse:
    if rules not in VARIANTS:
        raise NotFound("no-rules", _("There is no such rule set. Look at the list of rule sets."))
    context = {"rules": set_in_words(rules), "options": options_of(rules), "games": games_of(rules)}
    return render(request, "scoring/rulesheets/rule_set.html", context)
