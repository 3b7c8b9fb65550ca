from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from tests.factories import an_event
from tests.kit import client_as, event_url, page_text
from tests.tournament.helpers.backups import write
from tournament.backups.services import make_backup, register_backup_copy_folder
from tournament.core.services.installation import begin_installation_epoch
from tournament.models import Event, Installation
from tournament.tasks.backups import make_backup_task

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def media(settings: Any, tmp_path: Path) -> Path:
    settings.BACKUP_DIR = tmp_path / "backups"
    settings.BACKUP_MOUNT_FOLDERS = [str(tmp_path / "media" / "*")]
    begin_installation_epoch(Installation.Origin.STARTED)
    return tmp_path / "media"


def address(event: Event, query: str = "") -> str:
    return reverse("tournament:desk_backups", args=[event.tournament.slug]) + query


def test_without_a_copy_it_says_what_to_do() -> None:
    event = an_event()
    text = page_text(client_as("director", event).get(address(event)))
    assert "Backups are only on this computer. Plug in a stick, and choose it below." in text


def test_a_stick_is_chosen_from_those_that_are_plugged_in(media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    event = an_event()
    (media / "BLUE").mkdir(parents=True)
    monkeypatch.setattr("os.path.ismount", lambda path: True)
    form = {"act": "copy", "folder": str(media / "BLUE")}
    answer = client_as("director", event).post(address(event), form, follow=True)
    assert f"Every backup is also copied to {media / 'BLUE' / 'gin-rummy-backups'}" in page_text(answer)


def test_a_chosen_stick_gets_a_backup_at_once(
    media: Path, monkeypatch: pytest.MonkeyPatch, sent: list[tuple[str, dict[str, Any]]]
) -> None:
    event = an_event()
    (media / "BLUE").mkdir(parents=True)
    monkeypatch.setattr("os.path.ismount", lambda path: True)
    form = {"act": "copy", "folder": str(media / "BLUE")}
    answer = client_as("director", event).post(address(event), form, follow=True)
    assert sent == [("tournament.make_backup", {"only_if_due": False})]
    assert "A backup is being made." in page_text(answer)


def test_no_other_folder_can_be_chosen(media: Path) -> None:
    event = an_event()
    answer = client_as("director", event).post(address(event), {"act": "copy", "folder": str(media.parent)})
    assert (answer.status_code, (media.parent / "gin-rummy-backups").exists()) == (422, False)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Pretend that a worker runs, and return a list that collects the names and arguments of the tasks sent to it."""
    tasks: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr("tournament.backups.console.is_worker_running", lambda: True)
    monkeypatch.setattr(
        "tournament.backups.console.send_task", lambda name, **about: tasks.append((name, about)) or True
    )
    return tasks


def test_back_up_now_is_sent_to_the_worker(sent: list[tuple[str, dict[str, Any]]]) -> None:
    event = an_event()
    answer = client_as("director", event).post(address(event), {"act": "make"}, follow=True)
    assert sent == [("tournament.make_backup", {"only_if_due": False})]
    assert "A backup is being made." in page_text(answer)


@pytest.mark.usefixtures("sent")
def test_the_page_says_when_the_backup_is_made() -> None:
    event = an_event()
    write(event.tournament)
    director = client_as("director", event)
    asked = director.post(address(event), {"act": "make"})["Location"]
    make_backup_task(only_if_due=False)
    text = page_text(director.get(asked))
    assert "The backup is made." in text
    assert "being made" not in text


@pytest.mark.usefixtures("sent")
def test_the_page_waits_no_longer_for_a_backup_that_failed(settings: Any) -> None:
    event = an_event()
    write(event.tournament)
    director = client_as("director", event)
    asked = director.post(address(event), {"act": "make"})["Location"]
    (settings.BACKUP_DIR / "lock").mkdir(parents=True)
    make_backup_task(only_if_due=False)
    answer = director.get(asked)
    assert "The last backup failed." in page_text(answer)
    assert b"every 1s" not in answer.content


def test_without_a_worker_it_says_that_nothing_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    event = an_event()
    monkeypatch.setattr("tournament.backups.console.is_worker_running", lambda: False)
    answer = client_as("director", event).post(address(event), {"act": "make"}, follow=True)
    assert "no backup was made" in page_text(answer)


@pytest.mark.parametrize(("state", "warns"), [("open", False), ("in-play", True), ("finished", False)])
def test_today_warns_in_play(settings: Any, state: str, warns: bool) -> None:
    settings.AUTOMATIC_BACKUPS = True
    event = an_event(state=state)
    text = page_text(client_as("director", event).get(event_url("scoring:desk_today", event)))
    assert ("Backups are only on this computer." in text) is warns


def test_today_says_nothing_when_all_is_well(settings: Any, media: Path) -> None:
    settings.AUTOMATIC_BACKUPS = True
    event = an_event(state="in-play")
    (media / "BLUE").mkdir(parents=True)
    register_backup_copy_folder(media / "BLUE")
    write(event.tournament)
    make_backup()
    text = page_text(client_as("director", event).get(event_url("scoring:desk_today", event)))
    assert "All caught up" in text


def test_a_backup_from_before_a_restore_is_marked() -> None:
    event = an_event()
    write(event.tournament)
    make_backup()
    assert "before a restore" not in page_text(client_as("director", event).get(address(event)))
    begin_installation_epoch(Installation.Origin.RESTORED)
    assert "before a restore, or on another computer" in page_text(client_as("director", event).get(address(event)))
