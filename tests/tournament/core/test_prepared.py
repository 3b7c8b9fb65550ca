"""A prepared query returns the same rows as an ordinary query."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from tests.factories import a_tournament, an_entrant, an_event
from tournament.core.selectors.prepared import PLACEHOLDER_KEYS, PreparedQuery, cache_related_rows
from tournament.models import Entrant, Event

pytestmark = pytest.mark.django_db


def of_event(event: int):  # type: ignore[no-untyped-def]
    return Entrant.objects.filter(event=event).select_related("event__tournament").order_by("name")


def test_rows_related_rows_and_their_order_are_the_same() -> None:
    prepared = PreparedQuery(of_event)
    for _turn in range(2):
        event = an_event()
        for name in ("Grace", "Ada", "Edith"):
            an_entrant(event, name)
        found, usual = prepared(event.pk), list(of_event(event.pk))
        assert [entrant.__dict__["name"] for entrant in found] == ["Ada", "Edith", "Grace"]
        assert found == usual and [one.event.tournament for one in found] == [event.tournament] * 3
        assert {key: value for key, value in vars(found[0]).items() if key != "_state"} == {
            key: value for key, value in vars(usual[0]).items() if key != "_state"
        }


def test_each_value_goes_to_its_own_place() -> None:
    both = PreparedQuery(lambda event, entrant: Entrant.objects.filter(event=event, pk=entrant), values=2)
    event, other = an_event(), an_event()
    ada = an_entrant(event, "Ada")
    assert both(event.pk, ada.pk) == [ada]
    assert both(other.pk, ada.pk) == both(event.pk, ada.pk + 1) == []


def test_related_rows_need_no_further_query() -> None:
    prepared, event = PreparedQuery(of_event), an_event()
    an_entrant(event, "Ada")
    prepared(event.pk)
    with CaptureQueriesContext(connection) as asked:
        cache_related_rows(event, "entrants", prepared(event.pk), back="event")
        (ada,) = event.entrants.all()
        assert ada.event is event and event.entrants.all()[0] is ada
    assert len(asked) == 1 and not any(str(value) in asked[0]["sql"] for value in PLACEHOLDER_KEYS)


def test_a_lock_is_still_a_lock() -> None:
    locked = PreparedQuery(lambda event: Event.objects.select_for_update(of=("self",)).filter(pk=event))
    event = an_event(a_tournament())
    with transaction.atomic():
        for _turn in range(2):
            with CaptureQueriesContext(connection) as asked:
                assert locked(event.pk) == [event]
            assert ("FOR UPDATE" in asked[0]["sql"]) == connection.features.has_select_for_update


def test_other_queries_on_related_rows_are_limited_to_their_row() -> None:
    event, other = an_event(), an_event()
    ada, alan = an_entrant(event, "Ada"), an_entrant(event, "Alan")
    an_entrant(other, "Ada")
    cache_related_rows(event, "entrants", [ada], back="event")
    kept = event.entrants
    assert list(kept.all()) == [ada] and kept.all().count() == 1 and kept.all().exists()
    assert sorted(kept.values_list("name", flat=True)) == ["Ada", "Alan"]
    assert kept.get(name="Ada") == ada and kept.filter(name="Grace").first() is None
    assert set(kept.order_by("name").iterator()) == {ada, alan} == set(kept.all().iterator())
    assert kept.all().update(club="Home") == 2 and not Entrant.objects.filter(event=other, club="Home").exists()
