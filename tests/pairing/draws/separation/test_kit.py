"""The search functions that draws share, compared with exhaustive searches."""

import random
from collections.abc import Sequence
from itertools import combinations, product

import pytest

from pairing.draws.places import EntryMove, EntryMoveReason
from pairing.draws.separation.draw import AvoidList
from pairing.draws.separation.exchanges import (
    PlacedEntries,
    SeatingArrangement,
    list_remaining_conflicts,
    rotate_order_from,
    separate_pairs,
)
from pairing.draws.separation.groups_and_seeds import _find_cheapest_choice

Pairs = set[frozenset[int]]


def some_hall(dice: random.Random) -> tuple[SeatingArrangement, AvoidList, Pairs]:
    entries = dice.sample(range(1, 30), dice.randint(4, 12))
    cuts = sorted(dice.sample(range(1, len(entries)), dice.randint(1, 3)))
    tables = [entries[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(entries)], strict=True)]
    pairs = [pair for pair in combinations([*entries, 99], 2) if dice.random() < dice.choice((0.1, 0.3, 0.7))]
    avoid = AvoidList(pairs)
    return SeatingArrangement(tables, avoid.reasons_by_opponent()), avoid, {frozenset(pair) for pair in pairs}


def counted(tables: Sequence[Sequence[int]], pairs: Pairs) -> int:
    return sum(frozenset(pair) in pairs for table in tables for pair in combinations(table, 2))


def exchanged(tables: Sequence[Sequence[int]], one: int, other: int) -> list[list[int]]:
    return [[{one: other, other: one}.get(entry, entry) for entry in table] for table in tables]


def beside(tables: Sequence[Sequence[int]], entry: int) -> list[int]:
    return next([other for other in table if other != entry] for table in tables if entry in table)


@pytest.mark.parametrize("seed", range(100))
def test_an_exchange_is_weighed_as_if_everybody_were_counted_again(seed: int) -> None:
    hall, _avoid, pairs = some_hall(random.Random(seed))
    before = counted(hall.tables, pairs)
    assert hall.conflict_count == before
    for entry in hall.entries:
        elsewhere = [other for other in hall.entries if other != entry and other not in beside(hall.tables, entry)]
        worse = {other: counted(exchanged(hall.tables, entry, other), pairs) - before for other in elsewhere}
        assert {other: hall.count_added_conflicts(entry, other) for other in elsewhere} == worse
        best = min(elsewhere, key=worse.__getitem__)
        assert hall.find_best_exchange(entry, hall.entries) == (best if worse[best] < 0 else None)


@pytest.mark.parametrize("seed", range(100))
def test_the_first_who_fits_breaks_nothing_at_either_table(seed: int) -> None:
    hall, _avoid, pairs = some_hall(random.Random(seed))
    for entry in hall.entries:
        fits = []
        for other in hall.entries:
            after = exchanged(hall.tables, entry, other)
            near = [{one, it} for one in (entry, other) for it in beside(after, one)]
            if other not in (entry, *beside(hall.tables, entry)) and not any(pair in pairs for pair in near):
                fits.append(other)
        assert hall.find_first_fit(entry, [77, *hall.entries]) == next(iter(fits), None)


@pytest.mark.parametrize("seed", range(100))
def test_each_pair_is_parted_or_its_later_entry_stays(seed: int) -> None:
    hall, avoid, pairs = some_hall(random.Random(seed))
    opponents, tables = avoid.reasons_by_opponent(), hall.copy_tables()
    order = sorted(hall.entries)

    def choose(entry: int, _stays: int) -> int | None:
        return hall.find_first_fit(entry, rotate_order_from(order, order.index(entry)))

    for move in separate_pairs(hall, hall.iter_conflicts(order.index), choose, opponents):
        if move.other is not None:
            assert move.opponent in beside(tables, move.entry)
            before, tables = counted(tables, pairs), exchanged(tables, move.entry, move.other)
            assert counted(tables, pairs) < before
    assert hall.tables == tables
    assert hall.at == {entry: number for number, table in enumerate(tables) for entry in table}
    stays = list_remaining_conflicts(hall, opponents, order.index)
    assert {frozenset({move.entry, move.opponent}) for move in stays} == {
        frozenset(pair) for table in tables for pair in combinations(table, 2) if frozenset(pair) in pairs
    }
    assert all(move.opponent < move.entry and move.other is None for move in stays if move.opponent)


def test_entries_that_stay_are_recorded_in_order() -> None:
    opponents = AvoidList([(1, 2), (5, 6)]).reasons_by_opponent()
    hall = SeatingArrangement([(1, 2), (3, 4), (5, 6)], opponents)
    moves = list(separate_pairs(hall, hall.iter_conflicts(), lambda entry, _stays: {6: 3}.get(entry), opponents))
    assert moves == [EntryMove(2, None, EntryMoveReason.AVOID, 1), EntryMove(6, 3, EntryMoveReason.AVOID, 5)]
    assert hall.fill_places((1, 2, None, 7, 3, 4, 5, 6)) == (1, 2, None, 7, 6, 4, 5, 3)


@pytest.mark.parametrize("seed", range(100))
def test_the_exact_search_finds_the_first_of_the_cheapest(seed: int) -> None:
    dice = random.Random(seed)
    entries = range(1, dice.randint(2, 6) + 1)
    choices = [dice.sample(entries, dice.randint(1, len(entries))) for _ in range(dice.randint(1, len(entries)))]
    costs = {(place, entry): dice.randint(0, 4) for place in range(len(choices)) for entry in entries}

    def cost(chosen: Sequence[int]) -> int:
        return sum(costs[place, entry] + (entry - 1 in chosen[:place]) for place, entry in enumerate(chosen))

    below = dice.choice((3, 6, 99))
    found = _find_cheapest_choice(
        choices, lambda so_far, one: cost([*so_far, one]) - cost(so_far), below=below, steps=10_000
    )
    every = [chosen for chosen in product(*choices) if len(set(chosen)) == len(chosen) and cost(chosen) < below]
    assert found == (min(every, key=cost, default=None), True)


def test_an_exact_search_that_is_cut_short_says_so() -> None:
    everybody = [range(1, 6)] * 5
    found, is_certain = _find_cheapest_choice(everybody, lambda chosen, entry: entry * len(chosen), below=99, steps=7)
    assert found == (1, 2, 3, 4, 5)
    assert not is_certain


@pytest.mark.parametrize("entries", range(1, 5))
def test_one_step_more_than_entries_are_tried_makes_it_certain(entries: int) -> None:
    choices = [[entry] for entry in range(entries)]
    enough = _find_cheapest_choice(choices, lambda _chosen, _entry: 0, below=1, steps=entries + 1)
    assert enough == (tuple(range(entries)), True)
    assert _find_cheapest_choice(choices, lambda _chosen, _entry: 0, below=1, steps=entries) == (None, False)


def test_a_search_may_go_on_with_what_it_has_when_the_steps_run_out() -> None:
    # The search finds the order 1, 2 first. The better order 2, 1 takes more than four steps.
    both, costs = [[1, 2], [1, 2]], {(1, 0): 3, (2, 0): 1}

    def more(chosen: Sequence[int], entry: int) -> int:
        return costs.get((entry, len(chosen)), 0)

    assert _find_cheapest_choice(both, more, below=9, steps=3) == ((1, 2), False)
    assert _find_cheapest_choice(both, more, below=9, steps=4) == ((1, 2), False)
    assert _find_cheapest_choice(both, more, below=9, steps=5) == ((2, 1), True)


def test_pairs_after_one_that_is_apart_already_are_parted_too() -> None:
    opponents = AvoidList([(1, 3), (2, 5)]).reasons_by_opponent()
    hall = SeatingArrangement([(1, 4), (2, 5), (3, 6)], opponents)
    moves = list(separate_pairs(hall, [(1, 3), (2, 5)], lambda entry, _stays: {5: 6}.get(entry), opponents))
    assert moves == [EntryMove(5, 6, EntryMoveReason.AVOID, 2)]
    assert hall.tables == [[1, 4], [2, 6], [3, 5]]


def test_with_nobody_at_another_table_there_is_no_exchange() -> None:
    hall = SeatingArrangement([(1, 2, 3)], {1: {2}, 2: {1}})
    assert hall.find_best_exchange(1, hall.entries) is None
    assert hall.find_best_exchange(1, ()) is None


def test_two_who_stand_together_are_named_as_they_stand_or_in_the_order_of_the_key() -> None:
    hall = SeatingArrangement([(3, 1, 2)], {1: {2, 3}, 2: {1}, 3: {1}})
    assert list(hall.iter_conflicts()) == [(3, 1), (1, 2)]
    assert list(hall.iter_conflicts(key=lambda entry: entry)) == [(1, 2), (1, 3)]
    assert list(hall.iter_conflicts(key=lambda entry: -entry)) == [(3, 1), (2, 1)]


def test_two_change_places_past_the_empty_ones() -> None:
    standing = PlacedEntries([4, None, 2, 9])
    standing.exchange(4, 9)
    assert standing.places == [9, None, 2, 4]
    assert standing.place_of == {9: 0, 2: 2, 4: 3}
