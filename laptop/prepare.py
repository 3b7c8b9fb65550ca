"""Create the virtual environment, or update it to the requirements. This module uses only the standard library.

`python3 -m laptop.prepare` installs what `make run` needs. With `--dev` it adds what `make test` and `make check`
need.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from laptop.migrated import ROOT
from laptop.ready_made import make_ready

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
REQUIREMENTS = {"run": ["requirements.txt"], "dev": ["requirements.txt", "requirements-dev.txt"]}


def main(arguments: list[str]) -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - a clear message, before anything else fails
        sys.exit(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.")
    wanted = "dev" if "--dev" in arguments else "run"
    with open(ROOT / "requirements.txt", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second run waits and finds the work done
        try:
            if not _is_installed(wanted):
                _make_venv()
                _install(wanted)
        except OSError as error:
            sys.exit(f"The folder {ROOT} cannot be written to: {error.strerror}. Copy it to a folder of your own.")
        if wanted == "run":
            make_ready(PYTHON)


def _is_installed(wanted: str) -> bool:
    stamp = _stamp(wanted)
    return PYTHON.exists() and stamp.exists() and stamp.read_text() == _digest(wanted)


def _stamp(wanted: str) -> Path:
    return VENV / f"installed-{wanted}"


def _digest(wanted: str) -> str:
    """Return a digest of what the environment depends on: the pins, the interpreter, and its own path.

    The scripts of an environment contain its path.
    """
    known = hashlib.sha256(f"{sys.version}|{sys.base_prefix}|{VENV}".encode())
    for name in REQUIREMENTS[wanted]:
        known.update((ROOT / name).read_bytes())
    return known.hexdigest()


def _make_venv() -> None:
    try:
        import ensurepip  # noqa: F401 - a separate package in Debian
        import venv
    except ImportError:
        sys.exit("Python's venv module is missing. On Debian:  apt-get install python3-venv")
    if _is_of_this_python():
        return
    shutil.rmtree(VENV, ignore_errors=True)
    venv.EnvBuilder(with_pip=True, symlinks=True).create(VENV)


def _is_of_this_python() -> bool:
    """Return whether the environment exists at its own path and was made by this interpreter."""
    ask = "import sys, pip; print(sys.version, sys.base_prefix, sys.prefix, sep='|')"
    try:
        answer = subprocess.run([PYTHON, "-c", ask], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return answer.stdout.strip() == f"{sys.version}|{sys.base_prefix}|{VENV}"


def _install(wanted: str) -> None:
    files = [part for name in REQUIREMENTS[wanted] for part in ("-r", name)]
    print(f"Installing what {' and '.join(REQUIREMENTS[wanted])} list; once, and only when they change.", flush=True)
    if not (_install_by_uv(files) or _run("-m", "pip", *_PIP, *files)):
        sys.exit("The packages could not be installed. This machine has to be online once, at its first start.")
    for name in ("run", wanted):
        _stamp(name).write_text(_digest(name))


_PIP = ["install", "--quiet", "--disable-pip-version-check", "--no-input", "--require-hashes"]


def _install_by_uv(files: list[str]) -> bool:
    if os.environ.get("WITHOUT_UV"):
        return False
    if not _run("-m", "pip", *_PIP, "--only-binary", ":all:", "-r", "requirements-uv.txt", quiet=True):
        return False
    by_uv = ["-m", "uv", "pip", "install", "--quiet", "--compile-bytecode", "--python", str(PYTHON), "--require-hashes"]
    return _run(*by_uv, *files, quiet=True)


def _run(*arguments: str, quiet: bool = False) -> bool:
    output = subprocess.DEVNULL if quiet else None
    return subprocess.run([PYTHON, *arguments], cwd=ROOT, stderr=output, stdout=output, check=False).returncode == 0


if __name__ == "__main__":
    main(sys.argv[1:])
