"""Kept apart in round one: against the rule read out slowly, and by hand for the smallest brackets."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws import AvoidList, MoveReason, bye_entries, first_round, place_order
from pairing.draws.avoid import keep_apart
from pairing.draws.seeding import drawn_places

Persons = Mapping[int, Collection[str]]


def apart_slowly(
    order: Sequence[int], places: Sequence[int | None], listed: set[frozenset[int]]
) -> tuple[list[int | None], list[tuple[int, int | None]]]:
    """The rule sentence by sentence: every exchange is tried on a copy, and round one is looked at again."""
    standing = list(places)
    byes = set(bye_entries(places))
    moves: list[tuple[int, int | None]] = []
    for top in range(0, len(standing), 2):
        pair = {standing[top], standing[top + 1]}
        if None in pair or frozenset(pair) not in listed:
            continue
        _, later = sorted(pair, key=order.index)
        turn = order.index(later)
        done = None
        for other in [*order[turn + 1 :], *order[:turn]]:
            tried = _exchanged(standing, later, other)
            concerned = [p for p in map(frozenset, first_round(tried)) if p & {later, other}]
            if other not in byes and not any(p in listed for p in concerned):
                standing, done = tried, other
                break
        moves.append((later, done))
    return standing, moves


def _exchanged(places: Sequence[int | None], one: int, other: int) -> list[int | None]:
    swapped = {one: other, other: one}
    return [swapped.get(entry, entry) if entry is not None else None for entry in places]


def listed_pairs(pairs: Collection[tuple[int, int]], persons: Persons) -> set[frozenset[int]]:
    found = {frozenset(pair) for pair in pairs}
    return found | {
        frozenset(pair) for pair in combinations(persons, 2) if set(persons[pair[0]]) & set(persons[pair[1]])
    }


@st.composite
def draws(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int]], Persons, list[int]]:
    entries = draw(st.integers(2, 24))
    order = draw(st.permutations(range(1, entries + 1)))
    anybody = st.sampled_from(order)
    pairs = draw(st.lists(st.tuples(anybody, anybody).filter(lambda p: p[0] != p[1]), max_size=3 * entries))
    persons = draw(st.dictionaries(anybody, st.sets(st.sampled_from("abcde"), min_size=1, max_size=2), max_size=5))
    byes_to = draw(st.lists(anybody, unique=True, max_size=4))
    return order, pairs, persons, byes_to


@settings(deadline=None, max_examples=300)
@given(draws())
def test_it_is_the_rule(case) -> None:
    order, pairs, persons, byes_to = case
    listed = listed_pairs(pairs, persons)
    before = place_order(order, byes_to=byes_to)
    drawn = place_order(order, byes_to=byes_to, avoid=AvoidList.with_persons(pairs, persons))
    places, moves = apart_slowly(order, before.places, listed)
    kept_apart = drawn.moves[len(before.moves) :]
    assert list(drawn.places) == places
    assert [(move.entry, move.other) for move in kept_apart] == moves
    assert drawn.moves[: len(before.moves)] == before.moves
    assert drawn.order == tuple(order)
    assert set(bye_entries(drawn.places)) == set(bye_entries(before.places))
    left_over = {frozenset(pair) for pair in first_round(drawn.places)} & listed
    assert left_over == {frozenset({m.entry, m.opponent}) for m in kept_apart if m.other is None}
    for move in kept_apart:
        shared = set(persons.get(move.entry, ())) & set(persons.get(move.opponent, ()))
        assert move.reason is (MoveReason.SAME_PERSON if shared else MoveReason.AVOID)


@pytest.mark.parametrize("entries", [3, 4, 5])
def test_every_order_and_every_list_of_a_small_bracket(entries: int) -> None:
    """With at most two pairs in round one, all are kept apart whenever any arrangement of them does it."""
    everybody = range(1, entries + 1)
    pairs = list(combinations(everybody, 2))
    order = tuple(everybody)
    places = drawn_places(order)
    for mask in range(2 ** len(pairs)):
        avoid = [pair for bit, pair in enumerate(pairs) if mask >> bit & 1]
        listed = {frozenset(pair) for pair in avoid}
        after, moves = keep_apart(order, places, AvoidList(avoid))
        assert (list(after), [(m.entry, m.other) for m in moves]) == apart_slowly(order, places, listed)
        met = [frozenset(pair) for pair in first_round(after)]
        playing = [entry for pair in first_round(places) for entry in pair]
        possible = any(
            all(frozenset(p) not in listed for p in zip(line[::2], line[1::2], strict=True))
            for line in permutations(playing)
        )
        assert possible == all(pair not in listed for pair in met)


def test_the_fewest_who_can_be_kept_apart() -> None:
    drawn = place_order([1, 2, 3], avoid=AvoidList([(2, 3)]))
    assert drawn.places == (1, None, 2, 3)
    assert [str(move) for move in drawn.moves] == [
        "Entry 3 stays with entry 2: no exchange keeps all apart who should be."
    ]


def test_an_entry_that_is_not_in_the_draw_changes_nothing() -> None:
    avoid = AvoidList.with_persons([(1, 99), (98, 97)], {99: ["ann"], 2: ["ann"], 96: ["ann"]})
    assert place_order([1, 2, 3, 4], avoid=avoid) == place_order([1, 2, 3, 4])


def test_nobody_is_kept_apart_from_himself() -> None:
    with pytest.raises(ValueError, match="itself"):
        AvoidList([(3, 3)])
    with pytest.raises(ValueError, match="itself"):
        AvoidList(same_person=[(3, 3)])


def test_one_entry_whose_two_players_are_one_person_is_no_re_entry() -> None:
    assert AvoidList.with_persons([], {3: ["ann", "ann"], 4: ["bob"]}).same_person == ()


def test_the_record_has_each_pair_once_and_comes_back() -> None:
    avoid = AvoidList([(9, 1), (1, 9), (2, 3)], [(5, 4)])
    record = {"pairs": [[1, 9], [2, 3]], "same_person": [[4, 5]]}
    assert avoid.as_json() == record
    assert AvoidList.from_json(record) == AvoidList(((1, 9), (2, 3)), ((4, 5),))


def test_the_moves_in_words() -> None:
    persons = {1: ["ann"], 2: ["ann", "bob"]}
    drawn = place_order([1, 2, 3, 4], avoid=AvoidList.with_persons([(1, 2)], persons))
    assert [str(move) for move in drawn.moves] == [
        "Entry 2 changed places with entry 3, to be kept apart from entry 1 (both are the same person) in round one."
    ]
