"""The tree of matches."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.knockout.bracket import Bracket, DrawnSide, WinnerOf, make_bracket
from pairing.draws.places import bracket_size, bye_entries
from pairing.draws.separation.draw import place_order

SIZES = st.one_of(st.integers(2, 40), st.integers(2, 1024), st.sampled_from([64, 65, 1023, 1024]))


def leaves(bracket: Bracket, source: DrawnSide | WinnerOf) -> list[int]:
    if isinstance(source, DrawnSide):
        return [source.number]
    return [entry for side in bracket.by_id[source.match].sides for entry in leaves(bracket, side)]


@settings(deadline=None)
@given(SIZES)
def test_one_match_less_than_entries_and_everybody_begins_once(entries: int) -> None:
    places = place_order(range(1, entries + 1)).places
    bracket = make_bracket(places)
    sides = [side for match in bracket.matches for side in match.sides]
    begins = sorted(side.number for side in sides if isinstance(side, DrawnSide))
    fed = [side.match for side in sides if isinstance(side, WinnerOf)]
    ids = [match.id for match in bracket.matches]
    assert len(bracket.matches) == len(set(ids)) == entries - 1
    assert begins == list(range(1, entries + 1))
    assert sorted([*fed, bracket.final.id]) == sorted(ids)
    assert bracket.rounds_of() == (entries - 1).bit_length()
    assert leaves(bracket, WinnerOf(bracket.final.id)) == [p for p in places if p is not None]


@settings(deadline=None)
@given(SIZES)
def test_byes_are_in_round_one_and_rounds_are_full_after_it(entries: int) -> None:
    places = place_order(range(1, entries + 1)).places
    bracket = make_bracket(places)
    counts = [len(bracket.round_of(number)) for number in range(1, bracket.rounds_of() + 1)]
    size = bracket_size(entries)
    assert counts == [entries - size // 2, *(size >> number for number in range(2, bracket.rounds_of() + 1))]
    rounds = {side.number: m.round for m in bracket.matches for side in m.sides if isinstance(side, DrawnSide)}
    assert {entry for entry, number in rounds.items() if number == 2} == set(bye_entries(places))
    assert set(rounds.values()) <= {1, 2}
    for match in bracket.matches:
        earlier = [bracket.by_id[s.match].round for s in match.sides if isinstance(s, WinnerOf)]
        assert all(number == match.round - 1 for number in earlier)


@settings(deadline=None)
@given(SIZES, st.data())
def test_the_way_of_an_entry_leads_from_its_place_to_the_final(entries: int, data: st.DataObject) -> None:
    bracket = make_bracket(place_order(range(1, entries + 1)).places)
    entry = data.draw(st.integers(1, entries))
    way = bracket.way_of(entry)
    assert way[-1] is bracket.final
    assert all(entry in leaves(bracket, WinnerOf(match.id)) for match in way)
    assert len(way) == bracket.rounds_of() - (entry in bye_entries(bracket.places))
    assert [m.round for m in way] == list(range(way[0].round, bracket.rounds_of() + 1))


def test_matches_are_counted_from_the_top_of_their_round_past_the_byes() -> None:
    bracket = make_bracket((1, None, 2, 3, 4, 5, None, 6))
    assert [(m.id, m.round, m.position, m.sides) for m in bracket.matches] == [
        ("R1M1", 1, 1, (DrawnSide(2), DrawnSide(3))),
        ("R1M2", 1, 2, (DrawnSide(4), DrawnSide(5))),
        ("R2M1", 2, 1, (DrawnSide(1), WinnerOf("R1M1"))),
        ("R2M2", 2, 2, (WinnerOf("R1M2"), DrawnSide(6))),
        ("R3M1", 3, 1, (WinnerOf("R2M1"), WinnerOf("R2M2"))),
    ]
    assert bracket.entries == (1, 2, 3, 4, 5, 6)
    assert bracket.next_of["R1M2"].id == "R2M2"
    assert bracket.first_of[6].id == "R2M2"


@pytest.mark.parametrize(
    ("places", "why"),
    [
        ((), "power of two"),
        ((1,), "power of two"),
        ((1, 2, 3), "power of two"),
        ((1, 2, 3, 4, 5, 6), "power of two"),
        ((1, 2, 2, 3), "twice"),
        ((1, 2, None, None), "round one"),
    ],
)
def test_places_that_are_no_bracket(places: tuple[int | None, ...], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make_bracket(places)


def test_who_is_not_in_the_draw_has_no_way() -> None:
    with pytest.raises(KeyError):
        make_bracket((1, 2)).way_of(3)
