"""The ways in which the desk can end a match: the winner, the cause, and the credit of each side."""

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
"""Causes that have a winner. If the cause is a fault, the fault is the loser's."""
WON_BY_NOBODY: Final = (Cause.BOTH_ABSENT, Cause.FORFEIT, Cause.PENALTY, Cause.VOID)
"""Causes without a winner: both sides lose, or the match is void."""


def end_match(
    match: str, sides: tuple[int, int], winner: int | None, cause: Cause, *, goes_on: bool = True
) -> MatchOutcome:
    """Return the outcome of a match that the desk ends.

    `winner` is the side without a fault, or None if both are alike.

    A penalty is the loss of one game without a win for the other side. If somebody has to advance (`goes_on`: a
    bracket, a play-off), the other side advances all the same. In a pool of games nobody does, and the other side is
    owed a game.

    >>> end_match("R1M1", (4, 9), 4, Cause.PENALTY).winner
    4
    >>> in_a_pool = end_match("G1", (4, 9), 4, Cause.PENALTY, goes_on=False)
    >>> in_a_pool.winner, in_a_pool.credits[4].result, in_a_pool.credits[9].result
    (None, <Result.NONE: 'none'>, <Result.LOSS: 'loss'>)

    Raises:
        ValueError: the cause does not fit the winner, or the winner is not a side.
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
