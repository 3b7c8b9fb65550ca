"""`verify_event` recomputes the standings of pools from the results, and reports errors in the program's standings."""

from __future__ import annotations

from itertools import cycle

import pytest

from pairing.draws.results import WinLossRecord
from scoring.verification.selectors.checks import VerificationCheck, checks_as_json
from tests.devtools.whole_events.kinds import KINDS, WAYS, play_ready, start
from tests.kit import fresh
from tests.prebuilt import prebuilt
from tests.verifying import verify_event
from tournament.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def event() -> Event:
    """Return an event with two groups of three entrants, after the first games in both groups."""
    event = start(KINDS["groups"], "gra-singles")
    assert play_ready(event, cycle([WAYS["paper_entered"]]))
    return fresh(event)


def standings(event: Event) -> list[VerificationCheck]:
    return [check for check in verify_event(event) if check.kind == "standings"]


def test_they_are_compared_while_they_are_played(event: Event) -> None:
    (check,) = standings(event)
    assert check.passed and check.finding.startswith("6 entries by ")
    assert checks_as_json(verify_event(event))["checked"]["standings"] == 6
    assert check.facts["entries"] == [1, 2, 3, 4, 5, 6] and check.facts["results"]


def test_a_spread_that_the_program_counts_wrong_is_found(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = property(lambda record: record.wins - record.losses)
    monkeypatch.setattr(WinLossRecord, "spread", planted)
    (check,) = standings(event)
    assert not check.passed and "have other results" in check.finding
