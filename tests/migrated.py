"""A migrated database file, which is created once and copied by every test run.

python -m tests.migrated        creates it now, so that no test has to wait for it (`make check`)
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from config.environment import BASE_DIR
from laptop.prepare import MigratedDatabase

KEPT = BASE_DIR / ".pytest_cache" / "d" / "migrated"
SETTINGS = {"DJANGO_SETTINGS_MODULE": "tests.settings"}


def lay_migrated(at: Path, *, kept_in: Path = KEPT) -> None:
    _migrated(kept_in).copy_to(at)


def _migrated(kept_in: Path) -> MigratedDatabase:
    return MigratedDatabase(kept_in, Path(sys.executable), lambda file: {**SETTINGS, "TEST_DATABASE": str(file)})


if __name__ == "__main__":
    os.environ.pop("DATABASE_URL", None)
    with tempfile.TemporaryDirectory(prefix="tournament-tests-") as folder:
        os.environ["TEST_RUN_DIR"] = folder
        with _migrated(KEPT).lock():
            pass
