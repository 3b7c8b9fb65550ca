"""Test which pages are notified of a write to the database.

These are the pages that show a row that the write changed. If the write bypassed the models, all pages of the event are
notified.
"""

from __future__ import annotations

import pytest

from tests.factories import an_entrant, an_event
from tests.prebuilt import prebuilt
from tournament.core.cached import load_topics_version
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.jobs import fail_job, request_job
from tournament.core.topics import discard_tracked_changes, record_bulk_created_rows, track_write
from tournament.models import Entrant, EntrantFact, Event
from tournament.models.topic import DESK_TOPIC, EVERYBODY_TOPIC, get_entrant_topic

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def event() -> Event:
    return an_event()


def a_fact(entrant: Entrant) -> EntrantFact:
    return EntrantFact(entrant=entrant, kind=EntrantFact.Kind.ARRIVED)


def test_a_row_touches_its_topics_and_the_desk(event: Event) -> None:
    ada = an_entrant(event, "Ada")
    with track_write() as raised:
        a_fact(ada).save()
    assert {DESK_TOPIC, get_entrant_topic(ada.pk)} <= raised.list_topics()
    assert EVERYBODY_TOPIC not in raised.list_topics()


def test_rows_of_one_statement_are_reported(event: Event) -> None:
    ada = an_entrant(event, "Ada")
    with track_write() as raised:
        record_bulk_created_rows(EntrantFact.objects.bulk_create([a_fact(ada)]))
    assert EVERYBODY_TOPIC not in raised.list_topics()


def test_statements_that_bypass_models_concern_everybody(event: Event) -> None:
    with track_write() as raised:
        Entrant.objects.filter(event=event).update(club="Tampa")
    assert EVERYBODY_TOPIC in raised.list_topics()


def test_saving_another_row_does_not_report_a_bypassing_statement(event: Event) -> None:
    ada = an_entrant(event, "Ada")
    for changes_first in (True, False):
        with track_write() as raised:
            if changes_first:
                EntrantFact.objects.filter(entrant=ada).update(reason="another")
            a_fact(ada).save()
            if not changes_first:
                EntrantFact.objects.filter(entrant=ada).update(reason="another")
        assert EVERYBODY_TOPIC in raised.list_topics(), changes_first


def test_rolled_back_rows_are_forgotten(event: Event) -> None:
    ada = an_entrant(event, "Ada")
    with track_write() as raised:
        ada.save(update_fields=["club"])
        heard = raised.copy()
        with discard_tracked_changes():
            a_fact(ada).save()
    assert vars(raised) == vars(heard)
    assert EntrantFact not in raised.rows


def test_the_desk_learns_of_a_job_that_failed(event: Event) -> None:
    job = request_job(event, kind="cards", title="Cards", task="none", parameters={}, by=SYSTEM_ACTOR)
    before = load_topics_version(event.pk, (DESK_TOPIC,))
    fail_job(job, "The disk is full.")
    assert load_topics_version(event.pk, (DESK_TOPIC,)) > before
