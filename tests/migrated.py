"""A database file with all migrations in it, made once for as long as they stay the same: every run copies it."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from config.environment import BASE_DIR


def lay_migrated(at: Path, *, kept_in: Path) -> None:
    """Runs side by side wait here for the one that migrates."""
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
        shutil.copyfile(kept, at)


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
