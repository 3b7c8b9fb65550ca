"""The separation of entries in groups and among seeds is compared with every arrangement of small fields."""

from collections.abc import Sequence
from itertools import combinations, permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.places import find_entries_with_bye, iter_first_round_pairs, place_seeds
from pairing.draws.separation.draw import AvoidList
from pairing.draws.separation.exchanges import find_seating_with_fewest_repeats
from pairing.draws.separation.groups_and_seeds import describe_group_move, separate_groups, separate_seeds
from pairing.draws.stages.pools import deal_into_groups
from tests.chance import examples

Listed = set[frozenset[int]]


def together(groups: Sequence[Sequence[int]], listed: Listed) -> int:
    return sum(frozenset(pair) in listed for group in groups for pair in combinations(group, 2))


def fewest_in_groups(groups: Sequence[Sequence[int]], listed: Listed) -> int:
    def least(sizes: tuple[int, ...], free: frozenset[int]) -> int:
        if not sizes:
            return 0
        found = []
        for group in combinations(sorted(free), sizes[0]):
            found.append(together([group], listed) + least(sizes[1:], free - set(group)))
        return min(found)

    return least(tuple(map(len, groups)), frozenset(entry for group in groups for entry in group))


@st.composite
def fields(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int]]]:
    entries = draw(st.integers(4, 8))
    order = draw(st.permutations(range(1, entries + 1)))
    everybody = list(combinations(range(1, entries + 1), 2))
    return order, draw(st.lists(st.sampled_from(everybody), unique=True, max_size=2 * entries))


@settings(deadline=None, max_examples=examples(150))
@given(fields(), st.integers(2, 4))
def test_as_few_listed_pairs_as_possible_share_a_group(
    field: tuple[list[int], list[tuple[int, int]]], count: int
) -> None:
    order, pairs = field
    groups = deal_into_groups(order, min(count, len(order) // 2))
    listed = {frozenset(pair) for pair in pairs}
    after, moves = separate_groups(groups, AvoidList(pairs))
    assert sorted(entry for group in after for entry in group) == sorted(order)
    assert [len(group) for group in after] == [len(group) for group in groups]
    assert together(after, listed) == fewest_in_groups(groups, listed)
    assert sum(move.other is None for move in moves) == together(after, listed)
    standing = [list(group) for group in groups]
    for move in moves:
        if move.other is not None:
            swapped = {move.entry: move.other, move.other: move.entry}
            standing = [[swapped.get(entry, entry) for entry in group] for group in standing]
    assert tuple(map(tuple, standing)) == after


def test_with_levels_only_equals_change_groups() -> None:
    groups = ((1, 4, 5), (2, 3, 6))
    levels = {1: 0, 2: 0, 3: 1, 4: 1, 5: 2, 6: 2}
    after, moves = separate_groups(groups, AvoidList([(1, 4), (1, 5)]), levels=levels)
    assert after == ((1, 3, 6), (2, 4, 5))
    assert [describe_group_move(move) for move in moves] == [
        "Entry 4 changed groups with entry 3, to be kept apart from entry 1.",
        "Entry 5 changed groups with entry 6, to be kept apart from entry 1.",
    ]


def test_the_proof_does_not_count_what_cannot_be_avoided_twice() -> None:
    # In a group of four and a group of three, at least two of these pairs meet, whatever the order of the entries.
    listed = [(1, 4), (2, 3), (2, 5), (2, 6), (2, 7), (3, 6), (3, 7), (4, 5), (4, 6), (5, 7), (6, 7)]
    for first in permutations(range(1, 8), 3):
        order = [*first, *(entry for entry in range(1, 8) if entry not in first)]
        known = {entry: {b for pair in listed if entry in pair for b in pair if b != entry} for entry in order}
        found, is_certain = find_seating_with_fewest_repeats(known, [4, 3], below=3, steps=None)
        assert found is not None
        assert is_certain


@settings(deadline=None, max_examples=examples(150))
@given(st.data())
def test_seeds_of_one_group_are_apart_where_any_exchange_of_equals_does_it(data: st.DataObject) -> None:
    groups, best = data.draw(st.sampled_from([(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2)]))
    ranked = list(range(1, groups * best + 1))
    levels = [ranked[at * groups : (at + 1) * groups] for at in range(best)]
    mixed = [data.draw(st.permutations(level)) for level in levels]
    mates = list(zip(*mixed, strict=True))
    everybody = list(combinations(ranked, 2))
    pairs = data.draw(st.lists(st.sampled_from(everybody), unique=True, max_size=len(ranked)))
    listed = {frozenset(pair) for pair in [*pairs, *(pair for group in mates for pair in combinations(group, 2))]}
    before, found = place_seeds(ranked), separate_seeds(ranked, levels, AvoidList(pairs), mates)
    playing = {entry for pair in iter_first_round_pairs(before) for entry in pair}
    own = [[entry for entry in level if entry in playing] for level in levels]
    least = len(everybody)
    for arrangement in product(*(permutations(level) for level in own)):
        put = {
            old: new for level, line in zip(own, arrangement, strict=True) for old, new in zip(level, line, strict=True)
        }
        met = iter_first_round_pairs([put.get(entry, entry) if entry else None for entry in before])
        least = min(least, sum(frozenset(pair) in listed for pair in met))
    assert sum(frozenset(pair) in listed for pair in iter_first_round_pairs(found.places)) == least
    assert found.is_minimal
    assert find_entries_with_bye(found.places) == find_entries_with_bye(before)
    level_of = {entry: at for at, level in enumerate(levels) for entry in level}
    assert [level_of.get(entry) for entry in found.places] == [level_of.get(entry) for entry in before]


def test_entries_that_stay_together_are_recorded() -> None:
    found = separate_seeds([1, 2, 3, 4], [[1, 2], [3, 4]], AvoidList(), [(1, 3, 4), (2,)])
    assert found.places == (1, 4, 3, 2)
    assert [str(move) for move in found.moves] == [
        "Entry 4 stays with entry 1: no exchange keeps everyone apart who should be. Both come from the same group."
    ]
