"""A database file with all migrations in it, made once for as long as they stay the same: every run copies it.

python -m tests.migrated        makes it now, so that no test waits for it (`make check`)
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.environment import BASE_DIR

KEPT = BASE_DIR / ".pytest_cache" / "d" / "migrated"
"""Where the tests keep theirs."""


def lay_migrated(at: Path, *, kept_in: Path = KEPT) -> None:
    with _migrated(kept_in) as kept:
        shutil.copyfile(kept, at)


@contextmanager
def _migrated(kept_in: Path) -> Iterator[Path]:
    """Runs side by side wait here for the one that migrates."""
    kept_in.mkdir(parents=True, exist_ok=True)
    kept = kept_in / f"{_digest()}.sqlite3"
    with (kept_in / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            for outdated in kept_in.glob("*.sqlite3*"):
                outdated.unlink()
            fresh = kept.with_suffix(".fresh")
            fresh.unlink(missing_ok=True)
            _migrate(fresh)
            fresh.rename(kept)
        yield kept


def _digest() -> str:
    """Of everything the tables come from: our migrations, and the releases of those of others."""
    digest = hashlib.sha256((BASE_DIR / "requirements.txt").read_bytes())
    for file in sorted(BASE_DIR.glob("*/migrations/*.py")):
        digest.update(str(file.relative_to(BASE_DIR)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _migrate(file: Path) -> None:
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings", "TEST_DATABASE": str(file)}
    command = [sys.executable, "-m", "django", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=BASE_DIR, env={**os.environ, **environment}, check=True)


if __name__ == "__main__":
    os.environ.pop("DATABASE_URL", None)
    with tempfile.TemporaryDirectory(prefix="tournament-tests-") as folder:
        os.environ["TEST_RUN_DIR"] = folder
        with _migrated(KEPT):
            pass
