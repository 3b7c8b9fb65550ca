"""`manage.py adjudicate` as a director or another program runs it: a process of its own, lines in, lines out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.chance import examples
from tests.scoring.rules.rulings.golden_rulings import GOLDEN_RULINGS

ROOT = Path(__file__).parents[3]
# Without any variable of this project: the stateless commands need none.
ENVIRONMENT = {"PATH": os.environ["PATH"]}
COMMAND = [sys.executable, "manage.py", "adjudicate"]
FACTS = {"up": "8H", "by": "A", "count": 10, "opponent_count": 7, "opponent_accepts": True}
MANY = min(10_000, examples(10_000))
GOOD = json.dumps({"rules": "gra-singles", "kind": "improper-knock", "facts": FACTS}).encode()


def run(lines: bytes) -> tuple[int, list[dict[str, Any]], str]:
    done = subprocess.run(
        COMMAND, input=lines, capture_output=True, cwd=ROOT, env=ENVIRONMENT, timeout=120, check=False
    )
    answers = [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]
    return done.returncode, answers, done.stderr.decode()


def test_the_example_of_the_contract() -> None:
    status, answers, stderr = run(GOOD)
    assert (status, stderr) == (0, "")
    assert answers[0].pop("text")
    assert answers == [
        {
            "ok": True,
            "rule": "singles 9",
            "ruling": "accepted-as-undercut",
            "line": {"up": "8H", "outcome": "points", "to": "B", "points": 28},
            "points": {"B": 28},
            "choices": [],
            "penalties": [],
        }
    ]


def test_all_golden_rulings_stream_through_one_process_in_order() -> None:
    status, answers, stderr = run(b"\n \n".join(json.dumps(golden.case).encode() for golden in GOLDEN_RULINGS))
    assert (status, stderr) == (1, "")
    for golden, answer in zip(GOLDEN_RULINGS, answers, strict=True):
        if golden.refused:
            assert sorted((e["code"], e["path"]) for e in answer["errors"]) == sorted(golden.refused)
        else:
            assert (answer["ok"], answer["ruling"]) == (True, golden.answer["ruling"])


NOISE = [
    b"not json", b"[]", b"null", b"5", b'"conduct"', b"{}", b'{"kind": NaN}', b"\xff\xfe\x00", b"\x00",
    b"[" * 100_000, b'{"facts":' * 5_000, b'{"facts": ' + b"[" * 900 + b"]" * 900 + b"}", b"{" + b"x" * 2_000_000,
    b'{"kind": "' + b"x" * 2_000_000 + b'"}', b'{"kind": "conduct", "kind": "up-card"}',
    GOOD.replace(b"8H", b"\\ud800"), GOOD.replace(b"10", b"9" * 5_000), GOOD.replace(b"10", b"1e400"),
    GOOD.replace(b'"A"', b'"' + b"A" * 2_000_000 + b'"'), GOOD.replace(b'"A"', b"[" * 900 + b"]" * 900),
    GOOD.replace(b'"count"', b'"' + b"c" * 2_000_000 + b'"'), GOOD[:-1] + b', "sides": [' + b"5," * 200_000 + b"5]}",
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


def test_thousands_of_cases_stream_through_one_process() -> None:
    status, answers, stderr = run(b"\n".join([GOOD] * MANY))
    assert (status, len(answers), stderr) == (0, MANY, "")
    assert all(answer["points"] == {"B": 28} for answer in answers)
