"""The clock of a site, and of nothing else, is set back while it runs: in each of its Python processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

STARTED_WITH: Final = Path(__file__).with_name("wrong_clock")


@dataclass(frozen=True)
class Clock:
    """`file` says by how many seconds the clock is wrong; intervals are measured by another clock, as always."""

    file: Path

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join(filter(None, (str(STARTED_WITH), os.environ.get("PYTHONPATH", ""))))
        return {"PYTHONPATH": path, "HALL_CLOCK": str(self.file)}

    @contextmanager
    def set_back(self, seconds: int) -> Iterator[None]:
        self.file.write_text(str(seconds))
        try:
            yield
        finally:
            self.file.write_text("0")


def make_clock(folder: Path) -> Clock:
    file = folder / "clock"
    file.write_text("0")
    return Clock(file)
