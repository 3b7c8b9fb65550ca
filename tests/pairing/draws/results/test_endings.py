"""What the desk's word gives to each side."""

from __future__ import annotations

import pytest

from pairing.draws.results import WON_BY, WON_BY_NOBODY, Cause, Credit, Meeting, Result, compute_records, end_match

WIN, LOSS, NONE = Result.WIN, Result.LOSS, Result.NONE

GIVEN = [
    (4, Cause.PLAYED, (WIN, Cause.PLAYED), (LOSS, Cause.PLAYED)),
    (4, Cause.TIME, (WIN, Cause.TIME), (LOSS, Cause.TIME)),
    (4, Cause.FORFEIT, (WIN, Cause.WALK_OVER), (LOSS, Cause.FORFEIT)),
    (4, Cause.NO_SHOW, (WIN, Cause.WALK_OVER), (LOSS, Cause.NO_SHOW)),
    (4, Cause.WALK_OVER, (WIN, Cause.WALK_OVER), (LOSS, Cause.WALK_OVER)),
    (4, Cause.DISQUALIFIED, (WIN, Cause.WALK_OVER), (LOSS, Cause.DISQUALIFIED)),
    (4, Cause.PENALTY, (NONE, Cause.PENALTY), (LOSS, Cause.PENALTY)),
    (None, Cause.BOTH_ABSENT, (LOSS, Cause.BOTH_ABSENT), (LOSS, Cause.BOTH_ABSENT)),
    (None, Cause.FORFEIT, (LOSS, Cause.FORFEIT), (LOSS, Cause.FORFEIT)),
    (None, Cause.PENALTY, (LOSS, Cause.PENALTY), (LOSS, Cause.PENALTY)),
    (None, Cause.VOID, (NONE, Cause.VOID), (NONE, Cause.VOID)),
]


@pytest.mark.parametrize("goes_on", [True, False], ids=["bracket", "pool"])
@pytest.mark.parametrize(("winner", "cause", "four", "nine"), GIVEN)
def test_the_credits_of_each_cause(
    winner: int | None, cause: Cause, four: tuple[Result, Cause], nine: tuple[Result, Cause], goes_on: bool
) -> None:
    outcome = end_match("G1", (4, 9), winner, cause, goes_on=goes_on)
    assert dict(outcome.credits) == {4: Credit(*four), 9: Credit(*nine)}
    assert outcome.winner == (None if cause is Cause.PENALTY and not goes_on else winner)


def test_every_cause_is_among_them() -> None:
    assert {(winner is None, cause) for winner, cause, _, _ in GIVEN} == {
        *((False, cause) for cause in WON_BY),
        *((True, cause) for cause in WON_BY_NOBODY),
    }


@pytest.mark.parametrize(("winner", "cause"), [(None, Cause.PLAYED), (4, Cause.VOID), (4, Cause.BYE), (7, Cause.TIME)])
def test_what_does_not_go_together(winner: int | None, cause: Cause) -> None:
    with pytest.raises(ValueError):
        end_match("G1", (4, 9), winner, cause)


def test_a_penalty_costs_one_a_game_and_owes_the_other_one() -> None:
    outcome = end_match("G1", (4, 9), 4, Cause.PENALTY, goes_on=False)
    records = compute_records([4, 9], [Meeting("G1", (4, 9), outcome)])
    assert (records[4].games, records[9].losses) == (0, 1)
    assert records[4].met == {9}
