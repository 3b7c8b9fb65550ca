"""Events are moved through files. Any change of the imported rows is detected.

`make play-events` moves many more events.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest

from pairing.models import MatchResult
from scoring.archive.services.imports import ImportMode
from scoring.models import Card, Evidence
from scoring.rehearsal.services.play import ActionRecord
from tests.devtools.whole_events.checks import compare_earlier_rows, read_all_rows
from tests.devtools.whole_events.round_trips import (
    MOMENTS,
    Snapshot,
    choose_moment,
    compare_copy,
    compare_moved,
    take_snapshot,
)
from tests.devtools.whole_events.runner import Order, play_all
from tests.scoring.helpers.archive import a_tournament_in_play, another_installation, import_event
from tournament.models import AuditEntry, Entrant, Event, LedgerLine

pytestmark = pytest.mark.django_db

SMALL: Final = Order("tables", "fort-worth", 12, often=0.0, entrants=2, round_trips=True)


@pytest.mark.long
@pytest.mark.sample("whole random events", 2)
def test_an_event_that_is_moved_agrees_with_its_facts_everywhere() -> None:
    """A quick run plays one random event: this one, or the one in `test_whole_events`, with the same comparison."""
    [outcome] = play_all([SMALL], 1)
    assert outcome.fault == ""
    assert outcome.found == (), "\n".join(outcome.found)
    assert outcome.acts > 20


def test_events_are_moved_in_every_state() -> None:
    states = [state for state, (_weight, most) in MOMENTS.items() for _act in range(most + 1)]
    actions = [ActionRecord(0, "hand", "", None, Event(state=state)) for state in states]
    moved = {next(action.event.state for action in actions if stops(action)) for stops in map(choose_moment, range(50))}
    assert moved == set(MOMENTS)


# --- Planted faults --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def original(rows_of_module: None, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return take_snapshot(a_tournament_in_play(), tmp_path_factory.mktemp("round-trips") / "original.zip")


@dataclass(frozen=True)
class Fault:
    """A change of imported rows, and patterns of the disagreements that it must lead to."""

    plant: Callable[[Event], object]
    patterns: tuple[str, ...]


def first(rows: Any) -> Any:
    return rows.filter(pk=rows.order_by("pk")[0].pk)


FAULTS: Final = {
    "another private link": Fault(
        lambda event: first(event.entrants).update(token="other"), ("page: .* seen 'no page' on /my/", "facts.jsonl")
    ),
    "another address of a card": Fault(
        lambda event: first(Card.objects.all()).update(token="other"), ("page: .* seen 'no page' on /c/",)
    ),
    "a cent less": Fault(
        lambda event: first(LedgerLine.objects.filter(kind="payment")).update(cents=59_99),
        ("verify_event", "facts.jsonl"),
    ),
    "another club": Fault(lambda event: first(event.entrants).update(club="Reno"), ("page: ", "summary.json")),
    "another score": Fault(
        lambda event: first(MatchResult.objects.all()).update(score={"1": 7, "2": 3}), ("page: .*/match/", "facts")
    ),
    "another log row": Fault(lambda event: first(AuditEntry.objects.all()).update(reason="none"), ("log.jsonl",)),
    "a lost photo": Fault(lambda event: Evidence.objects.update(photo=""), ("attached files",)),
}


def disagreements(original: Snapshot, fault: Fault | None = None) -> Iterator[str]:
    with another_installation():
        event = import_event(original.file)
        if fault is not None:
            fault.plant(event)
        for each in compare_moved(original, take_snapshot(event, original.file.with_name("moved.zip"))):
            yield str(each)


def test_an_event_that_was_moved_has_everything(original: Snapshot) -> None:
    assert list(disagreements(original)) == []


@pytest.mark.sample("faults in moved events", 4)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_moved_event_is_found(original: Snapshot, name: str) -> None:
    reported = list(disagreements(original, FAULTS[name]))
    assert [pattern for pattern in FAULTS[name].patterns if not any(re.search(pattern, one) for one in reported)] == []


def test_a_fault_in_a_copy_is_found(original: Snapshot) -> None:
    copy = import_event(original.file, ImportMode.COPY)
    assert list(compare_copy(original, copy)) == []
    copy.entrants.filter(number=1).update(club="Reno")
    assert any(each.what == "figures" for each in compare_copy(original, copy))


def test_an_original_that_its_copy_changed_is_found(original: Snapshot) -> None:
    earlier = read_all_rows()
    import_event(original.file, ImportMode.COPY)
    assert list(compare_earlier_rows(earlier)) == []
    original.event.entrants.filter(number=1).update(club="Reno")
    assert [each.where for each in compare_earlier_rows(earlier)] == [Entrant._meta.db_table]
