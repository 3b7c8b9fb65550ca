"""A rule set for everybody: what its options are preset to and what else they take, and the games it has by name."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from scoring.rules.book.options import Option
from scoring.rules.book.rulebook import Particular
from scoring.rules.variants.word_gin.word_hands import with_minus
from scoring.rulesheets.selectors.sheets import variant_class

MOST_NAMED: Final = 5
"""Of more names than this only the preset is shown."""
MOST_SAID: Final = 1_000_000
"""A bound beyond it is there for machines."""


@dataclass(frozen=True, slots=True)
class OptionShown:
    """`others` are the values besides the preset, in words."""

    label: str
    meaning: str
    value: str
    others: list[str]
    rule: str


@dataclass(frozen=True, slots=True)
class GameShown:
    name: str
    title: str
    players: str
    particulars: tuple[Particular, ...]


def options_of(rules: str) -> list[OptionShown]:
    return [
        OptionShown(option.label, option.meaning, option.words(option.default), _others(option), option.rule)
        for option in variant_class(rules).options
    ]


def games_of(rules: str) -> list[GameShown]:
    variant = variant_class(rules)
    return [
        GameShown(preset.name, preset.title, preset.players, variant((), preset.options).particulars())
        for preset in variant.presets
    ]


def _others(option: Option) -> list[str]:
    """Nothing where it is yes or no, or a name out of a long list."""
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
