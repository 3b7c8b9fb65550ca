from __future__ import annotations

import pytest

from pairing.draws.knockout.bracket import Bracket, make_bracket, make_double_elimination_bracket
from pairing.draws.separation.draw import place_drawn_order
from pairing.models import Commitment, Draw, Match, Stage
from pairing.stages.services.stages import make_elimination_matches
from tests.factories import an_event

pytestmark = pytest.mark.django_db

PLACES = place_drawn_order(range(1, 12)).places


@pytest.mark.parametrize(
    "bracket", [make_bracket(PLACES), make_double_elimination_bracket(PLACES)], ids=["single", "double"]
)
def test_every_match_has_a_row(bracket: Bracket) -> None:
    event = an_event()
    seal = Commitment.objects.create(event=event, draw_id="d", numbers=[], commitment="0", secret="0", by_name="t")
    draw = Draw.objects.create(commitment=seal, order=[], places=[], by_name="t")
    stage = Stage.objects.create(draw=draw, number=1, kind="k", name="n", entries=[], by_name="t")
    make_elimination_matches(event, stage, bracket.matches)
    rows = Match.objects.filter(event=event, draw=draw, stage=stage, seating=None, pairing=None)
    kept = set(rows.values_list("ident", "round", "position"))
    assert kept == {(match.id, match.round, match.position) for match in bracket.matches}
    assert rows.count() == len(bracket.matches)
