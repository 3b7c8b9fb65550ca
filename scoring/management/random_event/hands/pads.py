"""A round on a score pad: points that can be in it, and on a pad without an end now and then somebody who has won."""

from collections.abc import Sequence
from typing import Any, Final

from scoring.management.random_event.dice import Dice
from scoring.rules.sheet.sheets import Sheet
from scoring.rules.variants.score_pad.pad import PadRound
from scoring.rules.variants.score_pad.pad_terms import PadTerms

ROUNDS_TO_TARGET: Final = 4
USUAL: Final = 40
SWEPT: Final = 0.1


def pad_round(dice: Dice, sheet: Sheet) -> dict[str, Any]:
    """Multiples of the game's unit, in sum what the round has where that is fixed, about so many as end it soon."""
    terms = PadTerms.of(sheet.rule_sheet.options)
    unit = terms.pad.unit if terms.pad else 1
    played = terms.round_at(len(sheet.lines))
    line: dict[str, Any] = {"points": _points(dice, terms, played, sheet.sides, unit)}
    may_be_won_outright = not terms.rounds and terms.target is None and len(sheet.lines) >= 2
    if may_be_won_outright and dice.chance(0.5):
        line["won_by"] = dice.choice(sheet.sides)
    return line


def _points(dice: Dice, terms: PadTerms, played: PadRound, sides: Sequence[str], unit: int) -> dict[str, int]:
    if played.swept is not None and dice.chance(SWEPT):
        winner = dice.choice(sides)
        return {side: 0 if side == winner else played.swept for side in sides}
    if played.total is not None:
        return _shared(dice, played.total, sides, unit)
    most = max(1, (terms.target or USUAL) // (ROUNDS_TO_TARGET * unit)) * 2
    signs = {side: -1 if not terms.back_to_zero and dice.chance(0.1) else 1 for side in sides}
    return {side: signs[side] * unit * dice.randint(0, most) for side in sides}


def _shared(dice: Dice, total: int, sides: Sequence[str], unit: int) -> dict[str, int]:
    """All of it, in pieces of the unit."""
    found = dict.fromkeys(sides, 0)
    for _piece in range(total // unit):
        found[dice.choice(sides)] += unit
    return found
