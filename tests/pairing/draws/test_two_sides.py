from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.stages.plan import read_stage_plan
from pairing.draws.two_sides import (
    WHIST_GAME_COUNT,
    TwoSides,
    WhistTable,
    WhistTables,
    _compute_whist_table_count,
    explain_why_no_rotation,
    explain_why_no_whist,
    make_first_whist_tables,
    make_next_whist_tables,
    move_whist_winners,
    split_order_by_side,
)
from tests.chance import examples
from tournament.errors import InvalidInput

NAMES = ("Guys", "Girls")


def test_the_names_are_read_strictly() -> None:
    assert read_stage_plan({"kind": "rotation"}).terms == {"sides": ["Guys", "Girls"]}
    assert read_stage_plan({"kind": "rotation", "sides": [" North ", "South"]}).terms == {"sides": ["North", "South"]}


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"sides": ["North"]}, "sides"),
        ({"sides": ["a", "b", "c"]}, "sides"),
        ({"sides": ["North", "north"]}, "sides"),
        ({"sides": ["North", " "]}, "sides[1]"),
        ({"sides": ["North", 2]}, "sides[1]"),
        ({"sides": "North"}, "sides"),
        ({"sides": ["x" * 41, "South"]}, "sides[0]"),
        ({"size": 4}, "size"),
    ],
)
def test_invalid_names_of_sides_are_refused(options: dict[str, object], path: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_stage_plan({"kind": "rotation", **options})
    assert f"stage.{path}" in {problem.path for problem in refused.value.problems}


def test_entries_without_a_side_are_left_out() -> None:
    assert split_order_by_side([3, 1, 2], {3: "right", 1: "", 2: "left"}) == TwoSides((2,), (3,))


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        (3, 3, ""),
        (0, 2, "both sides need somebody"),
        (5, 4, "Leave 1 of the Guys out, or enter 1 more of the Girls."),
        (4, 7, "3 of the Girls are too many. Leave 3 of the Girls out, or enter 3 more of the Guys."),
        (4, 8, "Move 2 of the Girls to the other side, or leave 4 out."),
    ],
)
def test_uneven_sides_are_told_what_to_do(left: int, right: int, said: str) -> None:
    why = explain_why_no_rotation(left, right, NAMES)
    assert said in why if said else why == ""


@pytest.mark.parametrize(
    ("left", "right", "fits"),
    [(2, 2, True), (4, 4, True), (5, 4, True), (5, 5, True), (6, 5, True), (7, 4, True), (8, 4, False), (3, 1, False)],
)
def test_up_to_three_sit_out_at_court_whist(left: int, right: int, fits: bool) -> None:
    assert (explain_why_no_whist(left, right, NAMES) == "") is fits


sizes = st.tuples(st.integers(2, 9), st.integers(2, 9)).filter(lambda both: explain_why_no_whist(*both, NAMES) == "")


def the_sides(sizes: tuple[int, int]) -> TwoSides:
    men, ladies = sizes
    return TwoSides(tuple(range(1, men + 1)), tuple(range(101, 101 + ladies)))


def play(sides: TwoSides, data: st.DataObject, games: int = WHIST_GAME_COUNT) -> list[WhistTables]:
    """Play Court Whist games with random winners, and return who sat at which table in each game."""
    played = [make_first_whist_tables(sides)]
    while len(played) < games:
        last = played[-1]
        winners = [(data.draw(st.sampled_from(t.men)), data.draw(st.sampled_from(t.ladies))) for t in last.tables]
        sat_out = Counter(player for game in played for player in game.sits_out)
        played.append(make_next_whist_tables(last, winners, sides, sat_out))
    return played


@settings(max_examples=examples(100), deadline=None)
@given(sizes, st.data())
def test_everybody_plays_or_sits_out_and_nobody_twice_before_all_have_once(
    sizes: tuple[int, int], data: st.DataObject
) -> None:
    sides = the_sides(sizes)
    played = play(sides, data)
    for game in played:
        players = [player for table in game.tables for player in (*table.men, *table.ladies)]
        assert sorted([*players, *game.sits_out]) == sorted([*sides.left, *sides.right])
        assert len(game.tables) == _compute_whist_table_count(*sizes)
        assert len(game.sits_out) <= 3
    for side in (sides.left, sides.right):
        sat = Counter(player for game in played for player in game.sits_out if player in side)
        assert max((sat[player] for player in side), default=0) - min(sat[player] for player in side) <= 1


@settings(max_examples=examples(100), deadline=None)
@given(sizes, st.data())
def test_nobody_has_the_partner_of_the_game_before(sizes: tuple[int, int], data: st.DataObject) -> None:
    played = play(the_sides(sizes), data)
    for before, after in pairwise(played):
        assert not set(before.map_partners().items()) & set(after.map_partners().items())


@settings(max_examples=examples(50), deadline=None)
@given(st.integers(2, 4), st.data())
def test_winning_men_go_one_table_back_and_ladies_one_on_and_losers_stay(half: int, data: st.DataObject) -> None:
    sides = the_sides((2 * half, 2 * half))
    before = make_first_whist_tables(sides)
    winners = [(data.draw(st.sampled_from(t.men)), data.draw(st.sampled_from(t.ladies))) for t in before.tables]
    after = make_next_whist_tables(before, winners, sides, {})
    for i, table in enumerate(before.tables):
        for man in table.men:
            assert man in after.tables[(i - 1) % half if man == winners[i][0] else i].men
        for lady in table.ladies:
            assert lady in after.tables[(i + 1) % half if lady == winners[i][1] else i].ladies


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(4, 8), st.data())
def test_players_who_leave_are_replaced_or_a_table_is_closed(size: int, data: st.DataObject) -> None:
    sides = the_sides((size, size))
    before = make_first_whist_tables(sides)
    gone = set(data.draw(st.lists(st.sampled_from([*sides.left, *sides.right]), max_size=size - 2, unique=True)))
    left = TwoSides(*(tuple(player for player in side if player not in gone) for side in (sides.left, sides.right)))
    if min(len(left.left), len(left.right)) < 2:
        return
    winners = [(table.men[0], table.ladies[1]) for table in before.tables]
    after = make_next_whist_tables(before, winners, left, Counter(before.sits_out))
    players = [player for table in after.tables for player in (*table.men, *table.ladies)]
    assert sorted([*players, *after.sits_out]) == sorted([*left.left, *left.right])
    assert len(after.tables) == _compute_whist_table_count(len(left.left), len(left.right))


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(3, 9), st.integers(3, 9), st.data())
def test_there_are_as_many_tables_as_possible_when_players_return(men: int, ladies: int, data: st.DataObject) -> None:
    everybody = the_sides((men, ladies))
    before, sat_out = make_first_whist_tables(everybody), Counter[int]()
    for _game in range(6):
        here = TwoSides(*(tuple(present(side, data)) for side in (everybody.left, everybody.right)))
        winners = [(table.men[1], table.ladies[0]) for table in before.tables]
        sat_out.update(before.sits_out)
        after = make_next_whist_tables(before, winners, here, sat_out)
        players = [player for table in after.tables for player in (*table.men, *table.ladies)]
        assert sorted([*players, *after.sits_out]) == sorted([*here.left, *here.right])
        assert len(after.tables) == _compute_whist_table_count(len(here.left), len(here.right))
        before = after


def present(side: tuple[int, ...], data: st.DataObject) -> list[int]:
    gone = data.draw(st.sets(st.sampled_from(side), max_size=len(side) - 2))
    return [player for player in side if player not in gone]


def test_returning_players_open_a_new_table() -> None:
    sides = TwoSides((1, 2, 3, 4), (11, 12, 13, 14))
    before = make_first_whist_tables(sides)
    one = make_next_whist_tables(before, [(1, 11), (3, 13)], TwoSides((1, 2, 3), sides.right), {})
    assert [table.partners for table in one.tables] == [((1, 12), (2, 11))]
    two = make_next_whist_tables(one, [(1, 12)], sides, Counter(one.sits_out))
    assert [table.partners for table in two.tables] == [((1, 11), (2, 12)), ((3, 13), (4, 14))]


def test_at_one_table_the_couples_change_partners() -> None:
    sides = the_sides((2, 2))
    one = make_first_whist_tables(sides)
    two = make_next_whist_tables(one, [(1, 101)], sides, {})
    assert (one.tables[0].partners, two.tables[0].partners) == (((1, 101), (2, 102)), ((1, 102), (2, 101)))


def test_too_few_players_raise_an_error() -> None:
    with pytest.raises(ValueError, match="two men and two ladies"):
        make_first_whist_tables(TwoSides((1, 2, 3), (11,)))


# --- Test whist movement ---------------------------------------------------------------------------------------------
# Court Whist: winners move, everybody gets a new partner.


@st.composite
def halls(draw: st.DrawFn) -> tuple[list[WhistTable], list[tuple[int, int]]]:
    count = draw(st.integers(1, 8))
    players = draw(st.permutations(range(1, 4 * count + 1)))
    tables, winners = [], []
    for index in range(count):
        one, two, three, four = players[4 * index : 4 * index + 4]
        ladies = (four, three) if draw(st.booleans()) else (three, four)
        tables.append(WhistTable((one, two), ladies, ((one, three), (two, four))))
        winners.append((draw(st.sampled_from((one, two))), draw(st.sampled_from((three, four)))))
    return tables, winners


@given(halls())
def test_the_winners_move_the_losers_stay(hall: tuple[list[WhistTable], list[tuple[int, int]]]) -> None:
    tables, winners = hall
    after = move_whist_winners(tables, winners)
    count = len(tables)
    for index, (table, (man, lady)) in enumerate(zip(tables, winners, strict=True)):
        assert man in after[index - 1].men
        assert lady in after[(index + 1) % count].ladies
        assert set(table.men) - {man} <= set(after[index].men)
        assert set(table.ladies) - {lady} <= set(after[index].ladies)
    assert len(after) == count


@given(halls())
def test_everybody_gets_a_new_partner(hall: tuple[list[WhistTable], list[tuple[int, int]]]) -> None:
    tables, winners = hall
    before, after = (WhistTables(tuple(each)).map_partners() for each in (tables, move_whist_winners(tables, winners)))
    assert sorted(before) == sorted(after)
    assert all(after[player] != partner for player, partner in before.items())


@given(halls())
def test_losers_keep_their_chairs(hall: tuple[list[WhistTable], list[tuple[int, int]]]) -> None:
    tables, winners = hall
    for table, now, (man, lady) in zip(tables, move_whist_winners(tables, winners), winners, strict=True):
        assert [now.men[seat] for seat in (0, 1) if table.men[seat] != man] == [m for m in table.men if m != man]
        assert [now.ladies[s] for s in (0, 1) if table.ladies[s] != lady] == [x for x in table.ladies if x != lady]


def test_impossible_halls_raise_an_error() -> None:
    table = WhistTable((1, 2), (3, 4), ((1, 3), (2, 4)))
    with pytest.raises(ValueError, match="twice"):
        move_whist_winners([table, table], [(1, 3), (1, 3)])
    with pytest.raises(ValueError, match="sit at it"):
        move_whist_winners([table], [(3, 1)])
    with pytest.raises(ValueError, match="partners"):
        WhistTable((1, 2), (3, 4), ((1, 3), (2, 3)))
