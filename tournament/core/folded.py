"""What was folded from rows once is not folded again while the version of its topics stands.

    versions = versions_by_topic(event.pk)
    state = folded(event.pk, [match_topic(pk)], versions, ("card-state", pk), lambda: load_state(pk))

Kept in the memory of the process, the least recently asked dropped first. What is kept is given to several threads:
nobody changes it. Anyone who asks while it is made waits for it. Inside a write nothing is looked up and nothing is
kept, for it may be taken back.
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
"""Topics of one write from which all of a kind are made in one go: what they cost by themselves is more by then."""
MOST: Final = 6_000
"""Folds kept in one process: all cards of a full event, some 350 MB of a page process."""
PATIENCE: Final = 10.0
"""Seconds until the one who waits for another one's fold makes it as well."""

MARKED_FOR: Final = 1.0
"""Seconds. A writer may have died between the commit and its marks."""

_marked: dict[int, tuple[dict[str, int], Marks, float]] = {}
_kept: OrderedDict[Hashable, tuple[Any, Any]] = OrderedDict()
_making: dict[Hashable, "_Batch"] = {}
_lock = Lock()
_seen: ContextVar[dict[int, dict[str, int]] | None] = ContextVar("seen", default=None)
_is_trying: ContextVar[bool] = ContextVar("is trying", default=False)


@dataclass(eq=False)
class _Batch:
    """What one thread makes at once."""

    over: Signal = field(default_factory=Signal)
    made: Mapping[Any, Any] = field(default_factory=dict)


@contextmanager
def looking() -> Iterator[None]:
    """A request that only looks: the versions of an event are asked for once, before anything is read of it."""
    token = _seen.set({})
    try:
        yield
    finally:
        _seen.reset(token)


@contextmanager
def trying() -> Iterator[None]:
    """Try an act that may be rolled back: nothing that is read in this block is kept, and no version of it is seen.

    The next write has the same version as the act that was rolled back. A fold kept under it would stand from then on.
    """
    seen, is_trying = _seen.set(None), _is_trying.set(True)
    try:
        yield
    finally:
        _is_trying.reset(is_trying)
        _seen.reset(seen)


def look_again() -> None:
    """Something was written meanwhile, its mark may not be set yet: what is read from here on is as new as that."""
    (_seen.get() or {}).clear()
    _marked.clear()


def seen_versions(event_id: int) -> dict[str, int] | None:
    """`versions_by_topic` of a request that only looks; None: what is asked for may be about to be written."""
    return None if _seen.get() is None else versions_by_topic(event_id)


def versions_by_topic(event_id: int) -> dict[str, int]:
    """All topics that were ever written, one query: to be read before what is folded."""
    seen = _seen.get()
    if seen is None:
        return _load_versions(event_id)
    if event_id not in seen:
        seen[event_id] = _versions_as_marked(event_id)
    return seen[event_id]


def _load_versions(event_id: int) -> dict[str, int]:
    return dict(TopicVersion.objects.filter(event=event_id).values_list("name", "version"))


def _versions_as_marked(event_id: int) -> dict[str, int]:
    """As they were read last in this process while nothing was written to the event since, as its mark says.

    Inside a transaction they are read anew: its own writes set no mark before it is over.
    """
    if connection.in_atomic_block:
        return _load_versions(event_id)
    marks = marks_of(event_id, (ANYTHING,))  # before the versions: what is written meanwhile sets another one
    versions, kept, until = _marked.get(event_id, ({}, (), 0.0))
    if not marks or marks != kept or monotonic() >= until:
        versions = _load_versions(event_id)
        _marked[event_id] = versions, marks, monotonic() + MARKED_FOR
    return versions


def newest(versions: Mapping[str, int], topics: Collection[str]) -> int:
    """When any of these topics, or what concerns everybody, was last written."""
    return max(versions.get(topic, 0) for topic in (EVERYBODY, *topics))


def folded(
    event_id: int, topics: Collection[str], versions: Mapping[str, int], name: Hashable, make: Callable[[], T]
) -> T:
    """What `make` gave for this version of the topics (and of what concerns everybody), or gives now.

    `versions` are those of `versions_by_topic`; `name` tells apart what is made of the same topics.
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
    """`folded` for one of many: its `name` is that of their kind, and its own key.

    After a write that concerned everybody, or very many, all are asked for at once, so all are made in one go
    (`make_all`, by their keys). One that was written of since, or is not among them, is made by itself.
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
    """A round was sent to its tables: each match and each entrant has a topic of its own."""
    return sum(one == version for one in versions.values()) >= MANY


def folded_here(event_id: int, topics: Collection[str], name: Hashable, make: Callable[[], T]) -> T:
    """`folded` in a request that only looks; made anew elsewhere."""
    seen = seen_versions(event_id)
    return make() if seen is None else folded(event_id, topics, seen, name, make)


def folded_each(
    event_id: int,
    topics: Mapping[K, Collection[str]],
    versions: Mapping[str, int],
    make: Callable[[list[K]], Mapping[K, T]],
) -> dict[K, T]:
    """`folded` of many by name, each with its own topics: `make` is asked once, for those that are not kept."""
    if is_writing():
        return {**make(list(topics))} if topics else {}
    return folded_at(event_id, {name: newest(versions, each) for name, each in topics.items()}, make)


def folded_at(event_id: int, wanted: Mapping[K, Any], make: Callable[[list[K]], Mapping[K, T]]) -> dict[K, T]:
    """`folded_each` by the version of each name: a number, or what can be compared like one."""
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
    """For tests: events of another test may have had the same numbers."""
    with _lock:
        _kept.clear()
        _marked.clear()
