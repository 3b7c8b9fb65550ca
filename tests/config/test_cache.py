"""The cache while Redis answers, while it does not, and when it is back."""

from __future__ import annotations

import time
import uuid

import pytest
import redis

from config.broker import redis_location
from config.cache import SteadyRedisCache


def test_without_redis_it_goes_on_in_memory_and_costs_no_time() -> None:
    cache = SteadyRedisCache("unix:///nowhere/broker.sock?db=1", {"KEY_PREFIX": uuid.uuid4().hex})
    began = time.monotonic()
    for turn in range(100):
        cache.set(f"page:{turn}", b"page", 600)
    assert cache.get("page:7") == b"page" and cache.get("none", "default") == "default"
    assert cache.incr("begun-elsewhere") == 1, "what was counted in Redis goes on from nothing"
    assert cache.add("begun-elsewhere", 0) is False and cache.incr("begun-elsewhere") == 2
    assert time.monotonic() - began < 1


def test_with_redis_it_is_there_and_finds_it_again_when_it_was_started_anew(broker: str) -> None:
    address = redis_location(broker, database=1)
    cache = SteadyRedisCache(address, {})
    cache.set("kept", 1)
    with redis.Redis.from_url(address) as server:
        assert server.exists(cache.make_key("kept"))
        server.client_kill_filter(_type="normal", skipme=True)
        assert cache.get("kept") == 1
        cache.set("after", 2)
        assert server.exists(cache.make_key("after")), "not in the memory of this process"


def test_a_page_does_not_wait_for_a_redis_that_hangs(broker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address = redis_location(broker, database=1)
    cache = SteadyRedisCache(address, {"KEY_PREFIX": uuid.uuid4().hex})
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
