"""Each write locks its event, adds a row to the log's hash chain, and is carried out only once per request key."""

from __future__ import annotations

import datetime as dt
import threading
from typing import Any

import pytest
from django.db import connection, transaction

from tests.factories import a_director, a_tournament, an_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.log import check_log_chain
from tournament.core.services.record import writing
from tournament.errors import Conflict
from tournament.models import AuditEntry, AuditHead, Event, IdempotencyKey, Tournament

pytestmark = pytest.mark.django_db


def _write(scope: Tournament | Event, times: int = 1, **options: Any) -> None:
    for turn in range(times):
        with writing(scope, verb="test.written", by=SYSTEM_ACTOR, **options) as write:
            write.about("thing", turn=turn)


def test_a_write_is_logged_with_its_author_act_and_reason() -> None:
    event = an_event()
    director = a_director(event.tournament)
    with writing(event, verb="test.written", by=director, reason="a reason") as write:
        write.about("the thing", cents=5)
    row = AuditEntry.objects.get()
    assert (row.seq, row.verb, row.about, row.reason) == (1, "test.written", "the thing", "a reason")
    assert (row.user, row.by_name, row.data) == (director.user, director.name, {"cents": 5})
    assert row.event == event


def test_the_version_goes_up_with_every_write_to_the_event_only() -> None:
    event, other = an_event(), an_event()
    _write(event, times=3)
    _write(event.tournament)
    event.refresh_from_db()
    other.refresh_from_db()
    assert (event.version, other.version) == (3, 0)


def _write_then_refuse(event: Event) -> None:
    with writing(event, verb="test.written", by=SYSTEM_ACTOR, key="k") as write:
        write.about("thing")
        raise Conflict("no", "No.")


def test_a_refusal_leaves_no_row_no_key_and_no_version() -> None:
    event = an_event()
    with pytest.raises(Conflict):
        _write_then_refuse(event)
    event.refresh_from_db()
    assert (AuditEntry.objects.count(), IdempotencyKey.objects.count(), event.version) == (0, 0, 0)


def test_the_same_key_returns_the_outcome_and_writes_nothing() -> None:
    event = an_event()
    for _turn in range(2):
        with writing(event, verb="test.written", by=SYSTEM_ACTOR, key="k") as write:
            if not write.repeated:
                write.about("thing", line=17)
        assert write.outcome == {"line": 17}
    assert write.repeated
    event.refresh_from_db()
    assert (AuditEntry.objects.count(), event.version) == (1, 1)


def test_a_key_belongs_to_its_verb_and_its_tournament() -> None:
    event, elsewhere = an_event(), an_event()
    with writing(event, verb="a", by=SYSTEM_ACTOR, key="k"):
        pass
    with writing(event, verb="b", by=SYSTEM_ACTOR, key="k") as other_verb:
        assert not other_verb.repeated
    with writing(elsewhere, verb="a", by=SYSTEM_ACTOR, key="k") as other_tournament:
        assert not other_tournament.repeated
    with writing(event, verb="a", by=SYSTEM_ACTOR, key="k") as again:
        assert again.repeated


def test_the_chains_of_tournaments_are_separate() -> None:
    one, other = an_event(), an_event()
    for event in (one, other, one, one, other):
        _write(event)
    _write(one.tournament)
    check = check_log_chain(one.tournament)
    assert (check.is_intact, check.rows) == (True, 4)
    assert check_log_chain(other.tournament).rows == 2
    rows = list(AuditEntry.objects.filter(tournament=one.tournament))
    assert [row.seq for row in rows] == [1, 2, 3, 4]
    assert rows[0].previous == "0" * 64
    assert [row.previous for row in rows[1:]] == [row.digest for row in rows[:-1]]


def test_an_empty_chain_is_whole() -> None:
    assert check_log_chain(a_tournament()).is_intact


@pytest.mark.parametrize(
    "change",
    [
        {"about": "another thing"},
        {"reason": "a better reason"},
        {"by_name": "somebody else"},
        {"verb": "test.unwritten"},
        {"data": {"cents": 9}},
        {"event": None},
        {"at": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)},
        {"digest": "f" * 64},
        {"previous": "f" * 64},
        {"seq": 99},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_changed_row_is_found(change: dict[str, Any]) -> None:
    event = an_event()
    _write(event, times=4, reason="the reason")
    AuditEntry.objects.filter(tournament=event.tournament, seq=2).update(**change)
    check = check_log_chain(event.tournament)
    assert not check.is_intact
    assert check.broken_at == (3 if "seq" in change else 2)


@pytest.mark.parametrize("field", [field.name for field in AuditEntry._meta.fields])
def test_every_column_of_a_row_is_covered_by_its_digest(field: str) -> None:
    from tournament.core.selectors.log import compute_log_entry_digest

    event = an_event()
    with writing(event, verb="test.written", by=a_director(event.tournament), reason="a reason") as write:
        write.about("the thing", cents=5)
    row = AuditEntry.objects.get()
    others: dict[str, Any] = {
        "tournament": a_tournament(),
        "event": an_event(),
        "user": a_director(event.tournament).user,
        "seq": 2,
        "at": row.at + dt.timedelta(microseconds=1),
        "data": {"cents": 6},
        "previous": "f" * 64,
        "original_keys": {"event": 7},
    }
    setattr(row, field, others.get(field, "another"))
    assert (compute_log_entry_digest(row) == row.digest) == (field == "id")


def test_a_removed_row_is_found() -> None:
    event = an_event()
    _write(event, times=4)
    AuditEntry.objects.filter(tournament=event.tournament, seq=2).delete()
    assert check_log_chain(event.tournament).broken_at == 3


def test_a_removed_last_row_is_found_by_the_head() -> None:
    event = an_event()
    _write(event, times=3)
    AuditEntry.objects.filter(tournament=event.tournament, seq=3).delete()
    assert check_log_chain(event.tournament).broken_at == 3


def test_a_row_changed_and_signed_again_breaks_the_next_link() -> None:
    from tournament.core.selectors.log import compute_log_entry_digest

    event = an_event()
    _write(event, times=3)
    row = AuditEntry.objects.get(tournament=event.tournament, seq=2)
    row.about = "forged"
    AuditEntry.objects.filter(pk=row.pk).update(about="forged", digest=compute_log_entry_digest(row))
    assert check_log_chain(event.tournament).broken_at == 3


def _write_then_fail(event: Event) -> None:
    with transaction.atomic():
        _write(event)
        raise ZeroDivisionError


def test_a_late_failure_writes_nothing() -> None:
    event = an_event()
    with pytest.raises(ZeroDivisionError):
        _write_then_fail(event)
    assert check_log_chain(event.tournament).rows == 0
    assert AuditHead.objects.count() == 0


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_events_of_one_tournament_write_at_once_and_the_chain_is_whole() -> None:
    """Writes to different events lock different rows, but all of them add to the end of the same log."""
    tournament, times, writers = a_tournament(), 15, 4
    events = [an_event(tournament) for _writer in range(writers)]
    barrier, faults = threading.Barrier(writers), []

    def hold(event: Event) -> None:
        barrier.wait()
        try:
            _write(event, times=times)
        except Exception as fault:  # no matter what it is, it is shown below
            faults.append(fault)
        finally:
            connection.close()

    threads = [threading.Thread(target=hold, args=(event,)) for event in events]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    check = check_log_chain(tournament)
    assert (check.is_intact, check.rows) == (True, times * writers)
