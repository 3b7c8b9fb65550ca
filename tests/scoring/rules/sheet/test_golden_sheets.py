"""Golden sheets are score sheets whose answers were worked out by hand, each from a source that it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scoring.rules.sheet.sheets import run_tally_case, sheet_from_json, sheet_to_json
from tests.scoring.rules.sheet.golden_sheets import PATHS, read_golden
from tournament.errors import InvalidInput


def answered(case: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"ok": True, **run_tally_case(case)}
    except InvalidInput as bad:
        return {"ok": False, "problems": [(p.code, p.path) for p in bad.problems]}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_golden_sheet(path: Path) -> None:
    golden = read_golden(path)
    assert golden.source, "a golden sheet names its source"
    answer = answered(golden.case)
    if golden.refused:
        golden.refused.sort()
        answer["problems"].sort()
    assert answer == golden.answer


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_golden_sheet_is_read_back_as_it_was_written(path: Path) -> None:
    golden = read_golden(path)
    if golden.refused:
        return
    sheet = sheet_from_json(golden.case)
    assert sheet_from_json(sheet_to_json(sheet)) == sheet
    assert answered(sheet_to_json(sheet)) == golden.answer


@pytest.mark.parametrize("rules", ["gra-singles", "standard", "oklahoma", "hollywood", "gra-partnership"])
def test_a_rule_set_has_its_golden_sheets(rules: str) -> None:
    assert [path.parent.name for path in PATHS].count(rules) >= 10
