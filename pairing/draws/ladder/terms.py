"""The terms of a ladder: its number of games, and the number of tables held by winners."""

from dataclasses import dataclass
from typing import Any, Final

from pairing.draws.stages.plan import PoolTerms, everybody_plays, read_best
from tournament.cases import Fields

MOST_CHALLENGES: Final = 1000
USUAL_CHALLENGES: Final = 20
MOST_HELD: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderTerms(PoolTerms):
    """The terms of a ladder: `challenges` games are played in all, and winners hold `held` tables."""

    challenges: int
    held: int = 1


def read_ladder(fields: Fields) -> LadderTerms:
    """Read the terms of a ladder.

    >>> from tournament.cases import Problems
    >>> terms = read_ladder(Fields({"games": 12}, Problems(), ""))
    >>> terms.challenges, terms.held, terms.best
    (12, 1, None)
    """
    challenges = fields.integer("games", minimum=1, maximum=MOST_CHALLENGES, default=USUAL_CHALLENGES)
    held = fields.integer("held", minimum=1, maximum=MOST_HELD, default=1)
    best = read_best(fields)
    fields.finish()
    return LadderTerms(qualifier=everybody_plays(challenges), best=best, challenges=challenges, held=held)


def ladder_json(terms: LadderTerms) -> dict[str, Any]:
    return {"games": terms.challenges, "held": terms.held, "best": terms.best}
