"""The clock of a site, and of nothing else, is set back while it runs: by libfaketime, where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PLACES: Final = ("/usr/lib/*/faketime", "/usr/lib/faketime", "/usr/lib64/faketime", "/usr/local/lib/faketime")
LIBRARY: Final = "libfaketimeMT.so.1"
READ_EVERY: Final = 1
"""Seconds after which a process looks at the file again."""


@dataclass(frozen=True)
class Clock:
    """`file` says by how many seconds the site's clock is wrong; intervals are measured by another clock, as always."""

    library: Path
    file: Path

    @property
    def environment(self) -> dict[str, str]:
        return {
            "LD_PRELOAD": str(self.library),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_CACHE_DURATION": str(READ_EVERY),
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }

    @contextmanager
    def set_back(self, seconds: int) -> Iterator[None]:
        self.file.write_text(f"-{seconds}\n")
        try:
            yield
        finally:
            self.file.write_text("+0\n")


def find_clock(folder: Path) -> Clock | None:
    """None where the library is not installed (Debian: `apt-get install libfaketime`)."""
    found = [path for place in PLACES for path in Path("/").glob(f"{place[1:]}/{LIBRARY}")]
    if not found:
        return None
    file = folder / "clock"
    file.write_text("+0\n")
    return Clock(found[0], file)
