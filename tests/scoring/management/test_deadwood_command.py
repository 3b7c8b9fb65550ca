"""`manage.py deadwood` as a director or another program runs it: a process of its own, lines in, lines out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

from tests.chance import examples
from tests.scoring.rules.hand.every_arrangement import best_key
from tests.scoring.rules.hand.random_hands import KINDS, deal_against

ROOT = Path(__file__).parents[3]
# Without any variable of this project: the stateless commands need none.
ENVIRONMENT = {"PATH": os.environ["PATH"]}
COMMAND = [sys.executable, "manage.py", "deadwood"]
EXAMPLE = b'{"hand": "AS 2S 3S 7H 7D 7C KD QD 4C 9H"}'


def run(lines: bytes) -> tuple[int, list[dict[str, Any]], str]:
    done = subprocess.run(
        COMMAND, input=lines, capture_output=True, cwd=ROOT, env=ENVIRONMENT, timeout=120, check=False
    )
    answers = [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]
    return done.returncode, answers, done.stderr.decode()


def test_the_examples_of_the_contract() -> None:
    against = b'{"hand": "4S 8S KD QD 2C 9H JH", "knocker": ["5S 6S 7S", "9C 9D 9S"], "ace": "both"}'
    status, answers, stderr = run(EXAMPLE + b"\n\n" + against + b"\n")
    assert (status, stderr) == (0, "")
    assert answers == [
        {"ok": True, "deadwood": 33, "melds": ["AS 2S 3S", "7H 7D 7C"], "loose": "KD QD 4C 9H"},
        {
            "ok": True,
            "deadwood": 32,
            "melds": [],
            "loose": "KD QD 2C JH",
            "layoffs": {"5S 6S 7S": "4S 8S", "9C 9D 9S": "9H"},
        },
    ]


NOISE = [
    b"not json", b"[]", b"null", b"5", b'"AS 2S"', b"{}", b'{"hand": NaN}', b"\xff\xfe\x00", b"\x00",
    b"[" * 100_000, b'{"hand":' * 5_000, b'{"hand": ' + b"[" * 900 + b"]" * 900 + b"}", b"{" + b"x" * 2_000_000,
    b'{"hand": "' + b"AS " * 700_000 + b'"}', b'{"hand": "AS", "hand": "2S"}', EXAMPLE.replace(b"AS", b"\\ud800"),
    EXAMPLE[:-1] + b', "knocker": [' + b'"AS",' * 100_000 + b'"AS"]}', EXAMPLE[:-1] + b', "Ace": "both"}',
    EXAMPLE[:-1] + b', "ace": ' + b"9" * 5_000 + b"}",
]  # fmt: skip


def test_noise_is_refused_line_by_line_without_a_traceback() -> None:
    status, answers, stderr = run(b"\n".join([*NOISE, EXAMPLE]))
    assert (status, stderr) == (1, "")
    *refused, good = answers
    assert len(refused) == len(NOISE)
    for answer in refused:
        assert answer["ok"] is False
        assert answer["errors"]
        assert all(e.keys() == {"code", "path", "message"} and e["code"] and e["message"] for e in answer["errors"])
    assert good["ok"] is True


def test_many_cases_stream_through_in_order() -> None:
    chance = Random(0)
    cases = [
        deal_against(chance, chance.choice(KINDS), chance.randint(7, 14)) for _ in range(min(3_000, examples(3_000)))
    ]
    lines = [
        json.dumps({"hand": " ".join(hand), "knocker": [" ".join(meld) for meld in melds]}) for hand, melds in cases
    ]
    low = [i for i, (_hand, melds) in enumerate(cases) if not any("A" in card[0] for meld in melds for card in meld)]
    status, answers, stderr = run("\n".join(lines[i] for i in low).encode())
    assert stderr == ""
    assert status == (0 if all(answer["ok"] for answer in answers) else 1)
    assert [answer["deadwood"] for answer in answers] == [best_key(*cases[i])[0] for i in low]
