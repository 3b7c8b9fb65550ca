from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament.templatetags.figures import make_bar_segments, running_totals_chart, signature_drawing

HANDS = [[32, 0], [32, 18], [61, 18], [163, 18]]


def test_a_chart_starts_at_zero_and_ends_at_the_totals() -> None:
    chart = running_totals_chart(["Ada", "Alan"], HANDS, target=150)
    ada, alan = chart["lines"]
    assert ada.points[0] == alan.points[0] == (chart["left"], chart["bottom"])
    assert (ada.total, alan.total) == (163, 18)
    assert ada.end.x == alan.end.x == chart["right"]
    assert ada.end.y < chart["target_y"] < alan.end.y  # 163 is over the target, and up is less


def test_the_table_beside_a_chart_has_every_hand() -> None:
    rows = running_totals_chart(["Ada", "Alan"], HANDS)["rows"]
    assert [(row["hand"], *row["totals"]) for row in rows] == [(1, 32, 0), (2, 32, 18), (3, 61, 18), (4, 163, 18)]


def test_the_scale_has_round_numbers() -> None:
    ticks = running_totals_chart(["A", "B"], HANDS, target=150)["scores"]
    assert [tick["label"] for tick in ticks] == [0, 50, 100, 150]


def test_labels_of_equal_totals_do_not_touch() -> None:
    one, other = running_totals_chart(["A", "B"], [[20, 20]])["lines"]
    assert abs(one.label_y - other.label_y) >= 18


def test_a_chart_without_a_hand_is_a_point() -> None:
    chart = running_totals_chart(["A", "B"], [], target=100)
    assert [line.points for line in chart["lines"]] == [((40.0, 190.0),)] * 2


@given(st.lists(st.tuples(st.integers(-500, 3000), st.integers(-500, 3000)), max_size=40))
def test_every_point_is_inside_the_picture(running: list[tuple[int, int]]) -> None:
    chart = running_totals_chart(["A", "B"], running)
    points = [point for line in chart["lines"] for point in line.points]
    assert all(chart["left"] <= p.x <= chart["right"] and 0 <= p.y <= chart["bottom"] for p in points)
    assert len(chart["scores"]) <= 7


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=6))
def test_shares_fill_the_bar_without_gap(parts: list[int]) -> None:
    made = make_bar_segments(parts)
    assert [share.cents for share in made] == parts
    for left, right in pairwise(made):
        assert left.start + left.width == pytest.approx(right.start, abs=0.02)
    assert made[-1].start + made[-1].width == pytest.approx(100 if sum(parts) else 0, abs=0.02)


@pytest.mark.parametrize(
    ("stroke", "path"),
    [([[10, 20, 0], [30, 60, 8], [50, 20, 16]], "M10 20 Q30 60 40 40 L50 20"), ([[100, 100]], "M100 100 h0.1")],
)
def test_a_stroke_or_a_dot_is_drawn(stroke: list[list[int]], path: str) -> None:
    drawing = signature_drawing([stroke])
    assert drawing is not None and drawing["paths"] == [path]


@pytest.mark.parametrize(
    "nothing", [None, "", [], [[]], {}, [["x", "y"]], [[[1]]], [[[True, False]]], [[[float("nan"), 1]]]]
)
def test_other_values_are_no_drawing(nothing: object) -> None:
    assert signature_drawing(nothing) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_whatever_a_browser_sends_only_numbers_are_drawn(strokes: object) -> None:
    drawing = signature_drawing(strokes)
    if drawing is not None:
        assert re.fullmatch(r"[-0-9.e+ ]+", drawing["view_box"])
        assert all(re.fullmatch(r"[MLQh0-9.e+ -]+", path) for path in drawing["paths"])
