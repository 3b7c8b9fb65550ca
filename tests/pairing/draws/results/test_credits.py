"""Outcomes whose parts agree, and why a match is lost."""

import pytest

from pairing.draws.results import Cause, Credit, MatchOutcome, Removal, Result

WIN, LOSS, NONE = (Credit(result, Cause.PLAYED) for result in (Result.WIN, Result.LOSS, Result.NONE))
VOID = Credit(Result.NONE, Cause.VOID)


@pytest.mark.parametrize(
    ("winner", "credits", "why"),
    [
        (3, {1: WIN, 2: LOSS}, "none of the sides"),
        (1, {2: LOSS}, "none of the sides"),
        (1, {1: WIN, 2: WIN}, "only the winner"),
        (1, {1: LOSS, 2: WIN}, "only the winner"),
        (None, {1: WIN, 2: LOSS}, "only the winner"),
        (None, {1: VOID, 2: LOSS}, "void for both"),
        (1, {1: VOID, 2: VOID}, "void for both"),
        (None, {1: LOSS, 2: LOSS, 3: LOSS}, "two sides"),
    ],
)
def test_parts_that_do_not_agree(winner: int | None, credits: dict[int, Credit], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        MatchOutcome("R1M1", winner, credits)


def test_a_penalty_costs_one_side_without_giving_the_other() -> None:
    outcome = MatchOutcome("R1M1", 1, {1: NONE, 2: Credit(Result.LOSS, Cause.PENALTY)})
    assert outcome.winner == 1
    assert not outcome.is_void


@pytest.mark.parametrize("cause", [Cause.PLAYED, Cause.TIME])
def test_what_both_played_has_one_cause(cause: Cause) -> None:
    outcome = MatchOutcome.won("R1M1", 4, 9, cause)
    assert outcome.credits == {4: Credit(Result.WIN, cause), 9: Credit(Result.LOSS, cause)}
    assert outcome.sides == {4, 9}


@pytest.mark.parametrize("cause", [Cause.FORFEIT, Cause.NO_SHOW, Cause.WALK_OVER, Cause.PENALTY, Cause.DISQUALIFIED])
def test_the_other_has_a_walk_over_where_nobody_played(cause: Cause) -> None:
    outcome = MatchOutcome.won("R1M1", 4, 9, cause)
    assert outcome.winner == 4
    assert outcome.credits == {4: Credit(Result.WIN, Cause.WALK_OVER), 9: Credit(Result.LOSS, cause)}


def test_lost_by_both_and_void() -> None:
    absent = MatchOutcome.won_by_nobody("R1M1", (4, 9))
    assert set(absent.credits.values()) == {Credit(Result.LOSS, Cause.BOTH_ABSENT)}
    assert (absent.winner, absent.is_void) == (None, False)
    put_out = MatchOutcome.won_by_nobody("R1M1", (4, 9), Cause.PENALTY)
    assert put_out.credits == dict.fromkeys((4, 9), Credit(Result.LOSS, Cause.PENALTY))
    void = MatchOutcome.void("R1M1", (4, 9))
    assert void.credits == dict.fromkeys((4, 9), Credit(Result.NONE, Cause.VOID))
    assert (void.winner, void.is_void, void.match) == (None, True, "R1M1")


def test_a_match_to_which_nobody_comes_is_lost_by_nobody() -> None:
    nobody = MatchOutcome("R2M1", None, {})
    assert nobody.sides == frozenset()
    assert not nobody.is_void


def test_why_the_removed_lose_and_who_keeps_a_place() -> None:
    assert {removal: (removal.cause, removal.keeps_place) for removal in Removal} == {
        Removal.WITHDRAWN: (Cause.FORFEIT, True),
        Removal.NO_SHOW: (Cause.NO_SHOW, True),
        Removal.ELIMINATED: (Cause.PENALTY, True),
        Removal.DISQUALIFIED: (Cause.DISQUALIFIED, False),
    }
