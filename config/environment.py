"""Environment variables, and the secrets that this machine generated on its first run."""

import os
import secrets
from pathlib import Path

import environ
import platformdirs
from django.utils.functional import SimpleLazyObject

from tournament.core.services.durable_files import sync_folder

BASE_DIR = Path(__file__).resolve().parent.parent
IS_CHECKOUT = (BASE_DIR / "pyproject.toml").exists()
"""Whether the program runs from its repository. Otherwise it was installed, and an update replaces its folder."""


def _find_data_folder() -> Path:
    if named := os.environ.get("VAR_DIR"):
        return Path(named).absolute()
    return BASE_DIR / "var" if IS_CHECKOUT else platformdirs.user_data_path("gin-rummy-tournaments", appauthor=False)


VAR_DIR = _find_data_folder()
"""The folder for all data of this installation: database, secrets, files and sockets. Back up this folder."""

BUILD_FILE = BASE_DIR / "build.txt"
"""The commit and the day from which an installed program was built. A checkout has no such file."""


def format_start_command(setting: str = "") -> str:
    """Return the command that starts the program, to show it in a message. An example of a setting is `PORT=8001`."""
    return f"make run {setting}".rstrip() if IS_CHECKOUT else f"{setting} gin-rummy run".lstrip()


GO_BACK_COMMAND = f"{'.venv/bin/python -m laptop' if IS_CHECKOUT else 'gin-rummy'} run --previous"
"""The command that goes back to the version and the data from before the last update."""


def read_build() -> str:
    return BUILD_FILE.read_text(encoding="ascii").strip() if BUILD_FILE.exists() else "from a checkout"


SECRETS_FILE = VAR_DIR / "secrets.env"

env = environ.Env()
env.smart_cast = False


def lazy_secret(name: str) -> SimpleLazyObject:
    """Return a secret that is read or generated on first use. Commands that never use it need no secrets file."""
    return SimpleLazyObject(lambda: os.environ.get(name) or _read_or_generate(name))


def _read_or_generate(name: str) -> str:
    complete_lines = _read_secrets_file().rpartition("\n")[0]  # another process may be writing the last line
    if name in (stored := _parse_secrets(complete_lines)):
        return stored[name]
    from filelock import FileLock  # not at the top, because most processes find their secrets in the file

    VAR_DIR.mkdir(parents=True, exist_ok=True)
    with FileLock(VAR_DIR / "secrets.lock", mode=0o600):  # web and worker may both be first
        content = _read_secrets_file()
        stored = _parse_secrets(content)
        if name not in stored:
            stored[name] = secrets.token_urlsafe(48)
            descriptor = os.open(SECRETS_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with open(descriptor, "a", encoding="ascii") as file:
                file.write("" if content.endswith("\n") or not content else "\n")
                file.write(f"{name}={stored[name]}\n")
                file.flush()
                os.fsync(descriptor)  # what this secret signs must not outlive it in a power failure
            sync_folder(VAR_DIR)
        return stored[name]


def _read_secrets_file() -> str:
    return SECRETS_FILE.read_text(encoding="ascii") if SECRETS_FILE.exists() else ""


def _parse_secrets(content: str) -> dict[str, str]:
    return dict(line.strip().split("=", 1) for line in content.splitlines() if "=" in line)
