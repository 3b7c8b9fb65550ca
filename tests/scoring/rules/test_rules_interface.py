"""The public names of the package, its doctests, and that each verb's example runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import scoring.rules

PUBLIC = """
    Ace Arrangement Card CardContent Choice Column DECK Decision Discard Doubt Effect EnteredTotals Fact FactKind
    FieldKind GamePlace IRREGULARITIES Irregularity JudgedHands JudgedLine KnockOptions KnockRule KnockStanding
    LineField LineTally NamedValue Numbers Option OptionValue Options Penalty PublishedOption Row RuleSheet Ruling
    SET_BY_DIRECTOR Seat Sheet ShownHands Slip Tally VARIANTS Variant adjudicate answer_adjudicate answer_deadwood
    answer_tally arrange arrange_against canonical_bytes check_running digest enter_totals judge_hands judge_line
    knock_options open_sheet parse_card read_sheet rule_sheet tally write_sheet
"""
VERBS = """
    adjudicate answer_adjudicate answer_deadwood answer_tally arrange arrange_against check_running enter_totals
    judge_hands judge_line knock_options parse_card rule_sheet tally
"""
MODULES = [module.name for module in pkgutil.walk_packages(scoring.rules.__path__, "scoring.rules.")]


def test_the_public_interface_is_this_and_no_more() -> None:
    assert sorted(scoring.rules.__all__) == sorted(PUBLIC.split())
    assert all(hasattr(scoring.rules, name) for name in scoring.rules.__all__)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_the_docstrings_are_true(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0


def test_the_verbs_have_examples() -> None:
    for name in VERBS.split():
        assert ">>>" in (getattr(scoring.rules, name).__doc__ or ""), name


def test_the_page_of_rules_speaks_of_every_rule_and_option() -> None:
    page = (Path(__file__).parents[3] / "docs" / "rules" / "gra-singles.md").read_text(encoding="utf-8")
    spoken = {int(rule) for row in re.findall(r"^\| ([\d, ]+) \|", page, re.MULTILINE) for rule in row.split(",")}
    assert spoken == set(range(1, 18))
    assert all(f"`{option.name}`" in page for option in scoring.rules.VARIANTS["gra-singles"].options)
