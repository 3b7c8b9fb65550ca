"""Test payouts with cases that were worked out by hand, one in each file of tests/tournament/golden/payout."""

import json
from pathlib import Path
from typing import Any

import pytest

from tournament.errors import InvalidInput
from tournament.purse.cases import run_payout_case

GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "payout").glob("*.json"))


def golden_with(outcome: str) -> list[Any]:
    read = ((path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in GOLDEN)
    return [pytest.param(golden, id=name) for name, golden in read if outcome in golden]


@pytest.mark.parametrize("golden", golden_with("answer"))
def test_the_answer_is_the_one_worked_out_by_hand(golden: dict[str, Any]) -> None:
    assert run_payout_case(golden["case"]) == golden["answer"]


@pytest.mark.parametrize("golden", golden_with("answer"))
def test_the_worked_answers_add_up(golden: dict[str, Any]) -> None:
    answer = golden["answer"]
    put_in = golden["case"].get("added_cents", 0) + answer.get("subsidy_cents", 0)
    assert answer["collected_cents"] + put_in == answer["pool_cents"] + answer["expenses_cents"]
    assert sum(answer["places_cents"]) == sum(answer["awards_cents"].values()) == answer["pool_cents"]


@pytest.mark.parametrize("golden", golden_with("errors"))
def test_every_error_is_found_with_its_code_and_path(golden: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refusal:
        run_payout_case(golden["case"])
    found = [{"code": problem.code, "path": problem.path} for problem in refusal.value.problems]
    assert found == golden["errors"]
    assert all(problem.message.endswith(".") for problem in refusal.value.problems)


def test_awards_stand_in_the_order_of_the_finish() -> None:
    answer = run_payout_case({"fees_cents": [100_00], "scale": ["40", "40", "20"], "finish": [[9], [4, 2]]})
    assert list(answer["awards_cents"]) == ["9", "2", "4"]


@pytest.mark.parametrize("field", ["discounts_cents", "added_cents", "guarantee_cents"])
def test_an_amount_of_zero_changes_no_award(field: str) -> None:
    # 82 percent of 100.00
    answer = run_payout_case({"fees_cents": [100_00], "scale": ["100"], "finish": [[7]], field: 0})
    assert (answer["expenses_cents"], answer["awards_cents"]) == (18_00, {"7": 82_00})


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [
        ({"finish": [[7], [3, 7]]}, "Entry 7 finished already, at finish[0][0]."),
        (
            {"fees": []},
            "“fees” is not known here. Known: added_cents, discounts_cents, fees_cents, finish, flat_cents, "
            "guarantee_cents, prize_percent, scale, unit_cents.",
        ),
    ],
)
def test_messages_say_how_to_fix_the_case(spoilt: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        run_payout_case({"fees_cents": [100_00], "scale": ["100"], "finish": [[7]]} | spoilt)
    assert [problem.message for problem in refusal.value.problems] == [message]
