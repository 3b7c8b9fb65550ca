"""Files that a first start copies instead of making them: a migrated database, and the compiled code.

`make prepare` puts them in var/prepared. They contain no user data, and missing files are made again. This module uses
only the standard library.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from laptop.migrated import ROOT, Migrated, digest_of_tables

PREPARED: Final = ROOT / "var" / "prepared"
CODE: Final = ("config", "laptop", "pairing", "scoring", "tournament")


def make_ready(python: Path) -> None:
    """Prepare the first start. If the folder is not writable, the first start works without these files."""
    with not_at_hand():
        PREPARED.parent.mkdir(mode=0o700, exist_ok=True)
        PREPARED.mkdir(exist_ok=True)
        made = PREPARED / f"{digest_of_tables()}.sqlite3"
        if not made.exists():
            print("Preparing the first start; once, and only when something changes.", flush=True)
        _compile(python)
        with database(python).kept():
            pass


@contextmanager
def not_at_hand() -> Iterator[None]:
    """Ignore that the program's folder is not writable, or that nothing could be made in it."""
    with suppress(OSError, subprocess.CalledProcessError):
        yield


def database(python: Path) -> Migrated:
    return Migrated(PREPARED, python, lambda file: {"DJANGO_SETTINGS_MODULE": "config.settings", **_at(file)})


def _at(file: Path) -> dict[str, str]:
    return {"DATABASE_URL": f"sqlite:///{quote(str(file))}"}


def _compile(python: Path) -> None:
    """Compile all code at once, because otherwise each process of the first start would compile it for itself."""
    stamp, digest = PREPARED / "compiled", _digest_of_code()
    if stamp.exists() and stamp.read_text() == digest:
        return
    subprocess.run([python, "-m", "compileall", "-q", "-j", "0", *CODE], cwd=ROOT, check=False)
    stamp.write_text(digest)


def _digest_of_code() -> str:
    digest = hashlib.sha256()
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            found = os.stat(path)
            digest.update(f"{path}|{found.st_mtime_ns}|{found.st_size}\n".encode())
    return digest.hexdigest()
