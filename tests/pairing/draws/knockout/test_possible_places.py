"""The places that an entry can still reach, compared with every way in which a small bracket can end."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.knockout.bracket import Bracket, make_bracket, make_double_elimination_bracket
from pairing.draws.knockout.corrections import LaterMatchChoice, propagate_correction
from pairing.draws.knockout.places import find_possible_places, make_placings
from pairing.draws.knockout.progress import make_bracket_progress
from pairing.draws.results import BracketFact, EntryRemoval, MatchOutcome, RemovalReason
from pairing.draws.separation.draw import place_drawn_order
from tests.chance import examples
from tournament.purse.prizes import (
    TiedPlaces,
    compute_payout,
    compute_prize_ranges,
    divide_pool_by_place,
    make_placings_from_finish,
    make_prize_scale,
)

SEEDS = st.integers(0, 1 << 32)
MOST_OPEN = 8


def bracket_of(entries: int, double: bool) -> Bracket:
    places = place_drawn_order(range(1, entries + 1)).places
    return make_double_elimination_bracket(places) if double else make_bracket(places)


def ways_to_end(bracket: Bracket, facts: list[BracketFact]) -> Iterator[list[list[int]]]:
    """Yield the final places for every way in which the open matches of the bracket can end."""
    progress = make_bracket_progress(bracket, facts)
    if progress.is_complete:
        yield [list(placing.entries) for placing in make_placings(progress).finish]
        return
    view = progress.ready[0]
    for winner, loser in (view.entries, view.entries[::-1]):
        yield from ways_to_end(bracket, [*facts, MatchOutcome.won(view.match.id, winner, loser)])


def count_open(bracket: Bracket, facts: list[BracketFact]) -> int:
    """Return the number of matches that are still to be played, including a possible second final."""
    progress, played = make_bracket_progress(bracket, facts), 0
    while not progress.is_complete:
        view = progress.ready[0]
        facts = [*facts, MatchOutcome.won(view.match.id, *view.entries[::-1])]
        progress, played = make_bracket_progress(bracket, facts), played + 1
    return played


def is_over_too_soon(bracket: Bracket, facts: list[BracketFact]) -> bool:
    """Return whether the bracket is already decided although an earlier match is open again."""
    progress = make_bracket_progress(bracket, facts)
    return progress.is_complete and bool(progress.ready)


def played(bracket: Bracket, chance: random.Random, unusual: float) -> list[BracketFact]:
    """Return the facts of a randomly played bracket in which few matches are still open.

    With the probability `unusual`, an entry is removed, nobody wins a match, or a result is corrected.
    """
    facts: list[BracketFact] = []
    stop = chance.randint(0, MOST_OPEN)
    while (left := count_open(bracket, facts)) > stop:
        progress = make_bracket_progress(bracket, facts)
        view = chance.choice(progress.ready)
        act = chance.choice(["remove", "nobody", "correct"]) if chance.random() < unusual else "win"
        decided = [
            one for one in progress.views.values() if one.losers and not one.is_decided_without_result and one.winner
        ]
        if act == "remove":
            facts.append(EntryRemoval(chance.choice(bracket.entries), chance.choice(list(RemovalReason))))
        elif act == "nobody":
            facts.append(MatchOutcome.lost_by_all(view.match.id, view.entries))
        elif act == "correct" and decided and left <= MOST_OPEN:
            one = chance.choice(decided)
            outcome = MatchOutcome.won(one.match.id, one.losers[0], one.winner)
            touched = propagate_correction(bracket, facts, outcome).touched
            choices = {name: chance.choice(list(LaterMatchChoice)) for name in touched}
            followed = propagate_correction(bracket, facts, outcome, choices)
            after = [*facts, outcome, *followed.added]
            if (
                not followed.double_bookings
                and not is_over_too_soon(bracket, after)
                and count_open(bracket, after) <= MOST_OPEN
            ):
                facts = after
        else:
            facts.append(MatchOutcome.won(view.match.id, *chance.sample(view.entries, 2)))
    return facts


@settings(deadline=None, max_examples=examples(60))
@given(st.integers(2, 9), st.booleans(), st.sampled_from([0.0, 0.3]), SEEDS)
def test_possible_places_are_exactly_those_of_some_end(entries: int, double: bool, unusual: float, seed: int) -> None:
    bracket = bracket_of(entries, double)
    facts = played(bracket, random.Random(seed), unusual)
    by_hand: defaultdict[int, set[TiedPlaces]] = defaultdict(set)
    for finish in ways_to_end(bracket, facts):
        for placing in make_placings_from_finish(finish):
            for entry in placing.entries:
                by_hand[entry].add(placing.places)
    assert find_possible_places(bracket, facts) == {entry: tuple(sorted(ties)) for entry, ties in by_hand.items()}


@settings(deadline=None, max_examples=examples(40))
@given(st.integers(2, 9), st.booleans(), st.integers(1, 100_000), SEEDS)
def test_every_end_pays_an_amount_of_the_range(entries: int, double: bool, pool: int, seed: int) -> None:
    bracket, scale = bracket_of(entries, double), make_prize_scale(["40", "25", "15", "10", "10"])
    facts = played(bracket, random.Random(seed), 0.1)
    possible = find_possible_places(bracket, facts)
    if not possible:
        return
    ranges = compute_prize_ranges(divide_pool_by_place(pool, scale, len(possible)), possible)
    amounts: defaultdict[int, set[int]] = defaultdict(set)
    for finish in ways_to_end(bracket, facts):
        won = {paid.entry: paid.cents for paid in compute_payout(pool, scale, make_placings_from_finish(finish)).awards}
        for entry in possible:
            amounts[entry].add(won.get(entry, 0))
    for entry, paid in amounts.items():
        assert ranges[entry].least <= min(paid) <= ranges[entry].least + 1
        assert ranges[entry].most - 1 <= max(paid) <= ranges[entry].most
