"""Encrypt a tournament file with a passphrase, and decrypt it, in the age format (https://age-encryption.org).

`age --decrypt` and other programs for this format can open such a file, too. The passphrase is not stored anywhere, so
nobody can open the file without it.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.utils.translation import gettext as _
from pyrage import DecryptError
from pyrage import passphrase as age

from scoring.archive.selectors.export import export_tournament
from scoring.archive.selectors.files import ENCRYPTED_EXTENSION, ArchiveReader, ArchiveRefused, is_encrypted
from tournament.core.services.durable_files import replace_durably
from tournament.errors import DomainError
from tournament.models import Event, Tournament

MIN_PASSPHRASE_LENGTH: Final = 12
MAX_ENCRYPTED_BYTES: Final = 512 << 20
"""The maximum size of an encrypted file. The size is limited because the file is decrypted in memory."""

MAX_WORK_FACTOR: Final = 21
"""The maximum work factor of a file: decryption then takes about 20 seconds. This program writes files with 17."""

_WORK_FACTOR: Final = re.compile(rb"\n-> scrypt [A-Za-z0-9+/]+ (\d{1,3})\n")
_HEADER_BYTES: Final = 4096
_WRONG_PASSPHRASE: Final = "Decryption failed"
_EXCESSIVE_WORK: Final = "Excessive work"
"""The library's message for a wrong passphrase, and the beginning of its message if decryption would take too long.

All of its other messages are about damaged files. The library measures how fast this computer is right now, so a busy
computer may refuse a file that it can decrypt a moment later.
"""
_ATTEMPTS: Final = 5
_PAUSE_S: Final = 2.0


def require_strong_passphrase(passphrase: str) -> None:
    """Refuse a passphrase that is too short for a new file.

    Raises:
        DomainError: `weak-passphrase`.
    """
    if len(passphrase.strip()) < MIN_PASSPHRASE_LENGTH:
        message = _("This passphrase is too short. Take at least %(number)s characters, such as four or five words.")
        raise DomainError("weak-passphrase", message % {"number": MIN_PASSPHRASE_LENGTH}, field="passphrase")


def add_encrypted_extension(target: Path) -> Path:
    """Return the path, with the extension “.age” if it has no extension.

    >>> str(add_encrypted_extension(Path("desert"))), str(add_encrypted_extension(Path("desert.zip")))
    ('desert.age', 'desert.zip')
    """
    return target if target.suffix else target.with_name(target.name + ENCRYPTED_EXTENSION)


def export_encrypted_tournament(
    tournament: Tournament, target: Path, passphrase: str, *, event: Event | None = None, without_persons: bool = False
) -> dict[str, Any]:
    """Write an encrypted file of the tournament, or of one of its events. Return the file's manifest.

    Raises:
        DomainError: `weak-passphrase`. ArchiveRefused: raised by `export_tournament`.
    """
    export = partial(export_tournament, tournament, event=event, without_persons=without_persons)
    return export_encrypted(export, target, passphrase)


def export_encrypted(export: Callable[[Path], dict[str, Any]], target: Path, passphrase: str) -> dict[str, Any]:
    """Call `export` with the path of a temporary file, and encrypt that file. Return what `export` returns.

    Raises:
        DomainError: `weak-passphrase`.
    """
    require_strong_passphrase(passphrase)
    part = target.with_name(f".{target.name}.part")
    with TemporaryDirectory(prefix="tournament-") as folder:  # nobody else can read it
        plain = Path(folder) / target.name
        manifest = export(plain)
        try:
            with open(part, "wb") as file:
                file.write(age.encrypt(plain.read_bytes(), passphrase))
            replace_durably(part, target)
        finally:
            part.unlink(missing_ok=True)
    return manifest


@contextmanager
def open_archive(path: Path, passphrase: str = "") -> Iterator[ArchiveReader]:
    """Open a tournament file or an event file.

    Raises:
        ArchiveRefused: raised by `decrypt_if_needed` or `ArchiveReader`.
    """
    with decrypt_if_needed(path, passphrase) as plain, ArchiveReader(plain) as archive:
        yield archive


@contextmanager
def decrypt_if_needed(path: Path, passphrase: str = "") -> Iterator[Path]:
    """Yield the path of the decrypted file. If the file is encrypted, this is the path of a temporary file.

    Without a passphrase, yield the file as it is.

    Raises:
        ArchiveRefused: `wrong-passphrase`, `damaged-archive`, `too-large`, `computer-busy`.
    """
    if not is_encrypted(path) or not passphrase:
        yield path
        return
    with TemporaryDirectory(prefix="tournament-") as folder:
        plain = Path(folder) / path.name
        with open(os.open(plain, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(_decrypt(path, passphrase))
        yield plain


def _decrypt(path: Path, passphrase: str) -> bytes:
    with open(path, "rb") as file:
        content = file.read(MAX_ENCRYPTED_BYTES + 1)
    work = _WORK_FACTOR.search(content[:_HEADER_BYTES])
    if len(content) > MAX_ENCRYPTED_BYTES or (work is not None and int(work[1]) > MAX_WORK_FACTOR):
        message = _("%(name)s is too large to be decrypted here. Decrypt it with another program for age files first.")
        raise ArchiveRefused("too-large", message % {"name": path.name})
    try:
        return _decrypt_when_possible(content, passphrase)
    except DecryptError as error:
        name = {"name": path.name}
        if str(error) == _WRONG_PASSPHRASE:
            message = _("This is not the passphrase of %(name)s. Enter it again: capital letters and spaces count.")
            raise ArchiveRefused("wrong-passphrase", message % name) from error
        if str(error).startswith(_EXCESSIVE_WORK):
            message = _("This computer is too busy to decrypt %(name)s. Close other programs, and try again.")
            raise ArchiveRefused("computer-busy", message % name) from error
        message = _("%(name)s is damaged or was changed. Copy it again, or choose another file. Nothing was imported.")
        raise ArchiveRefused("damaged-archive", message % name) from error


def _decrypt_when_possible(content: bytes, passphrase: str) -> bytes:
    """Decrypt the content, and try again a few times if the computer is too busy."""
    for _attempt in range(_ATTEMPTS - 1):
        try:
            return bytes(age.decrypt(content, passphrase))
        except DecryptError as error:
            if not str(error).startswith(_EXCESSIVE_WORK):
                raise
            time.sleep(_PAUSE_S)
    return bytes(age.decrypt(content, passphrase))
