"""What is kept of folds: while the version of its topics stands, and never out of a write."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tournament.core.folded import folded, forget_folds
from tournament.core.topics import EVERYBODY, raising


@pytest.fixture
def turns() -> Iterator[Callable[[], int]]:
    yield count(1).__next__
    forget_folds()


def test_made_once_a_version_of_its_topics(turns: Callable[[], int]) -> None:
    def fold(versions: dict[str, int], name: str = "a") -> int:
        return folded(7, ["match-3"], versions, name, turns)

    assert [fold({"match-3": 4}), fold({"match-3": 4, "match-9": 8})] == [1, 1]
    assert fold({"match-3": 4}, name="b") == 2
    assert fold({"match-3": 5}) == 3
    assert fold({"match-3": 5, EVERYBODY: 6}) == 4


def test_an_older_reader_does_not_put_back_what_is_older(turns: Callable[[], int]) -> None:
    assert folded(7, ["match-3"], {"match-3": 5}, "a", turns) == 1
    assert folded(7, ["match-3"], {"match-3": 4}, "a", turns) == 2
    assert folded(7, ["match-3"], {"match-3": 5}, "a", turns) == 1


@pytest.mark.django_db
def test_inside_a_write_nothing_is_kept(turns: Callable[[], int]) -> None:
    with raising():
        assert folded(7, ["match-3"], {}, "a", turns) == 1
    assert folded(7, ["match-3"], {}, "a", turns) == 2
