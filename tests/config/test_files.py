"""Where prints, photos and certificates are kept: in the database, each whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection, transaction

from config.storage.in_database import PART
from tests.factories import an_event
from tournament.core.permissions import SYSTEM
from tournament.core.services.record import writing
from tournament.models import FilePart, TopicVersion

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "files"
    return tmp_path / "files"


def kept(name: str) -> bytes:
    with default_storage.open(name) as file:
        return file.read()


@pytest.mark.parametrize("size", [0, 1, PART - 1, PART, PART + 1, 13_000_000])
def test_a_file_of_any_size_comes_back_as_it_was(size: int) -> None:
    content = os.urandom(size)
    name = default_storage.save("evidence/photo.jpg", ContentFile(content))
    assert kept(name) == content
    assert default_storage.size(name) == size
    assert max(len(part.content) for part in FilePart.objects.all()) <= PART


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
    """Both looked whether the name was free before one had it."""
    contents = [bytes([each]) * (3 * PART) for each in range(4)]
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
    with writing(event, verb="test.file", by=SYSTEM):
        default_storage.save("evidence/photo.jpg", ContentFile(b"photo"))
    assert list(TopicVersion.objects.filter(event=event)) == []
