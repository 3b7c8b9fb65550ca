"""`manage.py tally` as a director or another program runs it: a process of its own, lines in, lines out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.chance import examples
from tests.scoring.rules.sheet.golden_sheets import PATHS, read_golden

ROOT = Path(__file__).parents[3]
# Without any variable of this project: the stateless commands need none.
ENVIRONMENT = {"PATH": os.environ["PATH"]}
COMMAND = [sys.executable, "manage.py", "tally"]
GIN = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 7}}
CASE = {"rules": "gra-singles", "options": {"target": 150}, "sides": ["A", "B"], "lines": [GIN]}
GOOD = json.dumps(CASE).encode()


def run(lines: bytes) -> tuple[int, list[dict[str, Any]], str]:
    done = subprocess.run(
        COMMAND, input=lines, capture_output=True, cwd=ROOT, env=ENVIRONMENT, timeout=120, check=False
    )
    return (
        done.returncode,
        [json.loads(line) for line in done.stdout.decode("ascii").splitlines()],
        done.stderr.decode(),
    )


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
    status, answers, stderr = run(GOOD)
    assert (status, stderr) == (0, "")
    line = {"points": {"A": 32, "B": 0}, "running": {"A": 32, "B": 0}, "event": "gin"}
    totals = {"A": 32, "B": 0}
    assert answers == [{"ok": True, "complete": False, "winner": None, "totals": totals, "lines": [line]}]


def test_all_golden_sheets_stream_through_one_process_in_order() -> None:
    goldens = [read_golden(path) for path in PATHS]
    status, answers, stderr = run(b"\n \n".join(json.dumps(golden.case).encode() for golden in goldens))
    assert (status, stderr) == (1, "")
    for golden, answer in zip(goldens, answers, strict=True):
        if golden.refused:
            assert answer["ok"] is False
            assert sorted((e["code"], e["path"]) for e in answer["errors"]) == sorted(golden.refused)
            assert all(e["message"] for e in answer["errors"])
        else:
            assert answer == golden.answer


NOISE = [
    b"not json", b"[]", b"null", b"5", b'"gra-singles"', b"{}", b'{"rules": NaN}', b"\xff\xfe\x00", b"\x00",
    b"[" * 100_000, b'{"a":' * 5_000, b'{"lines": ' + b"[" * 900 + b"]" * 900 + b"}", b"{" + b"x" * 2_000_000,
    b'{"rules": "gra-singles", "rules": "standard"}', b'{"rules": "' + b"x" * 2_000_000 + b'"}',
    GOOD.replace(b"150", b"9" * 5_000), GOOD.replace(b"150", b"1e400"), GOOD.replace(b"150", b"-Infinity"),
    GOOD.replace(b"7", b"9" * 400), GOOD.replace(b"150", b"[" * 900 + b"]" * 900), GOOD.replace(b"8H", b"\\ud800"),
    GOOD.replace(b'"A"', b'"' + b"A" * 2_000_000 + b'"'), GOOD.replace(b"[{", b"[" + b"5," * 200_000 + b"{"),
]  # fmt: skip


def test_noise_is_refused_line_by_line_without_a_traceback() -> None:
    status, answers, stderr = run(b"\n".join([*NOISE, GOOD]))
    assert (status, stderr) == (1, "")
    *refused, good = answers
    assert len(refused) == len(NOISE)
    for answer in refused:
        assert answer["ok"] is False
        assert answer["errors"]
        assert all(e.keys() == {"code", "path", "message"} and e["code"] and e["message"] for e in answer["errors"])
    assert good["ok"] is True


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
    """In kB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmHWM"))
