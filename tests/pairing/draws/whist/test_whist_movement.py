"""Court Whist: winners move, everybody gets a new partner."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairing.draws.two_sides import WhistTable, WhistTables, move_winners


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
    after = move_winners(tables, winners)
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
    before, after = (WhistTables(tuple(each)).partners() for each in (tables, move_winners(tables, winners)))
    assert sorted(before) == sorted(after)
    assert all(after[player] != partner for player, partner in before.items())


@given(halls())
def test_who_stays_keeps_the_chair(hall: tuple[list[WhistTable], list[tuple[int, int]]]) -> None:
    tables, winners = hall
    for table, now, (man, lady) in zip(tables, move_winners(tables, winners), winners, strict=True):
        assert [now.men[seat] for seat in (0, 1) if table.men[seat] != man] == [m for m in table.men if m != man]
        assert [now.ladies[s] for s in (0, 1) if table.ladies[s] != lady] == [x for x in table.ladies if x != lady]


def test_halls_that_cannot_be() -> None:
    table = WhistTable((1, 2), (3, 4), ((1, 3), (2, 4)))
    with pytest.raises(ValueError, match="twice"):
        move_winners([table, table], [(1, 3), (1, 3)])
    with pytest.raises(ValueError, match="sit at it"):
        move_winners([table], [(3, 1)])
    with pytest.raises(ValueError, match="partners"):
        WhistTable((1, 2), (3, 4), ((1, 3), (2, 3)))
