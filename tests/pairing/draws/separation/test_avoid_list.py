"""The separation of entries in round one of a draw is compared with a slow implementation of the rules."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.places import EntryMove, EntryMoveReason, find_entries_with_bye, iter_first_round_pairs
from pairing.draws.separation.draw import (
    UNREACHABLE_ROUND_NUMBER,
    AvoidList,
    DrawKind,
    DrawTerms,
    _keep_apart,
    _place_in_drawn_order,
    _rearrange_round_one,
    place_drawn_order,
    place_entries_by_terms,
)
from tests.chance import examples

Persons = Mapping[int, Collection[str]]


def apart_slowly(
    order: Sequence[int], places: Sequence[int | None], listed: set[frozenset[int]]
) -> tuple[list[int | None], list[tuple[int, int | None]]]:
    """Separate entries by applying the rules of the draw word for word, and return the places and the exchanges.

    Every exchange is tried on a copy of round one.
    """
    standing = list(places)
    byes = set(find_entries_with_bye(places))
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
            concerned = [p for p in map(frozenset, iter_first_round_pairs(tried)) if p & {later, other}]
            if other not in byes and not any(p in listed for p in concerned):
                standing, done = tried, other
                break
        if done is not None:
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


def least_left(places: Sequence[int | None], opponents: Mapping[int, Mapping[int, EntryMoveReason]], fixed: set[int]):
    """Try every arrangement of round one, and return the smallest possible numbers of unwanted pairs.

    The first number counts the pairs of entries of the same person, and the second number counts all unwanted pairs.
    """
    pairs = tuple(iter_first_round_pairs(places))

    def least(at: int, free: frozenset[int]) -> tuple[int, int]:
        if at == len(pairs):
            return (0, 0)
        found = []
        for upper in [pairs[at][0]] if pairs[at][0] in fixed else free:
            for lower in [pairs[at][1]] if pairs[at][1] in fixed else free - {upper}:
                reason = opponents.get(upper, {}).get(lower)
                rest = least(at + 1, free - {upper, lower})
                found.append((rest[0] + (reason is EntryMoveReason.SAME_PERSON), rest[1] + (reason is not None)))
        return min(found)

    return least(0, frozenset(entry for pair in pairs for entry in pair if entry not in fixed))


def left_over(places: Sequence[int | None], avoid: AvoidList) -> tuple[int, int]:
    opponents = avoid.reasons_by_opponent()
    reasons = [
        opponents[one][other] for one, other in iter_first_round_pairs(places) if other in opponents.get(one, {})
    ]
    return reasons.count(EntryMoveReason.SAME_PERSON), len(reasons)


@settings(deadline=None, max_examples=examples(300))
@given(draws())
def test_round_one_follows_the_rule(case) -> None:
    order, pairs, persons, byes_to = case
    listed = listed_pairs(pairs, persons)
    avoid = AvoidList.with_persons(pairs, persons)
    before = place_drawn_order(order, byes_to=byes_to)
    drawn = place_drawn_order(order, byes_to=byes_to, avoid=avoid)
    walked, moves = apart_slowly(order, before.places, listed)
    kept_apart = drawn.moves[len(before.moves) :]
    singles = [move for move in kept_apart if move.other is not None and move.reason is not EntryMoveReason.CHAIN]
    assert [(move.entry, move.other) for move in singles] == moves
    assert drawn.moves[: len(before.moves)] == before.moves
    assert set(find_entries_with_bye(drawn.places)) == set(find_entries_with_bye(before.places))
    assert left_over(drawn.places, avoid) <= left_over(walked, avoid)
    if left_over(walked, avoid) == (0, 0):
        assert list(drawn.places) == walked
    met = {frozenset(pair) for pair in iter_first_round_pairs(drawn.places)} & listed
    assert met == {frozenset({m.entry, m.opponent}) for m in kept_apart if m.other is None}
    for move in kept_apart:
        shared = set(persons.get(move.entry, ())) & set(persons.get(move.opponent, ()))
        if move.reason is not EntryMoveReason.CHAIN:
            assert move.reason is (EntryMoveReason.SAME_PERSON if shared else EntryMoveReason.AVOID)


@pytest.mark.parametrize("entries", [3, 4, 5])
def test_every_order_and_every_list_of_a_small_bracket(entries: int) -> None:
    everybody = range(1, entries + 1)
    pairs = list(combinations(everybody, 2))
    order = tuple(everybody)
    places = _place_in_drawn_order(order)
    for mask in range(2 ** len(pairs)):
        avoid = AvoidList([pair for bit, pair in enumerate(pairs) if mask >> bit & 1])
        after, moves = _keep_apart(order, places, avoid)
        assert left_over(after, avoid) == least_left(places, avoid.reasons_by_opponent(), set())
        if left_over(after, avoid) == (0, 0):
            assert all(move.reason is not EntryMoveReason.CHAIN for move in moves)


@st.composite
def any_lists(draw: st.DrawFn) -> tuple[list[int], AvoidList, DrawTerms]:
    """Generate draws of up to eight entries, many of which should be kept apart."""
    entries = draw(st.integers(2, 8))
    order = draw(st.permutations(range(1, entries + 1)))
    everybody = list(combinations(range(1, entries + 1), 2))
    pairs = draw(st.lists(st.sampled_from(everybody), unique=True, max_size=4 * entries))
    clubs = draw(st.lists(st.sets(st.sampled_from(order), min_size=2), max_size=2))
    same = draw(st.one_of(st.just([]), st.lists(st.sampled_from(everybody), unique=True, max_size=6)))
    kind = draw(st.sampled_from(list(DrawKind)))
    named = draw(st.lists(st.sampled_from(order), unique=True, max_size=4)) if kind is not DrawKind.BLIND else []
    return order, AvoidList(pairs, same, [sorted(club) for club in clubs]), DrawTerms(kind, tuple(named))


@settings(deadline=None, max_examples=examples(300))
@given(any_lists())
def test_as_few_listed_pairs_as_possible_meet(case: tuple[list[int], AvoidList, DrawTerms]) -> None:
    order, avoid, terms = case
    before, drawn = place_entries_by_terms(order, terms), place_entries_by_terms(order, terms, avoid)
    seeds = set(terms.entries) if terms.kind is DrawKind.SEEDED else set()
    least, found = least_left(before.places, avoid.reasons_by_opponent(), seeds), left_over(drawn.places, avoid)
    assert found[0] == least[0]
    if not avoid.same_person:
        assert found == least
    assert set(find_entries_with_bye(drawn.places)) == set(find_entries_with_bye(before.places))
    assert all(drawn.places[place] == entry for place, entry in enumerate(before.places) if entry in seeds)
    assert _replayed(
        before.places, drawn.moves[len([m for m in before.moves if m.reason is EntryMoveReason.BYE]) :]
    ) == list(drawn.places)


def _replayed(places: Sequence[int | None], moves: Sequence[EntryMove]) -> list[int | None]:
    standing = list(places)
    for move in moves:
        if move.other is not None:
            standing = _exchanged(standing, move.entry, move.other)
    return standing


def test_several_exchanges_help_if_one_does_not() -> None:
    # Entry 3 may meet only entry 2, and entry 1 may meet neither 3 nor 4, so no single exchange helps.
    listed = [(1, 3), (1, 4), (3, 4), (3, 5), (3, 6)]
    places, moves = _keep_apart([1, 2, 3, 4, 5, 6], (1, 2, 3, 4, 5, 6, None, None), AvoidList(listed))
    assert places == (1, 5, 3, 2, 4, 6, None, None)
    assert [str(move) for move in moves] == [
        "Entry 5 changed places with entry 2. Several exchanges together keep everyone apart who should be.",
        "Entry 2 changed places with entry 4. Several exchanges together keep everyone apart who should be.",
    ]


def test_a_club_is_kept_apart_and_the_record_names_it() -> None:
    avoid = AvoidList(groups=[(4, 1, 2)])
    assert AvoidList.from_json(avoid.as_json()).reasons_by_opponent() == avoid.reasons_by_opponent()
    drawn = place_drawn_order([1, 2, 3, 4], avoid=avoid)
    assert [str(move) for move in drawn.moves] == [
        "Entry 2 stays with entry 1: no exchange keeps everyone apart who should be. Both belong to the same club."
    ]


def test_the_fewest_who_can_be_kept_apart() -> None:
    drawn = place_drawn_order([1, 2, 3], avoid=AvoidList([(2, 3)]))
    assert drawn.places == (1, None, 2, 3)
    assert [str(move) for move in drawn.moves] == [
        "Entry 3 stays with entry 2: no exchange keeps everyone apart who should be."
    ]


def test_an_entry_that_is_not_in_the_draw_changes_nothing() -> None:
    avoid = AvoidList.with_persons([(1, 99), (98, 97)], {99: ["ann"], 2: ["ann"], 96: ["ann"]})
    assert place_drawn_order([1, 2, 3, 4], avoid=avoid) == place_drawn_order([1, 2, 3, 4])


def test_an_entry_kept_apart_from_itself_raises_an_error() -> None:
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
    drawn = place_drawn_order([1, 2, 3, 4], avoid=AvoidList.with_persons([(1, 2)], persons))
    assert [str(move) for move in drawn.moves] == [
        "Entry 2 changed places with entry 3, to be kept apart from entry 1 in round one. Both are the same person."
    ]


def test_the_record_has_the_round_until_which_clubs_and_persons_are_apart() -> None:
    mates, later = [(6, 5, 6)], {(8, 7): 1, (9, 7): 2}
    avoid = AvoidList([(7, 8), (7, 9)], [(1, 2)], [(4, 3)], mates, later, clubs_until=2, persons_until=3)
    kept = {
        "pairs": [[7, 8], [7, 9]],
        "same_person": [[1, 2]],
        "groups": [[3, 4]],
        "mates": [[5, 6]],
        "later": [[7, 9, 2]],
        "clubs_until": 2,
        "persons_until": 3,
    }
    assert avoid.as_json() == kept
    assert AvoidList.from_json(kept).as_json() == kept
    assert AvoidList([(1, 2)]).last_rounds_apart() == {}
    assert AvoidList(same_person=[(1, 2)], groups=[(4, 3)], clubs_until=2, persons_until=3).last_rounds_apart() == {
        1: {2: 3},
        2: {1: 3},
        3: {4: 2},
        4: {3: 2},
    }


@pytest.mark.parametrize("seed", range(60))
def test_chains_leave_the_fewest_pairs_and_move_no_fixed_entry(seed: int) -> None:
    dice = random.Random(seed)
    order = dice.sample(range(1, 11), dice.randint(6, 10))
    places = _place_in_drawn_order(order) if seed % 2 else tuple(order[: len(order) // 2 * 2])
    playing = [entry for pair in iter_first_round_pairs(places) for entry in pair]
    listed = [pair for pair in combinations(playing, 2) if dice.random() < dice.choice((0.3, 0.6, 0.8))]
    fixed = set(dice.sample(playing, dice.randint(0, len(playing) // 2)))
    opponents = AvoidList(listed).reasons_by_opponent()
    after = _rearrange_round_one(order, places, lambda one, other: other not in opponents.get(one, {}), fixed=fixed)
    assert sorted(filter(None, after)) == sorted(filter(None, places))
    assert find_entries_with_bye(after) == find_entries_with_bye(places)
    assert all(after[place] == entry for place, entry in enumerate(places) if entry in fixed)
    assert left_over(after, AvoidList(listed)) == least_left(places, opponents, fixed)


@pytest.mark.parametrize("seed", range(60))
def test_fixed_entries_do_not_move_for_one_person(seed: int) -> None:
    dice = random.Random(seed)
    order = dice.sample(range(1, 9), 8)
    pairs = [pair for pair in combinations(order, 2) if dice.random() < 0.7]
    same = [pair for pair in pairs if dice.random() < 0.8]
    fixed = set(dice.sample(order, 3))
    places, _moves = _keep_apart(order, tuple(order), AvoidList(pairs, same), fixed=fixed)
    assert all(places[place] == entry for place, entry in enumerate(order) if entry in fixed)
    least = least_left(order, AvoidList(pairs, same).reasons_by_opponent(), fixed)
    assert left_over(places, AvoidList(pairs, same))[0] == least[0]


# --- Test avoid later ------------------------------------------------------------------------------------------------
# Who is to be kept apart for longer than round one stands in another part of the bracket.


def meet(places: tuple[int | None, ...], one: int, other: int) -> int:
    return (places.index(one) ^ places.index(other)).bit_length()


@settings(max_examples=examples(100), deadline=None)
@given(st.permutations(range(1, 17)), st.integers(1, 3), st.data())
def test_a_club_that_fits_is_apart_until_its_round(order: list[int], until: int, data: st.DataObject) -> None:
    club = order[: data.draw(st.integers(2, 16 >> until))]
    order = data.draw(st.permutations(order))
    drawn = place_drawn_order(order, avoid=AvoidList(groups=[club], clubs_until=until))
    assert all(meet(drawn.places, *pair) > until for pair in combinations(club, 2))
    assert all(move.other is not None for move in drawn.moves)


PAIRS = st.lists(st.lists(st.integers(1, 12), min_size=2, max_size=2, unique=True).map(tuple), max_size=8)


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(4, 12), st.data())
def test_round_one_and_the_byes_stay_what_they_were(count: int, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(1, count + 1)))
    pairs, same = data.draw(PAIRS), data.draw(PAIRS)
    later = {pair: data.draw(st.sampled_from([1, 2, 3, UNREACHABLE_ROUND_NUMBER])) for pair in pairs}
    seeds = data.draw(st.lists(st.sampled_from(order), unique=True, max_size=3))
    terms = DrawTerms(DrawKind.SEEDED, tuple(seeds)) if seeds else DrawTerms()
    plain = place_entries_by_terms(order, terms, AvoidList(pairs, same))
    avoid = AvoidList(pairs, same, last_round_by_pair=later, persons_until=UNREACHABLE_ROUND_NUMBER)
    drawn = place_entries_by_terms(order, terms, avoid)
    assert sorted(filter(None, drawn.places)) == sorted(order)
    assert set(find_entries_with_bye(drawn.places)) == set(find_entries_with_bye(plain.places))
    assert all(drawn.places.index(seed) == plain.places.index(seed) for seed in seeds)
    listed = [{*pair} for pair in (*pairs, *same)]
    met = [sum({*pair} in listed for pair in iter_first_round_pairs(one.places)) for one in (drawn, plain)]
    assert met[0] <= met[1]
    persons = [{*pair} for pair in same]
    one_person = [sum({*pair} in persons for pair in iter_first_round_pairs(one.places)) for one in (drawn, plain)]
    assert one_person[0] <= one_person[1]
    again = place_entries_by_terms(order, terms, AvoidList.from_json(avoid.as_json()))
    assert again == drawn
    assert [EntryMove.from_json(move.as_json()) for move in drawn.moves] == list(drawn.moves)


def test_two_of_one_person_stand_in_the_two_halves() -> None:
    for first in range(2, 9):
        order = [1, *(entry for entry in range(2, 9) if entry != first)]
        order.insert(1, first)
        drawn = place_drawn_order(
            order, avoid=AvoidList(same_person=[(1, first)], persons_until=UNREACHABLE_ROUND_NUMBER)
        )
        assert meet(drawn.places, 1, first) == 3


def test_pairs_that_may_meet_too_early_are_recorded_with_the_round() -> None:
    drawn = place_drawn_order(range(1, 9), avoid=AvoidList(groups=[range(1, 6)], clubs_until=2))
    said = [str(move) for move in drawn.moves if move.other is None]
    assert sum("no exchange keeps everyone apart" in one for one in said) == 1, "five in four pairs of round one"
    assert sum("in round 2: no exchange helps" in one for one in said) == 3, "three in one half, two of them in a pair"


@pytest.mark.parametrize("until", [2, UNREACHABLE_ROUND_NUMBER])
def test_pairs_that_meet_in_the_final_are_not_recorded(until: int) -> None:
    avoid = AvoidList(pairs=[(1, 2), (3, 4)], last_round_by_pair={(1, 2): until, (3, 4): until})
    drawn = place_drawn_order([1, 2, 3, 4], avoid=avoid)
    assert [meet(drawn.places, 1, 2), meet(drawn.places, 3, 4)] == [2, 2]
    assert not [move for move in drawn.moves if move.other is None]
