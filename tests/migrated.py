"""Provide a migrated database file, which is created once and copied by every test run.

It is the same file that `make prepare` creates for the first start of the program. `make check` runs
`python -m tests.migrated`, which creates it early, so that no test has to wait for it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from laptop.prepare import make_migrated_database


def lay_migrated(at: Path) -> None:
    make_migrated_database(Path(sys.executable)).copy_to(at)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tournament-tests-") as folder:
        os.environ["VAR_DIR"] = folder
        with make_migrated_database(Path(sys.executable)).lock():
            pass
