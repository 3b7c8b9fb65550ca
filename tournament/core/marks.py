"""Marks in memory that all processes of this machine share: one a topic, another one after each write to it.

What is kept with the marks it had is still true while they stand, and nobody has to ask the database. A mark is set
after the commit and before the write is acknowledged. Two topics may share a place: a page is then made once too often.
"""

import hashlib
import mmap
import os
from collections.abc import Iterable
from functools import cache
from typing import Final

from django.conf import settings

PLACES: Final = 1 << 18
_BYTES: Final = 8


@cache
def place_of(event_id: int, topic: str) -> int:
    digest = hashlib.blake2b(f"{event_id}/{topic}".encode(), digest_size=_BYTES).digest()
    return int.from_bytes(digest, "big") % PLACES


@cache
def _shared() -> memoryview:
    """The file is a table of numbers in the memory of the machine; it is made with the first look at it."""
    settings.MARKS_FILE.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(settings.MARKS_FILE, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        if os.fstat(file.fileno()).st_size < PLACES * _BYTES:
            file.truncate(PLACES * _BYTES)
        return memoryview(mmap.mmap(file.fileno(), PLACES * _BYTES)).cast("Q")


def set_marks(event_id: int, topics: Iterable[str]) -> None:
    """A number that was never there before: of two who set it at once, whoever is last is right, too."""
    shared = _shared()
    for topic in topics:
        shared[place_of(event_id, topic)] = int.from_bytes(os.urandom(_BYTES), "big")


def marks_of(event_id: int, topics: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Each place with the mark that stands there, to be held against `stand` later."""
    shared = _shared()
    return tuple((place, shared[place]) for place in (place_of(event_id, topic) for topic in topics))


def stand(marks: Iterable[tuple[int, int]]) -> bool:
    shared = _shared()
    return all(shared[place] == mark for place, mark in marks)
