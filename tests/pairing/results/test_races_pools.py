"""A pool changes in two ways at the same time: a correction, a late entry, or pairs sent to tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.models import MatchResult, StageEntry
from pairing.results.services.late_entries import join_stage
from tests.factories import an_entrant
from tests.kit import entrant_of
from tests.pairing.helpers.corrections import a_correction, correct_later, record, send, two_rounds
from tests.pairing.helpers.races import at_once, refusals
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged
from tournament.core.permissions import SYSTEM_ACTOR

pytestmark = [pytest.mark.race, pytest.mark.django_db(transaction=True)]


def test_corrected_with_a_replay_while_one_of_the_two_is_sent_to_the_next_game() -> None:
    event = two_rounds()
    act = correct_later(event, replace(a_correction(event, G3=LaterMatchChoice.REPLAY), shown_later_games=("G3", "G4")))
    ends = at_once(act, lambda: send(event, (1, 4)))
    replayed = "G3" in course_of(event).current_stage.ready_matches
    assert refusals(ends) == (["not-waiting"] if replayed else ["look-again"])
    assert ("G5" in course_of(event).current_stage.matches) is not replayed
    assert MatchResult.objects.filter(match__ident="G1").count() == (2 if replayed else 1)


def test_one_late_entry_at_two_desks() -> None:
    event = staged(4, QUALIFIER, FINALS)
    an_entrant(event, "Came Late", number=9)
    late = entrant_of(event, 9)
    joins = [
        lambda: join_stage(late, by=SYSTEM_ACTOR, reason="the train", missed=1),
        lambda: join_stage(late, by=SYSTEM_ACTOR, reason="the plane", missed=2),
    ]
    assert refusals(at_once(*joins)) == ["in-already"]
    assert StageEntry.objects.count() == 1
    assert record(event, 9) in ("0–1", "0–2")
    assert MatchResult.objects.count() == int(record(event, 9)[-1])
