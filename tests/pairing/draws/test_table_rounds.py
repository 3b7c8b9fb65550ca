from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.order import order_by_lot
from pairing.draws.pairs.record import EntryWithRecord, pair_by_record
from pairing.draws.results import RemovalReason, ResultCause
from pairing.draws.separation.draw import AvoidList
from pairing.draws.stages.plan import read_stage_plan
from pairing.draws.table_rounds import (
    MAX_ENTRIES_FOR_EXACT_SEARCH,
    SeatedTable,
    TableOutcome,
    TableRound,
    TableRounds,
    TableTerms,
    _compute_table_sizes,
    _SeatedTables,
    make_final_standings,
    make_standings,
    make_table_placings,
    plan_first_seating,
    plan_next_seating,
    seat_entries_at_tables,
)
from tests.chance import examples
from tournament.errors import InvalidInput


def played(match: str, points: dict[int, int], winner: int | None = None) -> SeatedTable:
    return SeatedTable(match, tuple(points), TableOutcome(points, winner))


def closed(match: str, *entries: int, cause: ResultCause = ResultCause.BOTH_ABSENT) -> SeatedTable:
    return SeatedTable(match, entries, TableOutcome({}, None, cause))


def rounds_of(*rounds: TableRound, low: bool = True, **terms: Any) -> TableRounds:
    entries = {n for each in rounds for table in each.tables for n in table.entries}
    out = {n for each in rounds for n in each.sits_out}
    return TableRounds(
        terms=TableTerms(**{"rounds": len(rounds), **terms}),
        entries=tuple(sorted(entries | out)),
        rounds=rounds,
        removal_reasons={},
        low_wins=low,
    )


def places(rounds: TableRounds) -> list[tuple[int | None, int, int]]:
    return [(one.place, one.entry, one.total) for one in make_standings(rounds)]


class TestTerms:
    def test_the_defaults_are_tables_of_four_and_one_round(self) -> None:
        assert read_stage_plan({"kind": "tables"}).tables == TableTerms(size=4, requires_full_tables=False, rounds=1)
        terms = TableTerms(size=3, requires_full_tables=True, rounds=5)
        assert read_stage_plan({"kind": "tables", **terms.as_json()}).tables == terms

    @pytest.mark.parametrize(
        ("options", "path"),
        [({"size": 6}, "size"), ({"size": 1}, "size"), ({"rounds": 0}, "rounds"), ({"rounds": True}, "rounds"),
         ({"full": 1}, "full"), ({"tables": 4}, "tables")],
    )  # fmt: skip
    def test_unknown_options_and_values_out_of_bounds_are_refused(self, options: dict[str, Any], path: str) -> None:
        with pytest.raises(InvalidInput) as refused:
            read_stage_plan({"kind": "tables", **options})
        assert [problem.path for problem in refused.value.problems] == [f"stage.{path}"]


class TestRoundOne:
    def test_the_first_drawn_sit_together_and_the_last_drawn_sit_out(self) -> None:
        made = plan_first_seating([5, 3, 8, 1, 7, 2, 6, 4], TableTerms(size=3, requires_full_tables=True), AvoidList())
        assert (made.tables, made.sits_out) == (((5, 3, 8), (1, 7, 2)), (6, 4))

    def test_entries_kept_apart_change_places_with_a_recorded_move(self) -> None:
        made = plan_first_seating([1, 2, 3, 4, 5, 6], TableTerms(size=3), AvoidList([(1, 2), (2, 4)], [(3, 1)]))
        assert made.tables == ((1, 4, 5), (2, 3, 6))
        assert [(move.entry, move.opponent) for move in made.moves] == [(2, 1), (3, 1)]

    @pytest.mark.parametrize(
        ("count", "apart", "tables"),
        [
            (6, [(1, 2), (2, 5)], ((1, 5, 3), (4, 2, 6))),
            (6, [(1, 2), (1, 4)], ((1, 5, 3), (4, 2, 6))),
            (9, [(4, 5)], ((1, 2, 3), (4, 7, 6), (5, 8, 9))),
            (6, [(4, 5)], ((5, 2, 3), (4, 1, 6))),
        ],
    )
    def test_the_next_drawn_entry_without_a_conflict_changes_places(
        self, count: int, apart: list[tuple[int, int]], tables: tuple[tuple[int, ...], ...]
    ) -> None:
        made = plan_first_seating(range(1, count + 1), TableTerms(size=3), AvoidList(apart))
        assert made.tables == tables

    def test_entries_that_cannot_be_kept_apart_stay_with_a_recorded_move(self) -> None:
        made = plan_first_seating([1, 2], TableTerms(size=2), AvoidList([(1, 2)]))
        assert made.tables == ((1, 2),)
        assert [(move.entry, move.other) for move in made.moves] == [(2, None)]

    def test_too_few_for_one_table_are_refused(self) -> None:
        with pytest.raises(ValueError, match="too few"):
            plan_first_seating([1, 2], TableTerms(size=3, requires_full_tables=True), AvoidList())

    @given(st.integers(4, 40), st.integers(2, 5), st.data())
    @settings(max_examples=examples(100), deadline=None)
    def test_everybody_sits_once_and_apart_from_the_listed_entries(self, count: int, size: int, data: Any) -> None:
        order = data.draw(st.permutations(range(1, count + 1)))
        pairs = data.draw(st.sets(st.tuples(st.integers(1, count), st.integers(1, count)), max_size=3))
        apart = [(a, b) for a, b in pairs if a != b]
        made = plan_first_seating(order, TableTerms(size=size), AvoidList(apart))
        assert sorted(n for table in made.tables for n in table) == sorted(order)
        stayed = {frozenset((m.entry, m.opponent)) for m in made.moves if m.other is None}
        together = {frozenset(pair) for table in made.tables for pair in combinations(table, 2)}
        assert together & {frozenset(pair) for pair in apart} <= stayed


class TestLaterRounds:
    def test_the_entries_that_sat_out_least_sit_out(self) -> None:
        terms: dict[str, Any] = {"size": 3, "requires_full_tables": True, "rounds": 7}
        rounds = rounds_of(TableRound(1, (closed("R1T1", 1, 2, 3), closed("R1T2", 4, 5, 6)), (7,)), **terms)
        sat_out = [7]
        for number in range(2, 8):
            made = plan_next_seating(rounds, rounds.entries, seed=f"round {number}")
            sat_out += made.sits_out
            tables = tuple(SeatedTable(f"R{number}T{i}", table) for i, table in enumerate(made.tables))
            rounds = rounds_of(*rounds.rounds, TableRound(number, tables, made.sits_out), **terms)
        assert Counter(sat_out) == dict.fromkeys(range(1, 8), 1)

    def test_nobody_met_at_a_table_that_was_closed(self) -> None:
        rounds = rounds_of(TableRound(1, (closed("R1T1", 1, 2), played("R1T2", {3: 5, 4: 9}))))
        assert rounds.rounds_met == {(3, 4): (1,)}

    def test_two_entries_of_one_person_count_as_if_they_had_met(self) -> None:
        rounds = rounds_of(TableRound(1, (closed("R1T1", 1, 2, 3, 4),)), size=2)
        for seed in "abcdef":
            made = plan_next_seating(rounds, [1, 2, 3, 4], seed=seed, apart=[(4, 1)])
            assert all(set(table) != {1, 4} for table in made.tables)
            assert made.repeated_pairs == ()

    def test_the_same_seed_seats_the_same_in_any_order(self) -> None:
        rounds = rounds_of(TableRound(1, (played("R1T1", {1: 0, 2: 1, 3: 2}), played("R1T2", {4: 0, 5: 1, 6: 2}))))
        one, other = (plan_next_seating(rounds, order, seed="s") for order in ([1, 2, 3, 4, 5, 6], [6, 4, 2, 1, 3, 5]))
        assert one == other
        assert (one.repeated_pairs, one.is_minimal) == (((1, 3), (4, 6)), True)

    def test_the_lots_decide_who_has_the_first_seat(self) -> None:
        rounds = rounds_of(TableRound(1, (closed("R1T1", 1, 2, 3),)), size=3)
        seats = {plan_next_seating(rounds, [1, 2, 3], seed=str(turn)).tables[0] for turn in range(40)}
        assert len(seats) == 6

    def test_it_is_complete_when_every_table_of_every_round_is_decided(self) -> None:
        one = TableRound(1, (played("R1T1", {1: 0, 2: 5}),))
        assert rounds_of(one).is_complete
        assert not rounds_of(one, rounds=2).is_complete
        assert not rounds_of(one, TableRound(2, (SeatedTable("R2T1", (1, 2)),))).is_complete


class TestStandings:
    def test_low_or_high_comes_first_and_equal_totals_share_a_place(self) -> None:
        first = TableRound(1, (played("R1T1", {1: 10, 2: 40, 3: 20}, 1),))
        second = TableRound(2, (played("R2T1", {1: 30, 2: 0, 3: 5}, 2),))
        assert places(rounds_of(first, second)) == [(1, 3, 25), (2, 1, 40), (2, 2, 40)]
        assert places(rounds_of(first, second, low=False)) == [(1, 1, 40), (1, 2, 40), (3, 3, 25)]
        assert [one.tied for one in make_standings(rounds_of(first, second))] == [1, 2, 2]
        won = {one.entry: one.won for one in make_standings(rounds_of(first, second))}
        assert won == {1: 1, 2: 1, 3: 0}

    def test_nobody_gains_by_staying_away_where_low_wins(self) -> None:
        first = TableRound(1, (played("R1T1", {1: 50, 2: 60, 3: 1}),))
        second = TableRound(2, (played("R2T1", {1: 50, 2: 60}),))
        assert [entry for _place, entry, _total in places(rounds_of(first, second))] == [1, 2, 3]

    def test_a_missed_round_is_worth_nothing_where_high_wins(self) -> None:
        first = TableRound(1, (played("R1T1", {1: 50, 2: 60, 3: 90}),))
        second = TableRound(2, (played("R2T1", {1: 50, 2: 10}),))
        assert places(rounds_of(first, second, low=False)) == [(1, 1, 100), (2, 3, 90), (3, 2, 70)]

    def test_entries_that_sat_out_are_compared_by_average(self) -> None:
        first = TableRound(1, (played("R1T1", {1: 30, 2: 10, 3: 0}),), (4,))
        second = TableRound(2, (played("R2T1", {1: 30, 2: 20, 4: 40}),), (3,))
        high = places(rounds_of(first, second, low=False))
        assert [entry for _place, entry, _total in high] == [4, 1, 2, 3]

    def test_a_table_that_is_still_playing_makes_nobody_miss_a_round(self) -> None:
        first = TableRound(1, (played("R1T1", {1: 10, 2: 20}), played("R1T2", {3: 12, 4: 30})))
        second = TableRound(2, (played("R2T1", {1: 10, 3: 20}), SeatedTable("R2T2", (2, 4))))
        standings = make_standings(rounds_of(first, second))
        assert [one.missed for one in standings] == [0, 0, 0, 0]
        assert [one.entry for one in standings] == [1, 3, 2, 4]

    def test_the_disqualified_and_who_never_played_have_no_place(self) -> None:
        rounds = rounds_of(TableRound(1, (played("R1T1", {1: 10, 2: 20, 3: 0}), closed("R1T2", 4, 5))))
        gone = TableRounds(
            terms=rounds.terms,
            entries=rounds.entries,
            rounds=rounds.rounds,
            removal_reasons={3: RemovalReason.DISQUALIFIED, 2: RemovalReason.WITHDRAWN},
            low_wins=True,
        )
        assert [(one.place, one.entry) for one in make_standings(gone)] == [
            (1, 1), (2, 2), (None, 3), (None, 4), (None, 5),
        ]  # fmt: skip
        placings = make_table_placings(make_standings(gone))
        assert [(str(each), each.entries) for each in placings.finish] == [("1", (1,)), ("2", (2,))]
        assert placings.disqualified == (3, 4, 5)

    def test_a_void_outcome_opens_the_table_again(self) -> None:
        rounds = rounds_of(TableRound(1, (closed("R1T1", 1, 2, cause=ResultCause.VOID),)))
        assert [table.match for table in rounds.ready_tables] == ["R1T1"]
        assert not rounds.is_complete

    @given(st.lists(st.lists(st.integers(-300, 300), min_size=6, max_size=6), min_size=1, max_size=4), st.booleans())
    @settings(max_examples=examples(150), deadline=None)
    def test_totals_decide_if_everybody_played(self, points: list[list[int]], low: bool) -> None:
        made = [
            TableRound(
                number,
                (
                    played(f"R{number}T1", dict(zip((1, 2, 3), got[:3], strict=True))),
                    played(f"R{number}T2", dict(zip((4, 5, 6), got[3:], strict=True))),
                ),
            )
            for number, got in enumerate(points, start=1)
        ]
        totals = {entry: sum(got[entry - 1] for got in points) for entry in range(1, 7)}
        for place, entry, total in places(rounds_of(*made, low=low)):
            assert total == totals[entry]
            better = [other for other in totals.values() if (other < total if low else other > total)]
            assert place == len(better) + 1


def test_one_entry_is_separated_from_three_in_any_order() -> None:
    apart = AvoidList([(1, 2), (1, 3), (1, 4)])
    for order in permutations(range(1, 9), 8):
        if order[0] > order[1] or order[1] > order[2]:
            continue
        tables = plan_first_seating(order, TableTerms(size=4), apart).tables
        assert next(set(table) for table in tables if 1 in table).isdisjoint({2, 3, 4}), order


def test_everybody_shares_first_place_if_nobody_played() -> None:
    gone = {2: RemovalReason.WITHDRAWN, 3: RemovalReason.DISQUALIFIED}
    nobody = TableRounds(terms=TableTerms(rounds=1), entries=(1, 2, 3), removal_reasons=gone)
    assert [(one.entry, one.place) for one in make_standings(nobody)] == [(1, None), (2, None), (3, None)]
    ended = [(one.entry, one.place, one.tied) for one in make_final_standings(nobody)]
    assert ended == [(1, 1, 2), (2, 1, 2), (3, None, 1)]


# --- Test seating ----------------------------------------------------------------------------------------------------
# Tables with the fewest repeated meetings.

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
    seating = seat_entries_at_tables(entries, met, size=size, seed=seed)
    least = min(repeats_of(tables, met) for tables in every_seating(entries, _compute_table_sizes(len(entries), size)))
    assert (seating.repeats, seating.is_least) == (least, True)


@settings(deadline=None, max_examples=examples(30))
@given(fields(most=30), st.text(max_size=5), st.randoms(use_true_random=False))
def test_everybody_sits_once_and_the_repeats_are_those(
    field: tuple[list[int], Meetings, int], seed: str, chance: random.Random
) -> None:
    entries, met, size = field
    seating = seat_entries_at_tables(entries, met, size=size, seed=seed)
    sizes = sorted((len(table) for table in seating.tables), reverse=True)
    assert sorted(entry for table in seating.tables for entry in table) == sorted(entries)
    assert tuple(sizes) == _compute_table_sizes(len(entries), size)
    assert repeats_of(list(seating.tables), met) == seating.repeats
    assert seating.is_least or len(entries) > MAX_ENTRIES_FOR_EXACT_SEARCH
    shuffled = chance.sample(entries, len(entries)), [pair[::-1] for pair in chance.sample(met, len(met))]
    assert seat_entries_at_tables(*shuffled, size=size, seed=seed) == seating


@given(st.integers(2, 500), st.integers(2, 5))
def test_tables_are_as_even_as_can_be(entries: int, size: int) -> None:
    sizes = _compute_table_sizes(entries, size)
    assert sum(sizes) == entries
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 2
    assert max(sizes) <= size or (size == 2 and sizes == (3,) + (2,) * (len(sizes) - 1))
    assert len(sizes) == -(-entries // size) or (size, entries % 2) == (2, 1)


@pytest.mark.parametrize(("entries", "size", "rounds"), [(16, 4, 3), (24, 4, 4), (30, 3, 8), (64, 4, 8), (200, 5, 8)])
def test_round_after_round_nobody_meets_again_while_there_is_room(entries: int, size: int, rounds: int) -> None:
    met: Meetings = []
    for number in range(rounds):
        seating = seat_entries_at_tables(range(1, entries + 1), met, size=size, seed=f"round {number}")
        assert (seating.repeats, seating.is_least) == (0, True)
        met += meetings_of(seating)


def test_a_field_in_which_all_have_met_needs_no_search() -> None:
    entries = range(1, 101)
    seating = seat_entries_at_tables(entries, combinations(entries, 2), size=4, seed="late")
    assert (seating.repeats, seating.is_least) == (25 * 6, True)


@pytest.mark.parametrize("tables", [4, 8, 20])
def test_the_only_seating_without_repeats_is_found(tables: int) -> None:
    entries = list(range(1, 4 * tables + 1))
    hidden = [tuple(entries[start::tables]) for start in range(tables)]
    free = {pair for table in hidden for pair in combinations(table, 2)}
    met = [pair for pair in combinations(entries, 2) if pair not in free]
    assert sorted(seat_entries_at_tables(entries, met, seed="one way").tables) == sorted(hidden)


@settings(deadline=None, max_examples=examples(25))
@given(st.integers(2, 40), st.sampled_from([0.5, 0.8, 0.95]), st.randoms(use_true_random=False))
def test_tables_of_two_seat_as_many_new_pairs_as_another_library_finds(
    tables: int, density: float, chance: random.Random
) -> None:
    entries = range(1, 2 * tables + 1)
    met = [pair for pair in combinations(entries, 2) if chance.random() < density]
    new = networkx.Graph(set(combinations(entries, 2)).difference(met))
    seating = seat_entries_at_tables(entries, met, size=2, seed="two")
    assert seating.repeats == tables - len(networkx.max_weight_matching(new, maxcardinality=True))
    assert seating.is_least


def test_another_seed_seats_otherwise() -> None:
    assert len({seat_entries_at_tables(range(1, 41), [], seed=str(number)).tables for number in range(5)}) == 5


@pytest.mark.parametrize(("entries", "size"), [([], 4), ([1], 4), ([1, 2], 1), ([1, 2], 6), ([1, 1], 2)])
def test_impossible_tables_raise_an_error(entries: list[int], size: int) -> None:
    with pytest.raises(ValueError, match=r"two to five|twice"):
        seat_entries_at_tables(entries, [], size=size, seed="a")


@pytest.mark.parametrize("seed", ["friday", "saturday", "sunday"])
def test_tables_of_two_are_the_lots_of_the_seed_paired_by_the_seed(seed: str) -> None:
    entries = list(range(11, 21))
    turn = order_by_lot(entries, seed=seed)
    pairs = pair_by_record([EntryWithRecord(place, 0) for place in range(10)], seed=seed).pairs
    tables = sorted(tuple(sorted((turn[one], turn[other]))) for one, other in pairs)
    assert list(seat_entries_at_tables(entries, [], size=2, seed=seed).tables) == tables
