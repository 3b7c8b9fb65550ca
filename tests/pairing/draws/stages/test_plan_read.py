"""The tie-breaks of a plan, as its options name them."""

import pytest

from pairing.draws.stages.plan import read_plan
from pairing.draws.stages.standings import USUAL, TieBreak
from tournament.errors import BadCase

STAGES = [{"kind": "fixed", "games": 3}]


def test_tie_breaks_are_asked_in_the_order_named_each_once() -> None:
    named = read_plan({"stages": STAGES, "tie_breaks": ["wins", "point-spread", "wins"]})
    assert named.tie_breaks == (TieBreak.WINS, TieBreak.POINT_SPREAD)
    assert read_plan({"stages": STAGES}).tie_breaks == USUAL


def test_a_tie_break_that_is_none_is_refused_where_it_stands() -> None:
    with pytest.raises(BadCase) as refused:
        read_plan({"stages": STAGES, "tie_breaks": ["wins", "luck"]})
    assert [(one.code, one.path) for one in refused.value.problems] == [("bad-value", "tie_breaks[1]")]
