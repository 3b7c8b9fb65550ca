"""What was folded from rows once is not folded again while the version of its topics stands.

    versions = versions_by_topic(event.pk)
    state = folded(event.pk, [match_topic(pk)], versions, ("card-state", pk), lambda: load_state(pk))

Kept in the memory of the process, the least recently asked dropped first. What is kept is given to several threads:
nobody changes it. Inside a write nothing is looked up and nothing is kept, for it may be taken back.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping
from threading import Lock
from typing import Any, Final, TypeVar

from tournament.core.topics import EVERYBODY, is_writing
from tournament.models import TopicVersion

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

MOST: Final = 20_000
"""Folds kept in one process; the cards of some ten full events."""

_kept: OrderedDict[Hashable, tuple[int, Any]] = OrderedDict()
_lock = Lock()


def versions_by_topic(event_id: int) -> dict[str, int]:
    """All topics that were ever written, one query: to be read before what is folded."""
    return dict(TopicVersion.objects.filter(event=event_id).values_list("name", "version"))


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


def folded_each(
    event_id: int,
    topics: Mapping[K, Collection[str]],
    versions: Mapping[str, int],
    make: Callable[[list[K]], Mapping[K, T]],
) -> dict[K, T]:
    """`folded` of many by name, each with its own topics: `make` is asked once, for those that are not kept."""
    if is_writing():
        return {**make(list(topics))} if topics else {}
    wanted = {name: newest(versions, each) for name, each in topics.items()}
    found: dict[K, T] = {}
    with _lock:
        for name, version in wanted.items():
            key = (event_id, name)
            if (kept := _kept.get(key)) is not None and kept[0] == version:
                _kept.move_to_end(key)
                found[name] = kept[1]
    if missing := [name for name in wanted if name not in found]:
        made = make(missing)
        _keep({(event_id, name): (wanted[name], value) for name, value in made.items()})
        found |= made
    return {name: found[name] for name in wanted if name in found}


def _keep(made: Mapping[Hashable, tuple[int, Any]]) -> None:
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
