"""Who is to be kept apart for longer than round one stands in another part of the bracket."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.places import Move, bye_entries, first_round
from pairing.draws.separation.draw import FOR_GOOD, AvoidList, DrawKind, DrawTerms, place_by_terms, place_order
from tests.chance import examples


def meet(places: tuple[int | None, ...], one: int, other: int) -> int:
    return (places.index(one) ^ places.index(other)).bit_length()


@settings(max_examples=examples(100), deadline=None)
@given(st.permutations(range(1, 17)), st.integers(1, 3), st.data())
def test_a_club_that_fits_is_apart_until_its_round(order: list[int], until: int, data: st.DataObject) -> None:
    club = order[: data.draw(st.integers(2, 16 >> until))]
    order = data.draw(st.permutations(order))
    drawn = place_order(order, avoid=AvoidList(groups=[club], clubs_until=until))
    assert all(meet(drawn.places, *pair) > until for pair in combinations(club, 2))
    assert all(move.other is not None for move in drawn.moves)


PAIRS = st.lists(st.lists(st.integers(1, 12), min_size=2, max_size=2, unique=True).map(tuple), max_size=8)


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(4, 12), st.data())
def test_round_one_and_the_byes_stay_what_they_were(count: int, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(1, count + 1)))
    pairs, same = data.draw(PAIRS), data.draw(PAIRS)
    later = {pair: data.draw(st.sampled_from([1, 2, 3, FOR_GOOD])) for pair in pairs}
    seeds = data.draw(st.lists(st.sampled_from(order), unique=True, max_size=3))
    terms = DrawTerms(DrawKind.SEEDED, tuple(seeds)) if seeds else DrawTerms()
    plain = place_by_terms(order, terms, AvoidList(pairs, same))
    avoid = AvoidList(pairs, same, later=later, persons_until=FOR_GOOD)
    drawn = place_by_terms(order, terms, avoid)
    assert sorted(filter(None, drawn.places)) == sorted(order)
    assert set(bye_entries(drawn.places)) == set(bye_entries(plain.places))
    assert all(drawn.places.index(seed) == plain.places.index(seed) for seed in seeds)
    listed = [{*pair} for pair in (*pairs, *same)]
    met = [sum({*pair} in listed for pair in first_round(one.places)) for one in (drawn, plain)]
    assert met[0] <= met[1]
    persons = [{*pair} for pair in same]
    one_person = [sum({*pair} in persons for pair in first_round(one.places)) for one in (drawn, plain)]
    assert one_person[0] <= one_person[1]
    again = place_by_terms(order, terms, AvoidList.from_json(avoid.as_json()))
    assert again == drawn
    assert [Move.from_json(move.as_json()) for move in drawn.moves] == list(drawn.moves)


def test_two_of_one_person_stand_in_the_two_halves() -> None:
    for first in range(2, 9):
        order = [1, *(entry for entry in range(2, 9) if entry != first)]
        order.insert(1, first)
        drawn = place_order(order, avoid=AvoidList(same_person=[(1, first)], persons_until=FOR_GOOD))
        assert meet(drawn.places, 1, first) == 3


def test_who_may_still_meet_too_early_is_said_with_the_round() -> None:
    drawn = place_order(range(1, 9), avoid=AvoidList(groups=[range(1, 6)], clubs_until=2))
    said = [str(move) for move in drawn.moves if move.other is None]
    assert sum("no exchange keeps everyone apart" in one for one in said) == 1, "five in four pairs of round one"
    assert sum("in round 2: no exchange helps" in one for one in said) == 3, "three in one half, two of them in a pair"


@pytest.mark.parametrize("until", [2, FOR_GOOD])
def test_nothing_is_said_of_the_final(until: int) -> None:
    avoid = AvoidList(pairs=[(1, 2), (3, 4)], later={(1, 2): until, (3, 4): until})
    drawn = place_order([1, 2, 3, 4], avoid=avoid)
    assert [meet(drawn.places, 1, 2), meet(drawn.places, 3, 4)] == [2, 2]
    assert not [move for move in drawn.moves if move.other is None]
