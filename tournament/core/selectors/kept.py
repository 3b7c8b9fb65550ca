"""A cache of costly values by the event's version, or in a transaction until it writes anything.

The version does not show what an open transaction has written or rolled back itself. Every statement that may change
what is read therefore empties its cache: a write, a rollback to a savepoint, a lock that may have been waited for, or
the start of another transaction.
"""

import re
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar, cast

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from tournament.core.folded import folded_at, newest, seen_versions
from tournament.core.selectors.events import shared_event
from tournament.core.selectors.versions import Topics, event_versions, topics_version
from tournament.models import Event

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

LOCKS: Final = re.compile(r" FOR (NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b|\bpg_\w*lock")

IDLE = 0
"""The status that psycopg reports for a connection whose transaction has not begun, which no statement shows."""


class UntilWritten:
    """A wrapper of the statements of one connection that holds the cached values of its transaction."""

    def __init__(self) -> None:
        self.found: dict[Hashable, object] = {}

    def __call__(self, execute: Callable[..., Any], sql: object, params: Any, many: bool, context: Any) -> Any:
        if self.found and not only_reads(sql):
            self.found.clear()
        return execute(sql, params, many, context)


def only_reads(sql: object) -> bool:
    """Return whether values that were read before this statement are still valid after it."""
    said = sql[:9].upper() if isinstance(sql, str) else ""
    if said.startswith("SELECT "):
        return LOCKS.search(cast("str", sql)) is None
    return said in ("SAVEPOINT", "RELEASE S")


def kept_of(event: Event, at: K, make: Callable[[Event, K], T], topics: Topics = None) -> T:
    """Return the cached value of `make` for this event and `at`.

    `make` must be a function of a module, and is called with the event as read again. `topics` are the topics that the
    value depends on besides `EVERYBODY`. None means that any write to the event invalidates the value.
    """
    if connection.in_atomic_block:
        return until_written((make, event.pk, at), lambda: make(event, at))
    version = _version_of(event.pk, topics)

    def made(names: list[Callable[[Event, K], T]]) -> dict[Callable[[Event, K], T], T]:
        fresh = _event_anew(event.pk)
        return {name: name(fresh, at) for name in names}

    return folded_at(event.pk, {make: (version, at)}, made)[make]


def _event_anew(event_id: int) -> Event:
    seen = seen_versions(event_id)
    if seen is not None:
        return shared_event(event_id, seen)
    return Event.objects.select_related("tournament").get(pk=event_id)


def _version_of(event_id: int, topics: Topics) -> int:
    if topics is None:
        return event_versions([event_id])[event_id]
    seen = seen_versions(event_id)
    return topics_version(event_id, topics) if seen is None else newest(seen, topics)


def until_written(key: Hashable, make: Callable[[], T]) -> T:
    """Return the value of `make`, cached by the key until the transaction writes. Call it inside a transaction only."""
    found = _of(connection).found
    if connection.vendor == "postgresql" and _is_idle():
        found.clear()
    if key not in found:
        made = make()
        found[key] = made
    return cast("T", found[key])


def _is_idle() -> bool:
    opened = connection.connection
    return opened is None or opened.info.transaction_status == IDLE


def _of(own: BaseDatabaseWrapper) -> UntilWritten:
    """Return the connection's wrapper, and install it if there is none.

    It becomes the first wrapper, because a `with` block removes the last one when it ends.
    """
    known = next((one for one in own.execute_wrappers if isinstance(one, UntilWritten)), None)
    if known is None:
        known = UntilWritten()
        own.execute_wrappers.insert(0, known)
    return known


def forget_until_written() -> None:
    """Empty the cache for tests that change the program in the middle of a transaction."""
    _of(connection).found.clear()
