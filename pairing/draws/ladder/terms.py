"""How long a ladder is, and at how many tables it is played."""

from dataclasses import dataclass
from typing import Any, Final

from pairing.draws.stages.plan import PoolTerms, everybody_plays, read_best
from tournament.cases import Fields

MOST_CHALLENGES: Final = 1000
USUAL_CHALLENGES: Final = 20
MOST_HELD: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderTerms(PoolTerms):
    """`challenges`: how many games are played in all. `held`: how many tables are held by a winner."""

    challenges: int
    held: int = 1


def read_ladder(fields: Fields) -> LadderTerms:
    """
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
