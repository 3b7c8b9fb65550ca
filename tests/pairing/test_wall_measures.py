from __future__ import annotations

import pytest

from pairing.draws import make_bracket, place_order
from pairing.templatetags.bracket_picture import wall_measures


@pytest.mark.parametrize(("entrants", "two_sided"), [(4, False), (16, False), (64, True)])
def test_the_wall_shows_a_bracket_the_way_it_is_larger(entrants: int, two_sided: bool) -> None:
    bracket = make_bracket(place_order(range(1, entrants + 1)).places)
    assert wall_measures(bracket).two_sided is two_sided
