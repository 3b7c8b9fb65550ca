"""The avoid list is facts: who comes off it stays in the record, and a second time nothing happens."""

from __future__ import annotations

import pytest

from pairing.models import AvoidPair, AvoidPairEnded
from pairing.selectors.draws import load_avoid
from pairing.services.draws import end_keep_apart, keep_apart
from tests.factories import a_director, an_entrant, an_event
from tournament.errors import Conflict
from tournament.models import AuditEntry
from tournament.services.record import writing

pytestmark = pytest.mark.django_db


def test_a_pair_comes_off_the_list_by_a_fact() -> None:
    event = an_event()
    one, other = an_entrant(event), an_entrant(event)
    by = a_director(event.tournament)
    pair = keep_apart(one, other, by=by, reason="same club")
    assert load_avoid(event).pairs == [(1, 2)]
    end_keep_apart(pair, by=by, reason="they asked to")
    assert load_avoid(event).pairs == []
    assert AvoidPair.objects.count() == 1
    assert AvoidPairEnded.objects.get().reason == "they asked to"
    with pytest.raises(Conflict, match="off the list already"):
        end_keep_apart(pair, by=by)
    keep_apart(one, other, by=by, reason="after all")
    assert load_avoid(event).pairs == [(1, 2)]


def test_a_key_of_any_length_is_one_key() -> None:
    event = an_event()
    by = a_director(event.tournament)
    for _turn in range(2):
        with writing(event, verb="test.once", by=by, key="k" * 5000) as note:
            pass
    assert note.repeated
    assert AuditEntry.objects.filter(verb="test.once").count() == 1
