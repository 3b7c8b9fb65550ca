from __future__ import annotations

import datetime as dt
import os
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.urls import reverse
from filelock import FileLock

from scoring.archive.selectors.export import export_tournament
from scoring.archive.selectors.files import ArchiveReader
from scoring.archive.selectors.installations import export_installation
from scoring.archive.services.imports import ImportMode, import_tournament
from scoring.archive.services.installations import record_installation_export
from scoring.archive.services.uploads import (
    UploadState,
    carry_out_import,
    check_upload,
    delete_expired_uploads,
    load_upload,
    request_import,
    store_upload,
)
from scoring.models import EarlierKey
from scoring.tasks.uploads import check_upload_task, import_upload_task
from tests.factories import PASSWORD, a_tournament, a_user
from tests.kit import client_as, page_text, refused
from tests.tournament.helpers.backups import write
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.core.services.installation import begin_installation_epoch
from tournament.models import AuditEntry, Event, Installation, StaffRole, Tournament, TournamentImport, User
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person
from tournament.setup.services.tournaments import create_event, create_tournament, grant_role, open_registration

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.VAR_DIR, settings.BACKUP_DIR = tmp_path, tmp_path / "backups"
    begin_installation_epoch(Installation.Origin.STARTED)
    return tmp_path


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect and return the names of the tasks that the pages give to the worker, instead of running them."""
    tasks: list[str] = []
    monkeypatch.setattr("scoring.archive.console.is_worker_running", lambda: True)
    monkeypatch.setattr("scoring.archive.console.send_task", lambda name, **about: tasks.append(name) or True)
    return tasks


def a_director() -> User:
    return User.objects.filter(email="dora@example.org").first() or User.objects.create_user(
        "dora@example.org", PASSWORD, name="Dora"
    )


def a_recorded_tournament() -> Tournament:
    """Create a tournament with an event and an entrant through the services, so that all rows are in the log."""
    director = make_staff_actor(a_director())
    days = {"starts_on": "2026-11-27", "ends_on": "2026-11-29"}
    tournament = create_tournament(
        by=SYSTEM_ACTOR, slug="desert-classic", name="Desert Classic", venue="Palm Desert", **days
    )
    grant_role(tournament, a_director(), "director", by=SYSTEM_ACTOR)
    event = create_event(tournament, by=director, slug="singles", name="Singles", fee_cents=60_00)
    event = open_registration(event, by=director)
    add_entry(event, EntryRequest((Person("Ada Lovelace", consents=True),), source="desk"), by=director)
    return Tournament.objects.get(pk=tournament.pk)


def exported(tournament: Tournament, folder: Path) -> bytes:
    path = folder / "exported.zip"
    export_tournament(tournament, path)
    return path.read_bytes()


def elsewhere(tournament: Tournament) -> None:
    """Delete the tournament, so that its file is treated like one from another computer."""
    tournament.delete()


class Pages:
    """The upload pages as one logged-in user sees them. After each step, the worker's task runs in this process."""

    def __init__(self, user: User) -> None:
        self.user, self.client = user, Client()
        self.client.force_login(user)

    def upload(self, content: bytes, name: str = "desert.zip", key: str = "") -> str:
        form = {"file": SimpleUploadedFile(name, content), "key": key or uuid.uuid4().hex}
        return str(self.client.post(reverse("scoring:open_file"), form)["Location"])

    def look(self, address: str, **query: str) -> str:
        check_upload_task(address.split("/")[2])
        return page_text(self.client.get(address, query))

    def choose(self, address: str, act: str, **more: Any) -> Any:
        """Submit this action on the page of an uploaded file, run the import, and return the last page."""
        self.client.post(address, {"act": act, **more})
        import_upload_task(address.split("/")[2])
        return self.client.get(address, follow=True)


# --- Download --------------------------------------------------------------------------------------------------------


def test_a_director_downloads_the_file(home: Path) -> None:
    tournament, pages = a_recorded_tournament(), Pages(a_director())
    address = reverse("scoring:desk_file", args=[tournament.slug])
    assert "Keep the file like the cash box." in page_text(pages.client.get(address))
    answer: Any = pages.client.post(address, follow=True)
    content = b"".join(answer.streaming_content)
    assert answer["Cache-Control"] == "private, no-store"
    assert answer["Content-Disposition"].startswith('attachment; filename="desert-classic-20')
    (home / "got.zip").write_bytes(content)
    with ArchiveReader(home / "got.zip") as archive:
        assert archive.manifest.content["log"]["rows"] == tournament.log.count()
    assert list(home.glob("export-*")) == [], "the file is not left on the disk"
    row = tournament.log.order_by("-seq")[0]
    assert (row.verb, row.by_name) == ("tournament.exported", "Dora")


@pytest.mark.parametrize("role", ["desk", "coordinator", "hotel"])
def test_only_directors_download_it(role: str) -> None:
    tournament = a_recorded_tournament()
    client = client_as(role, tournament)
    for name in ("scoring:desk_file", "scoring:desk_file_download"):
        assert client.get(reverse(name, args=[tournament.slug])).status_code == 403


def test_a_link_to_the_file_works_for_its_director_only() -> None:
    tournament, pages = a_recorded_tournament(), Pages(a_director())
    other = client_as("director", tournament)
    link = pages.client.post(reverse("scoring:desk_file", args=[tournament.slug]))["Location"]
    assert "This link has expired." in page_text(other.get(link, follow=True))
    assert "This link has expired." in page_text(other.get(link.split("?")[0], follow=True))


# --- Upload and check ------------------------------------------------------------------------------------------------


def test_the_page_says_what_is_in_the_file(home: Path, sent: list[str]) -> None:
    tournament = a_recorded_tournament()
    content = exported(tournament, home)
    elsewhere(tournament)
    pages = Pages(a_user())
    address = pages.upload(content)
    assert sent == ["scoring.check_upload"]
    assert "The file is being checked." in page_text(pages.client.get(address))
    text = pages.look(address)
    for words in (
        f"The file is whole. Its log has {tournament_rows(content, home)} entries",
        "Desert Classic",
        "Palm Desert · Nov 27–29, 2026",
        "Singles Open for registration · one entrant",
        "This computer",
        "Continue it on this computer",
        "Open as a copy",
    ):
        assert words in text, words
    assert "Replace" not in text


def tournament_rows(content: bytes, home: Path) -> int:
    (home / "rows.zip").write_bytes(content)
    with ArchiveReader(home / "rows.zip") as archive:
        return int(archive.manifest.content["log"]["rows"])


def test_it_says_what_would_be_lost_and_what_is_new(home: Path) -> None:
    tournament = a_recorded_tournament()
    write(tournament, about="Before the file")
    content = exported(tournament, home)
    for number in range(25):
        write(tournament, "staff.granted", about=f"Later {number}")
    pages = Pages(a_director())
    text = pages.look(pages.upload(content))
    assert "The file lacks 25 entries of the log here." in text
    assert "Role given · Later 24" in text or "Later 24" in text
    assert "Later 5 " in text + " " and "Later 4 " not in text, "only the newest 20"
    assert "And earlier ones." in text and "The file has nothing that is not here." in text
    assert "Before the file" not in text
    assert "Continue it on this computer" not in text


def test_it_says_what_the_file_has_that_is_not_here(home: Path) -> None:
    tournament = a_recorded_tournament()
    earlier = exported(tournament, home)
    write(tournament, about="Only in the file")
    later = exported(tournament, home)
    (home / "earlier.zip").write_bytes(earlier)
    import_tournament(home / "earlier.zip", mode=ImportMode.REPLACE, by=SYSTEM_ACTOR)
    pages = Pages(a_director())
    text = pages.look(pages.upload(later))
    assert "The file has 1 entry that is not here" in text and "Only in the file" in text
    assert "The file lacks 1 entry" in text, "the import itself"


SPOILED: dict[str, Callable[[bytes], bytes]] = {
    "no archive": lambda _content: b"Hello",
    "cut off": lambda content: content[: len(content) // 2],
    "one byte": lambda content: content[:400] + bytes([content[400] ^ 1]) + content[401:],
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_spoiled_file_is_refused_with_the_name_that_the_user_knows(how: str, home: Path) -> None:
    pages = Pages(a_director())
    address = pages.upload(SPOILED[how](exported(a_recorded_tournament(), home)), "from-the-stick.zip")
    text = pages.look(address)
    assert "from-the-stick.zip" in text and "Upload another file" in text
    assert "Open as a copy" not in text
    assert list((home / "uploads").glob("*/*.zip")) == []
    assert pages.client.post(address, {"act": "copy"}).status_code == 302
    import_upload_task(address.split("/")[2])
    assert Tournament.objects.count() == 1


def test_a_file_is_private(home: Path) -> None:
    content = exported(a_recorded_tournament(), home)
    pages = Pages(a_director())
    address = pages.upload(content)
    (path,) = (home / "uploads").glob("*/*.zip")
    modes = [each.stat().st_mode & 0o777 for each in (path, path.parent, home / "uploads")]
    assert modes == [0o600, 0o700, 0o700]
    assert path.read_bytes() == content
    stranger = Client()
    assert "/accounts/login/" in stranger.get(address)["Location"]
    assert "/accounts/login/" in stranger.get(reverse("scoring:open_file"))["Location"]
    stranger.force_login(a_user())
    assert stranger.get(address).status_code == 404
    assert stranger.post(address, {"act": "copy"}).status_code == 404
    assert pages.client.get(address)["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("token", ["0" * 32, "open-sesame", "..", "A" * 32])
def test_an_unknown_file_is_not_found(token: str) -> None:
    client = Client()
    client.force_login(a_user())
    assert client.get(f"/files/{token}/").status_code == 404


def test_the_same_form_stores_its_file_once(home: Path) -> None:
    content = exported(a_recorded_tournament(), home)
    pages, key = Pages(a_director()), uuid.uuid4().hex
    assert pages.upload(content, key=key) == pages.upload(content, key=key)
    assert len(list((home / "uploads").iterdir())) == 1


def test_without_a_file_the_form_says_what_to_do() -> None:
    client = Client()
    client.force_login(a_user())
    answer = client.post(reverse("scoring:open_file"), {"key": uuid.uuid4().hex})
    assert answer.status_code == 422 and "Choose the file of a tournament." in page_text(answer)


def test_a_file_is_deleted_after_a_day(home: Path) -> None:
    pages = Pages(a_director())
    old, new = (pages.upload(exported_once(home)) for _turn in range(2))
    folder = home / "uploads" / old.split("/")[2]
    yesterday = time.time() - dt.timedelta(hours=25).total_seconds()
    os.utime(folder, (yesterday, yesterday))
    delete_expired_uploads()
    assert [pages.client.get(each).status_code for each in (old, new)] == [404, 200]
    assert not folder.exists()


def exported_once(home: Path) -> bytes:
    path = home / "exported.zip"
    return path.read_bytes() if path.exists() else exported(a_recorded_tournament(), home)


# --- What is done with it --------------------------------------------------------------------------------------------


def test_a_tournament_goes_on_here(home: Path) -> None:
    tournament = a_recorded_tournament()
    token = tournament.events.get().entrants.get().token
    content = exported(tournament, home)
    elsewhere(tournament)
    pages = Pages(a_user(name="Carl"))
    address = pages.upload(content)
    pages.look(address)
    text = page_text(pages.choose(address, "original"))
    assert "The tournament goes on here." in text and "All events" in text
    (here,) = Tournament.objects.all()
    assert (here.slug, here.is_copy, here.events.get().entrants.get().token) == ("desert-classic", False, token)
    assert StaffRole.objects.filter(tournament=here, user=pages.user, role="director").exists()
    assert list((home / "uploads").glob("*/*.zip")) == [], "the file is deleted"


def test_a_person_with_a_name_that_the_program_made_up_is_asked_for_their_own(home: Path) -> None:
    tournament = a_recorded_tournament()
    content = exported(tournament, home)
    elsewhere(tournament)
    user = a_user(name="Director")
    User.objects.filter(pk=user.pk).update(is_named=False)
    pages = Pages(user)
    address = pages.upload(content)
    pages.look(address)
    page = pages.choose(address, "original")
    assert "Enter it before you go on." in page_text(page)
    after = pages.client.post(page.request["PATH_INFO"] + "?" + page.request["QUERY_STRING"], {"name": "Carl"})
    assert after["Location"] == reverse("tournament:today", args=["desert-classic"])


def test_it_is_opened_as_a_copy_beside_the_original(home: Path) -> None:
    tournament = a_recorded_tournament()
    pages = Pages(a_director())
    address = pages.upload(exported(tournament, home))
    pages.look(address)
    text = page_text(pages.choose(address, "copy"))
    assert "This is a copy." in text and "Remove this copy" in text
    copy = Tournament.objects.get(is_copy=True)
    assert copy.slug == "desert-classic-copy"
    assert copy.events.get().entrants.get().token != tournament.events.get().entrants.get().token


def test_the_file_of_a_copy_is_opened_as_a_copy_only(home: Path) -> None:
    tournament, pages = a_recorded_tournament(), Pages(a_director())
    address = pages.upload(exported(tournament, home))
    pages.look(address)
    pages.choose(address, "copy")
    text = pages.look(pages.upload(exported(Tournament.objects.get(is_copy=True), home)))
    assert "Open as a copy" in text
    assert "Continue it" not in text and "Replace" not in text


def lost_tournament(home: Path) -> tuple[Tournament, Pages, str]:
    """Return a tournament, its director's pages, and the URL of a checked file that lacks the latest change."""
    tournament, pages = a_recorded_tournament(), Pages(a_director())
    address = pages.upload(exported(tournament, home))
    write(tournament, about="After the file")
    pages.look(address)
    return tournament, pages, address


def test_it_replaces_what_is_here_and_keeps_that_aside(home: Path) -> None:
    tournament, pages, address = lost_tournament(home)
    text = pages.look(address, act="replace")
    assert "1 entry in the log here is not in the file, and would be lost." in text
    rows = tournament.log.count()
    text = page_text(pages.choose(address, "replace", seen=rows, reason="The table was changed by mistake."))
    (kept,) = (home / "replaced").iterdir()
    assert f"Its state from before is in {kept}." in text
    assert len(list((home / "backups").glob("*.backup.zip"))) == 1
    (here,) = Tournament.objects.all()
    assert not AuditEntry.objects.filter(about="After the file").exists()
    assert here.log.order_by("-seq")[0].reason == "The table was changed by mistake."
    assert kept.stat().st_mode & 0o777 == 0o600
    again = pages.upload(kept.read_bytes())
    assert "After the file" in pages.look(again), "nothing is lost"


@pytest.mark.parametrize(("reason", "seen", "words"), [("", 0, "Write why"), ("Broken", 1, "new was recorded here")])
def test_a_replacement_is_confirmed_again(reason: str, seen: int, words: str, home: Path) -> None:
    tournament, pages, address = lost_tournament(home)
    form = {"act": "replace", "reason": reason, "seen": tournament.log.count() - seen}
    answer = pages.client.post(address, form)
    assert answer.status_code == 422 and words in page_text(answer) and reason in answer.content.decode()
    assert Tournament.objects.get() == tournament


def test_nothing_is_replaced_if_something_is_recorded_meanwhile(home: Path) -> None:
    tournament, pages, address = lost_tournament(home)
    pages.client.post(address, {"act": "replace", "reason": "Broken", "seen": tournament.log.count()})
    write(tournament, about="At the last moment")
    import_upload_task(address.split("/")[2])
    text = page_text(pages.client.get(address))
    assert "Something new was recorded here." in text and "Replace what is here" in text
    assert AuditEntry.objects.filter(about="At the last moment").exists()


def test_nothing_is_replaced_without_a_backup(home: Path, settings: Any) -> None:
    tournament, pages, address = lost_tournament(home)
    (home / "backups").write_text("This is no folder.")
    pages.client.post(address, {"act": "replace", "reason": "Broken", "seen": tournament.log.count()})
    import_upload_task(address.split("/")[2])
    assert Tournament.objects.get() == tournament and not TournamentImport.objects.exists()
    assert "Replace what is here" in page_text(pages.client.get(address))


def test_a_replacement_waits_for_another_backup_but_not_forever(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament, pages, address = lost_tournament(home)
    monkeypatch.setattr("scoring.archive.services.uploads.MAX_BACKUP_WAIT_S", 0.2)
    (home / "backups").mkdir()
    with FileLock(home / "backups" / "lock"):
        form = {"reason": "Broken", "seen": tournament.log.count()}
        assert "Another backup is being made" in page_text(pages.choose(address, "replace", **form))
        assert Tournament.objects.get() == tournament
    assert "The tournament was replaced." in page_text(pages.choose(address, "replace", **form))


def test_only_a_director_replaces_a_tournament(home: Path) -> None:
    tournament = a_recorded_tournament()
    content = exported(tournament, home)
    pages = Pages(a_user())
    address = pages.upload(content)
    assert "Only a director of this tournament can replace it." in pages.look(address)
    assert "What do you want to do?" in pages.look(address, act="replace")
    form = {"act": "replace", "reason": "I want to", "seen": tournament.log.count()}
    assert "Only a director of this tournament can do this." in page_text(pages.client.post(address, form, follow=True))
    import_upload_task(address.split("/")[2])
    assert Tournament.objects.get() == tournament


# Who imports the file, whether its seal is trusted here, and whether its claims about other keys are.
TRUST = {"an account": (False, False, False), "the same computer": (False, True, True), "admin": (True, False, True)}


@pytest.mark.parametrize(("is_admin", "is_from_here", "trusts"), TRUST.values(), ids=TRUST)
def test_a_file_cannot_make_its_own_key_trusted(
    is_admin: bool, is_from_here: bool, trusts: bool, home: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = {"key": None, "public": "ab" * 32, "trusted": True}
    monkeypatch.setattr("scoring.archive.selectors.export._list_seal_keys", lambda tournament: [claim])
    own, settings.SEAL_SECRET = settings.SEAL_SECRET, settings.SEAL_SECRET if is_from_here else "of another computer"
    tournament = a_recorded_tournament()
    content = exported(tournament, home)
    settings.SEAL_SECRET = own
    elsewhere(tournament)
    pages = Pages(a_user(is_superuser=is_admin))
    address = pages.upload(content)
    assert ("not trusted here until an administrator" in pages.look(address)) is not trusts
    pages.choose(address, "original")
    assert Tournament.objects.exists()
    assert EarlierKey.objects.filter(public="ab" * 32).exists() is trusts


# --- Twice, and at once ----------------------------------------------------------------------------------------------


def test_choosing_twice_imports_once(home: Path, sent: list[str]) -> None:
    pages = Pages(a_director())
    address = pages.upload(exported(a_recorded_tournament(), home))
    pages.look(address)
    for act in ("copy", "copy", "original"):
        pages.client.post(address, {"act": act})
    for _turn in range(3):
        import_upload_task(address.split("/")[2])
    assert pages.choose(address, "copy").status_code == 200
    assert Tournament.objects.filter(is_copy=True).count() == 1
    assert set(sent) == {"scoring.check_upload", "scoring.import_upload"}


def test_a_worker_that_is_stopped_after_the_import_does_not_import_again(home: Path) -> None:
    user = a_director()
    content = exported(a_recorded_tournament(), home)
    upload = store_upload(uuid.uuid4().hex, "desert.zip", [content], user)
    checked = check_upload(upload.token)
    assert checked is not None and checked.state is UploadState.CHECKED
    asked = request_import(checked, ImportMode.COPY, by=make_staff_actor(user))
    import_tournament(asked.path, mode=ImportMode.COPY, by=make_staff_actor(user))
    done = carry_out_import(upload.token)
    assert done is not None and (done.state, done.imported) == (UploadState.IMPORTED, "desert-classic-copy")
    assert Tournament.objects.filter(is_copy=True).count() == 1


def test_two_people_continue_the_same_file_at_once(home: Path) -> None:
    tournament = a_recorded_tournament()
    content = exported(tournament, home)
    elsewhere(tournament)
    users = [a_user(name="Carl"), a_user(name="Emmy")]
    tokens = []
    for user in users:
        upload = store_upload(uuid.uuid4().hex, "desert.zip", [content], user)
        checked = check_upload(upload.token)
        assert checked is not None
        tokens.append(request_import(checked, ImportMode.ORIGINAL, by=make_staff_actor(user)).token)

    def carry_out(token: str) -> None:
        with suppress(Exception):
            carry_out_import(token)
        connections.close_all()

    threads = [threading.Thread(target=carry_out, args=(token,)) for token in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    uploads = [load_upload(token, user) for token, user in zip(tokens, users, strict=True)]
    assert sorted(each.state for each in uploads) == [UploadState.CHECKED, UploadState.IMPORTED]
    (refused_one,) = [each for each in uploads if each.state is UploadState.CHECKED]
    assert "is on this computer already" in refused_one.message
    assert Tournament.objects.count() == 1


def test_another_tournament_with_its_address_is_no_dead_end(home: Path) -> None:
    tournament = a_recorded_tournament()
    content = exported(tournament, home)
    elsewhere(tournament)
    a_tournament(slug="desert-classic", name="Another")
    pages = Pages(a_director())
    address = pages.upload(content)
    pages.look(address)
    assert "Import the file as a copy." in page_text(pages.choose(address, "original"))
    assert "This is a copy." in page_text(pages.choose(address, "copy"))


def test_without_a_worker_nothing_is_decided(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages(a_director())
    address = pages.upload(exported(a_recorded_tournament(), home))
    monkeypatch.setattr("scoring.archive.console.is_worker_running", lambda: False)
    assert "The background worker is not running." in page_text(pages.client.get(address))
    pages.look(address)
    text = page_text(pages.client.post(address, {"act": "copy"}, follow=True))
    assert "so nothing was done" in text and "Open as a copy" in text


def test_a_lost_task_is_sent_again(home: Path, sent: list[str]) -> None:
    pages = Pages(a_director())
    address = pages.upload(exported(a_recorded_tournament(), home))
    folder = home / "uploads" / address.split("/")[2]
    assert "Try again" not in page_text(pages.client.get(address))
    os.utime(folder, (time.time() - 120,) * 2)
    assert "Try again" in page_text(pages.client.get(address))
    pages.client.post(address, {"act": "again"})
    assert sent == ["scoring.check_upload"] * 2


def test_a_service_refuses_an_unknown_file() -> None:
    for token in ("", "x", "../../etc", uuid.uuid4().hex):
        with refused("no-upload"):
            load_upload(token, a_user())


# --- One event, and everything ---------------------------------------------------------------------------------------


def administrator() -> User:
    return User.objects.create_superuser("alma@example.org", PASSWORD, name="Alma")


def downloaded(answer: Any, file: Path) -> str:
    """Save the downloaded content as this file, and return the response's Content-Disposition header."""
    file.write_bytes(b"".join(answer.streaming_content))
    return str(answer["Content-Disposition"])


def with_second_event(tournament: Tournament) -> Tournament:
    create_event(tournament, by=make_staff_actor(a_director()), slug="pairs", name="Pairs", fee_cents=60_00)
    return tournament


def test_a_director_downloads_one_event(home: Path) -> None:
    tournament, pages = with_second_event(a_recorded_tournament()), Pages(a_director())
    address = reverse("scoring:desk_file", args=[tournament.slug])
    assert "Download Pairs as a file" in page_text(pages.client.get(address))
    name = downloaded(pages.client.post(address, {"event": "pairs"}, follow=True), home / "got.zip")
    assert ".pairs.event.zip" in name
    with ArchiveReader(home / "got.zip") as archive:
        assert archive.manifest.event is not None and archive.manifest.event["slug"] == "pairs"
    assert AuditEntry.objects.latest("pk").about == "Pairs"


def test_a_tournament_with_one_event_has_one_button() -> None:
    tournament, pages = a_recorded_tournament(), Pages(a_director())
    assert "One event as a file" not in page_text(
        pages.client.get(reverse("scoring:desk_file", args=[tournament.slug]))
    )


def test_the_page_says_that_an_event_cannot_be_replaced_beside_others(home: Path) -> None:
    tournament, pages = with_second_event(a_recorded_tournament()), Pages(a_director())
    export_tournament(tournament, home / "pairs.zip", event=tournament.events.get(slug="pairs"))
    text = pages.look(pages.upload((home / "pairs.zip").read_bytes()))
    assert "One event of this tournament" in text and "So the event cannot be replaced here." in text
    assert "Replace what is here" not in text


def test_only_people_who_direct_everything_download_everything(home: Path) -> None:
    tournament, pages = a_recorded_tournament(), Pages(a_director())
    address = reverse("scoring:desk_file", args=[tournament.slug])
    name = downloaded(pages.client.post(address, {"everything": "1"}, follow=True), home / "got.zip")
    assert ".installation.zip" in name
    assert AuditEntry.objects.latest("pk").verb == "installation.exported"
    a_tournament(slug="other")
    assert "Everything as a file" not in page_text(pages.client.get(address))
    assert pages.client.post(address, {"everything": "1"}).status_code == 403


def test_each_tournament_in_the_file_of_everything_logs_the_download(home: Path) -> None:
    here, demo = a_recorded_tournament(), a_tournament(slug="demo", is_demo=True)
    Event.objects.filter(tournament=here).update(state=Event.State.FINISHED)
    record_installation_export(by=SYSTEM_ACTOR)
    verbs = [list(each.log.values_list("verb", flat=True)) for each in (here, demo)]
    assert (verbs[0][-1], verbs[1]) == ("installation.exported", [])


def everything(home: Path) -> bytes:
    a_recorded_tournament()
    export_installation(home / "all.zip")
    return (home / "all.zip").read_bytes()


def test_everything_goes_on_here(home: Path) -> None:
    content = everything(home)
    elsewhere(Tournament.objects.get())
    pages = Pages(administrator())
    address = pages.upload(content)
    text = pages.look(address)
    assert "Everything on a computer" in text and "Desert Classic" in text and "The file has no passwords." in text
    assert "Everything goes on here." in page_text(pages.choose(address, "original"))
    assert Tournament.objects.get().slug == "desert-classic"


def test_everything_goes_on_only_where_nothing_is(home: Path) -> None:
    content, pages = everything(home), Pages(administrator())
    address = pages.upload(content)
    assert "only on a computer that has no tournaments yet" in pages.look(address)
    assert "There are tournaments on this computer already." in page_text(pages.choose(address, "original"))
    assert "These are copies." in page_text(pages.choose(address, "copy"))
    assert sorted(Tournament.objects.values_list("slug", flat=True)) == ["desert-classic", "desert-classic-copy"]


def test_only_an_administrator_takes_everything(home: Path) -> None:
    content = everything(home)
    elsewhere(Tournament.objects.get())
    pages = Pages(a_director())
    address = pages.upload(content)
    assert "Only an administrator can do this." in pages.look(address)
    pages.choose(address, "original")
    assert not Tournament.objects.exists()
