"""Run a command that answers JSON lines with JSON lines."""

import io
import json
import sys
from typing import Any

from django.core.management import call_command


def run_json_lines(command: str, *lines: Any) -> tuple[list[dict[str, Any]], int]:
    """Return the answers to cases, given as objects or as raw bytes, and the exit status."""
    raw = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    answers, status, stdin = io.StringIO(), 0, sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(raw + b"\n"), encoding="utf-8")
    try:
        call_command(command, stdout=answers)
    except SystemExit as end:
        status = int(end.code or 0)
    finally:
        sys.stdin = stdin
    return [json.loads(line) for line in answers.getvalue().splitlines()], status
