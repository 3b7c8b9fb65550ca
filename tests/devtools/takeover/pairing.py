"""Call the commands that pair two laptops and let one take over, and read a laptop's role."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path
from typing import Any, Final

from tests.devtools.hall.site import environment_of
from tests.devtools.takeover.starting import INTERPRETERS, Starter

COMMAND: Final = ("manage.py", "second_laptop")
CONNECT: Final = ("manage.py", "second_laptop", "connect")
"""The arguments of the process that keeps a laptop connected to the other one."""
PAGE: Final = "/second-laptop/"
"""The page *This laptop*, which only the laptop's own screen shows."""
TAKE_OVER: Final = {"act": "take-over"}
"""The form fields that the button *Take over now* on the page *This laptop* sends."""
SHUT_OUT: Final = "shut-out"
SECOND: Final = "second"
FIRST: Final = "first"
ACKNOWLEDGEMENT: Final = struct.Struct("<Qd")
"""The format of the file `ack`: the number of a change, and the time at which the second laptop confirmed it."""
SILENCE_S: Final = 3.0
"""The number of seconds without a message from the second laptop after which writes no longer wait for it."""


def add(folder: Path, starter: Starter = INTERPRETERS) -> str:
    """Make a laptop show the six words with which a second laptop can be paired, and return the words."""
    done = starter.run([*COMMAND, "add"], environment_of(folder))
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.strip().splitlines()[-1]


def join(
    folder: Path, address: str, words: str, starter: Starter = INTERPRETERS, *, replaces_own_data: bool = False
) -> str:
    """Make a stopped laptop follow another one. Return an error message, or an empty string if this succeeded."""
    options = ["--yes"] if replaces_own_data else []
    done = starter.run([*COMMAND, "join", address, *words.split(), *options], environment_of(folder))
    return (done.stderr.strip() or "no reason") if done.returncode else ""


def take_over(folder: Path, starter: Starter = INTERPRETERS) -> str:
    """Run the command that lets the second laptop take over. Return an error message, or an empty string."""
    done = starter.run([*COMMAND, "take-over"], environment_of(folder))
    return (done.stderr.strip() or "no reason") if done.returncode else ""


def install(folder: Path, starter: Starter = INTERPRETERS) -> str:
    """Install the new copy of the data that a laptop received. Return an error message, or an empty string."""
    done = starter.run([*COMMAND, "install"], environment_of(folder))
    return (done.stderr.strip() or "no reason") if done.returncode else ""


def load_role(folder: Path) -> str:
    """Return `FIRST`, `SECOND`, or `SHUT_OUT`. Return an empty string if the laptop works alone or has taken over."""
    role = str(_read_link(folder).get("role", ""))
    return role if role in (FIRST, SECOND, SHUT_OUT) else ""


def load_acknowledged_change(folder: Path) -> int:
    """Return the number of the latest change that the second laptop has stored.

    Return -1 if the first laptop has not heard from the second one in the last seconds.
    """
    try:
        change, heard_at = ACKNOWLEDGEMENT.unpack((folder / "second-laptop" / "ack").read_bytes())
    except (OSError, struct.error):
        return -1
    return int(change) if time.time() - heard_at < SILENCE_S else -1


def _read_link(folder: Path) -> dict[str, Any]:
    file = folder / "second-laptop" / "link.json"
    try:
        return dict(json.loads(file.read_text()))
    except (OSError, ValueError):
        return {}
