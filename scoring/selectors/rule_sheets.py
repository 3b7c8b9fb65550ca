"""The rule sheet of an event: its versions, the one that counts, and how it reads in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from scoring.models import RuleSheet, RuleSheetFrozen
from scoring.rules.options import Option, Options
from scoring.rules.variant import Variant
from scoring.rules.variants import VARIANTS
from tournament.models import Event

USUAL_VARIANT: Final = "gra-singles"
USUAL_GAMES_TO_WIN: Final = 1
VARIANTS_OF_FORMATS: Final = {"rotation": "metzker", "court-whist": "court-whist"}
"""Formats that are one rule set's own."""


@dataclass(frozen=True, slots=True)
class OptionInWords:
    """One line of the published sheet. `rule` empty: the rules are silent, the director set it."""

    label: str
    value: str
    meaning: str
    rule: str
    changed: bool

    @property
    def set_by_director(self) -> bool:
        return not self.rule or self.changed


@dataclass(frozen=True, slots=True)
class RulesInWords:
    title: str
    source: str
    games: str
    options: tuple[OptionInWords, ...]
    remarks: str


def current_sheet(event: Event) -> RuleSheet | None:
    return event.rule_sheets.order_by("-version").first()


def is_frozen(event: Event) -> bool:
    return RuleSheetFrozen.objects.filter(event=event).exists()


def load_versions(event: Event) -> list[RuleSheet]:
    """All versions, the newest first."""
    return list(event.rule_sheets.order_by("-version"))


def variant_class(name: str) -> type[Variant[Any, Any]]:
    return VARIANTS[name]


def usual_variant(event: Event) -> str:
    """By what an event is played unless somebody chooses something else."""
    return VARIANTS_OF_FORMATS.get(event.format, USUAL_VARIANT)


def unsaved_sheet(event: Event) -> RuleSheet:
    """What an event plays by while nobody has touched its rule sheet."""
    return RuleSheet(
        event=event,
        version=0,
        variant=usual_variant(event),
        options=variant_class(usual_variant(event)).defaults(),
        games_to_win=USUAL_GAMES_TO_WIN,
    )


def in_words(sheet: RuleSheet) -> RulesInWords:
    variant = variant_class(sheet.variant)
    options = tuple(_option_in_words(option, sheet.options) for option in variant.options)
    return RulesInWords(
        variant.title, variant.rulebook.title, match_in_words(sheet.games_to_win), options, sheet.remarks
    )


def _option_in_words(option: Option, chosen: Options) -> OptionInWords:
    value = chosen[option.name]
    changed = bool(option.rule) and value != option.default
    return OptionInWords(option.label, option.words(value), option.meaning, option.rule, changed)


def match_in_words(games_to_win: int) -> str:
    """
    >>> match_in_words(1), match_in_words(2)
    ('one game', 'the first to win 2 games, 3 at most')
    """
    if games_to_win == 1:
        return "one game"
    return f"the first to win {games_to_win} games, {2 * games_to_win - 1} at most"
