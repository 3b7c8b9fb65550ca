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
    if is_writing():
        return make()
    version = newest(versions, topics)
    key = (event_id, name)
    with _lock:
        kept = _kept.get(key)
        if kept is not None and kept[0] == version:
            _kept.move_to_end(key)
            return kept[1]
    made = make()
    with _lock:
        if (later := _kept.get(key)) is None or later[0] <= version:
            _kept[key] = (version, made)
            _kept.move_to_end(key)
        while len(_kept) > MOST:
            _kept.popitem(last=False)
    return made


def forget_folds() -> None:
    """For tests: events of another test may have had the same numbers."""
    with _lock:
        _kept.clear()
