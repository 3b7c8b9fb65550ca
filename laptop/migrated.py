"""A database file with all migrations, made once for each set of migrations and then copied.

This module uses only the standard library, because it runs before anything is installed.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Migrated:
    """A migrated database file in the folder `kept_in`.

    `told` returns the environment variables that make Django create the tables in a given file.
    """

    kept_in: Path
    python: Path
    told: Callable[[Path], Mapping[str, str]]

    def lay(self, at: Path) -> None:
        """Copy the file to `at` atomically, so that an interrupted copy leaves nothing incomplete."""
        with self.kept() as kept:
            beside = at.with_name(f"{at.name}.copied-{os.getpid()}")
            shutil.copyfile(kept, beside)
            beside.replace(at)

    @contextmanager
    def kept(self) -> Iterator[Path]:
        """Yield the file, migrated if needed. Parallel runs wait for the one that migrates."""
        self.kept_in.mkdir(parents=True, exist_ok=True)
        kept = self.kept_in / f"{digest_of_tables()}.sqlite3"
        with (self.kept_in / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                for outdated in self.kept_in.glob("*.sqlite3*"):
                    outdated.unlink()
                fresh = kept.with_suffix(".fresh")
                fresh.unlink(missing_ok=True)
                self._migrate(fresh)
                fresh.rename(kept)
            yield kept

    def _migrate(self, file: Path) -> None:
        command = [str(self.python), "-m", "django", "migrate", "--verbosity", "0"]
        subprocess.run(command, cwd=ROOT, env={**os.environ, **self.told(file)}, check=True)


def digest_of_tables() -> str:
    """Return a digest of everything that defines the tables: our migrations and the versions of the packages."""
    digest = hashlib.sha256((ROOT / "requirements.txt").read_bytes())
    for file in sorted(ROOT.glob("*/migrations/*.py")):
        digest.update(str(file.relative_to(ROOT)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
