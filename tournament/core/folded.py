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
from tournament.core.topics import ANYTHING, EVERYBODY, is_writing
from tournament.models import TopicVersion

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

MANY: Final = 40
"""If one write touched at least this many topics, all values of a kind are computed together, which is cheaper."""
MOST: Final = 6_000
"""The most values in the cache: all cards of a full event, about 350 MB in a page process."""
PATIENCE: Final = 10.0
"""Seconds to wait for the value of another thread before computing it as well."""

MARKED_FOR: Final = 1.0
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
def looking() -> Iterator[None]:
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
        seen[event_id] = _versions_as_marked(event_id)
    return seen[event_id]


def _load_versions(event_id: int) -> dict[str, int]:
    return dict(TopicVersion.objects.filter(event=event_id).values_list("name", "version"))


def _versions_as_marked(event_id: int) -> dict[str, int]:
    """Return the versions that this process read last, unless the event's mark shows a write since.

    Inside a transaction they are always read again, because its own writes set no mark before the commit.
    """
    if connection.in_atomic_block:
        return _load_versions(event_id)
    marks = marks_of(event_id, (ANYTHING,))  # read before the versions, so that a write in between changes the mark
    versions, kept, until = _marked.get(event_id, ({}, (), 0.0))
    if not marks or marks != kept or monotonic() >= until:
        versions = _load_versions(event_id)
        _marked[event_id] = versions, marks, monotonic() + MARKED_FOR
    return versions


def newest(versions: Mapping[str, int], topics: Collection[str]) -> int:
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
    version = newest(versions, topics)
    if not is_writing() and (version == newest(versions, ()) or _concerned_many(versions, version)):
        together = ("all", kind, version)
        everybody = folded_at(event_id, {together: version}, lambda _names: {together: make_all()})[together]
        if own in everybody:
            return everybody[own]
    return folded(event_id, topics, versions, name, make)


def _concerned_many(versions: Mapping[str, int], version: int) -> bool:
    """Return whether one write touched many topics, as when a round is sent to its tables."""
    return sum(one == version for one in versions.values()) >= MANY


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
    return folded_at(event_id, {name: newest(versions, each) for name, each in topics.items()}, make)


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
        making.over.wait(PATIENCE)
        found |= {name: making.made[name] for name in names if name in making.made}
        if failed := [name for name in names if name not in making.made]:
            found |= make(failed)
    return {name: found[name] for name in wanted if name in found}


def _make(
    event_id: int, wanted: Mapping[K, Any], make: Callable[[list[K]], Mapping[K, T]], batch: _Batch
) -> Mapping[K, T]:
    try:
        batch.made = made = make(list(wanted))
        _keep({(event_id, name): (wanted[name], value) for name, value in made.items()})
    finally:
        with _lock:
            for name, version in wanted.items():
                del _making[(event_id, name), version]
        batch.over.set()
    return made


def _keep(made: Mapping[Hashable, tuple[Any, Any]]) -> None:
    with _lock:
        for key, one in made.items():
            if (later := _kept.get(key)) is None or later[0] <= one[0]:
                _kept[key] = one
                _kept.move_to_end(key)
        while len(_kept) > MOST:
            _kept.popitem(last=False)


def forget_folds() -> None:
    """Empty the cache for tests, which reuse primary keys."""
    with _lock:
        _kept.clear()
        _marked.clear()
