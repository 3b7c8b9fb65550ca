"""Fill in a line field by field with random values. Whether the line is possible is checked later."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from scoring.management.random_event.dice import Dice
from scoring.rules.hand.cards import DECK
from scoring.rules.sheet.sheets import Sheet
from scoring.rules.variants.variant import FieldKind, LineField

SELDOM: Final = 0.03
OFTEN: Final = 0.9
MOST: Final = 60
LOW: Final = 10
RARE_CHOICES: Final = frozenset({"stock", "void", "points"})
"""Endings that are less frequent than one player's win."""


def fill_in(dice: Dice, sheet: Sheet) -> dict[str, Any]:
    """Return a line with random values. Values that are certain for the next line are kept."""
    variant = sheet.variant
    return _fill(dice, variant.line_fields(), sheet.sides, dict(variant.next_line(sheet.lines)))


def _fill(dice: Dice, fields: Iterable[LineField], sides: Sequence[str], line: dict[str, Any]) -> dict[str, Any]:
    for asked in fields:
        is_asked = not asked.outcomes or str(line.get(asked.depends_on, "")) in asked.outcomes
        if asked.name in line or not is_asked:
            continue
        if asked.required or dice.chance(SELDOM if asked.aside else OFTEN):
            line[asked.name] = _value(dice, asked, sides, line)
    return line


def _value(dice: Dice, asked: LineField, sides: Sequence[str], line: Mapping[str, Any]) -> Any:
    match asked.kind:
        case FieldKind.CARD:
            return str(dice.choice(sorted(DECK)))
        case FieldKind.CHOICE:
            return _choice(dice, [value for value, _words in asked.choices])
        case FieldKind.SIDE:
            return dice.choice(sides)
        case FieldKind.NUMBER:
            return dice.points(MOST)
        case FieldKind.NUMBER_A_SIDE:
            return _numbers(dice, asked, sides, line)
        case FieldKind.CARDS_A_SIDE:
            return {dice.choice(sides): [str(dice.choice(sorted(DECK)))]}
        case FieldKind.SWITCH:
            return dice.chance(0.5)
        case FieldKind.GROUP:
            return [_fill(dice, asked.fields, sides, {}) for _turn in range(dice.randint(asked.fewest, asked.most))]


def _choice(dice: Dice, values: list[str]) -> str:
    usual = [value for value in values if value not in RARE_CHOICES]
    return dice.choice(usual if usual and dice.chance(OFTEN) else values)


def _numbers(dice: Dice, asked: LineField, sides: Sequence[str], line: Mapping[str, Any]) -> dict[str, int]:
    """Return numbers for all sides, or with more than two sides without one of them, as some rules require."""
    by = line.get("by")
    if asked.aside:
        return {dice.choice(sides): dice.randint(1, 2)}
    numbers = {side: dice.points(LOW if side == by and dice.chance(0.8) else MOST) for side in sides}
    if asked.zero_of and line.get(asked.zero_of) in numbers and str(line.get("outcome")) in asked.zero_with:
        numbers[line[asked.zero_of]] = 0
    if len(sides) > 2:
        dropped = by if by in numbers and dice.chance(0.5) else dice.choice(sides)
        numbers = {side: count for side, count in numbers.items() if side != dropped}
    return numbers
