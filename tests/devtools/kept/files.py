"""Write and restore database dumps, and prepare a process for a scratch database."""

from __future__ import annotations

import gzip
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

KEPT: Final = Path(__file__).parent
SEAL_SECRET: Final = "kept events: this key seals made-up cards, and everybody may know it"
NOT_OURS: Final = ("DATABASE_URL", "REDIS_URL", "PYTEST_XDIST_WORKER", "SEAL_SECRET_FALLBACKS")


def dumps() -> list[Path]:
    """Return the dumps, newest last. Their names begin with the date."""
    return sorted(KEPT.glob("*.sql.gz"))


def releases() -> list[Path]:
    """Return the small dumps with one event, one for each release, for the tests of updates."""
    return sorted((KEPT / "releases").glob("*.sql.gz"))


def write_dump(database: Path, out: Path) -> None:
    """Write a dump of the database. The same rows always result in the same bytes."""
    with closing(sqlite3.connect(database)) as connection:
        lines = "\n".join(connection.iterdump())
    out.write_bytes(gzip.compress(f"{lines}\n".encode(), mtime=0))


def lay_dump(dump: Path, database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(gzip.decompress(dump.read_bytes()).decode())


def work_on(database: Path, about: str) -> None:
    """Make this process use the database and its folder, without a broker, and with the seal key of kept events.

    Call this before Django is set up. `about` names the work of this process, and is the seed of its random tokens. Two
    processes with different names therefore add rows with different tokens.
    """
    for name in NOT_OURS:
        os.environ.pop(name, None)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "TEST_RUN_DIR": str(database.parent),
        "TEST_DATABASE": str(database),
        "TEST_PROCESS": f"kept events: {about}",
        "SEAL_SECRET": SEAL_SECRET,
    }
