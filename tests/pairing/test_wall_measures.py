from __future__ import annotations

import pytest

from pairing.draws import lay_out, make_bracket, place_order
from pairing.templatetags.bracket_picture import WALL, WALL_HEIGHT, WALL_WIDTH, wall_measures


@pytest.mark.parametrize(("entrants", "two_sided"), [(4, False), (16, False), (64, True)])
def test_the_wall_shows_a_bracket_the_way_it_is_larger(entrants: int, two_sided: bool) -> None:
    bracket = make_bracket(place_order(range(1, entrants + 1)).places)
    assert wall_measures(bracket).two_sided is two_sided


@pytest.mark.parametrize("entrants", [2, 5, 16, 32, 33, 64])
def test_the_bracket_has_the_proportions_of_the_wall(entrants: int) -> None:
    bracket = make_bracket(place_order(range(1, entrants + 1)).places)
    measures = wall_measures(bracket)
    layout = lay_out(bracket, measures)
    assert layout.width / layout.height == pytest.approx(WALL_WIDTH / WALL_HEIGHT)
    assert measures.box_width >= WALL.box_width
    assert measures.row_gap >= WALL.row_gap
