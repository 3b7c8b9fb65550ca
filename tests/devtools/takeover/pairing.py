"""The calls that pair two laptops, take over, and tell the role of a laptop."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from tests.devtools.hall.site import ROOT, environment_of

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


def command(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *COMMAND, *arguments],
        cwd=ROOT,
        env={**environment_of(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def add(folder: Path) -> str:
    """Let a laptop show six words for a second one, and return them."""
    done = command(folder, "add")
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.strip().splitlines()[-1]


def join(folder: Path, address: str, words: str) -> str:
    """Let a laptop whose program is stopped follow another one. Return why that did not work, or ""."""
    done = command(folder, "join", address, *words.split())
    return (done.stderr.strip() or "no reason") if done.returncode else ""


def take_over(folder: Path) -> str:
    """Let the second laptop take over by the command. Return why that did not work, or ""."""
    done = command(folder, "take-over")
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
