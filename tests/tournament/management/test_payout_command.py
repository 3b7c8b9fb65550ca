import json
from pathlib import Path

import pytest

from tests.commands import run_command

GOLDEN = Path(__file__).parents[1] / "golden"
GOOD = b'{"fees_cents": [30000, 30000], "scale": ["70", "30"], "finish": [[7], [3]]}'


def test_a_good_case_is_answered_ok() -> None:
    status, answers, stderr = run_command("payout", GOOD + b"\n")
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
    status, answers, stderr = run_command(
        command, b"\n\n".join(json.dumps(golden["case"]).encode() for golden in goldens)
    )
    assert (status, stderr) == (1, "")
    for golden, answer in zip(goldens, answers, strict=True):
        if answer["ok"]:
            assert answer == {"ok": True, **golden["answer"]}
        else:
            assert [(e["code"], e["path"]) for e in answer["errors"]] == [
                (e["code"], e["path"]) for e in golden["errors"]
            ]


def test_no_case_at_all_is_no_failure() -> None:
    assert run_command("payout", b"") == (0, [], "")
    assert run_command("payout", b"\n  \n\r\n") == (0, [], "")
