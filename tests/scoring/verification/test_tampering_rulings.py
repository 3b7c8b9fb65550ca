"""Manual changes in the database to calls, rulings, penalties, or correction periods are reported with their place."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.cache import cache
from django.db import models

from scoring.disputes.services.disputes import record_dispute_facts
from scoring.models import CardTerms, ConductPenalty, Dispute, DisputeFacts, Ruling
from scoring.posting.services.correction_period import set_correction_terms
from scoring.rules.sheet.card_status import CorrectionTerms
from tests.scoring.helpers.disputes import called, found_of, ruled
from tests.scoring.helpers.playing import an_event_in_play, knock, play, the_card, the_director
from tests.verifying import verify_event
from tournament.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def _ruled(rows_of_module: None) -> int:
    """Return the key of an event with a ruling, a penalty for a false report, and a longer correction period."""
    cache.clear()
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    director = the_director(event)
    set_correction_terms(event, CorrectionTerms(corrections=45), by=director)
    play(the_card(event), knock("A", 5, 20))
    dispute = called(the_card(event), "false-report", by="A")
    record_dispute_facts(dispute, found_of(dispute), by=director)
    ruled(dispute)
    assert bad(event) == []
    return event.pk


@pytest.fixture
def event(_ruled: int) -> Event:
    return Event.objects.select_related("tournament").get(pk=_ruled)


def bad(event: Event) -> list[str]:
    """Return the failed checks of an event, except for the draw, which these tests do not seal."""
    checks = [check for check in verify_event(event) if check.subject != "draw order"]
    return [f"{check.subject}: {check.finding}" for check in checks if not check.passed]


@pytest.mark.parametrize(
    ("model", "change", "place"),
    [
        (Ruling, {"decided": "Nothing happened."}, "ruling 1"),
        (Ruling, {"effects": {}}, "ruling 1"),
        (Ruling, {"at": datetime(2026, 1, 1, tzinfo=UTC)}, "ruling 1"),
        (Dispute, {"facts": {"by": "B"}}, "for a ruling"),
        (DisputeFacts, {"facts": {"by": "B"}}, "the findings on call"),
        (ConductPenalty, {"effect": "warning"}, "a penalty of ruling 1"),
        (CardTerms, {"terms": CorrectionTerms(corrections=1).as_json()}, "the correction period"),
    ],
)
def test_a_changed_row_is_named(event: Event, model: type[models.Model], change: dict[str, Any], place: str) -> None:
    assert model._default_manager.update(**change) == 1
    assert any(place in each and "It is not what row" in each for each in bad(event))


@pytest.mark.parametrize(("model", "word"), [(CardTerms, "a setting"), (DisputeFacts, "the findings on a call")])
def test_a_deleted_row_is_named(event: Event, model: type[models.Model], word: str) -> None:
    model._default_manager.all().delete()
    assert any(f"{word}" in each and "and it is missing" in each for each in bad(event))
