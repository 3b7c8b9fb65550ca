"""A dump, written and laid; and the environment of a process that works on a scratch database."""

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
    """The newest last: a name begins with its day."""
    return sorted(KEPT.glob("*.sql.gz"))


def write_dump(database: Path, out: Path) -> None:
    """The same rows give the same bytes."""
    with closing(sqlite3.connect(database)) as connection:
        lines = "\n".join(connection.iterdump())
    out.write_bytes(gzip.compress(f"{lines}\n".encode(), mtime=0))


def lay_dump(dump: Path, database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(gzip.decompress(dump.read_bytes()).decode())


def work_on(database: Path, about: str) -> None:
    """From here on this process has that database, a VAR_DIR beside it, no broker, and the seals' key of kept events.

    To be called before Django is set up. Tokens follow from what the process is `about`: two that add rows differ.
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
