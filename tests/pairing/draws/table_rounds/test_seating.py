"""Tables with the fewest repeated meetings."""

import random
from collections.abc import Iterator
from itertools import combinations

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.order import by_lot
from pairing.draws.pairs.record import RecordEntry, pair_by_record
from pairing.draws.table_rounds import PROVEN_UP_TO, _SeatedTables, _table_sizes, seat
from tests.chance import examples

Meetings = list[tuple[int, int]]


def repeats_of(tables: list[tuple[int, ...]], met: Meetings) -> int:
    known = {frozenset(pair) for pair in met}
    return sum(frozenset(pair) in known for table in tables for pair in combinations(table, 2))


def every_seating(entries: list[int], sizes: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    if not entries:
        yield []
        return
    first, rest = entries[0], entries[1:]
    for size in set(sizes):
        left = list(sizes)
        left.remove(size)
        for others in combinations(rest, size - 1):
            staying = [entry for entry in rest if entry not in others]
            yield from ([(first, *others), *tables] for tables in every_seating(staying, tuple(left)))


def meetings_of(seating: _SeatedTables) -> Meetings:
    return [pair for table in seating.tables for pair in combinations(table, 2)]


@st.composite
def fields(draw: st.DrawFn, most: int) -> tuple[list[int], Meetings, int]:
    entries = draw(st.lists(st.integers(1, 99), min_size=2, max_size=most, unique=True))
    pairs = list(combinations(entries, 2))
    density = draw(st.sampled_from([0.1, 0.4, 0.6, 0.8, 0.95]))
    chance = draw(st.randoms(use_true_random=False))
    return entries, [pair for pair in pairs if chance.random() < density], draw(st.integers(2, 5))


@settings(deadline=None, max_examples=examples(150))
@given(fields(most=9), st.text(max_size=5))
def test_no_seating_has_fewer_repeats(field: tuple[list[int], Meetings, int], seed: str) -> None:
    entries, met, size = field
    seating = seat(entries, met, size=size, seed=seed)
    least = min(repeats_of(tables, met) for tables in every_seating(entries, _table_sizes(len(entries), size)))
    assert (seating.repeats, seating.is_least) == (least, True)


@settings(deadline=None, max_examples=examples(30))
@given(fields(most=30), st.text(max_size=5), st.randoms(use_true_random=False))
def test_everybody_sits_once_and_the_repeats_are_those(
    field: tuple[list[int], Meetings, int], seed: str, chance: random.Random
) -> None:
    entries, met, size = field
    seating = seat(entries, met, size=size, seed=seed)
    sizes = sorted((len(table) for table in seating.tables), reverse=True)
    assert sorted(entry for table in seating.tables for entry in table) == sorted(entries)
    assert tuple(sizes) == _table_sizes(len(entries), size)
    assert repeats_of(list(seating.tables), met) == seating.repeats
    assert seating.is_least or len(entries) > PROVEN_UP_TO
    shuffled = chance.sample(entries, len(entries)), [pair[::-1] for pair in chance.sample(met, len(met))]
    assert seat(*shuffled, size=size, seed=seed) == seating


@given(st.integers(2, 500), st.integers(2, 5))
def test_tables_are_as_even_as_can_be(entries: int, size: int) -> None:
    sizes = _table_sizes(entries, size)
    assert sum(sizes) == entries
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 2
    assert max(sizes) <= size or (size == 2 and sizes == (3,) + (2,) * (len(sizes) - 1))
    assert len(sizes) == -(-entries // size) or (size, entries % 2) == (2, 1)


@pytest.mark.parametrize(("entries", "size", "rounds"), [(16, 4, 3), (24, 4, 4), (30, 3, 8), (64, 4, 8), (200, 5, 8)])
def test_round_after_round_nobody_meets_again_while_there_is_room(entries: int, size: int, rounds: int) -> None:
    met: Meetings = []
    for number in range(rounds):
        seating = seat(range(1, entries + 1), met, size=size, seed=f"round {number}")
        assert (seating.repeats, seating.is_least) == (0, True)
        met += meetings_of(seating)


def test_where_everybody_has_met_everybody_no_search_is_needed() -> None:
    entries = range(1, 101)
    seating = seat(entries, combinations(entries, 2), size=4, seed="late")
    assert (seating.repeats, seating.is_least) == (25 * 6, True)


@pytest.mark.parametrize("tables", [4, 8, 20])
def test_a_hidden_way_is_found(tables: int) -> None:
    """All pairs have met but those of one seating."""
    entries = list(range(1, 4 * tables + 1))
    hidden = [tuple(entries[start::tables]) for start in range(tables)]
    free = {pair for table in hidden for pair in combinations(table, 2)}
    met = [pair for pair in combinations(entries, 2) if pair not in free]
    assert sorted(seat(entries, met, seed="one way").tables) == sorted(hidden)


@settings(deadline=None, max_examples=examples(25))
@given(st.integers(2, 40), st.sampled_from([0.5, 0.8, 0.95]), st.randoms(use_true_random=False))
def test_tables_of_two_seat_as_many_new_pairs_as_another_library_finds(
    tables: int, density: float, chance: random.Random
) -> None:
    entries = range(1, 2 * tables + 1)
    met = [pair for pair in combinations(entries, 2) if chance.random() < density]
    new = networkx.Graph(set(combinations(entries, 2)).difference(met))
    seating = seat(entries, met, size=2, seed="two")
    assert seating.repeats == tables - len(networkx.max_weight_matching(new, maxcardinality=True))
    assert seating.is_least


def test_another_seed_seats_otherwise() -> None:
    assert len({seat(range(1, 41), [], seed=str(number)).tables for number in range(5)}) == 5


@pytest.mark.parametrize(("entries", "size"), [([], 4), ([1], 4), ([1, 2], 1), ([1, 2], 6), ([1, 1], 2)])
def test_what_cannot_be_seated(entries: list[int], size: int) -> None:
    with pytest.raises(ValueError, match=r"two to five|twice"):
        seat(entries, [], size=size, seed="a")


@pytest.mark.parametrize("seed", ["friday", "saturday", "sunday"])
def test_tables_of_two_are_the_lots_of_the_seed_paired_by_the_seed(seed: str) -> None:
    entries = list(range(11, 21))
    turn = by_lot(entries, seed=seed)
    pairs = pair_by_record([RecordEntry(place, 0) for place in range(10)], seed=seed).pairs
    tables = sorted(tuple(sorted((turn[one], turn[other]))) for one, other in pairs)
    assert list(seat(entries, [], size=2, seed=seed).tables) == tables
