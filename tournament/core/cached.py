"""Read the versions of events and topics, and cache values that were computed from rows.

A topic names data that a write can change, such as one match. An event's version increases with every write to the
event. A topic's version is the event's version after the last write to the topic.

    cached(event.pk, [get_match_topic(pk)], ("card-state", pk), lambda: load_state(pk))

A value is valid until one of its topics, or `EVERYBODY_TOPIC`, is written. The cache is in the memory of the process
and drops the least recently used values first. Threads share the values, so nobody may change them. If another thread
is already computing a value, a thread that needs the value waits for it.

A transaction has its own cache, because it may be rolled back, and because the versions do not include its writes yet.
Every SQL statement that may change data empties that cache.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Event as Signal
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.db.models import Max, Q

from tournament.core.marks import TopicMarks, load_topic_marks
from tournament.core.topics import ANY_WRITE_TOPIC, EVERYBODY_TOPIC, is_write_open
from tournament.models import Event, TopicVersion

_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)

# --- Versions --------------------------------------------------------------------------------------------------------

FollowedTopics = Collection[str] | None
"""The topics that a page follows besides `EVERYBODY_TOPIC`, or None if it follows every write to its event."""

MARKED_VERSIONS_LIFETIME_S: Final = 1.0
"""Seconds for which versions in memory are used without a query if the event's version mark is unchanged.

The time is short, because a process may die after its commit and before it changes the mark.
"""

_versions_with_marks: dict[int, tuple[dict[str, int], TopicMarks, float]] = {}
_request_versions: ContextVar[dict[int, dict[str, int]] | None] = ContextVar("request versions", default=None)
_is_trial: ContextVar[bool] = ContextVar("is trial", default=False)


def load_public_event_version(tournament_slug: str, event_slug: str) -> tuple[int, int] | None:
    """Return the event's primary key and version, or None if the event does not exist or is a draft."""
    events = Event.objects.filter(tournament__slug=tournament_slug, slug=event_slug).exclude(state=Event.State.DRAFT)
    return events.values_list("pk", "version").first()


def load_topics_version(event_id: int, topics: Collection[str]) -> int:
    """Return the event's version at the last write to any of these topics or to `EVERYBODY_TOPIC`."""
    named = TopicVersion.objects.filter(event=event_id, name__in=[EVERYBODY_TOPIC, *topics])
    return named.aggregate(last=Max("version"))["last"] or 0


def load_event_versions(event_ids: Collection[int]) -> dict[int, int]:
    """Return each event's version, keyed by the event's primary key. Deleted events are left out."""
    return dict(Event.objects.filter(pk__in=event_ids).values_list("pk", "version"))


def load_changed_topic_versions(known: Mapping[int, int]) -> dict[int, dict[str, int]]:
    """Return the topics of each event that were written after the known version, with their new versions.

    `known` maps each event's primary key to the version that the caller already has.
    """
    later = Q()
    for event_id, version in known.items():
        later |= Q(event=event_id, version__gt=version)
    versions: dict[int, dict[str, int]] = {event_id: {} for event_id in known}
    rows = TopicVersion.objects.filter(later) if known else TopicVersion.objects.none()
    for event_id, name, version in rows.values_list("event", "name", "version"):
        versions[event_id][name] = version
    return versions


@contextmanager
def use_topic_version_snapshot() -> Iterator[None]:
    """Within this block, use the topic versions that were loaded at its start.

    The snapshot is taken once, before any other data about the event is read.
    """
    token = _request_versions.set({})
    try:
        yield
    finally:
        _request_versions.reset(token)


@contextmanager
def disable_persistent_cache() -> Iterator[None]:
    """Turn off the process-wide cache in this block, because the block's writes may be rolled back.

    After a rollback, the next write gets the same version number. A value that was cached under this number would then
    look current.
    """
    versions, is_trial = _request_versions.set(None), _is_trial.set(True)
    try:
        yield
    finally:
        _is_trial.reset(is_trial)
        _request_versions.reset(versions)


def forget_versions() -> None:
    """Forget all topic versions that this process has read.

    Every write calls this function. The version marks of the written topics change only after the commit, so the
    outdated versions would look current until then.
    """
    (_request_versions.get() or {}).clear()
    _versions_with_marks.clear()


def load_topic_versions_if_read_only(event_id: int) -> dict[str, int] | None:
    """Return the topic versions in a read-only request, or None in a request that may write."""
    return None if _request_versions.get() is None else load_versions_by_topic(event_id)


def load_versions_by_topic(event_id: int) -> dict[str, int]:
    """Return the versions of all the event's topics. Call this before reading rows that depend on them."""
    known = _request_versions.get()
    if known is None:
        return _load_versions(event_id)
    if event_id not in known:
        known[event_id] = _load_versions_by_mark(event_id)
    return known[event_id]


def _load_versions(event_id: int) -> dict[str, int]:
    return dict(TopicVersion.objects.filter(event=event_id).values_list("name", "version"))


def _load_versions_by_mark(event_id: int) -> dict[str, int]:
    """Return the versions of the event's topics, from memory if the event's version mark is unchanged.

    A transaction always reads the versions from the database, because its own writes change the marks only after the
    commit.
    """
    if connection.in_atomic_block:
        return _load_versions(event_id)
    marks = load_topic_marks(
        event_id, (ANY_WRITE_TOPIC,)
    )  # read before the versions, so that a write in between changes the mark
    versions, earlier_marks, until = _versions_with_marks.get(event_id, ({}, (), 0.0))
    if not marks or marks != earlier_marks or monotonic() >= until:
        versions = _load_versions(event_id)
        _versions_with_marks[event_id] = versions, marks, monotonic() + MARKED_VERSIONS_LIFETIME_S
    return versions


def find_newest_version(versions: Mapping[str, int], topics: Collection[str]) -> int:
    """Return the version of the latest write to any of these topics or to `EVERYBODY_TOPIC`."""
    return max(versions.get(topic, 0) for topic in (EVERYBODY_TOPIC, *topics))


# --- The cache -------------------------------------------------------------------------------------------------------

MIN_TOPICS_FOR_BULK_LOAD: Final = 40
"""If one write concerns at least this many topics, all values of a kind are computed together, which is cheaper."""
MAX_CACHED_VALUES: Final = 6_000
"""The maximum number of cached values. It is enough for all cards of a full event, about 350 MB in a page process."""
MAX_WAIT_FOR_THREAD_S: Final = 10.0
"""Seconds to wait for another thread to compute a value before this thread computes it, too."""

_cached_values: OrderedDict[Hashable, tuple[Any, Any]] = OrderedDict()
_running_computations: dict[Hashable, "_Computation"] = {}
_lock = Lock()


@dataclass(eq=False)
class _Computation:
    """A computation of missing values that is running in one thread. Other threads can wait until it is done."""

    is_done: Signal = field(default_factory=Signal)
    values: Mapping[Any, Any] = field(default_factory=dict)


def cached(
    event_id: int,
    topics: Collection[str],
    key: Hashable,
    make: Callable[[], _T],
    *,
    at: Hashable = None,
    versions: Mapping[str, int] | None = None,
) -> _T:
    """Return the cached result of `make`. It is recomputed after a write to one of the topics or to `EVERYBODY_TOPIC`.

    `key` identifies the value within the event. If the value depends on the time, pass the time as `at`, and the cached
    value is used only for an equal `at`. Pass `versions` (from `load_versions_by_topic`) if you need them several
    times, or if you read them before the data that `make` uses.
    """
    if versions is None:
        if connection.in_atomic_block:
            return cached_in_transaction((event_id, key, at), make)
        versions = load_topic_versions_if_read_only(event_id)
        version = load_topics_version(event_id, topics) if versions is None else find_newest_version(versions, topics)
    elif is_write_open():
        return make()
    else:
        version = find_newest_version(versions, topics)
    return _cached_by_wanted_version(event_id, {key: (version, at)}, lambda _keys: {key: make()})[key]


def cached_many(
    event_id: int,
    topics: Mapping[_K, Collection[str]],
    versions: Mapping[str, int],
    make: Callable[[list[_K]], Mapping[_K, _T]],
) -> dict[_K, _T]:
    """Return cached values by key, where each key has its own topics. `make` is called once for all missing keys."""
    if is_write_open():
        return {**make(list(topics))} if topics else {}
    return _cached_by_wanted_version(
        event_id, {key: (find_newest_version(versions, each), None) for key, each in topics.items()}, make
    )


def cached_bulk(
    event_id: int,
    topics: Collection[str],
    versions: Mapping[str, int],
    key: tuple[Hashable, _K],
    make: Callable[[], _T],
    make_all: Callable[[], Mapping[_K, _T]],
) -> _T:
    """Return the cached value of one object. `key` is a pair: the kind of object, and the object's own key.

    After a write to `EVERYBODY_TOPIC` or to many objects, all values will soon be needed, so `make_all` computes
    them together. If the object was written later, or is missing from the result of `make_all`, `make` computes its
    value alone.
    """
    kind, own = key
    version = find_newest_version(versions, topics)
    written_together = sum(each == version for each in versions.values())  # many after a round is sent to its tables
    if not is_write_open() and (
        version == find_newest_version(versions, ()) or written_together >= MIN_TOPICS_FOR_BULK_LOAD
    ):
        together = ("all", kind, version)
        values = _cached_by_wanted_version(event_id, {together: (version, None)}, lambda _keys: {together: make_all()})[
            together
        ]
        if own in values:
            return values[own]
    return cached(event_id, topics, key, make, versions=versions)


def _cached_by_wanted_version(
    event_id: int, wanted: Mapping[_K, Any], make: Callable[[list[_K]], Mapping[_K, _T]]
) -> dict[_K, _T]:
    """Return cached values by key. `wanted` maps each key to the version that its value must have.

    A value that was cached with a different version is computed again. A version may be any comparable value.
    """
    if _is_trial.get():
        return dict(make(list(wanted)))
    values, own, batch = {}, [], _Computation()
    theirs: dict[_Computation, list[_K]] = {}
    with _lock:
        for key, version in wanted.items():
            stored = _cached_values.get((event_id, key))
            if stored is not None and stored[0] == version:
                _cached_values.move_to_end((event_id, key))
                values[key] = stored[1]
            elif (other := _running_computations.setdefault(((event_id, key), version), batch)) is batch:
                own.append(key)
            else:
                theirs.setdefault(other, []).append(key)
    if own:
        values |= _compute_and_store(event_id, {key: wanted[key] for key in own}, make, batch)
    for other, keys in theirs.items():
        other.is_done.wait(MAX_WAIT_FOR_THREAD_S)
        values |= {key: other.values[key] for key in keys if key in other.values}
        if missing := [key for key in keys if key not in other.values]:
            values |= make(missing)
    return {key: values[key] for key in wanted if key in values}


def _compute_and_store(
    event_id: int, wanted: Mapping[_K, Any], make: Callable[[list[_K]], Mapping[_K, _T]], batch: _Computation
) -> Mapping[_K, _T]:
    try:
        batch.values = values = make(list(wanted))
        with _lock:
            for key, value in values.items():
                later = _cached_values.get((event_id, key))
                if later is None or later[0] <= wanted[key]:
                    _cached_values[event_id, key] = wanted[key], value
                    _cached_values.move_to_end((event_id, key))
            while len(_cached_values) > MAX_CACHED_VALUES:
                _cached_values.popitem(last=False)
    finally:
        with _lock:
            for key, version in wanted.items():
                del _running_computations[(event_id, key), version]
        batch.is_done.set()
    return values


# --- The cache of a transaction --------------------------------------------------------------------------------------

LOCKING_CLAUSE_PATTERN: Final = re.compile(r" FOR (NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b|\bpg_\w*lock")

PSYCOPG_IDLE_STATUS = 0
"""The status that psycopg reports before a transaction begins."""


class _TransactionCache:
    """The cached values of one transaction. Django calls this object as a wrapper around each SQL statement.

    The values are dropped after a write, after a rollback to a savepoint, and when another transaction starts. A
    statement that locks rows also drops them, because another transaction may have changed the data before the lock was
    granted.
    """

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self.values: dict[Hashable, object] = {}
        self._watching = connection.execute_wrapper(self)  # never left, and would end with its last reference
        self._watching.__enter__()

    def __call__(self, execute: Callable[..., Any], sql: object, params: Any, many: bool, context: Any) -> Any:
        if self.values and not is_read_only_statement(sql):
            self.values.clear()
        return execute(sql, params, many, context)


def _watch_statements(connection: BaseDatabaseWrapper, **_more: Any) -> None:
    if not hasattr(connection, "transaction_cache"):
        vars(connection)["transaction_cache"] = _TransactionCache(connection)


connection_created.connect(_watch_statements, dispatch_uid="cached")


def is_read_only_statement(sql: object) -> bool:
    """Return whether this SQL statement changes no data, so that cached values remain valid."""
    start = sql[:9].upper() if isinstance(sql, str) else ""
    if start.startswith("SELECT "):
        return LOCKING_CLAUSE_PATTERN.search(cast("str", sql)) is None
    return start in ("SAVEPOINT", "RELEASE S")


def cached_in_transaction(key: Hashable, make: Callable[[], _T]) -> _T:
    """Return the result of `make`, cached until the current transaction writes.

    Outside a transaction, nothing is cached.
    """
    current = connections[DEFAULT_DB_ALIAS]
    cache: _TransactionCache | None = getattr(current, "transaction_cache", None)
    if cache is None or not current.in_atomic_block:  # a connection may be older than this module
        return make()
    if connection.vendor == "postgresql":
        link = current.connection
        if link is None or link.info.transaction_status == PSYCOPG_IDLE_STATUS:
            cache.values.clear()
    if key not in cache.values:
        cache.values[key] = make()
    return cast("_T", cache.values[key])


def clear_cache() -> None:
    """Empty the cache. Tests need this because they reuse primary keys and patch the program inside a transaction."""
    current = connections[DEFAULT_DB_ALIAS]
    _watch_statements(current)
    vars(current)["transaction_cache"].values.clear()
    with _lock:
        _cached_values.clear()
        _versions_with_marks.clear()
