"""Run `manage.py tally` in a separate process, with one case per input line and one answer per output line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.chance import examples
from tests.commands import ENVIRONMENT, ROOT, run_command
from tests.scoring.rules.sheet.golden_sheets import PATHS, read_golden

COMMAND = [sys.executable, "manage.py", "tally"]
GIN = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 7}}
CASE = {"rules": "gra-singles", "options": {"target": 150}, "sides": ["A", "B"], "lines": [GIN]}
GOOD = json.dumps(CASE).encode()


@contextmanager
def running() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=ENVIRONMENT)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def ask(process: subprocess.Popen[bytes], line: bytes) -> dict[str, Any]:
    assert process.stdin
    assert process.stdout
    process.stdin.write(line + b"\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def test_the_example_of_the_contract() -> None:
    status, answers, stderr = run_command("tally", GOOD)
    assert (status, stderr) == (0, "")
    line = {"points": {"A": 32, "B": 0}, "running": {"A": 32, "B": 0}, "event": "gin"}
    totals = {"A": 32, "B": 0}
    assert answers == [{"ok": True, "complete": False, "winner": None, "totals": totals, "lines": [line]}]


def test_all_golden_sheets_stream_through_one_process_in_order() -> None:
    goldens = [read_golden(path) for path in PATHS]
    status, answers, stderr = run_command(
        "tally", b"\n \n".join(json.dumps(golden.case).encode() for golden in goldens)
    )
    assert (status, stderr) == (1, "")
    for golden, answer in zip(goldens, answers, strict=True):
        if golden.refused:
            assert answer["ok"] is False
            assert sorted((e["code"], e["path"]) for e in answer["errors"]) == sorted(golden.refused)
            assert all(e["message"] for e in answer["errors"])
        else:
            assert answer == golden.answer


def test_the_answer_comes_before_the_next_case_is_sent() -> None:
    with running() as process:
        assert ask(process, GOOD)["ok"] is True
        assert ask(process, b"nonsense")["ok"] is False
        assert ask(process, GOOD)["totals"] == {"A": 32, "B": 0}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_thousands_of_cases_stream_through_one_process_in_constant_memory() -> None:
    lines = [{"up": f"{rank}H", "outcome": "knock", "by": "A", "counts": {"A": 2, "B": 9}} for rank in "23456789TJ"]
    case = json.dumps(CASE | {"lines": lines}).encode()
    with running() as process:
        for _ in range(500):
            ask(process, case)
        before = peak_memory(process.pid)
        for _ in range(min(9_500, examples(9_500))):
            assert ask(process, case)["ok"] is True
        assert peak_memory(process.pid) - before < 4_000


def peak_memory(pid: int) -> int:
    """Return a process's peak memory in kB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmHWM"))
