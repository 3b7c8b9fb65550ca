"""Double elimination: two lives, byes pointed past, rematches as late as can be."""

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
    DrawnSide,
    LoserOf,
    Part,
    WinnerOf,
    make_double_bracket,
)
from pairing.draws.places import bracket_size
from pairing.draws.separation.draw import place_order
from tests.chance import examples

SIZES = st.one_of(st.integers(2, 40), st.integers(2, 256), st.sampled_from([2, 3, 64, 65, 255, 256]))


def bracket_of(entries: int) -> Bracket:
    return make_double_bracket(place_order(range(1, entries + 1)).places)


def part_of(bracket: Bracket, part: Part) -> list[BracketMatch]:
    return [match for match in bracket.matches if match.part is part]


@settings(deadline=None, max_examples=examples(100))
@given(SIZES)
def test_how_many_matches_and_every_winner_and_loser_goes_on_once(entries: int) -> None:
    bracket = bracket_of(entries)
    counts = Counter(match.part for match in bracket.matches)
    assert (counts[Part.WINNERS], counts[Part.LOSERS], counts[Part.FINAL]) == (entries - 1, entries - 2, 2)
    assert len(bracket.by_id) == 2 * entries - 1
    sides = Counter(side for match in bracket.matches for side in match.sides)
    assert set(sides.values()) == {1}
    begin = [DrawnSide(number) for number in range(1, entries + 1)]
    winners = [WinnerOf(match.id) for match in bracket.matches[:-1]]
    losers = [LoserOf(match.id) for match in part_of(bracket, Part.WINNERS)]
    assert set(sides) == {*begin, *winners, *losers, LoserOf(bracket.final.id)}
    assert [match.if_needed for match in bracket.matches] == [False] * (2 * entries - 2) + [True]


@settings(deadline=None, max_examples=examples(100))
@given(SIZES)
def test_rounds_count_from_one_and_nobody_plays_before_they_can(entries: int) -> None:
    bracket = bracket_of(entries)
    seen: set[str] = set()
    for match in bracket.matches:
        fed = [side.match for side in match.sides if not isinstance(side, DrawnSide)]
        assert seen.issuperset(fed)
        own = [bracket.by_id[name].round for name in fed if bracket.by_id[name].part is match.part]
        assert all(number < match.round for number in own)
        seen.add(match.id)
    for part in Part:
        rounds = {match.round for match in part_of(bracket, part)}
        assert rounds == set(range(1, len(rounds) + 1))
        for number in rounds:
            matches = bracket.round_of(part, number)
            assert [match.position for match in matches] == list(range(1, len(matches) + 1))


@settings(deadline=None, max_examples=examples(100))
@given(SIZES, st.randoms(use_true_random=False))
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
        assert losses[sides[1]] == (1 if match.part is Part.WINNERS else losses[sides[1]])
        assert sides[0] != sides[1]
    champion = sides[0]
    assert losses[champion] <= 1
    assert all(losses[entry] == 2 for entry in range(1, entries + 1) if entry != champion)


def first_rematch(bracket: Bracket) -> int:
    """The first round of the losers' bracket in which two can meet who met before; one too many if there is none."""
    fed: dict[str, set[str]] = {}
    dropped: dict[str, set[str]] = {}
    earliest = 1 + max((match.round for match in part_of(bracket, Part.LOSERS)), default=0)
    for match in part_of(bracket, Part.WINNERS):
        fed[match.id] = {match.id}.union(*(fed[s.match] for s in match.sides if isinstance(s, WinnerOf)))
    for match in part_of(bracket, Part.LOSERS):
        upper, lower = ({s.match} if isinstance(s, LoserOf) else dropped[s.match] for s in match.sides)
        if any(one in fed[other] or other in fed[one] for one, other in product(upper, lower)):
            earliest = min(earliest, match.round)
        dropped[match.id] = upper | lower
    return earliest


def crossed(entries: int, crossings: Sequence[Sequence[int]]) -> int:
    """The first rematch where the losers of W round 2, 3 … drop by these orders of the parts."""
    plain = bracket_of(entries)
    size = bracket_size(entries)
    rows: list[list[str | None]] = []
    places = place_order(range(1, entries + 1)).places
    for number in range(1, size.bit_length()):
        names = iter(match.id for match in plain.round_of(Part.WINNERS, number))
        empty = [number == 1 and None in places[2 * i : 2 * i + 2] for i in range(size >> number)]
        rows.append([None if gone else next(names) for gone in empty])
    fed: dict[str, set[str]] = {}
    for match in part_of(plain, Part.WINNERS):
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
def test_no_other_crossing_puts_the_first_rematch_off_any_longer(entries: int) -> None:
    size = bracket_size(entries)
    orders = [list(permutations(range(size >> number))) for number in range(2, size.bit_length())]
    assert first_rematch(bracket_of(entries)) == max(crossed(entries, choice) for choice in product(*orders))


def test_the_first_rematch_of_full_brackets() -> None:
    """By the rule: with 2ᵏ entries the least over s ≥ 2 of 2(k − j) − 3, or 2(s − 1) where j reaches k − s."""
    assert [first_rematch(bracket_of(1 << k)) for k in range(2, 8)] == [2, 3, 4, 5, 7, 8]


@pytest.mark.parametrize("places", [(), (1,), (1, 2, 3), (1, 1), (1, 2, None, None)])
def test_places_that_are_no_bracket(places: tuple[int | None, ...]) -> None:
    with pytest.raises(ValueError, match=r"power of two|twice|round one"):
        make_double_bracket(places)
