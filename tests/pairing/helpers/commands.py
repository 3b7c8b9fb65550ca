"""Run a command that reads JSON Lines, with valid and invalid cases."""

import copy
import io
import json
import random
import sys
from collections.abc import Sequence
from typing import Any

from django.core.management import call_command


def run_json_lines(command: str, *lines: Any) -> tuple[list[dict[str, Any]], int]:
    """Run a command with these cases as its input, and return its answers and exit status.

    A case that is not an object is written as raw bytes.
    """
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


def run_json_line(command: str, line: Any) -> dict[str, Any]:
    [answer], _status = run_json_lines(command, line)
    return answer


JUNK: list[Any] = [
    None, True, False, 0, -1, 1, 3, 10**15, 2**53, 10**400, 0.5, 1e308, "", "x", "1", "4", "04", "wins", "|", "\x00",
    "single-elimination", "00" * 32, "ff" * 32, "\ud800", "♥" * 50, "é" * 20_000, [], [[]], [1], [1, 1], [None], {},
    {"": {}}, {"4": 1}, {"x": 1}, {"entry": 1}, [2, "x", {}], list(range(70)),
]  # fmt: skip


def spoil(value: Any, chance: random.Random, names: Sequence[str], depth: int = 0) -> Any:
    """Return the case with a value replaced, removed, or added at a random depth.

    `names` are additional keys that may be added.
    """
    if isinstance(value, dict) and (depth == 0 or (value and chance.random() < 0.7)):
        name = chance.choice([*value, *names])
        if chance.random() < 0.15:
            return {key: item for key, item in value.items() if key != name}
        return {**value, name: spoil(value.get(name), chance, names, depth + 1)}
    if isinstance(value, list) and value and chance.random() < 0.7:
        at = chance.randrange(len(value))
        return [*value[:at], spoil(value[at], chance, names, depth + 1), *value[at + 1 :]]
    return copy.deepcopy(chance.choice(JUNK))
