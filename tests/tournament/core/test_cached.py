from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from threading import Event as Signal
from time import monotonic
from typing import Any

import pytest

from tests.factories import an_event
from tournament.core.cached import (
    MARKED_VERSIONS_LIFETIME_S,
    cached,
    cached_bulk,
    clear_cache,
    forget_versions,
    load_topic_versions_if_read_only,
    load_versions_by_topic,
    use_topic_version_snapshot,
)
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.core.topics import EVERYBODY_TOPIC, add_topics_to_write, save_topic_versions, track_write


@pytest.fixture
def turns() -> Iterator[Callable[[], int]]:
    yield count(1).__next__
    clear_cache()


def test_a_value_is_made_once_per_version_of_its_topics(turns: Callable[[], int]) -> None:
    def fold(versions: dict[str, int], name: str = "a") -> int:
        return cached(7, ["match-3"], name, turns, versions=versions)

    assert [fold({"match-3": 4}), fold({"match-3": 4, "match-9": 8})] == [1, 1]
    assert fold({"match-3": 4}, name="b") == 2
    assert fold({"match-3": 5}) == 3
    assert fold({"match-3": 5, EVERYBODY_TOPIC: 6}) == 4


def test_an_older_reader_does_not_replace_a_newer_value(turns: Callable[[], int]) -> None:
    assert cached(7, ["match-3"], "a", turns, versions={"match-3": 5}) == 1
    assert cached(7, ["match-3"], "a", turns, versions={"match-3": 4}) == 2
    assert cached(7, ["match-3"], "a", turns, versions={"match-3": 5}) == 1


def fold_among(turns: Callable[[], int], asked: list[str], versions: dict[str, int], match: int) -> int:
    """Return the cached value of the match with this number, or compute it with `turns`.

    If a value is computed, append to `asked` whether this was done for this match alone or for all matches.
    """

    def make_all() -> dict[int, int]:
        asked.append("all")
        return {3: turns(), 9: turns()}

    def make() -> int:
        asked.append(f"match {match}")
        return turns()

    return cached_bulk(7, [f"match-{match}"], versions, ("a", match), make, make_all)


def test_after_a_write_for_everybody_all_values_are_made_together(turns: Callable[[], int]) -> None:
    asked: list[str] = []
    fold = partial(fold_among, turns, asked)

    assert [fold({EVERYBODY_TOPIC: 6, "match-3": 5}, match) for match in (3, 9, 3)] == [1, 2, 1]
    assert asked == ["all"]
    assert [fold({EVERYBODY_TOPIC: 6, "match-3": 7}, match) for match in (3, 9, 3)] == [3, 2, 3]
    assert asked == ["all", "match 3"]
    assert fold({EVERYBODY_TOPIC: 6}, 12) == 4, "one that is not among them"
    assert [fold({EVERYBODY_TOPIC: 8, "match-3": 7}, match) for match in (9, 3)] == [6, 5]
    assert asked == ["all", "match 3", "match 12", "all"]


@pytest.mark.parametrize(("tables", "expected"), [(39, ["match 3", "match 9"]), (41, ["all"])])
def test_after_a_round_is_sent_to_its_tables_all_values_are_made_together(
    turns: Callable[[], int], tables: int, expected: list[str]
) -> None:
    asked: list[str] = []
    versions = {EVERYBODY_TOPIC: 5} | {f"match-{match}": 6 for match in range(1, tables + 1)}
    fold = partial(fold_among, turns, asked, versions)

    assert [fold(match) for match in (3, 9, 3)] == [1, 2, 1]
    assert asked == expected
    versions["match-3"] = 7
    assert fold(3) == 3 and asked == [*expected, "match 3"], "written of since"
    assert fold(9) == 2


@pytest.mark.django_db
def test_inside_a_write_one_value_is_made_alone(turns: Callable[[], int]) -> None:
    with track_write():
        assert cached_bulk(7, (), {EVERYBODY_TOPIC: 6}, ("a", 3), turns, dict) == 1


@pytest.mark.django_db
def test_inside_a_write_nothing_is_cached(turns: Callable[[], int]) -> None:
    with track_write():
        assert cached(7, ["match-3"], "a", turns, versions={}) == 1
    assert cached(7, ["match-3"], "a", turns, versions={}) == 2


def test_a_reader_waits_for_a_value_that_is_being_made(turns: Callable[[], int]) -> None:
    begun, go_on = Signal(), Signal()

    def make() -> int:
        begun.set()
        assert go_on.wait(5)
        return turns()

    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(partial(cached, 7, ["match-3"], "a", make, versions={}))
        assert begun.wait(5)
        others = [threads.submit(partial(cached, 7, ["match-3"], "a", turns, versions={})) for _other in range(3)]
        newer = cached(7, ["match-3"], "a", lambda: 100, versions={"match-3": 9})
        go_on.set()
        assert [one.result(5) for one in (first, *others)] == [1, 1, 1, 1]
    assert newer == 100, "nobody waits for what is older"


def test_a_reader_makes_the_value_if_the_first_one_failed(turns: Callable[[], int]) -> None:
    begun, go_on = Signal(), Signal()

    def fail() -> int:
        begun.set()
        assert go_on.wait(5)
        raise LookupError

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(partial(cached, 7, ["match-3"], "a", fail, versions={}))
        assert begun.wait(5)
        other = threads.submit(partial(cached, 7, ["match-3"], "a", turns, versions={}))
        go_on.set()
        assert other.result(5) == 1
        with pytest.raises(LookupError):
            first.result(5)


@pytest.mark.django_db
def test_a_read_only_request_reads_the_versions_once(django_assert_num_queries: Any) -> None:
    event = an_event()
    assert load_topic_versions_if_read_only(event.pk) is None
    with use_topic_version_snapshot():
        with django_assert_num_queries(1):
            assert load_versions_by_topic(event.pk) == load_topic_versions_if_read_only(event.pk) == {}
        with writing(event, verb="event.opened", by=SYSTEM_ACTOR):
            add_topics_to_write("match-3")
        assert load_versions_by_topic(event.pk) == {"match-3": event.version + 1}, (
            "asked again after a write of its own"
        )


@pytest.mark.django_db(transaction=True)
def test_versions_are_read_again_after_a_write(django_assert_num_queries: Any) -> None:
    event = an_event()
    with use_topic_version_snapshot():
        before = load_versions_by_topic(event.pk)
    with use_topic_version_snapshot(), django_assert_num_queries(0):
        assert load_versions_by_topic(event.pk) == before
    with writing(event, verb="event.opened", by=SYSTEM_ACTOR):
        add_topics_to_write("match-3")
    with use_topic_version_snapshot(), django_assert_num_queries(1):
        assert load_versions_by_topic(event.pk)["match-3"] > max(before.values(), default=0)


@pytest.mark.django_db(transaction=True)
def test_versions_are_read_again_after_a_write_without_a_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process may die after it commits new versions and before it marks them as changed for other processes.

    Other processes therefore trust the versions that they have cached for only a second.
    """
    event = an_event()
    with use_topic_version_snapshot():
        before = load_versions_by_topic(event.pk)
        save_topic_versions(event, frozenset({"match-3"}), event.version + 1)
        assert load_versions_by_topic(event.pk) == before
        forget_versions()
        assert load_versions_by_topic(event.pk) == {**before, "match-3": event.version + 1}
    save_topic_versions(event, frozenset({"match-3"}), event.version + 2)
    monkeypatch.setattr("tournament.core.cached.monotonic", lambda: monotonic() + MARKED_VERSIONS_LIFETIME_S)
    with use_topic_version_snapshot():
        assert load_versions_by_topic(event.pk)["match-3"] == event.version + 2
