"""Cases for the `pair` command that were worked out by hand. Each file has a case with its answer or errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from pairing.draws.cases.pair import CASE_RUNNER_BY_FORMAT, run_pair_case
from tournament.errors import InvalidInput

FOLDER = Path(__file__).parents[2] / "golden"
GOLDEN = sorted(path for name in CASE_RUNNER_BY_FORMAT for path in (FOLDER / name).glob("*.json"))


def golden_with(outcome: str) -> list[Any]:
    read = ((f"{path.parent.name}/{path.stem}", json.loads(path.read_text(encoding="utf-8"))) for path in GOLDEN)
    return [pytest.param(golden, id=name) for name, golden in read if outcome in golden]


@pytest.mark.parametrize("golden", golden_with("answer"))
def test_the_answer_is_the_one_worked_out_by_hand(golden: dict[str, Any]) -> None:
    assert json.loads(json.dumps(run_pair_case(golden["case"]))) == golden["answer"]


@pytest.mark.parametrize("golden", golden_with("errors"))
def test_every_error_is_found_with_its_code_and_path(golden: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        run_pair_case(golden["case"])
    found = [{"code": problem.code, "path": problem.path} for problem in refused.value.problems]
    assert found == golden["errors"]
    assert all(problem.message.endswith(".") for problem in refused.value.problems)


@pytest.mark.parametrize("name", sorted(set(CASE_RUNNER_BY_FORMAT) - {"single-elimination"}))
def test_every_format_has_cases_of_both_kinds(name: str) -> None:
    cases = [json.loads(path.read_text(encoding="utf-8")) for path in (FOLDER / name).glob("*.json")]
    assert any("answer" in case for case in cases)
    assert any("errors" in case for case in cases)
    assert all(case["source"] and case["case"]["format"] == name for case in cases)


@pytest.mark.parametrize(("given", "code"), [({}, "missing-field"), ({"format": 7}, "bad-value")])
def test_a_case_without_a_format_is_refused_for_that_alone(given: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        run_pair_case({**given, "entries": [1, 2]})
    assert [(problem.code, problem.path) for problem in refused.value.problems] == [(code, "format")]
