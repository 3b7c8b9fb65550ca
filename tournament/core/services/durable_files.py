"""Write files that survive a power failure: each file is either complete, or as it was before.

A file is on the disk only after `fsync`, and its name only after its folder was synced, too.
"""

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

OPEN_FILE_RETRY_PAUSES_S: Final = (0.01, 0.05, 0.2, 0.5)
"""Seconds to wait between attempts to replace or delete a file that another process has open."""


def write_durably(file: Path, content: str | bytes) -> None:
    """Write a file that only this user can read, and wait until it is on the disk. Create its folder if needed."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # `mkstemp` makes the file private. Two processes that write the same file at once need two names.
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    try:
        with open(handle, "wb") as target:
            target.write(content.encode() if isinstance(content, str) else content)
        replace_durably(Path(name), file)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def replace_durably(part: Path, file: Path) -> None:
    """Give a completely written file its final name. Wait until its content and then its name are on the disk."""
    with open(part, "r+b") as written:  # Windows syncs only a file that is open for writing
        os.fsync(written.fileno())
    replace_file(part, file)
    sync_folder(file.parent)


def replace_file(part: Path, file: Path) -> None:
    """Give a file its final name, and replace any older file. On Windows, wait while another process has it open.

    Raises:
        PermissionError: the older file stays open, or the folder cannot be written to.
    """
    _retry_while_open(lambda: part.replace(file))


def _retry_while_open(change: Callable[[], object]) -> None:
    """Replace or delete a file. Windows refuses this while another process has the file open."""
    for pause in OPEN_FILE_RETRY_PAUSES_S:
        try:
            change()
        except PermissionError:
            time.sleep(pause)
        else:
            return
    change()


def remove_durably(*files: Path) -> None:
    """Remove these files if they exist, and wait until their names are gone from the disk."""
    changed = set()
    for file in files:
        with suppress(FileNotFoundError):
            _retry_while_open(file.unlink)
            changed.add(file.parent)
    for folder in changed:
        sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Wait until the names of the folder's files are on the disk. On Windows, this does nothing."""
    if not hasattr(os, "O_DIRECTORY"):  # a folder cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
