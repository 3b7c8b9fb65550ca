"""Write files that survive a power failure: each file is either complete, or as it was before.

A file is on the disk only after `fsync`, and its name only after its folder was synced, too.
"""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


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
    with open(part, "rb") as written:
        os.fsync(written.fileno())
    part.replace(file)
    sync_folder(file.parent)


def remove_durably(*files: Path) -> None:
    """Remove these files if they exist, and wait until their names are gone from the disk."""
    changed = set()
    for file in files:
        with suppress(FileNotFoundError):
            file.unlink()
            changed.add(file.parent)
    for folder in changed:
        sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Wait until the names of the folder's files are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
