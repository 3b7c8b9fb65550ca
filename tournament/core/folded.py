"""A cache of values that were computed from rows, valid until one of their topics is written.

    versions = versions_by_topic(event.pk)
    state = folded(event.pk, [match_topic(pk)], versions, ("card-state", pk), lambda: load_state(pk))

The cache lives in the memory of the process and drops the least recently used values first. Threads share the values,
so nobody may change them. A thread that asks for a value that another thread is computing waits for it. Inside a write
the cache is neither read nor filled, because the write may be rolled back.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Event as Signal
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar

from django.db import connection

from tournament.core.marks import Marks, marks_of
from tournament.core.topics import ANY_WRITE, EVERYBODY, is_writing
from tournament.models import TopicVersion

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

BULK_FROM: Final = 40
"""If one write touched at least this many topics, all values of a kind are computed together, which is cheaper."""
MAX_VALUES: Final = 6_000
"""The most values in the cache: all cards of a full event, about 350 MB in a page process."""
MAX_WAIT_S: Final = 10.0
"""Seconds to wait for the value of another thread before computing it as well."""

MARKS_TRUSTED_S: Final = 1.0
"""Seconds for which marks are trusted. A writer may have died between its commit and its marks."""

_marked: dict[int, tuple[dict[str, int], Marks, float]] = {}
_kept: OrderedDict[Hashable, tuple[Any, Any]] = OrderedDict()
_making: dict[Hashable, "_Batch"] = {}
_lock = Lock()
_seen: ContextVar[dict[int, dict[str, int]] | None] = ContextVar("seen", default=None)
_is_trying: ContextVar[bool] = ContextVar("is trying", default=False)


@dataclass(eq=False)
class _Batch:
    """The values that one thread is computing."""

    over: Signal = field(default_factory=Signal)
    made: Mapping[Any, Any] = field(default_factory=dict)


@contextmanager
def read_only_request() -> Iterator[None]:
    """Run a read-only request: the topic versions of each event are read once, before anything else of the event."""
    token = _seen.set({})
    try:
        yield
    finally:
        _seen.reset(token)


@contextmanager
def trying() -> Iterator[None]:
    """Run an act that may be rolled back, without caching anything that is read in the block.

    The next write gets the same version as the act that was rolled back. A value cached under that version would be
    wrong.
    """
    seen, is_trying = _seen.set(None), _is_trying.set(True)
    try:
        yield
    finally:
        _is_trying.reset(is_trying)
        _seen.reset(seen)


def look_again() -> None:
    """Forget the versions read so far, because something was written since and its mark may not be set yet."""
    (_seen.get() or {}).clear()
    _marked.clear()


def seen_versions(event_id: int) -> dict[str, int] | None:
    """Return `versions_by_topic` in a read-only request, or None in a request that may write."""
    return None if _seen.get() is None else versions_by_topic(event_id)


def versions_by_topic(event_id: int) -> dict[str, int]:
    """Return the version of every topic that was ever written, in one query.

    Read the versions before the rows that depend on them.
    """
    seen = _seen.get()
    if seen is None:
        return _load_versions(event_id)
    if event_id not in seen:
        seen[event_id] = _load_versions_by_mark(event_id)
    return seen[event_id]


def _load_versions(event_id: int) -> dict[str, int]:
    return dict(TopicVersion.objects.filter(event=event_id).values_list("name", "version"))


def _load_versions_by_mark(event_id: int) -> dict[str, int]:
    """Return the versions that this process read last, unless the event's mark shows a write since.

    Inside a transaction they are always read again, because its own writes set no mark before the commit.
    """
    if connection.in_atomic_block:
        return _load_versions(event_id)
    marks = marks_of(event_id, (ANY_WRITE,))  # read before the versions, so that a write in between changes the mark
    versions, kept, until = _marked.get(event_id, ({}, (), 0.0))
    if not marks or marks != kept or monotonic() >= until:
        versions = _load_versions(event_id)
        _marked[event_id] = versions, marks, monotonic() + MARKS_TRUSTED_S
    return versions


def newest_version(versions: Mapping[str, int], topics: Collection[str]) -> int:
    """Return the version at which any of these topics, or `EVERYBODY`, was last written."""
    return max(versions.get(topic, 0) for topic in (EVERYBODY, *topics))


def folded(
    event_id: int, topics: Collection[str], versions: Mapping[str, int], name: Hashable, make: Callable[[], T]
) -> T:
    """Return the cached value of `make` for this version of the topics and of `EVERYBODY`, computing it if needed.

    Pass the result of `versions_by_topic` as `versions`. `name` identifies the value among those with the same topics.
    """
    return folded_each(event_id, {name: topics}, versions, lambda _names: {name: make()})[name]


def folded_among(
    event_id: int,
    topics: Collection[str],
    versions: Mapping[str, int],
    name: tuple[Hashable, K],
    make: Callable[[], T],
    make_all: Callable[[], Mapping[K, T]],
) -> T:
    """Return the cached value of one object of a kind. `name` is a pair of the kind and the object's own key.

    After a write that concerned everybody, or very many, every object is about to be asked for. `make_all` then
    computes all of them by key. If the object was written since, or is not in the result, `make` computes it alone.
    """
    kind, own = name
    version = newest_version(versions, topics)
    written_together = sum(one == version for one in versions.values())  # many when a round is sent to its tables
    if not is_writing() and (version == newest_version(versions, ()) or written_together >= BULK_FROM):
        together = ("all", kind, version)
        everybody = folded_at(event_id, {together: version}, lambda _names: {together: make_all()})[together]
        if own in everybody:
            return everybody[own]
    return folded(event_id, topics, versions, name, make)


def folded_here(event_id: int, topics: Collection[str], name: Hashable, make: Callable[[], T]) -> T:
    """Return `folded` in a read-only request, and an uncached value in any other."""
    seen = seen_versions(event_id)
    return make() if seen is None else folded(event_id, topics, seen, name, make)


def folded_each(
    event_id: int,
    topics: Mapping[K, Collection[str]],
    versions: Mapping[str, int],
    make: Callable[[list[K]], Mapping[K, T]],
) -> dict[K, T]:
    """Return cached values by name, each with its own topics. `make` is called once for all that are missing."""
    if is_writing():
        return {**make(list(topics))} if topics else {}
    return folded_at(event_id, {name: newest_version(versions, each) for name, each in topics.items()}, make)


def folded_at(event_id: int, wanted: Mapping[K, Any], make: Callable[[list[K]], Mapping[K, T]]) -> dict[K, T]:
    """Return cached values by name, each valid for exactly the given version: a number or any comparable value."""
    if _is_trying.get():
        return dict(make(list(wanted)))
    found, own, batch = {}, [], _Batch()
    theirs: dict[_Batch, list[K]] = {}
    with _lock:
        for name, version in wanted.items():
            key = (event_id, name)
            if (kept := _kept.get(key)) is not None and kept[0] == version:
                _kept.move_to_end(key)
                found[name] = kept[1]
            elif (making := _making.setdefault((key, version), batch)) is batch:
                own.append(name)
            else:
                theirs.setdefault(making, []).append(name)
    if own:
        found |= _make(event_id, {name: wanted[name] for name in own}, make, batch)
    for making, names in theirs.items():
        making.over.wait(MAX_WAIT_S)
        found |= {name: making.made[name] for name in names if name in making.made}
        if failed := [name for name in names if name not in making.made]:
            found |= make(failed)
    return {name: found[name] for name in wanted if name in found}


def _make(
    event_id: int, wanted: Mapping[K, Any], make: Callable[[list[K]], Mapping[K, T]], batch: _Batch
) -> Mapping[K, T]:
    try:
        batch.made = made = make(list(wanted))
        _store({(event_id, name): (wanted[name], value) for name, value in made.items()})
    finally:
        with _lock:
            for name, version in wanted.items():
                del _making[(event_id, name), version]
        batch.over.set()
    return made


def _store(made: Mapping[Hashable, tuple[Any, Any]]) -> None:
    with _lock:
        for key, value in made.items():
            if (later := _kept.get(key)) is None or later[0] <= value[0]:
                _kept[key] = value
                _kept.move_to_end(key)
        while len(_kept) > MAX_VALUES:
            _kept.popitem(last=False)


def forget_folds() -> None:
    """Empty the cache for tests, which reuse primary keys."""
    with _lock:
        _kept.clear()
        _marked.clear()
