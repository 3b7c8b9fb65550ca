"""Random lines for any rule set, filled in from the variant's fields and kept if the variant accepts them.

    variant.line_fields ──fill_in──► a line ──judge_line──► kept, or thrown again

A rule set with constraints between its fields has a maker of its own (`MAKERS`).
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from scoring.management.random_event.dice import Dice
from scoring.management.random_event.hands.by_fields import fill_in
from scoring.management.random_event.hands.couples import couples_round
from scoring.management.random_event.hands.pads import pad_round
from scoring.rules.sheet.sheets import Sheet, judge_line
from tournament.errors import BadCase

Line = dict[str, Any]
MAKERS: Final[Mapping[str, Callable[[Dice, Sheet], Line]]] = {"score-pad": pad_round, "metzker": couples_round}
THROWS: Final = 200
MOST_LINES: Final = 120


def a_line(dice: Dice, sheet: Sheet) -> Line | None:
    """Return a random next line of the sheet, or None if every attempt was impossible."""
    make = MAKERS.get(sheet.rule_sheet.rules, fill_in)
    for _throw in range(THROWS):
        line = make(dice, sheet)
        try:
            judge_line(sheet, line)
        except BadCase:
            continue
        return line
    return None


def a_wrong_line(dice: Dice, sheet: Sheet) -> Line:
    """Return a line with one random change. It may be possible anyway."""
    line = dict(a_line(dice, sheet) or {})
    names = sorted(line)
    if names:
        name = dice.choice(names)
        line[name] = dice.choice((None, -1, 10**12, "ZZ", {}, [], {"A": 5}, "void", True))
    return line


def all_lines(dice: Dice, sheet: Sheet) -> list[Line]:
    """Return lines up to the end of the game, or an empty list if no end was reached."""
    lines: list[Line] = []
    while len(lines) < MOST_LINES:
        line = a_line(dice, sheet)
        if line is None:
            return []
        judged = judge_line(sheet, line)
        sheet, lines = judged.sheet, [*lines, line]
        if judged.tally.complete:
            return lines
    return []
