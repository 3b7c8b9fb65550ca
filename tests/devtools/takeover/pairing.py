"""The calls that pair two laptops, take over, and tell the role of a laptop."""

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
"""The arguments of the process that keeps the connection."""
PAGE: Final = "/second-laptop/"
"""The page *This laptop*, which only the laptop's own screen shows."""
TAKE_OVER: Final = {"act": "take-over"}
"""The fields of its button *Take over now*."""
SHUT_OUT: Final = "shut-out"
SECOND: Final = "second"
FIRST: Final = "first"
ACKNOWLEDGEMENT: Final = struct.Struct("<Qd")
"""A change, and the time at which it was acknowledged."""
SILENCE_S: Final = 3.0
"""Seconds without a sign of life after which no write waits for the second laptop."""


def add(folder: Path, starter: Starter = INTERPRETERS) -> str:
    """Let a laptop show six words for a second one, and return them."""
    done = starter.run([*COMMAND, "add"], environment_of(folder))
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.strip().splitlines()[-1]


def join(
    folder: Path, address: str, words: str, starter: Starter = INTERPRETERS, *, replaces_own_data: bool = False
) -> str:
    """Let a laptop whose program is stopped follow another one. Return why that did not work, or ""."""
    options = ["--yes"] if replaces_own_data else []
    done = starter.run([*COMMAND, "join", address, *words.split(), *options], environment_of(folder))
    return (done.stderr.strip() or "no reason") if done.returncode else ""


def take_over(folder: Path, starter: Starter = INTERPRETERS) -> str:
    """Let the second laptop take over by the command. Return why that did not work, or ""."""
    done = starter.run([*COMMAND, "take-over"], environment_of(folder))
    return (done.stderr.strip() or "no reason") if done.returncode else ""


def install(folder: Path, starter: Starter = INTERPRETERS) -> str:
    """Install the new copy that a laptop received. Return why that did not work, or ""."""
    done = starter.run([*COMMAND, "install"], environment_of(folder))
    return (done.stderr.strip() or "no reason") if done.returncode else ""


def load_role(folder: Path) -> str:
    """Return `FIRST`, `SECOND` or `SHUT_OUT`, or "" if the laptop works alone or has taken over."""
    role = str(_read_link(folder).get("role", ""))
    return role if role in (FIRST, SECOND, SHUT_OUT) else ""


def load_acknowledged_change(folder: Path) -> int:
    """Return the last change that the second laptop has stored, or -1 if the first one has not heard of it lately."""
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
