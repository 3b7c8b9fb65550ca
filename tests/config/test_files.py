"""Test that files are stored in the database completely or not at all.

If a remote file store is unavailable, pages must say so.
"""

from __future__ import annotations

import io
import os
import pickle
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, default_storage, storages
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from config.storage import away
from config.storage.away import StorageOutageMixin, StorageUnavailable
from config.storage.in_database import FILE_PART_BYTES
from scoring.disputes.services.disputes import (
    DisputeFindings,
    NewDispute,
    SubmittedEvidence,
    add_evidence,
    open_dispute,
)
from scoring.models import Evidence
from scoring.tasks.prints import print_job
from tests.factories import an_event
from tests.kit import client_as, event_url
from tests.scoring.helpers.disputes import a_picture
from tests.scoring.helpers.playing import an_event_in_play, the_card, the_director
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.jobs import request_job
from tournament.core.services.record import writing
from tournament.models import Event, FilePart, Job, TopicVersion

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "files"
    return tmp_path / "files"


def kept(name: str) -> bytes:
    with default_storage.open(name) as file:
        return file.read()


@pytest.mark.parametrize("size", [0, 1, FILE_PART_BYTES - 1, FILE_PART_BYTES, FILE_PART_BYTES + 1, 13_000_000])
def test_a_file_of_any_size_comes_back_as_it_was(size: int) -> None:
    content = os.urandom(size)
    name = default_storage.save("evidence/photo.jpg", ContentFile(content))
    assert kept(name) == content
    assert default_storage.size(name) == size
    assert max(len(part.content) for part in FilePart.objects.all()) <= FILE_PART_BYTES


def test_what_has_the_name_already_stays() -> None:
    first = default_storage.save("prints/1.pdf", ContentFile(b"first"))
    second = default_storage.save("prints/1.pdf", ContentFile(b"second"))
    assert (first != second, kept(first), kept(second)) == (True, b"first", b"second")


def test_with_a_write_that_is_taken_back_the_file_is_gone() -> None:
    with transaction.atomic():
        default_storage.save("prints/1.pdf", ContentFile(b"first"))
        transaction.set_rollback(True)
    assert not default_storage.exists("prints/1.pdf")
    with pytest.raises(FileNotFoundError):
        kept("prints/1.pdf")


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_at_once_do_not_mix_their_parts() -> None:
    contents = [bytes([each]) * (3 * FILE_PART_BYTES) for each in range(4)]
    names: dict[int, str] = {}

    def save(each: int) -> None:
        names[each] = default_storage._save("prints/1.pdf", ContentFile(contents[each]))  # type: ignore[attr-defined]
        connection.close()

    threads = [threading.Thread(target=save, args=[each]) for each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(names.values())) == 4
    assert all(kept(names[each]) == contents[each] for each in range(4))


def test_a_file_of_an_earlier_release_is_found_and_can_be_moved(folder: Path) -> None:
    (folder / "evidence").mkdir(parents=True)
    (folder / "evidence" / "old.jpg").write_bytes(b"old")
    assert kept("evidence/old.jpg") == b"old"
    call_command("keep_files")
    assert kept("evidence/old.jpg") == b"old"
    assert default_storage.exists("evidence/old.jpg")
    assert not (folder / "evidence" / "old.jpg").exists()


def test_one_that_was_replaced_since_is_not_replaced_by_the_earlier_one(folder: Path) -> None:
    (folder / "certificates").mkdir(parents=True)
    (folder / "certificates" / "7.sealed").write_bytes(b"old")
    default_storage.save("certificates/7.sealed", ContentFile(b"new"))
    call_command("keep_files")
    assert kept("certificates/7.sealed") == b"new"
    default_storage.delete("certificates/7.sealed")
    with pytest.raises(FileNotFoundError):
        kept("certificates/7.sealed")


def test_a_file_alone_wakes_nobody() -> None:
    event = an_event()
    with writing(event, verb="test.file", by=SYSTEM_ACTOR):
        default_storage.save("evidence/photo.jpg", ContentFile(b"photo"))
    assert list(TopicVersion.objects.filter(event=event)) == []


class Lost(Exception):
    """An error like those that a storage library raises."""


class Far(InMemoryStorage):
    is_there = True
    asked = 0

    def _resolve(self, *arguments: Any, **options: Any) -> Any:
        type(self).asked += 1
        if not self.is_there:
            raise Lost("no route to host")
        return super()._resolve(*arguments, **options)  # type: ignore[misc]


class FarAway(StorageOutageMixin, Far):
    pass


@pytest.fixture
def far(settings: Any) -> Iterator[type[Far]]:
    """Store files in a simulated remote store. A test can set `is_there` to False to make it unavailable."""
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": f"{__name__}.FarAway"}}
    assert not storages["default"].exists("anything")
    yield Far
    Far.is_there, Far.asked = True, 0


@pytest.fixture
def event_in_play() -> Event:
    return an_event_in_play(("Ada", "Alan"))


@pytest.fixture
def director(event_in_play: Event) -> Client:
    return client_as("director", event_in_play)


def a_print(event_in_play: Event) -> Job:
    job = request_job(
        event_in_play, kind="blank-cards", title="B", task="none", parameters={"paper": "letter"}, by=SYSTEM_ACTOR
    )
    print_job(job.pk)
    job.refresh_from_db()
    return job


def file_of(job: Job) -> str:
    return reverse("tournament:job_file", kwargs={"tournament": job.tournament.slug, "pk": job.pk})


def test_a_file_comes_back_while_it_is_there_and_one_that_is_not_is_missing(far: type[Far]) -> None:
    kept = storages["default"]
    name = kept.save("prints/1.pdf", ContentFile(b"one"))
    assert (kept.exists(name), kept.size(name), kept.open(name).read()) == (True, 3, b"one")
    kept.delete(name)
    assert not kept.exists(name)
    with pytest.raises(FileNotFoundError):
        kept.open(name)


def test_it_is_left_alone_for_a_moment_and_then_asked_again(far: type[Far], monkeypatch: pytest.MonkeyPatch) -> None:
    kept, now = storages["default"], [100.0]
    monkeypatch.setattr(away.time, "monotonic", lambda: now[0])
    name = kept.save("prints/1.pdf", ContentFile(b"one"))
    far.is_there = False
    with pytest.raises(StorageUnavailable):
        kept.open(name)
    asked = far.asked
    far.is_there = True
    with pytest.raises(StorageUnavailable):
        kept.open(name)
    assert far.asked == asked
    now[0] += away.STORAGE_RETRY_S
    assert kept.open(name).read() == b"one"


def test_a_print_that_cannot_be_kept_says_so_and_one_that_cannot_be_fetched(
    far: type[Far], event_in_play: Event, director: Client
) -> None:
    done = a_print(event_in_play)
    assert (done.state, director.get(file_of(done)).status_code) == ("done", 200)
    far.is_there = False
    answer = director.get(file_of(done))
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert b"Try again in a minute." in answer.content
    failed = a_print(event_in_play)
    assert failed.state == "failed" and "Try again in a minute." in failed.message


def test_a_photo_that_cannot_be_kept_is_no_evidence(far: type[Far], event_in_play: Event, director: Client) -> None:
    dispute = open_dispute(
        event_in_play,
        NewDispute(card=the_card(event_in_play), findings=DisputeFindings(kind="conduct", facts={"by": "B"})),
        by=the_director(event_in_play),
    )
    far.is_there = False
    photo = io.BytesIO(a_picture())
    photo.name = "photo.jpg"
    answer = director.post(
        event_url("scoring:desk_add_evidence", event_in_play, dispute=dispute.pk), {"photo": photo, "key": "1" * 32}
    )
    assert answer.status_code == 422 and b"Try again in a minute." in answer.content
    assert not Evidence.objects.exists()
    far.is_there = True
    storages["default"]._away_until = 0.0
    (piece,) = add_evidence(dispute, SubmittedEvidence(photo=io.BytesIO(a_picture())), by=the_director(event_in_play))
    far.is_there = False
    answer = director.get(event_url("scoring:desk_evidence", event_in_play, dispute=dispute.pk, evidence=piece.pk))
    assert answer.status_code == 503 and b"Try again in a minute." in answer.content


def test_the_certificate_page_says_it_too(far: type[Far], event_in_play: Event, director: Client) -> None:
    far.is_there = False
    answer = director.get(reverse("scoring:desk_certificate", kwargs={"tournament": event_in_play.tournament.slug}))
    assert answer.status_code == 503 and b"Try again in a minute." in answer.content


def test_the_api_says_when_to_ask_again_too(
    event_in_play: Event, director: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_token: str) -> None:
        raise StorageUnavailable

    monkeypatch.setattr("scoring.cards.api.load_card_state_by_token", away)
    answer = director.get(reverse("scoring:api_card", kwargs={"token": the_card(event_in_play).token}))
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert answer.json()["errors"][0]["code"] == "store-away"


def test_the_refusal_can_be_handed_between_processes() -> None:
    assert pickle.loads(pickle.dumps(StorageUnavailable())).message == StorageUnavailable().message
