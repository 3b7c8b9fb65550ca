"""The second readings of every kind are not blind either: each has an honest event, and faults that must be found.

A finish is planted in its row, all else in the program (`test_planted_faults` says how).
"""

from __future__ import annotations

from typing import Final

import pytest

from pairing.stages.tables.seatings import TotalsTable
from tests.devtools.whole_events.kinds import KINDS, play
from tests.devtools.whole_events.planted import (
    Patch,
    Plant,
    look,
    missed,
    next_place,
    no_scores,
    one_point_more,
    other_in_the_bracket,
)
from tournament.models import Finish

pytestmark = pytest.mark.django_db


def point_less_at_a_table(patch: Patch) -> None:
    patch.setattr(TotalsTable, "render_total", lambda own, record: str(record.total - 1))


IN_A_BRACKET: Final[dict[str, tuple[Plant, str, str]]] = {
    "the bracket names the other": (other_in_the_bracket, "bracket", ": winner"),
    "the bracket drops the points": (no_scores, "bracket", ": score"),
}
FAULTS: Final[dict[str, dict[str, tuple[Plant, str, str]]]] = {
    "double elimination": IN_A_BRACKET,
    "play-off": IN_A_BRACKET,
    "groups": {"places are off by one": (next_place, "standings", "place of")},
    "rounds at tables": {"a total has a point less": (point_less_at_a_table, "standings", "total of")},
    "rotation of couples": {"a side has a point more": (one_point_more, "standings", "totals of the sides")},
    "Court Whist": {"everybody has a point more": (one_point_more, "standings", "standings")},
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_planted_in_an_event_of_this_kind_is_found(name: str) -> None:
    event = play(KINDS[name], KINDS[name].rules[0])
    assert missed(event, FAULTS[name]) == []
    finish = Finish.objects.filter(event=event).latest("pk")
    first, second, *rest = finish.places
    Finish.objects.filter(pk=finish.pk).update(places=[second, first, *rest])
    assert any("the finish on record" in one for one in look(event, "standings"))
