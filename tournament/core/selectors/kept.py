"""What is costly to work out, kept by the event's version; inside a transaction until the transaction writes anything.

There the version says nothing of rows that this transaction has written or taken back itself; so everything that may
change what is read empties what was kept: each write, the way back to a savepoint, a lock (it may have been waited
for), the beginning of another transaction.
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
"""What PostgreSQL's client says of a connection whose transaction has not begun: no statement says so."""


class UntilWritten:
    """Hears every statement of one connection."""

    def __init__(self) -> None:
        self.found: dict[Hashable, object] = {}

    def __call__(self, execute: Callable[..., Any], sql: object, params: Any, many: bool, context: Any) -> Any:
        if self.found and not only_reads(sql):
            self.found.clear()
        return execute(sql, params, many, context)


def only_reads(sql: object) -> bool:
    """Whether all that was read before stands after it, too."""
    said = sql[:9].upper() if isinstance(sql, str) else ""
    if said.startswith("SELECT "):
        return LOCKS.search(cast("str", sql)) is None
    return said in ("SAVEPOINT", "RELEASE S")


def kept_of(event: Event, at: K, make: Callable[[Event, K], T], topics: Topics = None) -> T:
    """What `make` gives of this event as of then; it is a function of a module, which is called with the event anew.

    `topics`: what it depends on, besides what concerns everybody; None: everything that is written to the event.
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
    """What `make` gives, worked out once for this key; to be called inside a transaction only."""
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
    """First of all that hear: those of a `with` block take the last one away at its end."""
    known = next((one for one in own.execute_wrappers if isinstance(one, UntilWritten)), None)
    if known is None:
        known = UntilWritten()
        own.execute_wrappers.insert(0, known)
    return known


def forget_until_written() -> None:
    """For tests that change the program in the middle of a transaction."""
    _of(connection).found.clear()
