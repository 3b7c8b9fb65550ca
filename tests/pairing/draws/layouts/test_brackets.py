"""Boxes in pictures of brackets do not overlap, and lines connect the right boxes, on screens and on posters."""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.knockout.bracket import Bracket, BracketPart, WinnerOf, make_bracket, make_double_elimination_bracket
from pairing.draws.layouts.brackets import (
    BracketDimensions,
    BracketLayout,
    MatchBox,
    lay_out_bracket,
    lay_out_section,
    make_diagonal_lines,
    split_into_sections,
)
from pairing.draws.separation.draw import place_drawn_order
from tests.chance import examples

MEASURES = st.builds(
    BracketDimensions,
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
def test_boxes_are_inside_the_picture_with_gaps(entries: int, measures: BracketDimensions) -> None:
    bracket = make_bracket(place_drawn_order(range(1, entries + 1)).places)
    picture = lay_out_bracket(bracket, measures)
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
def test_lines_join_each_match_to_the_next(entries: int, measures: BracketDimensions) -> None:
    bracket = make_bracket(place_drawn_order(range(1, entries + 1)).places)
    picture = lay_out_bracket(bracket, measures)
    boxes = {box.match: box for box in picture.boxes}
    joined = [(line.winner_of, line.match) for line in picture.connectors]
    assert sorted(joined) == sorted((earlier, match.id) for earlier, match in bracket.next_matches.items())
    for line in picture.connectors:
        earlier, later = boxes[line.winner_of], boxes[line.match]
        side = bracket.matches_by_id[line.match].sides.index(WinnerOf(line.winner_of))
        start, up, down, end = line.points
        assert start == (_out(earlier), earlier.y + earlier.height / 2)
        assert end == (_in(later, from_the_right=earlier.flows_left), later.y + later.height * (0.25 + 0.5 * side))
        assert (up.y, down.y) == (start.y, end.y)
        assert up.x == down.x == (start.x + end.x) / 2
        assert abs(end.x - start.x) == pytest.approx(measures.column_gap)
        assert (end.x < start.x) == earlier.flows_left


def _out(box: MatchBox) -> float:
    return box.x if box.flows_left else box.x + box.width


def _in(box: MatchBox, *, from_the_right: bool) -> float:
    return box.x + box.width if from_the_right else box.x


@settings(deadline=None)
@given(SIZES, MEASURES)
def test_each_column_has_a_header(entries: int, measures: BracketDimensions) -> None:
    bracket = make_bracket(place_drawn_order(range(1, entries + 1)).places)
    picture = lay_out_bracket(bracket, measures)
    assert [(head.x, head.round) for head in picture.headers] == sorted({(box.x, box.round) for box in picture.boxes})
    assert {(head.width, head.height) for head in picture.headers} == {(measures.box_width, measures.header_height)}
    columns = 2 * bracket.count_rounds() - 1 if measures.two_sided else bracket.count_rounds()
    width = columns * measures.box_width + (columns - 1) * measures.column_gap
    assert picture.width == pytest.approx(width)


def test_a_box_is_halfway_between_its_feeders() -> None:
    picture = lay_out_bracket(make_bracket((1, 2, 3, 4)), BracketDimensions(100, 40, 20, 10, 30))
    assert [(box.match, box.x, box.y) for box in picture.boxes] == [("R1M1", 0, 35), ("R1M2", 0, 85), ("R2M1", 120, 60)]
    assert (picture.width, picture.height) == (220, 135)
    assert [line.points for line in picture.connectors] == [
        ((100, 55), (110, 55), (110, 70), (120, 70)),
        ((100, 105), (110, 105), (110, 90), (120, 90)),
    ]


def test_a_poster_has_the_final_in_the_middle() -> None:
    picture = lay_out_bracket(
        make_bracket((1, 2, 3, 4, 5, 6, 7, 8)), BracketDimensions(100, 40, 20, 10, 30, two_sided=True)
    )
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
    (box,) = lay_out_bracket(make_bracket((1, 2)), BracketDimensions(100, 40, 20, 10, 30, two_sided=True)).boxes
    assert (box.x, box.y) == (0, 30)


def test_byes_take_no_room() -> None:
    def heights(two_sided: bool) -> list[float]:
        sizes = BracketDimensions(two_sided=two_sided)
        return [_height(n, sizes) - sizes.header_height for n in (64, 65, 128)]

    row = BracketDimensions().row_height
    assert heights(False) == pytest.approx([64 * row, 65 * row - row / 4, 128 * row], abs=row)
    assert heights(True) == pytest.approx([32 * row, 33 * row, 64 * row], abs=row)


def _height(entries: int, measures: BracketDimensions) -> float:
    picture: BracketLayout = lay_out_bracket(make_bracket(place_drawn_order(range(1, entries + 1)).places), measures)
    return picture.height


# --- Test sections ---------------------------------------------------------------------------------------------------
# A bracket in sections: every match is in one, none is too large, and nothing overlaps.


def bracket_of(entries: int, double: bool) -> Bracket:
    places = place_drawn_order(range(1, entries + 1)).places
    return make_double_elimination_bracket(places) if double else make_bracket(places)


@settings(deadline=None, max_examples=examples(60))
@given(st.one_of(st.integers(2, 70), st.integers(2, 200)), st.booleans(), st.sampled_from([4, 8]))
def test_every_match_is_shown_and_no_section_is_too_large(entries: int, double: bool, most: int) -> None:
    bracket = bracket_of(entries, double)
    sections = split_into_sections(bracket, most_rows=most)
    assert {match.id for section in sections for match in section.matches} == set(bracket.matches_by_id)
    for section in sections:
        assert max(Counter(match.round for match in section.matches).values()) <= most
        assert {match.round_key.part for match in section.matches} == {section.part}
    for part, group in groupby(sections, key=lambda section: section.part):
        numbers = [(section.number, section.count) for section in group]
        assert numbers == [(turn, len(numbers)) for turn in range(1, len(numbers) + 1)], part


@settings(deadline=None, max_examples=examples(60))
@given(st.integers(2, 130), st.booleans())
def test_the_picture_of_a_section_has_every_box_apart(entries: int, double: bool) -> None:
    sizes = BracketDimensions(100, 40, 20, 10, 30)
    for section in split_into_sections(bracket_of(entries, double)):
        picture = lay_out_section(section, sizes)
        boxes = {box.match: box for box in picture.boxes}
        assert list(boxes) == [match.id for match in section.matches]
        for _x, column in groupby(sorted(picture.boxes, key=lambda box: (box.x, box.y)), key=lambda box: box.x):
            for upper, lower in pairwise(list(column)):
                assert lower.y - (upper.y + upper.height) >= sizes.row_gap - 1e-6
        for box in picture.boxes:
            assert 0 <= box.x <= picture.width - box.width + 1e-6
            assert sizes.header_height - 1e-6 <= box.y <= picture.height - box.height
        inside = {
            (s.match, m.id) for m in section.matches for s in m.sides if isinstance(s, WinnerOf) and s.match in boxes
        }
        assert {(line.winner_of, line.match) for line in picture.connectors} == inside
        assert [(head.part, head.round) for head in picture.headers] == sorted(
            {(section.part, match.round) for match in section.matches}, key=lambda key: key[1]
        )


def test_the_last_section_begins_with_the_quarterfinals() -> None:
    assert [section.matches[0].id for section in split_into_sections(bracket_of(32, double=False))] == [
        "R1M1",
        "R1M9",
        "R3M1",
    ]
    two = split_into_sections(bracket_of(16, double=True))
    assert [(section.part, section.count) for section in two] == [(part, 1) for part in BracketPart]


@pytest.mark.parametrize(("width", "height", "step"), [(40.0, 5.0, 6.0), (236.0, 54.0, 14.0), (3.0, 50.0, 9.0)])
def test_stripes_rise_at_45_degrees_inside_their_box(width: float, height: float, step: float) -> None:
    lines = make_diagonal_lines(10, 20, width, height, step=step)
    assert lines
    for x, y, to_x, to_y in lines:
        assert to_x - x == pytest.approx(y - to_y)
        assert 10 - 1e-9 <= x < to_x <= 10 + width + 1e-9
        assert 20 - 1e-9 <= to_y < y <= 20 + height + 1e-9
    feet = [x + y for x, y, _to_x, _to_y in lines]
    assert [after - before for before, after in pairwise(feet)] == pytest.approx([step] * (len(feet) - 1))


@pytest.mark.parametrize("most", [3, 1, 0, -5])
@pytest.mark.parametrize("double", [False, True])
def test_no_section_is_smaller_than_the_quarterfinals(most: int, double: bool) -> None:
    for entries in (2, 5, 17, 64):
        bracket = bracket_of(entries, double)
        assert split_into_sections(bracket, most_rows=most) == split_into_sections(bracket, most_rows=4)
