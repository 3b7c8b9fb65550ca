"""A write is acknowledged when it is on both laptops, and it waits for the second one only for a moment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.factories import a_tournament
from tests.tournament.helpers.backups import write
from tests.tournament.helpers.second_laptop import LONG_AGO, hear_from_second_laptop
from tournament.core import dispatch
from tournament.core.dispatch import RequestWrites, collect_writes
from tournament.models import AuditEntry, Tournament
from tournament.second_laptop.selectors import load_last_change
from tournament.second_laptop.services.changes import start_recording_changes, stop_recording_changes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("folder")]


@pytest.fixture
def tournament(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tournament]:
    """Provide a tournament on a first laptop. The second laptop has stored all changes so far."""
    monkeypatch.setattr(dispatch, "_apart_until_change", 0)
    start_recording_changes()
    yield a_tournament()
    stop_recording_changes()


class Follower:
    """A simulated second laptop that lacks some changes.

    Each time a write asks for the laptop's last change, the next item in `missing` says how many changes it lacks.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *missing: int, patience_s: float = 10.0) -> None:
        self.asked, self._missing = 0, missing
        monkeypatch.setattr(dispatch, "read_second_laptop_ack", self._answer)
        monkeypatch.setattr(dispatch, "SECOND_LAPTOP_WAIT_S", patience_s)

    def _answer(self) -> tuple[int, float]:
        missing = self._missing[min(self.asked, len(self._missing) - 1)]
        self.asked += 1
        return max(0, load_last_change() - missing), time.time()


def write_and_collect(tournament: Tournament) -> RequestWrites:
    with collect_writes() as writes:
        write(tournament)
    return writes


def test_a_write_waits_until_the_second_laptop_has_all_of_it(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower = Follower(monkeypatch, 50, 50, 1, 0)
    assert write_and_collect(tournament).unconfirmed == []
    assert follower.asked == 4


def test_a_write_that_waits_in_vain_is_unconfirmed_and_later_ones_do_not_wait(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower = Follower(monkeypatch, 50, patience_s=0.05)
    first = write_and_collect(tournament)
    assert (first.unconfirmed, first.last_change) == ([AuditEntry.objects.latest("pk").pk], load_last_change())
    assert follower.asked > 1
    follower = Follower(monkeypatch, 50)
    assert write_and_collect(tournament).unconfirmed == [AuditEntry.objects.latest("pk").pk]
    assert follower.asked <= 2


def test_writes_wait_again_when_the_second_laptop_has_caught_up(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    Follower(monkeypatch, 50, patience_s=0.05)
    write(tournament)
    follower = Follower(monkeypatch, 1, 1, 1, 0)  # it has the first write, but not all of the second one
    assert write_and_collect(tournament).unconfirmed == []
    assert follower.asked == 4


@pytest.mark.parametrize(("seconds_ago", "waits"), [(1.0, True), (4.0, False), (LONG_AGO, False)])
def test_no_write_waits_for_a_silent_laptop(
    tournament: Tournament, monkeypatch: pytest.MonkeyPatch, seconds_ago: float, waits: bool
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(dispatch, "SECOND_LAPTOP_WAIT_S", 0.05)
    monkeypatch.setattr(dispatch.time, "sleep", slept.append)
    hear_from_second_laptop(load_last_change(), seconds_ago)
    assert write_and_collect(tournament).unconfirmed != []
    assert (len(slept) > 3) is waits


def test_a_laptop_without_a_second_one_has_no_unconfirmed_writes(tournament: Tournament, settings: Any) -> None:
    assert not settings.SECOND_LAPTOP_ACK_FILE.exists()
    assert write_and_collect(tournament).unconfirmed == []
