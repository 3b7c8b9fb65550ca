"""A message broker that accepts connections but never answers does not delay writes or tasks."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from config.celery import app
from tests.factories import an_event
from tournament.core import dispatch
from tournament.core.dispatch import is_queue_empty, notify_streams_after_commit, send_task_after_commit
from tournament.models import StoredTask

pytestmark = pytest.mark.django_db(transaction=True)


class Silent:
    """A server that accepts every connection but never responds."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.taken: list[socket.socket] = []
        self.thread = threading.Thread(target=self.take, daemon=True)
        self.thread.start()

    def take(self) -> None:
        while True:
            try:
                self.taken.append(self.listening.accept()[0])
            except OSError:
                return

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.listening.getsockname()[1]}"


@pytest.fixture
def silent(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Silent]:
    made = Silent()
    settings.REDIS_URL = made.url
    monkeypatch.setattr(app, "send_task", lambda *_told, **_more: pytest.fail("Celery would wait for it without end"))
    yield made
    made.listening.close()
    for one in made.taken:
        one.close()


def test_the_write_is_done_and_its_task_is_stored(silent: Silent, caplog: pytest.LogCaptureFixture) -> None:
    told: list[bool] = []
    with transaction.atomic():
        send_task_after_commit("tests.raise_version", report=told.append, event_id=an_event().pk)
    assert "task tests.raise_version is stored" in caplog.text
    assert told == [True]
    assert [task.name for task in StoredTask.objects.all()] == ["tests.raise_version"]
    assert not is_queue_empty()


def test_a_silent_broker_is_not_asked_again_at_once(silent: Silent, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(dispatch.time, "monotonic", lambda: now[0])
    asked: list[str] = []
    known = dispatch.make_redis_client(silent.url)
    monkeypatch.setattr(dispatch, "make_redis_client", lambda url: asked.append(url) or known)
    event = an_event()
    for _write in range(3):
        with transaction.atomic():
            notify_streams_after_commit(event.pk)
    assert len(asked) == 1
    now[0] += dispatch.BROKER_RETRY_S
    assert not is_queue_empty()
    assert len(asked) == 2
