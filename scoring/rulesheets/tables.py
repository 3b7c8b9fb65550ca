"""A rule set described for the public: its options with their defaults and other values, and its named games."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from scoring.rules.book.options import Option
from scoring.rules.book.rulebook import Particular
from scoring.rules.variants.word_gin import with_minus
from scoring.rulesheets.selectors.sheets import variant_class

MOST_NAMED: Final = 5
"""The most named values of an option to list. With more, only the default is listed."""
MOST_SAID: Final = 1_000_000
"""The largest bound to display. Larger bounds are technical limits."""


@dataclass(frozen=True, slots=True)
class _OptionShown:
    """An option as the page lists it. `others` are the values besides the default, in words."""

    label: str
    meaning: str
    value: str
    others: list[str]
    rule: str


@dataclass(frozen=True, slots=True)
class _GameShown:
    name: str
    title: str
    players: str
    particulars: tuple[Particular, ...]


def options_of(rules: str) -> list[_OptionShown]:
    return [
        _OptionShown(option.label, option.meaning, option.words(option.default), _others(option), option.rule)
        for option in variant_class(rules).options
    ]


def games_of(rules: str) -> list[_GameShown]:
    variant = variant_class(rules)
    return [
        _GameShown(preset.name, preset.title, preset.players, variant((), preset.options).particulars())
        for preset in variant.presets
    ]


def _others(option: Option) -> list[str]:
    """Return the other values of an option. The list is empty for a switch or for a long list of names."""
    if option.kind == "switch" or len(option.named) > MOST_NAMED:
        return []
    named = [each.words for each in option.named if each.value != option.default]
    return [*named, *_numbers(option)]


def _numbers(option: Option) -> list[str]:
    numbers = option.numbers
    if numbers is None or (option.default in numbers and not option.named):
        return []
    ends = {"lowest": with_minus(numbers.lowest), "highest": with_minus(numbers.highest)}
    if numbers.lowest <= -MOST_SAID:
        return [_("a number up to %(highest)s") % ends]
    if numbers.highest >= MOST_SAID:
        return [_("a number from %(lowest)s") % ends]
    return [_("a number from %(lowest)s to %(highest)s") % ends]
