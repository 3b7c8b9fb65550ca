"""What a corrected result leads to in the matches after it, of whichever kind the stage is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pairing.draws.knockout.keeping import DoubleBooked, LaterChoice
from pairing.draws.results.credits import MatchOutcome, SidesKept
from pairing.draws.stages.pool_corrections import TouchedGame


@dataclass(frozen=True, slots=True)
class PlayedAgain:
    """A later game of a pool is open again, at no table."""

    match: str


LaterFact = SidesKept | MatchOutcome | PlayedAgain


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The later matches it touches by their names, and what is recorded of them after the result, in this order.

    `goes_on`: who wins goes on, and the touched matches were decided with another entrant; they are played again unless
    something else is chosen. In a pool they are `games` that were paired by another record: these stand unless
    something else is chosen, and once `next_stage` is open they all do. `moved`: in these somebody else would stand.
    What cannot be chosen together: `torn` are to stay, but not the matches before them; `double_booked` would stand in
    two places.
    """

    touched: tuple[str, ...] = ()
    added: tuple[LaterFact, ...] = ()
    goes_on: bool = False
    games: tuple[TouchedGame, ...] = ()
    next_stage: str = ""
    moved: tuple[str, ...] = ()
    torn: tuple[str, ...] = ()
    double_booked: tuple[DoubleBooked, ...] = ()


def correction_in_pool(games: Sequence[TouchedGame], next_stage: str = "") -> Correction:
    """What is kept stands by itself.

    >>> correction_in_pool((), "Final").next_stage
    'Final'
    """
    touched = tuple(found.game.ident for found in games)
    return Correction(touched=touched, added=tuple(_chosen(games)), games=tuple(games), next_stage=next_stage)


def _chosen(games: Sequence[TouchedGame]) -> Iterator[LaterFact]:
    for found in games:
        if found.choice is LaterChoice.VOID:
            yield MatchOutcome.void(found.game.ident, found.game.sides)
        elif found.choice is not LaterChoice.KEEP:
            yield PlayedAgain(found.game.ident)
