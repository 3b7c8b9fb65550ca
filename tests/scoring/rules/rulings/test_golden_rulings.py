"""Golden rulings are irregularities with known rulings, each from a paragraph of the rules."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from scoring.rules.irregularities import IRREGULARITIES
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.adjudicate import adjudicate, run_adjudicate_case
from tests.scoring.rules.rulings.golden_rulings import GOLDEN_RULINGS, GoldenRuling
from tournament.errors import InvalidInput


def answered(case: dict[str, Any]) -> dict[str, Any]:
    try:
        return run_adjudicate_case(case)
    except InvalidInput as bad:
        return {"refused": sorted((p.code, p.path) for p in bad.problems)}


@pytest.mark.parametrize("golden", GOLDEN_RULINGS, ids=lambda golden: golden.where)
def test_golden_ruling(golden: GoldenRuling) -> None:
    answer = answered(golden.case)
    if golden.refused:
        assert answer == {"refused": sorted(golden.refused)}
        return
    assert list(adjudicate(golden.case).missing_facts) == golden.missing_facts
    text = answer.pop("text")
    assert golden.says in text
    assert text[-1] in ".?"
    assert golden.case["rules"] == "gra-partnership" or "partnership" not in text
    for choice in answer["choices"]:
        assert choice.pop("text")[-1] == "."
    assert answer == golden.answer
    assert answer["ruling"] in (None, *IRREGULARITIES[golden.case["kind"]].rulings)


@pytest.mark.parametrize("rules", ["gra-singles", "gra-partnership"])
def test_every_kind_has_its_golden_rulings(rules: str) -> None:
    given = Counter(
        golden.case["kind"] for golden in GOLDEN_RULINGS if golden.case["rules"] == rules and not golden.refused
    )
    assert given.keys() == IRREGULARITIES.keys()
    assert min(given.values()) >= 3


def test_the_docs_page_names_every_kind_fact_and_ruling() -> None:
    page = (Path(__file__).parents[4] / "docs" / "rules" / "irregularities.md").read_text(encoding="utf-8")
    facts = {fact.name for kind in IRREGULARITIES.values() for fact in kind.facts}
    for name in {*IRREGULARITIES, *facts, *RulingDecision}:
        assert f"`{name}`" in page, name
