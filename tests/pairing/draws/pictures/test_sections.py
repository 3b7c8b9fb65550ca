"""A bracket in sections: every match is in one, none is too large, and nothing overlaps."""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.knockout.bracket import Bracket, Part, WinnerOf, make_bracket, make_double_bracket
from pairing.draws.pictures.brackets import Measures, lay_out_section, sections_of, stripes
from pairing.draws.separation.draw import place_order
from tests.chance import examples


def bracket_of(entries: int, double: bool) -> Bracket:
    places = place_order(range(1, entries + 1)).places
    return make_double_bracket(places) if double else make_bracket(places)


@settings(deadline=None, max_examples=examples(60))
@given(st.one_of(st.integers(2, 70), st.integers(2, 200)), st.booleans(), st.sampled_from([4, 8]))
def test_every_match_is_shown_and_no_section_is_too_large(entries: int, double: bool, most: int) -> None:
    bracket = bracket_of(entries, double)
    sections = sections_of(bracket, most_rows=most)
    assert {match.id for section in sections for match in section.matches} == set(bracket.by_id)
    for section in sections:
        assert max(Counter(match.round for match in section.matches).values()) <= most
        assert {match.round_key.part for match in section.matches} == {section.part}
    for part, group in groupby(sections, key=lambda section: section.part):
        numbers = [(section.number, section.count) for section in group]
        assert numbers == [(turn, len(numbers)) for turn in range(1, len(numbers) + 1)], part


@settings(deadline=None, max_examples=examples(60))
@given(st.integers(2, 130), st.booleans())
def test_the_picture_of_a_section_has_every_box_apart(entries: int, double: bool) -> None:
    sizes = Measures(100, 40, 20, 10, 30)
    for section in sections_of(bracket_of(entries, double)):
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
    assert [section.matches[0].id for section in sections_of(bracket_of(32, double=False))] == ["R1M1", "R1M9", "R3M1"]
    two = sections_of(bracket_of(16, double=True))
    assert [(section.part, section.count) for section in two] == [(part, 1) for part in Part]


@pytest.mark.parametrize(("width", "height", "step"), [(40.0, 5.0, 6.0), (236.0, 54.0, 14.0), (3.0, 50.0, 9.0)])
def test_stripes_rise_at_45_degrees_inside_their_box(width: float, height: float, step: float) -> None:
    lines = stripes(10, 20, width, height, step=step)
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
        assert sections_of(bracket, most_rows=most) == sections_of(bracket, most_rows=4)
