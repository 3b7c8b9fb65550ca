from __future__ import annotations

import pytest

from pairing.draws.results import (
    CAUSES_WITH_WINNER,
    CAUSES_WITHOUT_WINNER,
    Credit,
    MatchOutcome,
    Meeting,
    RemovalReason,
    Result,
    ResultCause,
    compute_win_loss_records,
    make_desk_outcome,
)

WIN, LOSS, NONE = (Credit(result, ResultCause.PLAYED) for result in (Result.WIN, Result.LOSS, Result.NONE))
VOID = Credit(Result.NONE, ResultCause.VOID)


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
def test_inconsistent_outcomes_raise_an_error(winner: int | None, credits: dict[int, Credit], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        MatchOutcome("R1M1", winner, credits)


def test_a_penalty_costs_one_side_without_giving_the_other() -> None:
    outcome = MatchOutcome("R1M1", 1, {1: NONE, 2: Credit(Result.LOSS, ResultCause.PENALTY)})
    assert outcome.winner == 1
    assert not outcome.is_void


@pytest.mark.parametrize("cause", [ResultCause.PLAYED, ResultCause.TIME])
def test_a_played_match_has_one_cause(cause: ResultCause) -> None:
    outcome = MatchOutcome.won("R1M1", 4, 9, cause)
    assert outcome.credits == {4: Credit(Result.WIN, cause), 9: Credit(Result.LOSS, cause)}
    assert outcome.sides == {4, 9}


@pytest.mark.parametrize(
    "cause",
    [ResultCause.FORFEIT, ResultCause.NO_SHOW, ResultCause.WALK_OVER, ResultCause.PENALTY, ResultCause.DISQUALIFIED],
)
def test_the_winner_of_an_unplayed_match_has_a_walkover(cause: ResultCause) -> None:
    outcome = MatchOutcome.won("R1M1", 4, 9, cause)
    assert outcome.winner == 4
    assert outcome.credits == {4: Credit(Result.WIN, ResultCause.WALK_OVER), 9: Credit(Result.LOSS, cause)}


def test_lost_by_both_and_void() -> None:
    absent = MatchOutcome.lost_by_all("R1M1", (4, 9))
    assert set(absent.credits.values()) == {Credit(Result.LOSS, ResultCause.BOTH_ABSENT)}
    assert (absent.winner, absent.is_void) == (None, False)
    put_out = MatchOutcome.lost_by_all("R1M1", (4, 9), ResultCause.PENALTY)
    assert put_out.credits == dict.fromkeys((4, 9), Credit(Result.LOSS, ResultCause.PENALTY))
    void = MatchOutcome.void("R1M1", (4, 9))
    assert void.credits == dict.fromkeys((4, 9), Credit(Result.NONE, ResultCause.VOID))
    assert (void.winner, void.is_void, void.match) == (None, True, "R1M1")


def test_a_match_without_sides_has_no_loser() -> None:
    nobody = MatchOutcome("R2M1", None, {})
    assert nobody.sides == frozenset()
    assert not nobody.is_void


def test_removals_have_a_cause_and_may_keep_the_place() -> None:
    assert {removal: (removal.cause, removal.keeps_place) for removal in RemovalReason} == {
        RemovalReason.WITHDRAWN: (ResultCause.FORFEIT, True),
        RemovalReason.NO_SHOW: (ResultCause.NO_SHOW, True),
        RemovalReason.ELIMINATED: (ResultCause.PENALTY, True),
        RemovalReason.DISQUALIFIED: (ResultCause.DISQUALIFIED, False),
    }


# --- Test endings ----------------------------------------------------------------------------------------------------
# What the desk's word gives to each side.

WINS, LOSES, NEITHER = Result.WIN, Result.LOSS, Result.NONE

GIVEN = [
    (4, ResultCause.PLAYED, (WINS, ResultCause.PLAYED), (LOSES, ResultCause.PLAYED)),
    (4, ResultCause.TIME, (WINS, ResultCause.TIME), (LOSES, ResultCause.TIME)),
    (4, ResultCause.FORFEIT, (WINS, ResultCause.WALK_OVER), (LOSES, ResultCause.FORFEIT)),
    (4, ResultCause.NO_SHOW, (WINS, ResultCause.WALK_OVER), (LOSES, ResultCause.NO_SHOW)),
    (4, ResultCause.WALK_OVER, (WINS, ResultCause.WALK_OVER), (LOSES, ResultCause.WALK_OVER)),
    (4, ResultCause.DISQUALIFIED, (WINS, ResultCause.WALK_OVER), (LOSES, ResultCause.DISQUALIFIED)),
    (4, ResultCause.PENALTY, (NEITHER, ResultCause.PENALTY), (LOSES, ResultCause.PENALTY)),
    (None, ResultCause.BOTH_ABSENT, (LOSES, ResultCause.BOTH_ABSENT), (LOSES, ResultCause.BOTH_ABSENT)),
    (None, ResultCause.FORFEIT, (LOSES, ResultCause.FORFEIT), (LOSES, ResultCause.FORFEIT)),
    (None, ResultCause.PENALTY, (LOSES, ResultCause.PENALTY), (LOSES, ResultCause.PENALTY)),
    (None, ResultCause.VOID, (NEITHER, ResultCause.VOID), (NEITHER, ResultCause.VOID)),
]


@pytest.mark.parametrize("winner_advances", [True, False], ids=["bracket", "pool"])
@pytest.mark.parametrize(("winner", "cause", "four", "nine"), GIVEN)
def test_the_credits_of_each_cause(
    winner: int | None,
    cause: ResultCause,
    four: tuple[Result, ResultCause],
    nine: tuple[Result, ResultCause],
    winner_advances: bool,
) -> None:
    outcome = make_desk_outcome("G1", (4, 9), winner, cause, winner_advances=winner_advances)
    assert dict(outcome.credits) == {4: Credit(*four), 9: Credit(*nine)}
    assert outcome.winner == (None if cause is ResultCause.PENALTY and not winner_advances else winner)


def test_every_cause_is_among_them() -> None:
    assert {(winner is None, cause) for winner, cause, _, _ in GIVEN} == {
        *((False, cause) for cause in CAUSES_WITH_WINNER),
        *((True, cause) for cause in CAUSES_WITHOUT_WINNER),
    }


@pytest.mark.parametrize(
    ("winner", "cause"),
    [(None, ResultCause.PLAYED), (4, ResultCause.VOID), (4, ResultCause.BYE), (7, ResultCause.TIME)],
)
def test_a_cause_that_does_not_fit_the_winner_raises_an_error(winner: int | None, cause: ResultCause) -> None:
    with pytest.raises(ValueError):
        make_desk_outcome("G1", (4, 9), winner, cause)


def test_a_penalty_costs_one_a_game_and_owes_the_other_one() -> None:
    outcome = make_desk_outcome("G1", (4, 9), 4, ResultCause.PENALTY, winner_advances=False)
    records = compute_win_loss_records([4, 9], [Meeting("G1", (4, 9), outcome)])
    assert (records[4].games, records[9].losses) == (0, 1)
    assert records[4].met == {9}
