from __future__ import annotations

import time
import uuid
from pathlib import Path
from typing import Any

import pytest
import redis
from django.db import transaction
from kombu.utils.url import url_to_parts

from config import broker
from config.broker import make_broker_socket_path, make_celery_url, make_redis_url, make_socket_path, make_socket_url
from config.cache import FallbackRedisCache
from tests.factories import an_event
from tests.processes import Process, until
from tournament.core.dispatch import notify_streams_after_commit, send_task_after_commit


@pytest.mark.parametrize(
    ("url", "spelled"),
    [
        ("redis://hall:6379", "redis://hall:6379/1"),
        ("redis://:pass@hall:6379/0", "redis://:pass@hall:6379/1"),
        ("rediss://hall/0?ssl_cert_reqs=none", "rediss://hall/1?ssl_cert_reqs=none"),
        ("unix:///var/broker.sock", "unix:///var/broker.sock?db=1"),
    ],
)
def test_a_database_is_named(url: str, spelled: str) -> None:
    assert make_redis_url(url, database=1) == spelled


@pytest.mark.parametrize("folder", ["plain", "with space", "100% # sure?"])
def test_a_folder_may_have_any_name(folder: str) -> None:
    socket = Path("/srv", folder, "broker.sock")
    url = make_socket_url(socket)
    by_redis = redis.ConnectionPool.from_url(make_redis_url(url, database=1))
    assert by_redis.connection_kwargs["path"] == str(socket)
    assert f"/{url_to_parts(make_celery_url(url)).path}" == str(socket)


def test_a_long_path_gets_a_short_socket_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long, other = tmp_path / ("a" * 90), tmp_path / ("b" * 90)
    monkeypatch.setattr(broker, "VAR_DIR", long)
    socket = make_broker_socket_path()
    assert len(str(socket)) < 100 and socket.parent == make_socket_path("")
    assert socket == make_broker_socket_path()
    monkeypatch.setattr(broker, "VAR_DIR", other)
    assert make_broker_socket_path() != socket


def test_without_redis_it_goes_on_in_memory_and_costs_no_time() -> None:
    cache = FallbackRedisCache("unix:///nowhere/broker.sock?db=1", {"KEY_PREFIX": uuid.uuid4().hex})
    began = time.monotonic()
    for turn in range(100):
        cache.set(f"page:{turn}", b"page", 600)
    assert cache.get("page:7") == b"page" and cache.get("none", "default") == "default"
    assert cache.incr("begun-elsewhere") == 1, "what was counted in Redis goes on from nothing"
    assert cache.add("begun-elsewhere", 0) is False and cache.incr("begun-elsewhere") == 2
    assert time.monotonic() - began < 1


def test_with_redis_it_is_there_and_finds_it_again_when_it_was_started_anew(broker: str) -> None:
    address = make_redis_url(broker, database=1)
    cache = FallbackRedisCache(address, {})
    cache.set("kept", 1)
    with redis.Redis.from_url(address) as server:
        assert server.exists(cache.make_key("kept"))
        server.client_kill_filter(_type="normal", skipme=True)
        assert cache.get("kept") == 1
        cache.set("after", 2)
        assert server.exists(cache.make_key("after")), "not in the memory of this process"


def test_a_page_does_not_wait_for_a_redis_that_hangs(broker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address = make_redis_url(broker, database=1)
    cache = FallbackRedisCache(address, {"KEY_PREFIX": uuid.uuid4().hex})
    cache.set("kept", 1)
    with redis.Redis.from_url(address) as server:
        server.execute_command("CLIENT", "PAUSE", 3000)
        began = time.monotonic()
        assert cache.get("kept") is None
        first, began = time.monotonic() - began, time.monotonic()
        assert cache.get("kept") is None
        assert first < 2 and time.monotonic() - began < 0.1
        server.execute_command("CLIENT", "UNPAUSE")
    time.sleep(2.1)
    assert cache.get("kept") == 1


def test_a_task_is_done_after_the_commit(worker: Process) -> None:
    event = an_event()
    with transaction.atomic():
        send_task_after_commit("tests.raise_version", event_id=event.pk)
    until(lambda: event.refresh_from_db() or event.version == 1, worker)


def test_a_task_of_a_rolled_back_transaction_is_never_sent(worker: Process) -> None:
    undone, kept = an_event(), an_event()
    with transaction.atomic():
        send_task_after_commit("tests.raise_version", event_id=undone.pk)
        transaction.set_rollback(True)
    with transaction.atomic():
        send_task_after_commit("tests.raise_version", event_id=kept.pk)
    until(lambda: kept.refresh_from_db() or kept.version == 1, worker)
    undone.refresh_from_db()
    assert undone.version == 0


@pytest.mark.parametrize("url", ["", "unix:///nowhere/broker.sock"])
def test_what_was_recorded_stands_without_a_broker(transactional_db: None, settings: Any, url: str) -> None:
    settings.REDIS_URL, settings.CELERY_APP = url, "tests.worker.without_broker"
    with transaction.atomic():
        event = an_event()
        notify_streams_after_commit(event.pk)
        send_task_after_commit("tests.raise_version", event_id=event.pk)
    event.refresh_from_db()
    assert event.version == 0
