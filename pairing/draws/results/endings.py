"""How a match ends by the desk's word: who goes on, why, and what each side gets for it."""

from typing import Final

from pairing.draws.results.credits import Cause, Credit, MatchOutcome, Result

WON_BY: Final = (
    Cause.PLAYED,
    Cause.TIME,
    Cause.FORFEIT,
    Cause.NO_SHOW,
    Cause.WALK_OVER,
    Cause.PENALTY,
    Cause.DISQUALIFIED,
)
"""Causes by which one of two comes out ahead; of those with a fault it is the other who has it."""
WON_BY_NOBODY: Final = (Cause.BOTH_ABSENT, Cause.FORFEIT, Cause.PENALTY, Cause.VOID)
"""Causes by which neither does: both lose, or the match is void."""


def end_match(
    match: str, sides: tuple[int, int], winner: int | None, cause: Cause, *, goes_on: bool = True
) -> MatchOutcome:
    """What the desk's word means for both sides; `winner` is the one who is not at fault, None for both alike.

    A penalty is the loss of one game without a win for the other. Where somebody has to go on (`goes_on`: a bracket,
    a play-off) that is the other all the same; in a pool of games nobody does, and the other is owed a game.

    >>> end_match("R1M1", (4, 9), 4, Cause.PENALTY).winner
    4
    >>> in_a_pool = end_match("G1", (4, 9), 4, Cause.PENALTY, goes_on=False)
    >>> in_a_pool.winner, in_a_pool.credits[4].result, in_a_pool.credits[9].result
    (None, <Result.NONE: 'none'>, <Result.LOSS: 'loss'>)

    Raises:
        ValueError: a cause that does not go with who is ahead, or a winner who is none of the sides.
    """
    if cause not in (WON_BY_NOBODY if winner is None else WON_BY):
        raise ValueError(f"a match does not end by {cause.value} {'for nobody' if winner is None else 'for one side'}")
    if cause is Cause.VOID:
        return MatchOutcome.void(match, sides)
    if winner is None:
        return MatchOutcome.won_by_nobody(match, sides, cause)
    if winner not in sides:
        raise ValueError("the winner is none of the sides")
    loser = sides[1] if winner == sides[0] else sides[0]
    if cause is not Cause.PENALTY:
        return MatchOutcome.won(match, winner, loser, cause)
    credits = {winner: Credit(Result.NONE, Cause.PENALTY), loser: Credit(Result.LOSS, Cause.PENALTY)}
    return MatchOutcome(match, winner if goes_on else None, credits)
