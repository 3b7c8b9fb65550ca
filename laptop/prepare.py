"""Create or update the virtual environment, and prepare the first start. This module uses only the standard library.

`python3 -m laptop.prepare` installs what `make run` needs. The option `--dev` also installs what `make test` and `make
check` need.
"""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Final
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
REQUIREMENTS_FILE = {"run": "requirements.txt", "dev": "requirements-dev.txt"}
_PIP_OPTIONS = ["install", "--quiet", "--disable-pip-version-check", "--no-input", "--require-hashes"]

PREPARED_FOLDER: Final = ROOT / "var" / "prepared"
LOCK_TIMEOUT_S: Final = 3600
"""Seconds to wait until another process releases the lock."""
CODE_FOLDERS: Final = ("config", "laptop", "pairing", "scoring", "tournament")


def main(arguments: list[str]) -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - a clear message, before anything else fails
        sys.exit(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.")
    wanted = "dev" if "--dev" in arguments else "run"
    try:
        if not _is_installed(wanted):
            PREPARED_FOLDER.parent.mkdir(mode=0o700, exist_ok=True)
            with hold_lock(PREPARED_FOLDER.parent / "prepare.lock"):
                if not _is_installed(wanted):  # another run may have done it
                    _make_venv()
                    _install_requirements(wanted)
    except (OSError, sqlite3.OperationalError) as error:
        sys.exit(f"The folder {ROOT} cannot be written to: {error}. Copy it to a folder of your own.")
    if wanted == "run":
        _prepare_first_start(PYTHON)


@contextmanager
def hold_lock(file: Path) -> Iterator[None]:
    """Hold a lock in this block. Other processes wait. If this process is killed, the lock is released.

    The lock is a transaction in an empty SQLite database, because that needs no package and works on every system.
    """
    with closing(sqlite3.connect(file, timeout=LOCK_TIMEOUT_S, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        yield


def _is_installed(wanted: str) -> bool:
    stamp = VENV / f"installed-{wanted}"
    return PYTHON.exists() and stamp.exists() and stamp.read_text(encoding="ascii") == _digest_requirements(wanted)


def _digest_requirements(wanted: str) -> str:
    """Return a digest of the pinned requirements, the interpreter and the environment's path.

    The path matters because installed scripts contain it.
    """
    digest = hashlib.sha256(f"{sys.version}|{sys.base_prefix}|{VENV}".encode())
    digest.update((ROOT / REQUIREMENTS_FILE[wanted]).read_bytes())
    return digest.hexdigest()


def _make_venv() -> None:
    try:
        import ensurepip  # noqa: F401 - a separate package in Debian
        import venv
    except ImportError:
        sys.exit("Python's venv module is missing. On Debian:  apt-get install python3-venv")
    if _is_venv_current():
        return
    shutil.rmtree(VENV, ignore_errors=True)
    venv.EnvBuilder(with_pip=True, symlinks=True).create(VENV)


def _is_venv_current() -> bool:
    """Return whether the virtual environment is still at its original path, and was created by this interpreter."""
    code = "import sys, pip; print(sys.version, sys.base_prefix, sys.prefix, sep='|')"
    try:
        answer = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return answer.stdout.strip() == f"{sys.version}|{sys.base_prefix}|{VENV}"


def _install_requirements(wanted: str) -> None:
    file = REQUIREMENTS_FILE[wanted]
    print(
        f"Installing the packages in {file}. This takes a few minutes, and happens only when they change.", flush=True
    )
    if not (_install_with_uv(file, compiled=wanted == "run") or _run("-m", "pip", *_PIP_OPTIONS, "-r", file)):
        sys.exit("The packages could not be installed. This machine has to be online once, at its first start.")
    for name in ("run", wanted):
        (VENV / f"installed-{name}").write_text(_digest_requirements(name), encoding="ascii")


def _install_with_uv(file: str, *, compiled: bool) -> bool:
    """Install the packages with uv, which is much faster than pip. Return whether that worked.

    With `compiled`, all modules are compiled now, so that the first start is fast. Tests need only a seventh of them,
    which Python compiles at their first import.
    """
    if os.environ.get("WITHOUT_UV"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        only_uv = Path(folder, "uv.txt")
        only_uv.write_text(_read_pinned_requirement("uv"), encoding="ascii")
        if not _run("-m", "pip", *_PIP_OPTIONS, "--only-binary", ":all:", "-r", str(only_uv), quiet=True):
            return False
    options = ["--quiet", "--python", str(PYTHON), "--require-hashes", *(["--compile-bytecode"] if compiled else [])]
    return _run("-m", "uv", "pip", "install", *options, "-r", file, quiet=True)


def _read_pinned_requirement(name: str) -> str:
    """Return the lines of requirements-dev.txt that pin this package and list its hashes."""
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="ascii").splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith(f"{name}=="))
    return lines[first] + "".join(takewhile(lambda line: line.startswith("    --hash="), lines[first + 1 :]))


def _run(*arguments: str, quiet: bool = False) -> bool:
    output = subprocess.DEVNULL if quiet else None
    return subprocess.run([PYTHON, *arguments], cwd=ROOT, stderr=output, stdout=output, check=False).returncode == 0


# --- The first start -------------------------------------------------------------------------------------------------
# It copies a migrated database and the compiled code instead of making them.


def _prepare_first_start(python: Path) -> None:
    """Prepare files that speed up the first start. Skip this if the program's folder is read-only."""
    with ignore_read_only_errors():
        PREPARED_FOLDER.parent.mkdir(mode=0o700, exist_ok=True)
        PREPARED_FOLDER.mkdir(exist_ok=True)
        if not (PREPARED_FOLDER / f"{compute_schema_digest()}.sqlite3").exists():
            print("Preparing the first start; once, and only when something changes.", flush=True)
        _compile_modules(python)
        with make_migrated_database(python).lock():
            pass


@contextmanager
def ignore_read_only_errors() -> Iterator[None]:
    """Ignore errors in the block that occur because the program's folder is read-only."""
    with suppress(OSError, sqlite3.OperationalError, subprocess.CalledProcessError):
        yield


def _compile_modules(python: Path) -> None:
    """Compile all modules, so that the processes of the first start do not have to do it."""
    stamp, digest = PREPARED_FOLDER / "compiled", _digest_code()
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest:
        return
    subprocess.run([python, "-m", "compileall", "-q", "-j", "0", *CODE_FOLDERS], cwd=ROOT, check=False)
    stamp.write_text(digest, encoding="ascii")


def _digest_code() -> str:
    digest = hashlib.sha256()
    for folder in CODE_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            stat = os.stat(path)
            digest.update(f"{path}|{stat.st_mtime_ns}|{stat.st_size}\n".encode())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class MigratedDatabase:
    """A database file in `folder` with all migrations applied, created once for each set of migrations.

    `environment` returns environment variables that make Django use a given database file.
    """

    folder: Path
    python: Path
    environment: Callable[[Path], Mapping[str, str]]

    def copy_to(self, at: Path) -> None:
        with self.lock() as file:
            _copy_atomically(file, at)

    @contextmanager
    def lock(self) -> Iterator[Path]:
        """Yield the database file, migrated if needed. Parallel runs wait until the first one has migrated it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / f"{compute_schema_digest()}.sqlite3"
        with hold_lock(self.folder / "lock"):
            if not file.exists():
                for outdated in self.folder.glob("*.sqlite3*"):
                    outdated.unlink()
                fresh = file.with_suffix(".fresh")
                fresh.unlink(missing_ok=True)
                command = [str(self.python), "-m", "django", "migrate", "--verbosity", "0"]
                subprocess.run(command, cwd=ROOT, env={**os.environ, **self.environment(fresh)}, check=True)
                fresh.replace(file)
            yield file


def copy_prepared_database(at: Path) -> None:
    """Copy an empty database with all tables to `at`: the one in the wheel, or the one that `make prepare` created."""
    in_wheel = ROOT / "prepared" / "db.sqlite3"
    if in_wheel.exists():
        _copy_atomically(in_wheel, at)
    else:
        make_migrated_database(Path(sys.executable)).copy_to(at)


def _copy_atomically(file: Path, at: Path) -> None:
    """Copy a file. If the copy is interrupted, even by a power failure, no incomplete file is left at `at`."""
    from tournament.core.services.durable_files import replace_durably

    for left in at.parent.glob(f"{at.name}.copied-*"):
        left.unlink()
    copy = at.with_name(f"{at.name}.copied-{os.getpid()}")
    shutil.copyfile(file, copy)
    replace_durably(copy, at)


def make_migrated_database(python: Path) -> MigratedDatabase:
    def environment(file: Path) -> dict[str, str]:
        return {"DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": f"sqlite:///{quote(str(file))}"}

    return MigratedDatabase(PREPARED_FOLDER, python, environment)


def compute_schema_digest() -> str:
    """Return a digest of everything that defines the tables: our migrations and the installed package versions."""
    digest = hashlib.sha256((ROOT / "requirements.txt").read_bytes())
    for file in sorted(ROOT.glob("*/migrations/*.py")):
        digest.update(str(file.relative_to(ROOT)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    main(sys.argv[1:])
