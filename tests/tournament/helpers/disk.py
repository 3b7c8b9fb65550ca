"""Simulate power failures and full disks in tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

OPERATIONS = ("replace", "unlink", "link", "fsync")


class DiskWatch:
    """Watch file operations, and list the files that a power failure at this moment would lose.

    A file's content is safe if it was synced after it was written. A new, replaced or removed name is safe if its
    folder was synced after that. Names that begin with a dot are temporary, so they do not count.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._synced: dict[tuple[int, int], int] = {}
        self._names: dict[Path, set[str]] = {}
        self._contents: set[str] = set()
        self.operations = 0
        for name, watch in (
            ("replace", self._watch_new_name),
            ("link", self._watch_new_name),
            ("unlink", self._watch_unlink),
        ):
            monkeypatch.setattr(os, name, self._wrap(getattr(os, name), watch))
        monkeypatch.setattr(os, "fsync", self._wrap(os.fsync, self._watch_sync))

    @property
    def lost(self) -> set[str]:
        """Return the names of files that a power failure would lose, or would bring back after they were deleted."""
        return self._contents.union(*self._names.values())

    def _wrap(self, operation: Callable[..., Any], watch: Callable[..., None]) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            self.operations += 1
            watch(*arguments)
            return operation(*arguments, **options)

        return watched

    def _watch_new_name(self, source: Any, target: Any) -> None:
        file, at = Path(target), os.stat(source)
        if self._synced.get((at.st_dev, at.st_ino)) != at.st_mtime_ns:
            self._contents.add(file.name)
        self._note(file)

    def _watch_unlink(self, path: Any) -> None:
        if Path(path).exists():
            self._note(Path(path))

    def _note(self, file: Path) -> None:
        if not file.name.startswith("."):
            self._names.setdefault(file.parent, set()).add(file.name)

    def _watch_sync(self, descriptor: int) -> None:
        at, path = os.fstat(descriptor), Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        self._synced[at.st_dev, at.st_ino] = at.st_mtime_ns
        self._names.pop(path, None)


class PowerFailed(BaseException):
    """Simulates a power failure. This class is no subclass of `Exception`, so that the program does not catch it."""


def fail_power_after(operations: int, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Raise `PowerFailed` after this number of file operations.

    Return a function that returns whether it was raised.
    """
    left = [operations]

    def count(operation: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise PowerFailed
            return operation(*arguments, **options)

        return counted

    for name in OPERATIONS:
        monkeypatch.setattr(os, name, count(getattr(os, name)))
    return lambda: left[0] < 0


# --- A small disk ----------------------------------------------------------------------------------------------------


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount an in-memory disk of this size, such as “8m”, on the folder during the block.

    Skip the test unless it runs as root.
    """
    if os.geteuid():
        pytest.skip("only root can mount a small disk")
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=False, capture_output=True)  # a test may have pulled it out


def fill(folder: Path, *, leave: int = 0) -> Path:
    """Fill the folder's disk with one file, but leave this many bytes free.

    Return the file, whose deletion frees the disk.
    """
    ballast = folder / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        with suppress(OSError):
            while True:
                file.write(b"\0" * 65536)
        with suppress(OSError):
            while True:
                file.write(b"\0" * 4096)
        file.truncate(max(0, file.tell() - leave))
    return ballast
