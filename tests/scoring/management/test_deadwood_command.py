"""Run `manage.py deadwood` in a separate process, with one case per input line and one answer per output line."""

from __future__ import annotations

import json
from random import Random

from tests.chance import examples
from tests.commands import run_command
from tests.scoring.rules.hand.every_arrangement import best_key
from tests.scoring.rules.hand.random_hands import KINDS, deal_against

EXAMPLE = b'{"hand": "AS 2S 3S 7H 7D 7C KD QD 4C 9H"}'


def test_the_examples_of_the_contract() -> None:
    against = b'{"hand": "4S 8S KD QD 2C 9H JH", "knocker": ["5S 6S 7S", "9C 9D 9S"], "ace": "both"}'
    status, answers, stderr = run_command("deadwood", EXAMPLE + b"\n\n" + against + b"\n")
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


def test_many_cases_stream_through_in_order() -> None:
    chance = Random(0)
    cases = [
        deal_against(chance, chance.choice(KINDS), chance.randint(7, 14)) for _ in range(min(3_000, examples(1_200)))
    ]
    lines = [
        json.dumps({"hand": " ".join(hand), "knocker": [" ".join(meld) for meld in melds]}) for hand, melds in cases
    ]
    low = [i for i, (_hand, melds) in enumerate(cases) if not any("A" in card[0] for meld in melds for card in meld)]
    status, answers, stderr = run_command("deadwood", "\n".join(lines[i] for i in low).encode())
    assert stderr == ""
    assert status == (0 if all(answer["ok"] for answer in answers) else 1)
    assert [answer["deadwood"] for answer in answers] == [best_key(*cases[i])[0] for i in low]
