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

from tournament.core.folded import folded_at, newest_version, seen_versions
from tournament.core.selectors.events import shared_event
from tournament.core.selectors.versions import Topics, load_event_versions, load_topics_version
from tournament.models import Event

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

LOCKS: Final = re.compile(r" FOR (NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b|\bpg_\w*lock")

IDLE = 0
"""The status that psycopg reports for a connection whose transaction has not begun, which no statement shows."""


class TransactionCache:
    """A wrapper of the statements of one connection that holds the cached values of its transaction."""

    def __init__(self) -> None:
        self.found: dict[Hashable, object] = {}

    def __call__(self, execute: Callable[..., Any], sql: object, params: Any, many: bool, context: Any) -> Any:
        if self.found and not only_reads(sql):
            self.found.clear()
        return execute(sql, params, many, context)


def only_reads(sql: object) -> bool:
    """Return whether values that were read before this statement are still valid after it."""
    start = sql[:9].upper() if isinstance(sql, str) else ""
    if start.startswith("SELECT "):
        return LOCKS.search(cast("str", sql)) is None
    return start in ("SAVEPOINT", "RELEASE S")


def kept_of(event: Event, at: K, make: Callable[[Event, K], T], topics: Topics = None) -> T:
    """Return the cached value of `make` for this event and `at`.

    `make` must be a function of a module, and is called with the event as read again. `topics` are the topics that the
    value depends on besides `EVERYBODY`. None means that any write to the event invalidates the value.
    """
    if connection.in_atomic_block:
        return until_written((make, event.pk, at), lambda: make(event, at))
    if topics is None:
        version = load_event_versions([event.pk])[event.pk]
    else:
        versions = seen_versions(event.pk)
        version = load_topics_version(event.pk, topics) if versions is None else newest_version(versions, topics)

    def made(names: list[Callable[[Event, K], T]]) -> dict[Callable[[Event, K], T], T]:
        versions = seen_versions(event.pk)
        if versions is not None:
            fresh = shared_event(event.pk, versions)
        else:
            fresh = Event.objects.select_related("tournament").get(pk=event.pk)
        return {name: name(fresh, at) for name in names}

    return folded_at(event.pk, {make: (version, at)}, made)[make]


def until_written(key: Hashable, make: Callable[[], T]) -> T:
    """Return the value of `make`, cached by the key until the transaction writes. Call it inside a transaction only."""
    found = _transaction_cache(connection).found
    if connection.vendor == "postgresql":
        opened = connection.connection
        if opened is None or opened.info.transaction_status == IDLE:
            found.clear()
    if key not in found:
        found[key] = make()
    return cast("T", found[key])


def _transaction_cache(own: BaseDatabaseWrapper) -> TransactionCache:
    """Return the connection's wrapper, and install it if there is none.

    It becomes the first wrapper, because a `with` block removes the last one when it ends.
    """
    known = next((one for one in own.execute_wrappers if isinstance(one, TransactionCache)), None)
    if known is None:
        known = TransactionCache()
        own.execute_wrappers.insert(0, known)
    return known


def forget_until_written() -> None:
    """Empty the cache for tests that change the program in the middle of a transaction."""
    _transaction_cache(connection).found.clear()
