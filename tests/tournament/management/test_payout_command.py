"""`manage.py payout` and `ledger` as another program runs them: a process of its own, lines in, lines out."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parents[1] / "golden"
GOOD = b'{"fees_cents": [30000, 30000], "scale": ["70", "30"], "finish": [[7], [3]]}'


def run(lines: bytes, command: str = "payout") -> tuple[int, list[dict[str, Any]], str]:
    # Without any variable of this project: the stateless commands need none.
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "manage.py", command],
        input=lines, capture_output=True, cwd=ROOT, env=environment, timeout=120, check=False,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]
    return done.returncode, answers, done.stderr.decode()


def test_a_good_case_is_answered_ok() -> None:
    status, answers, stderr = run(GOOD + b"\n")
    assert (status, stderr) == (0, "")
    assert answers == [
        {
            "ok": True,
            "collected_cents": 60000,
            "pool_cents": 49200,
            "expenses_cents": 10800,
            "places_cents": [34400, 14800],
            "awards_cents": {"7": 34400, "3": 14800},
        }
    ]


@pytest.mark.parametrize("command", ["payout", "ledger"])
def test_all_golden_cases_stream_through_one_process_in_order(command: str) -> None:
    goldens = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((GOLDEN / command).glob("*.json"))]
    status, answers, stderr = run(b"\n\n".join(json.dumps(golden["case"]).encode() for golden in goldens), command)
    assert (status, stderr) == (1, "")
    for golden, answer in zip(goldens, answers, strict=True):
        if answer["ok"]:
            assert answer == {"ok": True, **golden["answer"]}
        else:
            assert [(e["code"], e["path"]) for e in answer["errors"]] == [
                (e["code"], e["path"]) for e in golden["errors"]
            ]


def test_noise_is_refused_line_by_line_without_a_traceback() -> None:
    noise = [
        b"not json", b"[]", b"null", b'{"fees_cents": NaN}', b"\xff\xfe\x00", b"[" * 100_000, b'{"a":' * 5_000,
        b'{"fees_cents": [' + b"9" * 5_000 + b"]}", b'{"scale": [], "scale": []}', b"{" + b"x" * 2_000_000,
    ]  # fmt: skip
    status, answers, stderr = run(b"\n".join([*noise, GOOD]))
    assert (status, stderr) == (1, "")
    assert [answer["ok"] for answer in answers] == [False] * len(noise) + [True]
    assert {error["code"] for answer in answers[:-1] for error in answer["errors"]} == {"bad-json"}


def test_no_case_at_all_is_no_failure() -> None:
    assert run(b"") == (0, [], "")
    assert run(b"\n  \n\r\n") == (0, [], "")
