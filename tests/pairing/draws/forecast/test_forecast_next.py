"""About when somebody sits down next: by hand, and what may never move it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pairing.draws.forecast.forecast import PRECISION, TimedGame, about_table, about_when

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


def took(minutes: float, ended: datetime = NOON, length: float = 1.0) -> TimedGame:
    return TimedGame((1, 2), ended - timedelta(minutes=minutes), ended, length)


def began(minutes_ago: float, length: float = 1.0) -> TimedGame:
    return TimedGame((3, 4), NOON - timedelta(minutes=minutes_ago), length=length)


PLAYED = [took(30), took(40), took(50)]


def test_it_is_the_end_of_the_last_match_before_to_the_next_five_minutes() -> None:
    assert about_when([began(10)], PLAYED, NOON) == NOON + timedelta(minutes=30)
    assert about_when([began(10), began(1)], PLAYED, NOON) == NOON + timedelta(minutes=40)


def test_a_longer_match_takes_longer_and_says_no_more_of_the_pace() -> None:
    assert about_when([began(10, length=2.0)], PLAYED, NOON) == NOON + timedelta(minutes=70)
    assert about_when([began(10)], [took(30), took(80, length=2.0), took(50)], NOON) == NOON + timedelta(minutes=30)


def test_nothing_is_said_where_nothing_can_be_said() -> None:
    slip = took(0.2)
    assert about_when([began(10)], [took(30), took(40), slip, slip], NOON) is None
    assert about_when([began(41)], PLAYED, NOON) is None
    assert about_when([], PLAYED, NOON) is None


@given(st.lists(st.integers(1, 200), min_size=1), st.integers(0, 30))
def test_what_ends_later_moves_nothing(later: list[int], since: int) -> None:
    after = [took(minutes, NOON + timedelta(minutes=minutes)) for minutes in later]
    said = about_when([began(since)], PLAYED, NOON)
    assert said is not None and said == about_when([began(since)], [*after, *PLAYED], NOON)
    assert timedelta() <= said - (NOON + timedelta(minutes=40 - since)) < PRECISION


def test_a_match_without_a_table_waits_for_as_many_to_end_as_are_before_it() -> None:
    over = [took(40, NOON - timedelta(minutes=30))] * 3
    busy = [began(30), began(20), began(5)]
    said = [about_table(ahead, [*over, *busy], NOON) for ahead in range(4)]
    assert said == [*(NOON + timedelta(minutes=left) for left in (10, 20, 35)), None]


def test_where_a_table_is_free_nothing_is_said() -> None:
    over = [took(40, NOON - timedelta(minutes=30))] * 3
    assert about_table(0, [*over, began(30), began(20)], NOON) is None
    assert about_table(1, [*over, began(30), began(20)], NOON) == NOON + timedelta(minutes=10)


def test_what_begins_later_moves_no_table() -> None:
    games = [*[took(40, NOON - timedelta(minutes=30))] * 3, began(30), began(20), began(5)]
    later = [TimedGame((5, 6), NOON + timedelta(minutes=3)), took(40, NOON + timedelta(minutes=50))]
    assert about_table(0, [*games, *later], NOON) == about_table(0, games, NOON)
