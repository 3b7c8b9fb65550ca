"""The effects of a corrected result on later matches, for stages of any kind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pairing.draws.knockout.keeping import DoubleBooked, LaterChoice
from pairing.draws.results.credits import MatchOutcome, SidesKept
from pairing.draws.stages.pool_corrections import TouchedGame


@dataclass(frozen=True, slots=True)
class PlayedAgain:
    """A later game of a pool that is open again and has no table."""

    match: str


LaterFact = SidesKept | MatchOutcome | PlayedAgain


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The effects of a correction: the later matches it touches, and the facts to record after the result, in order.

    - `goes_on`: winners advance, and the touched matches were decided with another entrant. They are played again
      unless something else is chosen.
    - `games`: the games of a pool that were paired by another record. They count unless something else is chosen. Once
      `next_stage` is open, they all count.
    - `moved`: matches that would have other players.
    - `torn`: matches that were chosen to stay although the matches before them do not.
    - `double_booked`: entries that would be in two matches.
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
    """Return the correction of a result in a pool. A game that is kept needs no fact.

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
