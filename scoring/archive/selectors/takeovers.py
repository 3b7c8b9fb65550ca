"""Find the files on USB sticks from which an empty laptop can take over: backups and installation files."""

import datetime as dt
import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scoring.archive.selectors.files import is_encrypted
from scoring.archive.selectors.installations import INSTALLATION_EXTENSION
from tournament.backups.selectors import BACKUP_FOLDER_NAME, list_backups, list_drive_folders

MAX_LISTED_FILES: Final = 20
_NAMES: Final = (f"*{INSTALLATION_EXTENSION}", "*.age")


@dataclass(frozen=True, slots=True)
class TakeoverFile:
    """A file on a USB stick. `made_at` is the time in a backup's name, or the modification time of any other file."""

    path: Path
    made_at: dt.datetime
    is_backup: bool

    @property
    def key(self) -> str:
        """An identifier for the file's path that can be part of a URL."""
        return hashlib.sha256(str(self.path).encode()).hexdigest()[:16]

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    @property
    def is_encrypted(self) -> bool:
        return not self.is_backup and is_encrypted(self.path)


def list_takeover_files() -> list[TakeoverFile]:
    """Return the files on all USB sticks and disks that are plugged in, newest first."""
    found = {file.path: file for folder in list_drive_folders() for file in _iter_files(folder)}
    return sorted(found.values(), key=lambda file: file.made_at, reverse=True)[:MAX_LISTED_FILES]


def _iter_files(folder: Path) -> Iterator[TakeoverFile]:
    for place in (folder, folder / BACKUP_FOLDER_NAME):
        for backup in list_backups(place):
            yield TakeoverFile(backup.path, backup.made_at, is_backup=True)
        for pattern in _NAMES:
            with suppress(OSError):
                for path in place.glob(pattern):
                    yield _make_other_file(path)


def _make_other_file(path: Path) -> TakeoverFile:
    return TakeoverFile(path, dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC), is_backup=False)


def find_takeover_file(key: str) -> TakeoverFile | None:
    """Return the file with this key, or None if its USB stick was pulled out."""
    return next((file for file in list_takeover_files() if file.key == key), None)


def describe_file(path: Path) -> TakeoverFile:
    """Return the file at this path.

    Raises:
        OSError: there is no such file.
    """
    backups = (TakeoverFile(path, each.made_at, is_backup=True) for each in list_backups(path.absolute().parent))
    return next((each for each in backups if each.path.name == path.name), None) or _make_other_file(path)
