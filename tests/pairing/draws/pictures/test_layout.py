"""The picture: nothing overlaps, lines join the boxes they should, both for screen and poster."""

from itertools import groupby, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.knockout.bracket import WinnerOf, make_bracket
from pairing.draws.pictures.brackets import Box, Layout, Measures, lay_out
from pairing.draws.separation.draw import place_order

MEASURES = st.builds(
    Measures,
    box_width=st.integers(50, 300).map(float),
    box_height=st.integers(10, 90).map(float),
    column_gap=st.integers(4, 80).map(float),
    row_gap=st.integers(0, 40).map(float),
    header_height=st.integers(0, 60).map(float),
    two_sided=st.booleans(),
)
SIZES = st.one_of(st.integers(2, 20), st.integers(2, 300), st.just(1024))


@settings(deadline=None)
@given(SIZES, MEASURES)
def test_boxes_stand_in_the_picture_and_keep_their_gap(entries: int, measures: Measures) -> None:
    bracket = make_bracket(place_order(range(1, entries + 1)).places)
    picture = lay_out(bracket, measures)
    assert [box.match for box in picture.boxes] == [match.id for match in bracket.matches]
    assert [box.round for box in picture.boxes] == [match.round for match in bracket.matches]
    for box in picture.boxes:
        assert box.x >= 0
        assert box.x + box.width <= picture.width
        assert box.y >= measures.header_height
        assert box.y + box.height <= picture.height
        assert (box.width, box.height) == (measures.box_width, measures.box_height)
    by_column = sorted(picture.boxes, key=lambda box: (box.x, box.y))
    for _, column in groupby(by_column, key=lambda box: box.x):
        boxes = list(column)
        for upper, lower in pairwise(boxes):
            assert lower.y - (upper.y + upper.height) >= measures.row_gap - 1e-6


@settings(deadline=None)
@given(SIZES, MEASURES)
def test_a_line_leads_from_each_match_to_its_side_of_the_next(entries: int, measures: Measures) -> None:
    bracket = make_bracket(place_order(range(1, entries + 1)).places)
    picture = lay_out(bracket, measures)
    boxes = {box.match: box for box in picture.boxes}
    joined = [(line.winner_of, line.match) for line in picture.connectors]
    assert sorted(joined) == sorted((earlier, match.id) for earlier, match in bracket.next_of.items())
    for line in picture.connectors:
        earlier, later = boxes[line.winner_of], boxes[line.match]
        side = bracket.by_id[line.match].sides.index(WinnerOf(line.winner_of))
        start, up, down, end = line.points
        assert start == (_out(earlier), earlier.y + earlier.height / 2)
        assert end == (
            _in(later, from_the_right=earlier.flows_left),
            later.y + later.height * (0.25 + 0.5 * side),
        )
        assert (up.y, down.y) == (start.y, end.y)
        assert up.x == down.x == (start.x + end.x) / 2
        assert abs(end.x - start.x) == pytest.approx(measures.column_gap)
        assert (end.x < start.x) == earlier.flows_left


def _out(box: Box) -> float:
    return box.x if box.flows_left else box.x + box.width


def _in(box: Box, *, from_the_right: bool) -> float:
    return box.x + box.width if from_the_right else box.x


@settings(deadline=None)
@given(SIZES, MEASURES)
def test_a_head_over_each_column(entries: int, measures: Measures) -> None:
    bracket = make_bracket(place_order(range(1, entries + 1)).places)
    picture = lay_out(bracket, measures)
    assert [(head.x, head.round) for head in picture.headers] == sorted({(box.x, box.round) for box in picture.boxes})
    assert {(head.width, head.height) for head in picture.headers} == {(measures.box_width, measures.header_height)}
    columns = 2 * bracket.rounds_of() - 1 if measures.two_sided else bracket.rounds_of()
    width = columns * measures.box_width + (columns - 1) * measures.column_gap
    assert picture.width == pytest.approx(width)


def test_a_box_stands_between_the_two_it_comes_from() -> None:
    picture = lay_out(make_bracket((1, 2, 3, 4)), Measures(100, 40, 20, 10, 30))
    assert [(box.match, box.x, box.y) for box in picture.boxes] == [
        ("R1M1", 0, 35),
        ("R1M2", 0, 85),
        ("R2M1", 120, 60),
    ]
    assert (picture.width, picture.height) == (220, 135)
    assert [line.points for line in picture.connectors] == [
        ((100, 55), (110, 55), (110, 70), (120, 70)),
        ((100, 105), (110, 105), (110, 90), (120, 90)),
    ]


def test_a_poster_has_the_final_in_the_middle() -> None:
    picture = lay_out(make_bracket((1, 2, 3, 4, 5, 6, 7, 8)), Measures(100, 40, 20, 10, 30, two_sided=True))
    places = {box.match: (box.x, box.y, box.flows_left) for box in picture.boxes}
    assert places == {
        "R1M1": (0, 35, False),
        "R1M2": (0, 85, False),
        "R1M3": (480, 35, True),
        "R1M4": (480, 85, True),
        "R2M1": (120, 60, False),
        "R2M2": (360, 60, True),
        "R3M1": (240, 60, False),
    }
    assert picture.height == 135


def test_a_poster_of_two_begins_under_its_head() -> None:
    (box,) = lay_out(make_bracket((1, 2)), Measures(100, 40, 20, 10, 30, two_sided=True)).boxes
    assert (box.x, box.y) == (0, 30)


def test_byes_take_no_room() -> None:
    def heights(two_sided: bool) -> list[float]:
        sizes = Measures(two_sided=two_sided)
        return [_height(n, sizes) - sizes.header_height for n in (64, 65, 128)]

    row = Measures().row
    assert heights(False) == pytest.approx([64 * row, 65 * row - row / 4, 128 * row], abs=row)
    assert heights(True) == pytest.approx([32 * row, 33 * row, 64 * row], abs=row)


def _height(entries: int, measures: Measures) -> float:
    picture: Layout = lay_out(make_bracket(place_order(range(1, entries + 1)).places), measures)
    return picture.height
