"""A random round of a couples event."""

from typing import Any

from scoring.management.random_event.dice import Dice
from scoring.rules.sheet.sheets import Sheet
from scoring.rules.variants.metzker.couples import GINS, CouplesOutcome

MOST_RUN = 9


def couples_round(dice: Dice, sheet: Sheet) -> dict[str, Any]:
    """Return a line with the results of two tables."""
    return {"results": [a_result(dice, sheet.sides) for _table in range(2)]}


def a_result(dice: Dice, sides: tuple[str, ...]) -> dict[str, Any]:
    outcome = dice.choice(list(CouplesOutcome))
    by, other = dice.sample(sides, 2)
    counts = {by: 0 if outcome in GINS else dice.randint(0, MOST_RUN), other: dice.points(60)}
    if outcome is CouplesOutcome.STOCK:
        return {"outcome": str(outcome), "counts": counts}
    return {"outcome": str(outcome), "by": by, "counts": counts}
