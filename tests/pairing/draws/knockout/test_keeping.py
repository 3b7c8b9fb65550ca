"""Test corrections of results after later matches were played.

Each later match either stays as it is (`KEEP`), or is reopened to be played again (`REPLAY`). In both cases, no entry
may disappear from the bracket.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.knockout.bracket import Bracket, make_bracket, make_double_elimination_bracket
from pairing.draws.knockout.corrections import LaterMatchChoice, propagate_correction
from pairing.draws.knockout.places import make_placings
from pairing.draws.knockout.progress import BracketMatchState, BracketProgress, make_bracket_progress
from pairing.draws.results import (
    BracketFact,
    EntryRemoval,
    MatchOutcome,
    RemovalReason,
    ResultCause,
    RetainedMatchSides,
)
from pairing.draws.separation.draw import place_drawn_order
from tests.chance import examples
from tests.pairing.draws.knockout.changes import changes

SEEDS = st.integers(0, 1 << 32)
CASES = st.tuples(st.integers(2, 33), st.booleans(), SEEDS)


def bracket_of(entries: int, double: bool) -> Bracket:
    places = place_drawn_order(range(1, entries + 1)).places
    return make_double_elimination_bracket(places) if double else make_bracket(places)


def play(
    bracket: Bracket, facts: list[BracketFact], chance: random.Random, steps: int, leaving: float = 0.1
) -> list[BracketFact]:
    """Continue the bracket at random, and return its facts with the new ones at the end.

    In each step, an entry is removed with the probability `leaving`. Otherwise, a match that is ready gets a random
    winner.
    """
    facts = list(facts)
    for _ in range(steps):
        progress = make_bracket_progress(bracket, facts)
        if chance.random() < leaving:
            facts.append(EntryRemoval(chance.choice(bracket.entries), chance.choice(list(RemovalReason))))
        elif progress.ready:
            view = chance.choice(progress.ready)
            facts.append(MatchOutcome.won(view.match.id, *chance.sample(view.entries, 2)))
    return facts


def a_correction(progress: BracketProgress, chance: random.Random) -> MatchOutcome | None:
    """Return the opposite of a recorded result, or None if no match was played."""
    played = [view for view in progress.views.values() if view.losers and not view.is_decided_without_result]
    if not played:
        return None
    view = chance.choice(played)
    return MatchOutcome.won(view.match.id, view.losers[0], next(e for e in view.entries if e != view.losers[0]))


def played_on(case: tuple[int, bool, int]) -> tuple[Bracket, list[BracketFact], MatchOutcome, random.Random] | None:
    entries, double, seed = case
    chance, bracket = random.Random(seed), bracket_of(entries, double)
    facts = play(bracket, [], chance, chance.randint(1, 3 * entries))
    outcome = a_correction(make_bracket_progress(bracket, facts), chance)
    return None if outcome is None else (bracket, facts, outcome, chance)


def standing(progress: BracketProgress, without: str) -> dict[str, object]:
    return {
        name: (view.entries, view.outcome, view.is_needed) for name, view in progress.views.items() if name != without
    }


def placed(progress: BracketProgress) -> list[int]:
    placings = make_placings(progress)
    finish = [entry for placing in placings.finish for entry in placing.entries]
    return sorted([*finish, *placings.still_in, *placings.disqualified])


@settings(deadline=None, max_examples=examples(200))
@given(CASES)
def test_if_all_later_matches_are_kept_nothing_changes(case: tuple[int, bool, int]) -> None:
    drawn = played_on(case)
    if drawn is None:
        return
    bracket, facts, outcome, _chance = drawn
    touched = propagate_correction(bracket, facts, outcome).touched
    kept = propagate_correction(bracket, facts, outcome, dict.fromkeys(touched, LaterMatchChoice.KEEP))
    assert kept.double_bookings == ()
    assert kept.after == make_bracket_progress(bracket, [*facts, outcome, *kept.added])
    assert kept.after[outcome.match].outcome == outcome
    assert kept.after.superseded_outcomes == make_bracket_progress(bracket, facts).superseded_outcomes
    for name in touched:
        assert (kept.after[name].entries, kept.after[name].outcome) == (
            kept.before[name].entries,
            kept.before[name].outcome,
        )
    if touched and not bracket.is_double:
        assert standing(kept.after, outcome.match) == standing(kept.before, outcome.match)
        assert make_placings(kept.after) == make_placings(kept.before)
    assert placed(kept.after) == sorted(bracket.entries)


@settings(deadline=None, max_examples=examples(150))
@given(CASES)
def test_if_all_are_replayed_the_bracket_follows_the_correction(case: tuple[int, bool, int]) -> None:
    drawn = played_on(case)
    if drawn is None:
        return
    bracket, facts, outcome, _chance = drawn
    replayed = propagate_correction(bracket, facts, outcome)
    assert replayed.after == make_bracket_progress(bracket, [*facts, outcome])
    assert (replayed.added, replayed.double_bookings) == ((), ())
    assert set(changes(replayed.before, replayed.after).reopened) <= {*replayed.touched, outcome.match} | {
        name for name, view in replayed.before.views.items() if view.is_decided_without_result
    }


@settings(deadline=None, max_examples=examples(150))
@given(CASES, SEEDS)
def test_a_correction_that_is_reversed_restores_the_bracket(case: tuple[int, bool, int], seed: int) -> None:
    drawn = played_on(case)
    if drawn is None:
        return
    bracket, facts, outcome, _chance = drawn
    dice = random.Random(seed)
    touched = propagate_correction(bracket, facts, outcome).touched
    choices = {name: dice.choice([LaterMatchChoice.KEEP, LaterMatchChoice.REPLAY]) for name in touched}
    once = propagate_correction(bracket, facts, outcome, choices)
    back = once.before[outcome.match].outcome
    assert back is not None
    again = propagate_correction(bracket, [*facts, outcome, *once.added], back)
    assert standing(again.after, "") == standing(once.before, "")
    assert not any(side.kept for view in again.after.views.values() for side in view.sides) or once.double_bookings


@settings(deadline=None, max_examples=examples(200))
@given(CASES, SEEDS)
def test_any_choice_lets_the_event_be_played_to_its_end(case: tuple[int, bool, int], seed: int) -> None:
    drawn = played_on(case)
    if drawn is None:
        return
    bracket, facts, outcome, chance = drawn
    dice = random.Random(seed)
    touched = propagate_correction(bracket, facts, outcome).touched
    choices = {name: dice.choice(list(LaterMatchChoice)) for name in touched}
    followed = propagate_correction(bracket, facts, outcome, choices)
    if followed.double_bookings:
        assert LaterMatchChoice.KEEP in choices.values()
        assert {LaterMatchChoice.REPLAY, LaterMatchChoice.VOID} & set(choices.values())
        return
    on = play(bracket, [*facts, outcome, *followed.added], chance, 8 * len(bracket.entries), leaving=0.02)
    after = make_bracket_progress(bracket, on)
    assert after.is_complete
    assert after.ready == ()
    assert make_placings(after).still_in == ()
    assert placed(after) == sorted(bracket.entries)


def won(*results: tuple[str, int, int]) -> list[BracketFact]:
    return [MatchOutcome.won(*result) for result in results]


EIGHT = won(("R1M1", 1, 2), ("R1M2", 3, 4), ("R1M3", 5, 6), ("R1M4", 7, 8), ("R2M1", 1, 3), ("R2M2", 5, 7))
WRONG = MatchOutcome.won("R1M1", 2, 1)


def test_a_passed_over_winner_ranks_with_the_losers_of_its_match() -> None:
    kept = propagate_correction(make_bracket(range(1, 9)), EIGHT, WRONG, {"R2M1": LaterMatchChoice.KEEP})
    assert kept.added == (RetainedMatchSides("R2M1", (1, None)),)
    assert kept.after["R2M1"].passed_over_entries == (2,)
    finish = make_placings(kept.after).finish
    assert [(placing.place, placing.entries) for placing in finish] == [(3, (3, 7)), (5, (2, 4, 6, 8))]
    assert [view.match.id for view in kept.after.list_matches_of_entry(1)] == ["R1M1", "R2M1", "R3M1"]
    assert [view.match.id for view in kept.after.list_matches_of_entry(2)] == ["R1M1"]


def test_a_void_result_does_not_come_back_with_the_correction() -> None:
    bracket = make_bracket(range(1, 9))
    taken = propagate_correction(bracket, EIGHT, WRONG, {"R2M1": LaterMatchChoice.VOID})
    assert taken.added == (MatchOutcome.void("R2M1", (1, 3)),)
    facts = [*EIGHT, WRONG, *taken.added]
    assert (
        propagate_correction(bracket, facts, MatchOutcome.won("R1M1", 1, 2)).after["R2M1"].state
        is BracketMatchState.READY
    )
    replayed = propagate_correction(bracket, [*EIGHT, WRONG], MatchOutcome.won("R1M1", 1, 2))
    assert replayed.after["R2M1"].winner == 1


def test_a_second_correction_releases_a_kept_match() -> None:
    bracket = make_bracket(range(1, 9))
    kept = propagate_correction(bracket, EIGHT, WRONG, {"R2M1": LaterMatchChoice.KEEP})
    facts = [*EIGHT, WRONG, *kept.added]
    nobody = MatchOutcome.lost_by_all("R1M1", (1, 2), ResultCause.BOTH_ABSENT)
    again = propagate_correction(bracket, facts, nobody)
    assert again.touched == ("R2M1",)
    assert again.after["R2M1"].is_decided_without_result
    assert propagate_correction(bracket, facts, nobody, {"R2M1": LaterMatchChoice.KEEP}).after["R2M1"].winner == 1


FOUR = [("W1M1", 1, 2), ("W1M2", 3, 4), ("W2M1", 1, 3), ("L1M1", 2, 4)]


def test_in_a_double_elimination_both_matches_of_the_two_are_kept_or_neither() -> None:
    bracket, wrong = make_double_elimination_bracket((1, 2, 3, 4)), MatchOutcome.won("W1M1", 2, 1)
    assert propagate_correction(bracket, won(*FOUR), wrong).touched == ("W2M1", "L1M1")
    one = propagate_correction(bracket, won(*FOUR), wrong, {"W2M1": LaterMatchChoice.KEEP})
    assert {entry for entry, *_matches in one.double_bookings} == {1}
    both = propagate_correction(
        bracket, won(*FOUR), wrong, {"W2M1": LaterMatchChoice.KEEP, "L1M1": LaterMatchChoice.KEEP}
    )
    assert both.double_bookings == ()
    assert both.after["L1M1"].winner == 2


def test_an_entry_that_has_dropped_stays_there_when_the_other_match_is_kept() -> None:
    bracket, wrong = make_double_elimination_bracket((1, 2, 3, 4)), MatchOutcome.won("W1M1", 2, 1)
    kept = propagate_correction(bracket, won(*FOUR[:3]), wrong, {"W2M1": LaterMatchChoice.KEEP})
    assert kept.double_bookings == ()
    assert kept.after["L1M1"].entries == (2, 4)
    assert set(kept.added) == {RetainedMatchSides("W2M1", (1, None)), RetainedMatchSides("L1M1", (2, None))}


def test_a_reset_that_is_kept_decides_although_it_was_not_needed() -> None:
    bracket = make_double_elimination_bracket((1, 2, 3, 4))
    facts = won(*FOUR, ("L2M1", 3, 2), ("F1M1", 3, 1), ("F2M1", 3, 1))
    wrong = MatchOutcome.won("F1M1", 1, 3)
    assert propagate_correction(bracket, facts, wrong).after.champion == 1
    kept = propagate_correction(bracket, facts, wrong, {"F2M1": LaterMatchChoice.KEEP})
    assert (kept.after.champion, kept.after.is_complete) == (3, True)


def test_keeping_sides_of_an_unknown_match_raises_an_error() -> None:
    with pytest.raises(ValueError, match="no match R9M9"):
        make_bracket_progress(make_bracket((1, 2)), [RetainedMatchSides("R9M9", (1, None))])


def test_a_match_in_progress_is_touched_and_can_be_kept() -> None:
    bracket = make_bracket(range(1, 9))
    facts = EIGHT[:4]
    assert propagate_correction(bracket, facts, WRONG).touched == ()
    begun = propagate_correction(bracket, facts, WRONG, begun={"R2M1", "R2M2"})
    assert begun.touched == ("R2M1",)
    assert begun.after["R2M1"].entries == (2, 3)
    kept = propagate_correction(bracket, facts, WRONG, {"R2M1": LaterMatchChoice.KEEP}, begun={"R2M1"})
    assert (kept.after["R2M1"].entries, kept.after["R2M1"].state) == ((1, 3), BracketMatchState.READY)
    assert propagate_correction(bracket, facts, WRONG, {"R2M1": LaterMatchChoice.VOID}, begun={"R2M1"}).added == ()
