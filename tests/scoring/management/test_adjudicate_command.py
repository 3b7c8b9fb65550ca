"""Run `manage.py adjudicate` in a separate process, with one case per input line and one answer per output line."""

from __future__ import annotations

import json

from tests.chance import examples
from tests.commands import run_command
from tests.scoring.rules.rulings.golden_rulings import GOLDEN_RULINGS

FACTS = {"up": "8H", "by": "A", "count": 10, "opponent_count": 7, "opponent_accepts": True}
MANY = min(10_000, examples(10_000))
GOOD = json.dumps({"rules": "gra-singles", "kind": "improper-knock", "facts": FACTS}).encode()


def test_the_example_of_the_contract() -> None:
    status, answers, stderr = run_command("adjudicate", GOOD)
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
    status, answers, stderr = run_command(
        "adjudicate", b"\n \n".join(json.dumps(golden.case).encode() for golden in GOLDEN_RULINGS)
    )
    assert (status, stderr) == (1, "")
    for golden, answer in zip(GOLDEN_RULINGS, answers, strict=True):
        if golden.refused:
            assert sorted((e["code"], e["path"]) for e in answer["errors"]) == sorted(golden.refused)
        else:
            assert (answer["ok"], answer["ruling"]) == (True, golden.answer["ruling"])


def test_thousands_of_cases_stream_through_one_process() -> None:
    status, answers, stderr = run_command("adjudicate", b"\n".join([GOOD] * MANY))
    assert (status, len(answers), stderr) == (0, MANY, "")
    assert all(answer["points"] == {"B": 28} for answer in answers)
