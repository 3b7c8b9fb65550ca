"""Test the decorator `prebuilt`, which repeats a function's database inserts instead of calling the function again.

The inserted rows must equal the rows of the first call. If the state of the database is not known, the function must be
called.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import time_machine
from django.db import connection, transaction
from django.test import override_settings
from django.utils import timezone

from pairing.models import Commitment
from scoring.card_state.selectors.cards import load_card_state_by_pk
from tests.chance import seed_secrets
from tests.factories import a_tournament, an_entrant, an_event
from tests.kit import fresh
from tests.pairing.helpers.events import a_closed_event, draw_and_post
from tests.prebuilt import _memory, prebuilt
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tournament.core.cached import cached_in_transaction
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Event, Tournament

pytestmark = pytest.mark.django_db

_calls: list[str] = []


@prebuilt
def _a_played_event(name: str) -> Event:
    _calls.append(name)
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    Event.objects.filter(pk=event.pk).update(name=name)
    post(the_card(event))
    return fresh(event)


@prebuilt
def _rename(event: Event, name: str) -> None:
    _calls.append(name)
    event.name = name
    event.save()


@contextmanager
def _rolled_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _rows() -> dict[str, list[str]]:
    with connection.cursor() as cursor:
        found = {}
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            found[table] = sorted(map(repr, cursor.fetchall()))
        return found


@pytest.fixture(autouse=True)
def calls() -> list[str]:
    _calls.clear()
    _memory.built.clear()
    return _calls


def test_inserted_rows_and_results_are_those_that_were_built(calls: list[str]) -> None:
    seen = []
    for _again in range(2):
        with _rolled_back():
            event = _a_played_event("Friday")
            seen.append((_rows(), vars(event)["name"], event.version, load_card_state_by_pk(the_card(event).pk).digest))
    assert seen[0] == seen[1]
    assert calls == ["Friday"]


def test_the_rows_do_not_depend_on_the_secrets_of_the_test() -> None:
    drawn = []
    for about in ("one test", "another"):
        _memory.built.clear()
        seed_secrets(about)
        with _rolled_back():
            draw_and_post(a_closed_event(8, slug="of-secrets"))
            drawn.append(Commitment.objects.get().secret)
    assert drawn[0] == drawn[1]


def test_a_builder_continues_the_event_of_another_one(calls: list[str]) -> None:
    for _again in range(2):
        with _rolled_back():
            event = _a_played_event("Friday")
            _rename(event, "Saturday")
            assert event.name == fresh(event).name == "Saturday"
    assert calls == ["Friday", "Saturday"]


def test_a_builder_runs_again_after_the_rows_before_it_were_built_again(calls: list[str]) -> None:
    for _again in range(2):
        with _rolled_back():
            _rename(_a_played_event("Friday"), "Saturday")
        for key in list(_memory.built)[:-1]:
            del _memory.built[key]
    assert calls == ["Friday", "Saturday"] * 2


def test_other_arguments_are_built(calls: list[str]) -> None:
    for name in ("Friday", "Saturday"):
        with _rolled_back():
            assert _a_played_event(name).name == name
    assert calls == ["Friday", "Saturday"]


def test_after_a_change_by_the_test_a_builder_runs(calls: list[str]) -> None:
    for name in ("Desert", "Ocean"):
        with _rolled_back():
            event = _a_played_event("Friday")
            Tournament.objects.update(name=name)
            _rename(event, "Saturday")
            assert fresh(event).tournament.name == name
    assert calls == ["Friday", "Saturday", "Saturday"]


def test_after_a_rollback_to_a_savepoint_a_builder_runs(calls: list[str]) -> None:
    event = _a_played_event("Friday")
    with _rolled_back():
        _rename(event, "Saturday")
    _rename(fresh(event), "Saturday")
    assert calls == ["Friday", "Saturday", "Saturday"]


def test_nothing_is_inserted_besides_rows_of_a_test(calls: list[str]) -> None:
    for _again in range(2):
        with _rolled_back():
            Tournament.objects.create(
                slug="own", name="Own", venue="", starts_on=dt.date(2026, 1, 1), ends_on=dt.date(2026, 1, 2)
            )
            _a_played_event("Friday")
            assert Tournament.objects.count() == 2
    assert calls == ["Friday", "Friday"]


def test_with_another_clock_or_another_setting_or_a_patch_a_builder_runs(
    calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with _rolled_back():
        _a_played_event("Friday")
    later = timezone.now() + dt.timedelta(days=1)
    with _rolled_back(), time_machine.travel(later, tick=False):
        assert _a_played_event("Friday").steps.order_by("pk").last().at == later
    with _rolled_back(), override_settings(SITE_URL="http://hall.test"):
        _a_played_event("Friday")
    monkeypatch.setattr("tests.config.test_prebuilt.__doc__", "")
    with _rolled_back():
        _a_played_event("Friday")
    assert calls == ["Friday"] * 4


def test_a_value_of_the_transaction_is_computed_again_after_rows_are_inserted() -> None:
    for _again in range(2):
        with _rolled_back():
            event = an_event(a_tournament(slug="cached"), slug="cached")

            def names(event: Event = event) -> list[str]:
                return list(event.entrants.values_list("name", flat=True))

            assert cached_in_transaction("names", names) == []
            an_entrant(event, "Ada")
            assert cached_in_transaction("names", names) == ["Ada"]


def test_in_an_open_write_a_builder_runs() -> None:
    for _again in range(2):
        with _rolled_back():
            event = an_event(a_tournament(slug="open"), slug="open")
            with writing(event, verb="test.entered", by=SYSTEM_ACTOR):
                an_entrant(event, "Ada")
            assert event.entrants.count() == 1
