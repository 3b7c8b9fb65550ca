"""Run the stateless management commands as other programs do: in a process that reads and writes lines of JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
# Without any variable of this project: the stateless commands need none.
ENVIRONMENT: Final = {"PATH": os.environ["PATH"]}


def run_command(name: str, lines: bytes, **environment: str) -> tuple[int, list[dict[str, Any]], str]:
    """Run a command with this input, and return its exit status, its JSON answers, and its standard error."""
    done = subprocess.run(
        [sys.executable, "manage.py", name],
        input=lines, capture_output=True, cwd=ROOT, env={**ENVIRONMENT, **environment}, timeout=120, check=False,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]
    return done.returncode, answers, done.stderr.decode()


WRONG_SETTINGS = {
    "DATABASE_URL": "nonsense://[",
    "REDIS_URL": "7",
    "DEBUG": "perhaps",
    "DJANGO_SETTINGS_MODULE": "no.such.module",
    "SECRET_KEY": "",
    "SITE_URL": "not an address",
    "HTTPS": "maybe",
    "VAR_DIR": "/dev/null/nowhere",
    "TIME_ZONE": "Mars/Olympus",
    "LANGUAGE_CODE": "xx-none",
    "CONN_MAX_AGE": "soon",
}
