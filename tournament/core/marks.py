"""Version marks in shared memory, which show whether a stored page is still valid.

A topic names data that a write can change (`tournament.core.topics`). The mark of a topic is a random number that
changes with every write to the topic. A page is stored together with the marks of its topics, and remains valid while
these marks are unchanged. All processes of one machine share the marks in memory. Several servers share them in Redis
(`MARKS_URL`). Marks are updated after the commit, before the user gets a response. Two topics may share a mark, which
only means that some pages are rendered again unnecessarily.
"""

import hashlib
import mmap
import os
import time
from collections.abc import Iterable
from functools import cache
from typing import Final

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

TopicMarks = tuple[tuple[int, int], ...]
"""Pairs of a slot number and the mark in that slot at the time of reading."""

MARK_SLOT_COUNT: Final = 1 << 18
_MARK_BYTES: Final = 8
REDIS_TIMEOUT_S: Final = 0.3
"""Seconds to wait for an answer from Redis."""
REDIS_RETRY_S: Final = 2.0
"""Seconds before read-only requests try an unresponsive Redis again."""
SHARED_PAGE_LIFETIME_S: Final = 1.0
"""Seconds that a page is stored if several servers share marks. A write that cannot reach Redis waits this long."""


_redis_away_until: dict[str, float] = {}
"""For each Redis URL, the time until which an unresponsive server is not tried again."""


@cache
def _compute_slot(event_id: int, topic: str) -> int:
    digest = hashlib.blake2b(f"{event_id}/{topic}".encode(), digest_size=_MARK_BYTES).digest()
    return int.from_bytes(digest, "big") % MARK_SLOT_COUNT


def renew_topic_marks(event_id: int, topics: Iterable[str]) -> None:
    """Give each topic a new random mark, so that pages stored with the old mark are no longer valid.

    If two processes do this at the same time, it does not matter which of the two new marks remains.
    """
    marks = {_compute_slot(event_id, topic): _make_mark() for topic in topics}
    if settings.MARKS_URL:
        _write_redis_marks(marks)
        return
    shared = _map_local_marks()
    for slot, mark in marks.items():
        shared[slot] = mark


def repair_topic_marks(event_id: int, topics: Iterable[str]) -> None:
    """Update the marks of a committed write again, in case its process died before it could do so.

    This does nothing if several servers share marks, because their pages are stored only briefly.
    """
    if not settings.MARKS_URL:
        renew_topic_marks(event_id, topics)


def load_topic_marks(event_id: int, topics: Iterable[str]) -> TopicMarks:
    """Return the topics' current marks for a later comparison, or () if Redis does not answer."""
    slots = [_compute_slot(event_id, topic) for topic in topics]
    if settings.MARKS_URL:
        return _read_redis_marks(slots)
    shared = _map_local_marks()
    return tuple((slot, shared[slot]) for slot in slots)


def are_topic_marks_current(marks: Iterable[tuple[int, int]]) -> bool:
    """Return True if none of the topics was written since its mark was read.

    This works only with marks in local memory.
    """
    shared = _map_local_marks()
    return all(shared[slot] == mark for slot, mark in marks)


def _make_mark() -> int:
    return int.from_bytes(os.urandom(_MARK_BYTES), "big")


@cache
def _map_local_marks() -> memoryview:
    """Memory-map the file with the marks, which all processes of this machine share. The first call creates it."""
    settings.MARKS_FILE.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(settings.MARKS_FILE, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        if os.fstat(file.fileno()).st_size < MARK_SLOT_COUNT * _MARK_BYTES:
            file.truncate(MARK_SLOT_COUNT * _MARK_BYTES)
            if hasattr(os, "posix_fallocate"):  # writing to a sparse file on a full disk would kill the process
                os.posix_fallocate(file.fileno(), 0, MARK_SLOT_COUNT * _MARK_BYTES)
        return memoryview(mmap.mmap(file.fileno(), MARK_SLOT_COUNT * _MARK_BYTES)).cast("Q")


def _write_redis_marks(marks: dict[int, int]) -> None:
    """Write the marks to Redis. If that fails, wait until no stored page is valid anymore.

    Redis may be unreachable for this server only, so other servers may still trust the old marks.
    """
    try:
        client = make_redis_client(settings.MARKS_URL)
        client.hset(settings.MARKS_KEY, mapping={str(slot): mark for slot, mark in marks.items()})
    except (redis.RedisError, OSError):
        time.sleep(SHARED_PAGE_LIFETIME_S)


def _read_redis_marks(slots: list[int]) -> TopicMarks:
    """Read marks from Redis. Empty slots get new marks, so that stored pages become invalid if Redis loses its data."""
    if time.monotonic() < _redis_away_until.get(settings.MARKS_URL, 0.0):
        return ()
    try:
        with make_redis_client(settings.MARKS_URL).pipeline(transaction=False) as pipeline:
            for slot in slots:
                pipeline.hsetnx(settings.MARKS_KEY, str(slot), str(_make_mark()))
            pipeline.hmget(settings.MARKS_KEY, [str(slot) for slot in slots])
            marks = pipeline.execute()[-1]
    except (redis.RedisError, OSError):
        _redis_away_until[settings.MARKS_URL] = time.monotonic() + REDIS_RETRY_S
        return ()
    return tuple((slot, int(mark or 0)) for slot, mark in zip(slots, marks, strict=True))


@cache
def make_redis_client(url: str) -> redis.Redis:
    """Return a Redis client that retries once after a closed idle connection, but not after a timeout."""
    retry = Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,))
    return redis.Redis.from_url(
        url, socket_connect_timeout=REDIS_TIMEOUT_S, socket_timeout=REDIS_TIMEOUT_S, retry=retry
    )
