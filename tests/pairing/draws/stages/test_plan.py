from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairing.draws.stages.plan import (
    MAX_LADDER_GAMES,
    MAX_WINNER_STAYS_TABLES,
    PoolTerms,
    StageKind,
    read_event_plan,
    read_stage_plan,
)
from pairing.draws.stages.standings import DEFAULT_TIE_BREAKS, TieBreak
from tournament.errors import InvalidInput

STAGES = [{"kind": "fixed", "games": 3}]


def test_tie_breaks_keep_their_order_without_duplicates() -> None:
    named = read_event_plan({"stages": STAGES, "tie_breaks": ["wins", "point-spread", "wins"]})
    assert named.tie_breaks == (TieBreak.WINS, TieBreak.POINT_SPREAD)
    assert read_event_plan({"stages": STAGES}).tie_breaks == DEFAULT_TIE_BREAKS


def test_an_unknown_tie_break_is_refused_with_its_path() -> None:
    with pytest.raises(InvalidInput) as refused:
        read_event_plan({"stages": STAGES, "tie_breaks": ["wins", "luck"]})
    assert [(one.code, one.path) for one in refused.value.problems] == [("bad-value", "tie_breaks[1]")]


# --- Test ladder terms -----------------------------------------------------------------------------------------------
# The terms of a ladder: their bounds, what is not known, and that a plan keeps them.

BRACKET = {"kind": "single-elimination", "seeded": True}


def terms_of(**options: Any) -> PoolTerms:
    found = read_stage_plan({"kind": "ladder", **options}).pool
    assert found is not None
    return found


def test_missing_options_have_usual_values() -> None:
    terms = terms_of()
    assert (terms.qualifier.games, terms.held, terms.best) == (20, 1, None)
    assert read_stage_plan({"kind": "ladder"}).name == StageKind.LADDER.traits.name == "Ladder"


@pytest.mark.parametrize(
    ("options", "path", "message"),
    [
        ({"games": 0}, "games", "1 to 1000"),
        ({"games": 1001}, "games", "1 to 1000"),
        ({"games": "12"}, "games", "number"),
        ({"held": 0}, "held", "1 to 50"),
        ({"held": 51}, "held", "1 to 50"),
        ({"held": 1.5}, "held", "number"),
        ({"best": 0}, "best", "1 to 4096"),
        ({"rounds": 3}, "rounds", ""),
        ({"by_site": True}, "by_site", ""),
        ({"wins": 3, "losses": 2}, "losses", ""),
    ],
)
def test_unknown_terms_and_values_out_of_bounds_are_refused(options: dict[str, Any], path: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        terms_of(**options)
    (problem, *_more) = [one for one in refused.value.problems if one.path.endswith(path)]
    assert message in problem.message or not message, problem


def test_every_problem_is_reported() -> None:
    with pytest.raises(InvalidInput) as refused:
        terms_of(games=0, held=51, best=0, rounds=3)
    paths = [problem.path for problem in refused.value.problems]
    assert paths == ["stage.games", "stage.held", "stage.best", "stage.rounds"]


def test_the_bounds_themselves() -> None:
    assert terms_of(games=1, held=1, best=1) == terms_of(games=1, best=1)
    assert terms_of(games=MAX_LADDER_GAMES, held=MAX_WINNER_STAYS_TABLES).held == 50


@given(
    st.integers(1, MAX_LADDER_GAMES),
    st.integers(1, MAX_WINNER_STAYS_TABLES),
    st.none() | st.integers(1, 4096),
    st.sampled_from(["", "King"]),
)
def test_a_plan_keeps_them(games: int, held: int, best: int | None, name: str) -> None:
    stage = read_stage_plan({"kind": "ladder", "name": name, "games": games, "held": held, "best": best})
    assert stage.as_json() == {"kind": "ladder", "name": name or "Ladder", "games": games, "held": held, "best": best}
    assert read_stage_plan(stage.as_json()) == stage
    assert stage.pool == terms_of(games=games, held=held, best=best)


def test_a_ladder_comes_before_a_bracket_only() -> None:
    plan = read_event_plan({"stages": [{"kind": "ladder", "games": 12, "best": 2}, BRACKET]})
    assert [stage.kind for stage in plan.stages] == [StageKind.LADDER, StageKind.SINGLE]
    assert plan.first.pool is not None and plan.first.pool.best == 2
    with pytest.raises(InvalidInput, match="Pools of games come first"):
        read_event_plan({"stages": [{"kind": "single-elimination"}, {"kind": "ladder"}]})
    with pytest.raises(InvalidInput):
        read_event_plan({"stages": [{"kind": "ladder", "best": 2}, {"kind": "play-off", "places": 2}]})
