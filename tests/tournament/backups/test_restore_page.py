from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import a_tournament, a_user, an_event
from tests.kit import client_as, page_text
from tests.tournament.helpers.backups import write
from tournament.backups.selectors import (
    Backup,
    RestoreOutcome,
    RestoreRequest,
    list_backups,
    read_restore_outcome,
    read_restore_request,
)
from tournament.backups.services import carry_out_restore_request, make_backup, record_restore_failure, request_restore
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.installation import begin_installation_epoch
from tournament.errors import Conflict
from tournament.models import AuditEntry, Event, Installation, StaffRole

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.VAR_DIR, settings.BACKUP_DIR = tmp_path, tmp_path / "backups"
    settings.IS_SUPERVISED = True
    begin_installation_epoch(Installation.Origin.STARTED)
    return tmp_path


@pytest.fixture
def event() -> Event:
    return an_event()


@pytest.fixture
def backup(event: Event) -> Backup:
    write(event.tournament)
    made = make_backup()
    assert made is not None
    return made


def address(event: Event, name: str) -> str:
    return reverse("tournament:desk_restore", args=[event.tournament.slug, name])


def an_administrator() -> Client:
    client = Client()
    client.force_login(a_user(is_superuser=True))
    return client


def restore(client: Client, event: Event, backup: Backup, reason: str = "the wrong list") -> HttpResponse:
    return client.post(address(event, backup.path.name), {"reason": reason})


# --- What would be lost ----------------------------------------------------------------------------------------------


def test_it_says_in_words_what_would_be_lost(event: Event, backup: Backup) -> None:
    write(event.tournament, "draw.posted", "Ada Lovelace")
    text = page_text(client_as("director", event).get(address(event, backup.path.name)))
    assert "1 action would be lost" in text and "system · Draw posted · Ada Lovelace" in text


def test_it_lists_the_newest_twenty(event: Event, backup: Backup) -> None:
    for number in range(22):
        write(event.tournament, about=f"act {number}.")
    text = page_text(client_as("director", event).get(address(event, backup.path.name)))
    assert "22 actions would be lost, newest first" in text and "and 2 earlier actions" in text
    assert "act 21." in text and "act 1." not in text


def test_it_says_if_nothing_would_be_lost(event: Event, backup: Backup) -> None:
    assert "Nothing would be lost" in page_text(client_as("director", event).get(address(event, backup.path.name)))


def test_after_a_restore_it_counts_from_where_the_backup_branched_off(event: Event, backup: Backup) -> None:
    """The page counts the actions since the last log row that the backup and the current database share."""
    write(event.tournament, about="in the later backup")
    later = make_backup()
    assert later is not None
    event.tournament.log.order_by("-seq").first().delete()  # type: ignore[union-attr]
    begin_installation_epoch(Installation.Origin.RESTORED)
    event.tournament.log_head.delete()
    entry = write(a_tournament(), about="after the restore")
    AuditEntry.objects.filter(pk=entry.pk).update(id=later.log_row)
    text = page_text(an_administrator().get(address(event, later.path.name)))
    assert "1 action would be lost" in text and "after the restore" in text


def test_a_backup_that_is_gone_is_not_found(event: Event) -> None:
    answer = client_as("director", event).get(address(event, "20261130T140500Z-log-7.backup.zip"))
    assert answer.status_code == 404 and "no longer on this computer" in page_text(answer)


def test_a_damaged_backup_is_refused(event: Event, backup: Backup) -> None:
    backup.path.write_bytes(b"PK")
    answer = client_as("director", event).get(address(event, backup.path.name))
    assert answer.status_code == 409 and "is no backup, or it is damaged" in page_text(answer)


# --- Who may ---------------------------------------------------------------------------------------------------------


def test_the_director_of_the_only_tournament_may(event: Event, backup: Backup) -> None:
    restore(client_as("director", event), event, backup)
    assert read_restore_request() is not None


def test_a_demo_beside_the_tournament_does_not_count(event: Event, backup: Backup) -> None:
    a_tournament(is_demo=True)
    restore(client_as("director", event), event, backup)
    assert read_restore_request() is not None


def test_a_director_of_one_of_two_tournaments_may_not(event: Event, backup: Backup) -> None:
    other = a_tournament()
    write(other, about="Somebody elsewhere")
    answer = restore(client_as("director", event), event, backup)
    assert read_restore_request() is None
    assert "Ask an administrator" in page_text(answer) and "Somebody elsewhere" not in page_text(answer)


def test_a_director_of_both_may(event: Event, backup: Backup) -> None:
    user = a_user()
    for tournament in (event.tournament, a_tournament()):
        StaffRole.objects.create(user=user, tournament=tournament, role="director")
    client = Client()
    client.force_login(user)
    restore(client, event, backup)
    assert read_restore_request() is not None


def test_an_administrator_may(event: Event, backup: Backup) -> None:
    a_tournament()
    restore(an_administrator(), event, backup)
    assert read_restore_request() is not None


def test_a_server_shows_the_command(event: Event, backup: Backup, settings: Any) -> None:
    settings.IS_SUPERVISED = False
    answer = restore(client_as("director", event), event, backup)
    assert f"manage.py restore {backup.path.name} --yes" in page_text(answer)
    assert read_restore_request() is None


# --- The request and its outcome -------------------------------------------------------------------------------------


def test_the_request_names_the_backup_the_author_and_the_reason(event: Event, backup: Backup) -> None:
    restore(client_as("director", event), event, backup)
    asked = read_restore_request()
    assert asked is not None and (asked.backup, asked.reason) == (backup.path.name, "the wrong list")


def test_without_a_reason_nothing_is_requested(event: Event, backup: Backup) -> None:
    answer = restore(client_as("director", event), event, backup, reason=" ")
    assert answer.status_code == 422 and "Enter why you restore this backup." in page_text(answer)
    assert read_restore_request() is None


def test_of_two_who_confirm_at_once_the_second_is_told(event: Event, backup: Backup) -> None:
    restore(client_as("director", event), event, backup)
    first = read_restore_request()
    answer = restore(an_administrator(), event, backup)
    assert "Somebody else is restoring a backup now." in page_text(answer)
    assert read_restore_request() == first


def test_the_page_waits_until_there_is_an_outcome(event: Event, backup: Backup) -> None:
    answer = client_as("director", event).post(address(event, backup.path.name), {"reason": "r"}, follow=True)
    assert "The backup is being restored." in page_text(answer) and b"every 1s" in answer.content


def ask(backup: Backup) -> RestoreRequest:
    return request_restore(backup, by=SYSTEM_ACTOR, reason="r", time_zone="America/Los_Angeles")


def test_the_page_says_that_the_backup_is_restored(backup: Backup, folder: Path) -> None:
    asked = ask(backup)
    outcome = RestoreOutcome(asked, timezone.now(), kept="kept.backup.zip")
    (folder / "restore-outcome.json").write_text(json.dumps(outcome.as_json()))
    (folder / "restore-request.json").unlink()
    answer = Client().get(reverse("tournament:restore_outcome", args=[asked.pk]))
    assert "is restored." in page_text(answer) and "kept.backup.zip" in page_text(answer)
    assert b"every 1s" not in answer.content


def test_the_page_says_why_a_restore_failed(backup: Backup) -> None:
    asked = ask(backup)
    record_restore_failure("The disk is full.")
    text = page_text(Client().get(reverse("tournament:restore_outcome", args=[asked.pk])))
    assert "The backup was not restored. Nothing was changed" in text and "The disk is full." in text


def test_another_address_shows_nothing(backup: Backup) -> None:
    ask(backup)
    assert Client().get(reverse("tournament:restore_outcome", args=["guessed"])).status_code == 404


def test_an_outcome_is_read_as_it_was_written(backup: Backup, folder: Path) -> None:
    outcome = RestoreOutcome(ask(backup), dt.datetime(2026, 11, 30, 14, 5, tzinfo=dt.UTC), kept="k", failure="f")
    (folder / "restore-outcome.json").write_text(json.dumps(outcome.as_json()))
    assert read_restore_outcome() == outcome


def test_a_request_is_refused_while_another_one_waits(backup: Backup) -> None:
    ask(backup)
    with pytest.raises(Conflict, match="Somebody else is restoring"):
        ask(backup)


def refuse_file(request: RestoreRequest) -> None:
    raise AssertionError("A request to restore a backup imports no file.")


def test_a_failed_request_changes_nothing_and_keeps_the_backup_of_today(
    event: Event, backup: Backup, settings: Any
) -> None:
    """Expired backups stay, too, because the requested one may be among them."""
    settings.BACKUP_KEEP_ALL = settings.BACKUP_KEEP_HOURLY = settings.BACKUP_KEEP_DAILY = dt.timedelta(0)
    ask(backup)
    backup.path.write_bytes(b"PK")
    write(event.tournament)
    carry_out_restore_request(refuse_file)
    outcome = read_restore_outcome()
    assert outcome is not None and "is no backup, or it is damaged" in outcome.failure
    assert read_restore_request() is None
    assert len(list_backups(backup.path.parent)) == 2


def test_a_request_that_cannot_be_read_is_removed(folder: Path) -> None:
    (folder / "restore-request.json").write_text('{"pk": "half')
    carry_out_restore_request(refuse_file)
    assert not (folder / "restore-request.json").exists()


def test_a_request_with_an_outcome_is_not_carried_out_again(backup: Backup, folder: Path) -> None:
    outcome = RestoreOutcome(ask(backup), timezone.now())
    (folder / "restore-outcome.json").write_text(json.dumps(outcome.as_json()))
    carry_out_restore_request(refuse_file)
    assert read_restore_request() is None and read_restore_outcome() == outcome
