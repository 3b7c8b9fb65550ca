"""Marks: one a topic, another one after each write to it. What is kept with marks that stand is still true.

They lie in memory that all processes of this machine share, or in Redis where several servers share a database
(`MARKS_URL`). A mark is set after the commit and before the write is acknowledged. Two topics may share a place: a page
is then made once too often.
"""

import hashlib
import mmap
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

Marks = tuple[tuple[int, int], ...]
"""Each place with the mark that stood there."""

PLACES: Final = 1 << 18
_BYTES: Final = 8
SOON: Final = 0.3
"""Seconds in which Redis has to answer."""
SILENT_FOR: Final = 2.0
"""Seconds after which a Redis that did not answer is asked again by those who only look."""
LONGEST_SHARED: Final = 1.0
"""Seconds that a page is kept where servers share marks. A write whose marks Redis did not take waits as long."""


@dataclass
class _Silence:
    """Until when nobody waits for Redis in vain."""

    until: float = 0.0


_silence = _Silence()


@cache
def place_of(event_id: int, topic: str) -> int:
    digest = hashlib.blake2b(f"{event_id}/{topic}".encode(), digest_size=_BYTES).digest()
    return int.from_bytes(digest, "big") % PLACES


def set_marks(event_id: int, topics: Iterable[str]) -> None:
    """Numbers that were never there before: of two who set one at once, the last is right, too."""
    marks = {place_of(event_id, topic): _new_mark() for topic in topics}
    if settings.MARKS_URL:
        _share(marks)
        return
    shared = _shared()
    for place, mark in marks.items():
        shared[place] = mark


def mend_marks(event_id: int, topics: Iterable[str]) -> None:
    """For a write that was seen in the database: the process that wrote may have died before they set its marks.

    Where servers share marks no page is kept for so long that it matters, and each process of each would set them.
    """
    if not settings.MARKS_URL:
        set_marks(event_id, topics)


def marks_of(event_id: int, topics: Iterable[str]) -> Marks:
    """To be held against `stand`, or against Redis, later; nothing where Redis does not answer."""
    places = [place_of(event_id, topic) for topic in topics]
    if settings.MARKS_URL:
        return _shared_marks(places)
    shared = _shared()
    return tuple((place, shared[place]) for place in places)


def stand(marks: Iterable[tuple[int, int]]) -> bool:
    shared = _shared()
    return all(shared[place] == mark for place, mark in marks)


def _new_mark() -> int:
    return int.from_bytes(os.urandom(_BYTES), "big")


@cache
def _shared() -> memoryview:
    """The file is a table of numbers in the memory of the machine; it is made with the first look at it."""
    settings.MARKS_FILE.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(settings.MARKS_FILE, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        if os.fstat(file.fileno()).st_size < PLACES * _BYTES:
            file.truncate(PLACES * _BYTES)
            if sys.platform == "linux":  # a file with holes would end the process on a full disk
                os.posix_fallocate(file.fileno(), 0, PLACES * _BYTES)
        return memoryview(mmap.mmap(file.fileno(), PLACES * _BYTES)).cast("Q")


def _share(marks: dict[int, int]) -> None:
    """Whether Redis is away for the other servers, too, nobody here knows: the write waits until no page is kept."""
    try:
        _redis(settings.MARKS_URL).hset(settings.MARKS_KEY, mapping={str(place): mark for place, mark in marks.items()})
    except (redis.RedisError, OSError):
        time.sleep(LONGEST_SHARED)


def _shared_marks(places: list[int]) -> Marks:
    """A place without a mark gets one: after Redis has forgotten all, nothing stands that was kept before."""
    if time.monotonic() < _silence.until:
        return ()
    try:
        with _redis(settings.MARKS_URL).pipeline(transaction=False) as asked:
            for place in places:
                asked.hsetnx(settings.MARKS_KEY, str(place), str(_new_mark()))
            asked.hmget(settings.MARKS_KEY, [str(place) for place in places])
            found = asked.execute()[-1]
    except (redis.RedisError, OSError):
        _silence.until = time.monotonic() + SILENT_FOR
        return ()
    return tuple((place, int(mark or 0)) for place, mark in zip(places, found, strict=True))


@cache
def _redis(url: str) -> redis.Redis:
    """Once more where a kept connection was closed; not where it is silent."""
    again = Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,))
    return redis.Redis.from_url(url, socket_connect_timeout=SOON, socket_timeout=SOON, retry=again)
