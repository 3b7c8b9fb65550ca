"""From a commit to a real worker and back."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from tests.factories import an_event
from tests.processes import Process, until
from tournament.core.dispatch import after_commit_live, after_commit_task


def test_a_task_is_done_after_the_commit(worker: Process) -> None:
    event = an_event()
    with transaction.atomic():
        after_commit_task("tests.raise_version", event_id=event.pk)
    until(lambda: event.refresh_from_db() or event.version == 1, worker, patience=10)


def test_a_task_of_a_rolled_back_transaction_is_never_sent(worker: Process) -> None:
    undone, kept = an_event(), an_event()
    with transaction.atomic():
        after_commit_task("tests.raise_version", event_id=undone.pk)
        transaction.set_rollback(True)
    with transaction.atomic():
        after_commit_task("tests.raise_version", event_id=kept.pk)
    until(lambda: kept.refresh_from_db() or kept.version == 1, worker, patience=10)
    undone.refresh_from_db()
    assert undone.version == 0


@pytest.mark.parametrize("url", ["", "unix:///nowhere/broker.sock"])
def test_what_was_recorded_stands_without_a_broker(transactional_db: None, settings: Any, url: str) -> None:
    settings.REDIS_URL, settings.CELERY_APP = url, "tests.worker.without_broker"
    with transaction.atomic():
        event = an_event()
        after_commit_live(event.pk)
        after_commit_task("tests.raise_version", event_id=event.pk)
    event.refresh_from_db()
    assert event.version == 0
