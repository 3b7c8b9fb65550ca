from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.knockout.bracket import (
    Bracket,
    BracketMatch,
    BracketPart,
    ByeTakeover,
    DrawnSide,
    LoserOf,
    WinnerOf,
    _reverse_bits,
    make_bracket,
    make_double_elimination_bracket,
    order_byes_for_late_entries,
    replace_byes_with_matches,
)
from pairing.draws.layouts.brackets import BracketDimensions, lay_out_bracket
from pairing.draws.places import compute_bracket_size, find_entries_with_bye
from pairing.draws.separation.draw import place_drawn_order
from tests.chance import examples

SIZES = st.one_of(st.integers(2, 40), st.integers(2, 1024), st.sampled_from([64, 65, 1023, 1024]))


def leaves(bracket: Bracket, source: DrawnSide | WinnerOf) -> list[int]:
    if isinstance(source, DrawnSide):
        return [source.number]
    return [entry for side in bracket.matches_by_id[source.match].sides for entry in leaves(bracket, side)]


@settings(deadline=None)
@given(SIZES)
def test_a_bracket_has_one_match_fewer_than_entries(entries: int) -> None:
    places = place_drawn_order(range(1, entries + 1)).places
    bracket = make_bracket(places)
    sides = [side for match in bracket.matches for side in match.sides]
    begins = sorted(side.number for side in sides if isinstance(side, DrawnSide))
    fed = [side.match for side in sides if isinstance(side, WinnerOf)]
    ids = [match.id for match in bracket.matches]
    assert len(bracket.matches) == len(set(ids)) == entries - 1
    assert begins == list(range(1, entries + 1))
    assert sorted([*fed, bracket.final_match.id]) == sorted(ids)
    assert bracket.count_rounds() == (entries - 1).bit_length()
    assert leaves(bracket, WinnerOf(bracket.final_match.id)) == [p for p in places if p is not None]


@settings(deadline=None)
@given(SIZES)
def test_byes_are_in_round_one_and_rounds_are_full_after_it(entries: int) -> None:
    places = place_drawn_order(range(1, entries + 1)).places
    bracket = make_bracket(places)
    counts = [len(bracket.list_matches_in_round(number)) for number in range(1, bracket.count_rounds() + 1)]
    size = compute_bracket_size(entries)
    assert counts == [entries - size // 2, *(size >> number for number in range(2, bracket.count_rounds() + 1))]
    rounds = {side.number: m.round for m in bracket.matches for side in m.sides if isinstance(side, DrawnSide)}
    assert {entry for entry, number in rounds.items() if number == 2} == set(find_entries_with_bye(places))
    assert set(rounds.values()) <= {1, 2}
    for match in bracket.matches:
        earlier = [bracket.matches_by_id[s.match].round for s in match.sides if isinstance(s, WinnerOf)]
        assert all(number == match.round - 1 for number in earlier)


@settings(deadline=None)
@given(SIZES, st.data())
def test_the_way_of_an_entry_leads_from_its_place_to_the_final(entries: int, data: st.DataObject) -> None:
    bracket = make_bracket(place_drawn_order(range(1, entries + 1)).places)
    entry = data.draw(st.integers(1, entries))
    way = bracket.list_matches_if_winning(entry)
    assert way[-1] is bracket.final_match
    assert all(entry in leaves(bracket, WinnerOf(match.id)) for match in way)
    assert len(way) == bracket.count_rounds() - (entry in find_entries_with_bye(bracket.places))
    assert [m.round for m in way] == list(range(way[0].round, bracket.count_rounds() + 1))


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
    assert bracket.next_matches["R1M2"].id == "R2M2"
    assert bracket.first_matches[6].id == "R2M2"


@pytest.mark.parametrize(
    ("places", "why"),
    [
        ((), "power of two"),
        ((1,), "power of two"),
        ((1, 2, 3), "power of two"),
        ((1, 2, 3, 4, 5, 6), "power of two"),
        ((1, 1), "twice"),
        ((1, 2, 2, 3), "twice"),
        ((1, 2, None, None), "round one"),
    ],
)
def test_invalid_places_raise_an_error(places: tuple[int | None, ...], why: str) -> None:
    for make in (make_bracket, make_double_elimination_bracket):
        with pytest.raises(ValueError, match=why):
            make(places)


def test_an_entry_outside_the_draw_has_no_path() -> None:
    with pytest.raises(KeyError):
        make_bracket((1, 2)).list_matches_if_winning(3)


# --- Test double bracket ---------------------------------------------------------------------------------------------
# Double elimination: two lives, byes pointed past, rematches as late as can be.

DOUBLE_SIZES = st.one_of(st.integers(2, 40), st.integers(2, 256), st.sampled_from([2, 3, 64, 65, 255, 256]))


def bracket_of(entries: int) -> Bracket:
    return make_double_elimination_bracket(place_drawn_order(range(1, entries + 1)).places)


def part_of(bracket: Bracket, part: BracketPart) -> list[BracketMatch]:
    return [match for match in bracket.matches if match.part is part]


@settings(deadline=None, max_examples=examples(100))
@given(DOUBLE_SIZES)
def test_every_winner_and_loser_advances_once(entries: int) -> None:
    bracket = bracket_of(entries)
    counts = Counter(match.part for match in bracket.matches)
    assert (counts[BracketPart.WINNERS], counts[BracketPart.LOSERS], counts[BracketPart.FINAL]) == (
        entries - 1,
        entries - 2,
        2,
    )
    assert len(bracket.matches_by_id) == 2 * entries - 1
    sides = Counter(side for match in bracket.matches for side in match.sides)
    assert set(sides.values()) == {1}
    begin = [DrawnSide(number) for number in range(1, entries + 1)]
    winners = [WinnerOf(match.id) for match in bracket.matches[:-1]]
    losers = [LoserOf(match.id) for match in part_of(bracket, BracketPart.WINNERS)]
    assert set(sides) == {*begin, *winners, *losers, LoserOf(bracket.final_match.id)}
    assert [match.if_needed for match in bracket.matches] == [False] * (2 * entries - 2) + [True]


@settings(deadline=None, max_examples=examples(100))
@given(DOUBLE_SIZES)
def test_rounds_count_from_one_and_nobody_plays_before_they_can(entries: int) -> None:
    bracket = bracket_of(entries)
    seen: set[str] = set()
    for match in bracket.matches:
        fed = [side.match for side in match.sides if not isinstance(side, DrawnSide)]
        assert seen.issuperset(fed)
        own = [bracket.matches_by_id[name].round for name in fed if bracket.matches_by_id[name].part is match.part]
        assert all(number < match.round for number in own)
        seen.add(match.id)
    for part in BracketPart:
        rounds = {match.round for match in part_of(bracket, part)}
        assert rounds == set(range(1, len(rounds) + 1))
        for number in rounds:
            matches = bracket.list_matches_in_round(number, part)
            assert [match.position for match in matches] == list(range(1, len(matches) + 1))


@settings(deadline=None, max_examples=examples(100))
@given(DOUBLE_SIZES, st.randoms(use_true_random=False))
def test_everybody_is_out_after_two_losses(entries: int, chance: random.Random) -> None:
    bracket = bracket_of(entries)
    came: dict[WinnerOf | LoserOf, int] = {}
    losses: Counter[int] = Counter()
    for match in bracket.matches:
        sides = [side.number if isinstance(side, DrawnSide) else came[side] for side in match.sides]
        if match.if_needed and losses[sides[0]] == 0:
            break
        chance.shuffle(sides)
        came[WinnerOf(match.id)], came[LoserOf(match.id)] = sides
        losses[sides[1]] += 1
        assert losses[sides[1]] == (1 if match.part is BracketPart.WINNERS else losses[sides[1]])
        assert sides[0] != sides[1]
    champion = sides[0]
    assert losses[champion] <= 1
    assert all(losses[entry] == 2 for entry in range(1, entries + 1) if entry != champion)


def first_rematch(bracket: Bracket) -> int:
    """Return the first round of the losers' bracket in which a rematch is possible.

    If there is none, return one more than the last round.
    """
    fed: dict[str, set[str]] = {}
    dropped: dict[str, set[str]] = {}
    earliest = 1 + max((match.round for match in part_of(bracket, BracketPart.LOSERS)), default=0)
    for match in part_of(bracket, BracketPart.WINNERS):
        fed[match.id] = {match.id}.union(*(fed[s.match] for s in match.sides if isinstance(s, WinnerOf)))
    for match in part_of(bracket, BracketPart.LOSERS):
        upper, lower = ({s.match} if isinstance(s, LoserOf) else dropped[s.match] for s in match.sides)
        if any(one in fed[other] or other in fed[one] for one, other in product(upper, lower)):
            earliest = min(earliest, match.round)
        dropped[match.id] = upper | lower
    return earliest


def crossed(entries: int, crossings: Sequence[Sequence[int]]) -> int:
    """Return the first round of the losers' bracket in which a rematch is possible.

    `crossings` contains one list for each round of the winners' bracket from the second one on. The list says for each
    place in the losers' bracket, from top to bottom, which match of that round sends its loser there. If no rematch is
    possible, return the number of rounds plus 1.
    """
    plain = bracket_of(entries)
    size = compute_bracket_size(entries)
    rows: list[list[str | None]] = []
    places = place_drawn_order(range(1, entries + 1)).places
    for number in range(1, size.bit_length()):
        names = iter(match.id for match in plain.list_matches_in_round(number, BracketPart.WINNERS))
        empty = [number == 1 and None in places[2 * i : 2 * i + 2] for i in range(size >> number)]
        rows.append([None if gone else next(names) for gone in empty])
    fed: dict[str, set[str]] = {}
    for match in part_of(plain, BracketPart.WINNERS):
        fed[match.id] = {match.id}.union(*(fed[s.match] for s in match.sides if isinstance(s, WinnerOf)))
    row = [frozenset({name}) if name else frozenset() for name in rows[0]]
    played = 0
    for coming, order in zip(rows[1:], crossings, strict=True):
        beside = [frozenset({coming[part] or ""}) for part in order]
        for pairs in (zip(row[::2], row[1::2], strict=True), None):
            both = list(pairs) if pairs else list(zip(row, beside, strict=True))
            real = [(one, other) for one, other in both if one and other]
            played += bool(real)
            for one, other in real:
                if any(a in fed[b] or b in fed[a] for a, b in product(one, other)):
                    return played
            row = [one | other for one, other in both]
    return played + 1


@pytest.mark.parametrize("entries", range(2, 17))
def test_no_other_crossing_delays_the_first_rematch_longer(entries: int) -> None:
    size = compute_bracket_size(entries)
    orders = [list(permutations(range(size >> number))) for number in range(2, size.bit_length())]
    assert first_rematch(bracket_of(entries)) == max(crossed(entries, choice) for choice in product(*orders))


def test_the_first_rematch_of_full_brackets() -> None:
    # For 2ᵏ entries, this is the minimum over s ≥ 2 of 2(k − j) − 3, or 2(s − 1) where j reaches k − s.
    assert [first_rematch(bracket_of(1 << k)) for k in range(2, 8)] == [2, 3, 4, 5, 7, 8]


FIVE = (4, None, 1, 3, 2, None, 5, None)


@pytest.mark.parametrize(
    "taken",
    [
        [ByeTakeover(1, 9, 2)],
        [ByeTakeover(8, 9, 2)],
        [ByeTakeover(4, 9, 2), ByeTakeover(4, 10, 3)],
        [ByeTakeover(4, 3, 2)],
        [ByeTakeover(4, 9, 1)],
    ],
    ids=["no bye", "not in the draw", "twice", "in already", "a drawn match"],
)
def test_invalid_late_entries_raise_an_error(taken: list[ByeTakeover]) -> None:
    with pytest.raises(ValueError):
        replace_byes_with_matches(make_bracket(FIVE), taken)


def test_late_entries_do_not_rename_drawn_matches() -> None:
    drawn = make_bracket(FIVE)
    for seed in range(30):
        byes = list(find_entries_with_bye(FIVE))
        random.Random(seed).shuffle(byes)
        taken = [ByeTakeover(bye, 90 + turn, 2 + turn) for turn, bye in enumerate(byes[: 1 + seed % 3])]
        bracket = replace_byes_with_matches(drawn, taken)
        assert set(drawn.matches_by_id) < set(bracket.matches_by_id)
        assert len(bracket.matches) == len(bracket.entries) - 1 == len(drawn.matches) + len(taken)
        assert all(
            bracket.next_matches[name] == bracket.matches_by_id[after.id] for name, after in drawn.next_matches.items()
        )
        for one in taken:
            after = next(match for match in drawn.matches if match.id == drawn.first_matches[one.bye].id)
            assert bracket.next_matches[f"R1M{one.position}"].id == after.id
            assert bracket.list_matches_if_winning(one.entry) == bracket.list_matches_if_winning(one.bye)


@pytest.mark.parametrize("two_sided", [False, True])
def test_boxes_of_a_round_do_not_overlap_after_late_entries(two_sided: bool) -> None:
    bracket = replace_byes_with_matches(make_bracket(FIVE), [ByeTakeover(5, 9, 2), ByeTakeover(4, 10, 3)])
    picture = lay_out_bracket(bracket, BracketDimensions(two_sided=two_sided))
    for box in picture.boxes:
        for other in picture.boxes:
            assert box is other or box.x != other.x or abs(box.y - other.y) >= box.height


def test_the_lots_follow_from_the_secret_and_the_name_of_the_draw() -> None:
    orders = {order_byes_for_late_entries(FIVE, secret=f"{turn:02x}", draw_id="spring-1") for turn in range(40)}
    assert len(orders) == 6
    assert order_byes_for_late_entries(FIVE, secret="01", draw_id="a") == order_byes_for_late_entries(
        FIVE, secret="01", draw_id="a"
    )


def test_the_bits_of_a_turn_are_mirrored_within_the_parts() -> None:
    assert [_reverse_bits(turn, 8) for turn in range(1, 8)] == [4, 2, 6, 1, 5, 3, 7]
    assert _reverse_bits(2, 2) == 0
