from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Iterator
from contextlib import nullcontext
from io import BytesIO, StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pyrage import DecryptError
from pyrage import passphrase as age

from scoring.archive.selectors import encryption
from scoring.archive.selectors.encryption import (
    MAX_WORK_FACTOR,
    add_encrypted_extension,
    decrypt_if_needed,
    export_encrypted_tournament,
    open_archive,
)
from scoring.archive.selectors.files import ArchiveReader, is_encrypted
from scoring.archive.services.imports import ImportMode, import_tournament
from tests.factories import an_event
from tests.kit import refused
from tests.scoring.helpers.age import encrypt_quickly
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Event, Tournament

pytestmark = pytest.mark.django_db

PASSPHRASE = "four deuces wild today"


@pytest.fixture
def event() -> Event:
    event = an_event()
    with writing(event.tournament, verb="tournament.changed", by=SYSTEM_ACTOR) as write:
        write.about(event.tournament)
    return event


@pytest.fixture(scope="module")
def content() -> bytes:
    """Return an encrypted zip archive that contains a single text file."""
    with BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("some.txt", "content")
        return encrypt_quickly(file.getvalue(), PASSPHRASE)


@pytest.fixture
def encrypted(content: bytes, tmp_path: Path) -> Path:
    (tmp_path / "desert.age").write_bytes(content)
    return tmp_path / "desert.age"


def call(command: str, *arguments: object) -> dict[str, Any]:
    out = StringIO()
    call_command(command, *map(str, arguments), stdout=out)
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


def test_it_opens_with_its_passphrase_only(event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encryption, "age", age)  # the library encrypts this file
    path = tmp_path / "desert.age"
    export_encrypted_tournament(event.tournament, path, PASSPHRASE, without_persons=True)
    assert is_encrypted(path)
    assert path.read_bytes().startswith(b"age-encryption.org/v1\n")
    assert list(tmp_path.iterdir()) == [path]
    with refused("passphrase-needed"):
        ArchiveReader(path)
    with refused("passphrase-needed"), open_archive(path):
        pass
    with refused("passphrase-needed"):
        import_tournament(path, mode=ImportMode.COPY, by=SYSTEM_ACTOR)
    with open_archive(path, PASSPHRASE) as archive:
        plain = archive.path
        assert archive.manifest.content["tournament"]["name"] == "Tournament"
        assert stat.S_IMODE(plain.stat().st_mode) == 0o600
        assert stat.S_IMODE(plain.parent.stat().st_mode) == 0o700
        (tmp_path / "plain.zip").write_bytes(plain.read_bytes())
    assert not plain.parent.exists()
    with open_archive(tmp_path / "plain.zip", PASSPHRASE) as archive:  # a passphrase does no harm
        assert archive.manifest.content["format"] == "gin-rummy-tournament"


@pytest.mark.parametrize("busy_times", [1, 99])
def test_a_busy_computer_tries_again_and_never_calls_a_file_damaged(
    encrypted: Path, monkeypatch: pytest.MonkeyPatch, busy_times: int
) -> None:
    attempts = []

    def decrypt(content: bytes, passphrase: str) -> bytes:
        attempts.append(passphrase)
        if len(attempts) <= busy_times:
            raise DecryptError("Excessive work parameter for passphrase.")
        return bytes(age.decrypt(content, passphrase))

    monkeypatch.setattr(encryption, "age", SimpleNamespace(decrypt=decrypt))
    monkeypatch.setattr(encryption, "_PAUSE_S", 0)
    is_too_busy = busy_times > 1
    with refused("computer-busy") if is_too_busy else nullcontext(), decrypt_if_needed(encrypted, PASSPHRASE) as plain:
        assert zipfile.is_zipfile(plain)
    assert len(attempts) == (5 if is_too_busy else 2)


def test_a_wrong_passphrase_is_refused(encrypted: Path) -> None:
    with refused("wrong-passphrase"), open_archive(encrypted, PASSPHRASE.upper()):
        pass


def test_another_file_is_refused_after_it_was_decrypted(encrypted: Path) -> None:
    with refused("not-an-archive"), open_archive(encrypted, PASSPHRASE):
        pass


def damaged(content: bytes) -> Iterator[bytes]:
    middle = len(content) // 2
    yield content[:middle]
    yield content[:30]
    yield content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def test_a_damaged_file_is_refused(encrypted: Path) -> None:
    for content in damaged(encrypted.read_bytes()):
        encrypted.write_bytes(content)
        with refused("damaged-archive"), open_archive(encrypted, PASSPHRASE):
            pass


def test_a_file_that_costs_too_much_work_is_refused_at_once(encrypted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = encrypted.read_bytes()
    head, found, rest = content.partition(b"\n-> scrypt ")
    salt, _space, rest = rest.partition(b" ")
    _work, _newline, rest = rest.partition(b"\n")
    encrypted.write_bytes(head + found + salt + f" {MAX_WORK_FACTOR + 1}\n".encode() + rest)
    with refused("too-large"), open_archive(encrypted, PASSPHRASE):
        pass
    encrypted.write_bytes(content)
    monkeypatch.setattr(encryption, "MAX_ENCRYPTED_BYTES", len(content) - 1)
    with refused("too-large"), open_archive(encrypted, PASSPHRASE):
        pass


@pytest.mark.parametrize("passphrase", ["", "short", "elevenchars", "  a b c  spaces"[:12]])
def test_a_short_passphrase_is_refused(event: Event, tmp_path: Path, passphrase: str) -> None:
    with refused("weak-passphrase", "passphrase"):
        export_encrypted_tournament(event.tournament, tmp_path / "file", passphrase)
    assert list(tmp_path.iterdir()) == []


def test_the_extension() -> None:
    assert [add_encrypted_extension(Path(name)).name for name in ("desert", "a.b", "x.age")] == [
        *("desert.age", "a.b", "x.age")
    ]


def test_commands(event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret, target = tmp_path / "passphrase.txt", tmp_path / "desert"
    secret.write_text(f"{PASSPHRASE}\nanother line\n")
    slug = event.tournament.slug
    answer = call("export_event", slug, "--to", target, "--passphrase-file", secret, "--without-persons")
    assert (answer["file"], answer["encrypted"], answer["persons"]) == (f"{target}.age", True, False)
    checked = call("check_file", f"{target}.age", "--passphrase-file", secret)
    assert (checked["ok"], checked["persons"], checked["log_rows"]) == (True, False, 0)
    assert call("import_event", f"{target}.age", "--as-copy", "--passphrase-file", secret)["ok"]
    assert Tournament.objects.filter(is_copy=True).count() == 1
    with pytest.raises(SystemExit):
        call("check_file", f"{target}.age")
    with pytest.raises(CommandError, match="no names"):
        call("import_event", f"{target}.age", "--passphrase-file", secret)
    secret.write_text("too short")
    with pytest.raises(CommandError, match="at least 12 characters"):
        call("export_event", slug, "--to", target, "--passphrase-file", secret)
    secret.write_text("\n")
    with pytest.raises(CommandError, match="no passphrase"):
        call("export_event", slug, "--to", target, "--passphrase-file", secret)
    with pytest.raises(CommandError, match="cannot be read"):
        call("export_event", slug, "--to", target, "--passphrase-file", tmp_path / "nowhere")


def test_the_commands_ask_for_the_passphrase(event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter([PASSPHRASE, PASSPHRASE, PASSPHRASE, "otherwise"])
    monkeypatch.setattr("scoring.management.passphrases.getpass", lambda _prompt: next(typed))
    target, slug = tmp_path / "desert.tournament", event.tournament.slug
    arguments = (slug, "--to", target, "--passphrase", "--without-persons")
    assert call("export_event", *arguments)["file"] == str(target)
    assert is_encrypted(target)
    with pytest.raises(CommandError, match="not the same"):
        call("export_event", *arguments)
