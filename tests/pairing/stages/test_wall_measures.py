from __future__ import annotations

import pytest

from pairing.draws.knockout.bracket import Bracket, make_bracket, make_double_elimination_bracket
from pairing.draws.knockout.progress import make_bracket_progress
from pairing.draws.layouts.brackets import lay_out_bracket
from pairing.draws.separation.draw import place_drawn_order
from pairing.stages.pictures.brackets import (
    MIN_WALL_SCALE,
    WALL_BRACKET_DIMENSIONS,
    WALL_HEIGHT,
    WALL_WIDTH,
    compute_wall_dimensions,
    compute_wall_scale,
    draw_wall_pictures,
)
from pairing.stages.selectors.boards import BracketBoard


def bracket_of(entrants: int) -> Bracket:
    return make_bracket(place_drawn_order(range(1, entrants + 1)).places)


def headings(bracket: Bracket) -> list[str]:
    board = BracketBoard(make_bracket_progress(bracket), {}, {}, {})
    return [heading for heading, _picture in draw_wall_pictures(board, address=lambda ident: f"#{ident}")[0]]


@pytest.mark.parametrize(("entrants", "two_sided"), [(4, False), (64, True)])
def test_the_wall_shows_a_bracket_the_way_it_is_larger(entrants: int, two_sided: bool) -> None:
    bracket = bracket_of(entrants)
    assert compute_wall_dimensions(lambda measures: lay_out_bracket(bracket, measures)).two_sided is two_sided


@pytest.mark.parametrize("entrants", [2, 5, 16, 32, 33, 64])
def test_the_bracket_has_the_proportions_of_the_wall(entrants: int) -> None:
    bracket = bracket_of(entrants)
    measures = compute_wall_dimensions(lambda measures: lay_out_bracket(bracket, measures))
    layout = lay_out_bracket(bracket, measures)
    assert layout.width / layout.height == pytest.approx(WALL_WIDTH / WALL_HEIGHT)
    assert measures.box_width >= WALL_BRACKET_DIMENSIONS.box_width - 1e-6
    assert measures.row_gap >= WALL_BRACKET_DIMENSIONS.row_gap - 1e-6


def test_a_wall_has_the_whole_or_the_sections_that_are_read_from_far() -> None:
    assert headings(bracket_of(16)) == [""]
    small = bracket_of(16)
    assert (
        compute_wall_scale(lay_out_bracket(small, compute_wall_dimensions(lambda sizes: lay_out_bracket(small, sizes))))
        >= MIN_WALL_SCALE
    )
    assert headings(bracket_of(64)) == [f"Section {number} of 5" for number in range(1, 5)]
    assert headings(make_double_elimination_bracket(range(1, 5))) == [""]
    assert headings(make_double_elimination_bracket(range(1, 17))) == ["Winners’ side"]
