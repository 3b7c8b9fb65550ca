from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.places import (
    EntryMoveReason,
    compute_bracket_size,
    compute_ranks_by_position,
    find_entries_with_bye,
    iter_first_round_pairs,
    place_seeds,
)
from pairing.draws.separation.draw import (
    DrawKind,
    DrawTerms,
    _assign_promised_byes,
    _place_in_drawn_order,
    place_drawn_order,
    place_entries_by_terms,
)

SIZES = st.one_of(st.integers(2, 40), st.integers(2, 1024), st.sampled_from([2, 3, 63, 64, 65, 512, 513, 1023, 1024]))


def parts(size: int) -> list[tuple[slice, slice]]:
    """Return the two halves of every part of a bracket, from the whole bracket down to single pairs."""
    found = []
    length = size
    while length > 1:
        half = length // 2
        found += [(slice(start, start + half), slice(start + half, start + length)) for start in range(0, size, length)]
        length = half
    return found


@pytest.mark.parametrize("entries", [*range(2, 131), 255, 256, 257, 511, 513, 767, 1000, 1023, 1024, 1025, 3000])
def test_byes_are_spread_over_every_part(entries: int) -> None:
    places = _place_in_drawn_order(range(1, entries + 1))
    empty = [place is None for place in places]
    assert len(places) == compute_bracket_size(entries)
    assert len(places) // 2 < entries <= len(places)
    for upper, lower in parts(len(places)):
        assert abs(sum(empty[upper]) - sum(empty[lower])) <= 1
    assert [place for place in places if place is not None] == list(range(1, entries + 1))


@pytest.mark.parametrize("size", [2, 4, 8, 64, 1024])
def test_ranks_meet_as_late_as_possible(size: int) -> None:
    ranks = compute_ranks_by_position(size)
    assert sorted(ranks) == list(range(1, size + 1))
    assert all(one + other == size + 1 for one, other in zip(ranks[::2], ranks[1::2], strict=True))
    best = 1
    while best <= size:
        part = size // best
        assert all(min(ranks[i : i + part]) <= best for i in range(0, size, part))
        best *= 2
    assert ranks[0] == 1
    assert ranks[-1] == 2


def test_sixteen_seeds_have_the_usual_places() -> None:
    assert compute_ranks_by_position(16) == (1, 16, 9, 8, 5, 12, 13, 4, 3, 14, 11, 6, 7, 10, 15, 2)


@settings(deadline=None)
@given(SIZES)
def test_the_best_ranks_have_the_byes(entries: int) -> None:
    ranked = list(range(1001, 1001 + entries))
    places = place_seeds(ranked)
    byes = len(places) - entries
    assert sorted(find_entries_with_bye(places)) == ranked[:byes]
    for one, other in iter_first_round_pairs(places):
        assert ranked.index(one) + ranked.index(other) == len(places) - 1


@pytest.mark.parametrize("make", [place_seeds, _place_in_drawn_order, place_drawn_order])
def test_places_need_two_distinct_entries(make) -> None:
    for entries in ([], [1]):
        with pytest.raises(ValueError, match="at least two"):
            make(entries)
    with pytest.raises(ValueError, match="twice"):
        make([1, 2, 1])


def served_slowly(
    order: Sequence[int], places: Sequence[int | None], byes_to: Sequence[int]
) -> tuple[list[int | None], list[tuple[int, int]]]:
    """Assign the promised byes exactly as docs/draw.md, part 2, step 2, describes it."""
    standing = list(places)
    had = set(find_entries_with_bye(places))
    served = byes_to[: len(had)]
    moves = []
    for entry in served:
        if entry in had:
            continue
        turn = order.index(entry)
        for other in [*order[turn + 1 :], *order[:turn]]:
            if other in find_entries_with_bye(standing) and other not in served:
                one, two = standing.index(entry), standing.index(other)
                standing[one], standing[two] = other, entry
                moves.append((entry, other))
                break
    return standing, moves


@settings(deadline=None)
@given(st.integers(2, 40), st.data())
def test_promised_byes_are_served_first_named_first(entries: int, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(1, entries + 1)))
    byes_to = data.draw(st.lists(st.sampled_from(order), unique=True))
    by_lot = _place_in_drawn_order(order)
    places, moves = _assign_promised_byes(order, by_lot, byes_to)
    byes = len(places) - entries
    assert set(byes_to[:byes]) <= set(find_entries_with_bye(places))
    assert [place is None for place in places] == [place is None for place in by_lot]
    slowly, exchanged = served_slowly(order, by_lot, byes_to)
    assert list(places) == slowly
    assert [(move.entry, move.other) for move in moves] == exchanged
    assert {move.reason for move in moves} <= {EntryMoveReason.BYE}
    stayed = {entry for move in moves for entry in (move.entry, move.other)} ^ set(order)
    assert all(places.index(entry) == by_lot.index(entry) for entry in stayed)


def test_a_bye_for_an_unknown_entry_raises_an_error() -> None:
    with pytest.raises(ValueError, match="not in the draw"):
        place_drawn_order([1, 2, 3], byes_to=[9])


@pytest.mark.parametrize("entries", [3, 5, 6])
def test_in_every_order_the_byes_go_to_the_first_named(entries: int) -> None:
    named = [entries, 1, 2]
    for order in permutations(range(1, entries + 1)):
        drawn = place_entries_by_terms(order, DrawTerms(DrawKind.BYES, tuple(named)))
        byes = find_entries_with_bye(drawn.places)
        assert set(named[: len(byes)]) <= set(byes)


@pytest.mark.parametrize("seeds", [(2,), (4, 1), (5, 3, 1), (3, 1, 5, 2, 4)])
def test_seeds_rank_first_and_the_others_as_drawn(seeds: tuple[int, ...]) -> None:
    for order in permutations(range(1, 6)):
        drawn = place_entries_by_terms(order, DrawTerms(DrawKind.SEEDED, seeds))
        assert drawn.places == place_seeds([*seeds, *(entry for entry in order if entry not in seeds)])
        assert set(seeds[:3]) <= set(find_entries_with_bye(drawn.places))


def test_invalid_terms_of_a_draw_raise_an_error() -> None:
    with pytest.raises(ValueError, match="blind"):
        DrawTerms(DrawKind.BLIND, (1,))
    with pytest.raises(ValueError, match="twice"):
        DrawTerms(DrawKind.BYES, (1, 1))
    with pytest.raises(ValueError, match="not in the draw"):
        place_entries_by_terms([1, 2], DrawTerms(DrawKind.SEEDED, (3,)))
    assert DrawTerms.from_json(DrawTerms(DrawKind.SEEDED, (3, 1)).as_json()) == DrawTerms(DrawKind.SEEDED, (3, 1))
