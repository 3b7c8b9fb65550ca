"""An update added digests of earlier rows to old logs, but missed rows without an entrant. A later update adds them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from scoring.archive.selectors.checks import check_archive
from scoring.archive.selectors.files import ArchiveReader
from scoring.archive.services import imports
from scoring.models import Appeal, AppealDecided, Card, CardSeat, Cut, HandCheck, Ruling, SheetLine, Signature, UpCard
from tests.kit import fresh
from tests.scoring.helpers.archive import a_tournament_in_play, another_installation, export, import_event
from tests.scoring.helpers.playing import the_card
from tests.scoring.helpers.rows import problems
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.log import check_log_chain
from tournament.core.services.record import writing
from tournament.core.topics import record_changed_rows
from tournament.models import AuditEntry, Event

pytestmark = pytest.mark.django_db

MODELS = (CardSeat, Cut, Signature, UpCard, HandCheck, Appeal, AppealDecided)
CHANGES = {CardSeat: {"name": "Somebody"}, AppealDecided: {"upheld": True}}


def add_digests() -> None:
    import_module("scoring.migrations.0004_row_digests").add_digests(apps, None)


def add_missed_digests() -> None:
    import_module("scoring.migrations.0007_missed_row_digests").add_missed_digests(apps, None)


def add_rows_without_entrant(card: Card) -> None:
    """Add a row of each kind without an entrant, as an early version of the program did, with no digest in the log."""
    by: dict[str, Any] = {"by_name": "Dan Desk"}
    CardSeat.objects.create(card=card, position=card.seats.count(), name="Ladies")
    Cut.objects.create(card=card, order=["B", "A"], **by)
    Signature.objects.create(card=card, digest="0" * 64, method=Signature.Method.PAPER, **by)
    UpCard.objects.create(card=card, hand=9, up="7C", **by)
    HandCheck.objects.create(line=SheetLine.objects.filter(card=card).order_by("pk")[0], **by)
    if not Appeal.objects.exists():
        AppealDecided.objects.create(
            appeal=Appeal.objects.create(ruling=Ruling.objects.get(), **by), upheld=False, **by
        )


def add_card_of_teams(event: Event) -> None:
    card = the_card(event, "R1M1")
    added = Card.objects.create(match=card.match, game=9, sheet=card.sheet, token="t" * 20, opened_at=timezone.now())
    CardSeat.objects.create(card=added, position=0, name="Ladies")


def change_missed_rows() -> None:
    for model in MODELS:
        row = model._base_manager.order_by("pk").last()
        assert row is not None
        for column, value in CHANGES.get(model, {"by_name": "Mary"}).items():
            setattr(row, column, value)
        row.save()


@pytest.fixture(scope="module")
def _updated(rows_of_module: None) -> Event:
    """Return an event of which the first update missed a row of each kind."""
    event = a_tournament_in_play()
    add_rows_without_entrant(the_card(event, "R1M2"))
    add_digests()
    return event


@pytest.fixture
def event(_updated: Event) -> Event:
    return fresh(_updated)


@pytest.fixture
def old_file(event: Event, tmp_path: Path) -> Path:
    """Return a file that was exported before the missed digests were added."""
    return export(event, tmp_path)


@pytest.fixture
def elsewhere(event: Event, old_file: Path) -> Iterator[None]:
    with another_installation(with_keys_of=event):
        yield


def names_of(found: list[str]) -> set[str]:
    return {text.partition(" was ")[0].rpartition(" ")[0] for text in found}


NAMES = {str(model._meta.verbose_name) for model in MODELS}


def test_the_first_update_missed_each_kind_of_row_without_an_entrant(event: Event) -> None:
    assert names_of(problems(event)) == NAMES


def test_the_later_update_records_them_in_one_log_row(event: Event) -> None:
    before = AuditEntry.objects.count()
    add_missed_digests()
    assert problems(event) == []
    assert AuditEntry.objects.count() == before + 1
    assert check_log_chain(event.tournament).is_intact


def test_a_second_run_adds_nothing(event: Event) -> None:
    add_missed_digests()
    before = AuditEntry.objects.count()
    add_missed_digests()
    assert AuditEntry.objects.count() == before


def test_a_change_of_a_recorded_row_is_found(event: Event) -> None:
    add_missed_digests()
    change_missed_rows()
    assert names_of(problems(event)) == NAMES


def test_a_deleted_row_is_found(event: Event) -> None:
    add_missed_digests()
    Cut.objects.filter(keeper=None).delete()
    [problem] = problems(event)
    assert "was deleted in the database" in problem


def test_a_row_that_was_added_after_the_first_update_is_found(event: Event) -> None:
    add_rows_without_entrant(the_card(event, "R1M1"))
    CardSeat.objects.filter(card=the_card(event, "R1M1"), entrant=None).delete()  # that card is from before
    add_missed_digests()
    assert names_of(problems(event)) == {str(model._meta.verbose_name) for model in (Cut, Signature, UpCard, HandCheck)}


def test_a_seat_of_a_card_that_was_added_after_the_first_update_is_found(event: Event) -> None:
    add_card_of_teams(event)
    add_missed_digests()
    assert names_of(problems(event)) == {"card", "card seat"}


def test_a_row_with_an_entrant_is_found(event: Event) -> None:
    card = the_card(event, "R1M2")
    Cut.objects.create(card=card, keeper=card.entrants[0], by_name="Dan", at=timezone.now() - dt.timedelta(days=9))
    add_missed_digests()
    assert names_of(problems(event)) == {"cut"}


def test_an_old_file_has_no_faults(old_file: Path) -> None:
    with ArchiveReader(old_file) as archive:
        assert check_archive(archive).faults == []


def test_a_file_with_rows_that_were_added_after_the_update_has_faults(event: Event, tmp_path: Path) -> None:
    UpCard.objects.create(card=the_card(event, "R1M2"), hand=9, up="9D", by_name="Dan Desk")
    add_card_of_teams(event)
    with ArchiveReader(export(event, tmp_path)) as archive:
        faults = check_archive(archive).faults
    assert {fault.partition(" ")[0] for fault in faults} == {"UpCard", "Card", "CardSeat"}


@pytest.mark.usefixtures("elsewhere")
def test_an_import_of_an_old_file_records_the_missed_rows(old_file: Path) -> None:
    event = import_event(old_file)
    assert problems(event) == []
    change_missed_rows()
    assert names_of(problems(event)) == NAMES


@pytest.mark.usefixtures("elsewhere")
def test_rows_of_a_file_that_version_1_0_0_imported_are_recorded(
    old_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        imports,
        "record_changed_rows",
        lambda model, keys: None if model in MODELS else record_changed_rows(model, keys),
    )
    event = import_event(old_file)
    assert names_of(problems(event)) == NAMES
    add_missed_digests()
    assert problems(event) == []


def test_an_imported_row_that_was_recorded_is_not_recorded_again(event: Event, tmp_path: Path) -> None:
    seats = CardSeat.objects.filter(entrant=None)
    with writing(event, verb="test", by=SYSTEM_ACTOR):
        record_changed_rows(CardSeat, seats.values_list("pk", flat=True))
    file = export(event, tmp_path)
    with another_installation(with_keys_of=event):
        imported = import_event(file)
        seats.update(name="Somebody")
        add_missed_digests()
        assert names_of(problems(imported)) == {"card seat"}
