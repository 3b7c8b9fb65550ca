"""An entry's path through the bracket: its past matches, its next match, and the possible later matches."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.knockout.bracket import make_bracket, make_double_elimination_bracket
from pairing.draws.knockout.progress import (
    BracketMatchState,
    BracketProgress,
    find_bracket_path,
    find_possible_opponents,
    make_bracket_progress,
)
from pairing.draws.results import EntryRemoval, MatchOutcome, RemovalReason
from pairing.draws.separation.draw import place_drawn_order
from tests.chance import examples

FOUR = [("W1M1", 1, 2), ("W1M2", 3, 4), ("W2M1", 1, 3), ("L1M1", 2, 4), ("L2M1", 3, 2)]


def progress_of(*won: tuple[str, int, int], double: bool = True) -> BracketProgress:
    bracket = (make_double_elimination_bracket if double else make_bracket)((1, 2, 3, 4))
    return make_bracket_progress(bracket, [MatchOutcome.won(*who) for who in won])


def roads(progress: BracketProgress, entry: int) -> tuple[list[str], str | None, list[str], list[str]]:
    path = find_bracket_path(progress, entry)
    played, won, lost = ([view.match.id for view in views] for views in (path.played, path.if_won, path.if_lost))
    return played, path.current_match.match.id if path.current_match else None, won, lost


def test_the_path_in_a_bracket_with_one_life() -> None:
    progress = progress_of(("R1M1", 1, 2), double=False)
    assert roads(progress, 1) == (["R1M1"], "R2M1", [], [])
    assert roads(progress, 3) == ([], "R1M2", ["R2M1"], [])
    assert roads(progress, 2) == (["R1M1"], None, [], [])
    with pytest.raises(KeyError):
        find_bracket_path(progress, 9)


@pytest.mark.parametrize(
    ("played", "entry", "now", "won", "lost"),
    [
        (1, 1, "W2M1", ["F1M1"], ["L2M1", "F1M1", "F2M1"]),
        (1, 2, "L1M1", ["L2M1", "F1M1", "F2M1"], []),
        (5, 1, "F1M1", [], ["F2M1"]),
        (5, 3, "F1M1", ["F2M1"], []),
        (5, 4, None, [], []),
    ],
)
def test_the_path_in_a_double_elimination_has_a_branch_for_a_loss(
    played: int, entry: int, now: str | None, won: list[str], lost: list[str]
) -> None:
    assert roads(progress_of(*FOUR[:played]), entry)[1:] == (now, won, lost)


def test_the_second_final_is_next_where_it_is_needed_and_nothing_after_it() -> None:
    reset = progress_of(*FOUR, ("F1M1", 3, 1))
    assert roads(reset, 1)[1:] == roads(reset, 3)[1:] == ("F2M1", [], [])
    over = find_bracket_path(progress_of(*FOUR, ("F1M1", 1, 3)), 1)
    assert (over.current_match, over.is_champion, [view.match.id for view in over.played]) == (
        None,
        True,
        ["W1M1", "W2M1", "F1M1"],
    )


def test_possible_opponents_are_known_once_there_are_two() -> None:
    progress = progress_of(("W1M2", 3, 4))
    assert find_possible_opponents(progress, progress["W2M1"], "W1M1") == (3,)
    assert find_possible_opponents(progress, progress["W2M1"], "W1M2") == (1, 2)
    assert find_possible_opponents(progress, progress["F1M1"], "W2M1") == ()
    assert find_possible_opponents(progress, progress["F2M1"], "F1M1") == ()


@settings(deadline=None, max_examples=examples(60))
@given(st.integers(2, 40), st.booleans(), st.integers(0, 1 << 32))
def test_an_entry_plays_the_predicted_matches_after_wins_and_losses(entries: int, double: bool, seed: int) -> None:
    chance = random.Random(seed)
    places = place_drawn_order(range(1, entries + 1)).places
    bracket = (make_double_elimination_bracket if double else make_bracket)(places)
    facts: list[MatchOutcome | EntryRemoval] = []
    steps = chance.randint(0, entries)
    progress = make_bracket_progress(bracket)
    while progress.ready and len(facts) < steps:
        winner, loser = chance.sample(chance.choice(progress.ready).entries, 2)
        match = next(view.match.id for view in progress.ready if set(view.entries) == {winner, loser})
        facts.append(MatchOutcome.won(match, winner, loser))
        progress = make_bracket_progress(bracket, facts)
    mine = [entry for entry in bracket.entries if find_bracket_path(progress, entry).current_match is not None]
    if not mine:
        return
    me = chance.choice(mine)
    path = find_bracket_path(progress, me)
    assert path.current_match is not None
    for wins, promised in ((True, path.if_won), (False, path.if_lost)):
        after, told = list(facts), [view.match.id for view in path.played]
        while (now := make_bracket_progress(bracket, after)).ready:
            view = now.ready[0]
            winner, loser = view.entries
            goes_on = wins if view.match.id == path.current_match.match.id else True
            if me in view.entries and goes_on is (loser == me):
                winner, loser = loser, winner
            after.append(MatchOutcome.won(view.match.id, winner, loser))
        own = [view.match.id for view in find_bracket_path(now, me).played]
        assert own[: len(told) + 1] == [*told, path.current_match.match.id]
        assert own[len(told) + 1 :] == [view.match.id for view in promised]


def test_a_removed_entry_has_no_further_matches() -> None:
    progress = make_bracket_progress(make_bracket((1, 2, 3, 4)), [EntryRemoval(1, RemovalReason.WITHDRAWN)])
    path = find_bracket_path(progress, 1)
    assert (path.current_match, [view.state for view in path.played]) == (None, [BracketMatchState.DECIDED])


def test_an_entry_that_is_removed_while_it_waits_has_no_further_matches() -> None:
    facts = [MatchOutcome.won("R1M1", 1, 2), EntryRemoval(1, RemovalReason.WITHDRAWN)]
    path = find_bracket_path(make_bracket_progress(make_bracket((1, 2, 3, 4)), facts), 1)
    assert (path.current_match, [view.match.id for view in path.played]) == (None, ["R1M1"])
