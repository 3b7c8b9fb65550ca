"""Public pages: an event's rule sheet, and all rule sets with their options."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from scoring.rules.book.layout import format_signed_number
from scoring.rules.book.options import Option
from scoring.rules.variants import VARIANTS
from scoring.rulesheets.selectors import (
    describe_rule_set,
    describe_rule_sheet,
    has_frozen_rule_sheet,
    load_rule_sheet_versions,
)
from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version, follows_topics
from tournament.errors import NotFound
from tournament.models import Event


@public_event_view
@follows_topics()
@cached_by_version
def show_rules(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the published rule sheet with its earlier versions.

    Until play starts, the page warns that the rules may change.
    """
    versions = load_rule_sheet_versions(event)
    sheet = versions[0] if versions else None
    context = {
        "sheet": sheet,
        "rules": describe_rule_sheet(sheet) if sheet else None,
        "frozen": has_frozen_rule_sheet(event),
        "earlier": [(version, describe_rule_sheet(version)) for version in versions[1:]],
    }
    return render(request, "scoring/rulesheets/public.html", context)


def list_rule_sets(request: HttpRequest) -> HttpResponse:
    context = {"sets": [(name, describe_rule_set(name)) for name in VARIANTS]}
    return render(request, "scoring/rulesheets/rule_sets.html", context)


def show_rule_set(request: HttpRequest, rules: str) -> HttpResponse:
    if rules not in VARIANTS:
        raise NotFound("no-rules", _("There is no such rule set. Look at the list of rule sets."))
    context = {"rules": describe_rule_set(rules), "options": _describe_options(rules), "games": _describe_games(rules)}
    return render(request, "scoring/rulesheets/rule_set.html", context)


# --- A rule set described: its options with their defaults and other values, and its named games ---------------------

MAX_LISTED_OPTION_VALUES: Final = 5
"""The maximum number of an option's values to list. If there are more, only the default is shown."""
MAX_DISPLAYED_OPTION_LIMIT: Final = 1_000_000
"""The largest upper bound that is shown. Larger ones are only technical limits."""


def _describe_options(rules: str) -> list[dict[str, Any]]:
    """Return a rule set's options as text. `others` contains the values besides the default."""
    return [
        {
            "label": option.label,
            "meaning": option.meaning,
            "value": option.describe(option.default),
            "others": _describe_other_values(option),
            "rule": option.rule,
        }
        for option in VARIANTS[rules].options
    ]


def _describe_games(rules: str) -> list[dict[str, Any]]:
    variant = VARIANTS[rules]
    return [
        {
            "name": preset.name,
            "title": preset.title,
            "players": preset.players,
            "rule_tables": variant((), preset.options).make_rule_tables(),
        }
        for preset in variant.presets
    ]


def _describe_other_values(option: Option) -> list[str]:
    """Return an option's values besides the default, as text.

    The result is empty for switches and for options with many values.
    """
    if option.kind == "switch" or len(option.named) > MAX_LISTED_OPTION_VALUES:
        return []
    named = [each.label for each in option.named if each.value != option.default]
    return [*named, *_describe_number_range(option)]


def _describe_number_range(option: Option) -> list[str]:
    numbers = option.numbers
    if numbers is None or (option.default in numbers and not option.named):
        return []
    ends = {"lowest": format_signed_number(numbers.lowest), "highest": format_signed_number(numbers.highest)}
    if numbers.lowest <= -MAX_DISPLAYED_OPTION_LIMIT:
        return [_("a number up to %(highest)s") % ends]
    if numbers.highest >= MAX_DISPLAYED_OPTION_LIMIT:
        return [_("a number from %(lowest)s") % ends]
    return [_("a number from %(lowest)s to %(highest)s") % ends]
