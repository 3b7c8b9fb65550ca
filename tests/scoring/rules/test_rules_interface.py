"""The examples in docstrings of the rules are correct, and the pages about the rules cover every option."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import scoring.rules
from scoring.rules.variants import VARIANTS

MODULES = [module.name for module in pkgutil.walk_packages(scoring.rules.__path__, "scoring.rules.")]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_the_docstrings_are_true(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0


def test_the_page_of_rules_of_singles_speaks_of_every_rule() -> None:
    page = (Path(__file__).parents[3] / "docs" / "rules" / "gra-singles.md").read_text(encoding="utf-8")
    spoken = {int(rule) for row in re.findall(r"^\| ([\d, ]+) \|", page, re.MULTILINE) for rule in row.split(",")}
    assert spoken == set(range(1, 18))


@pytest.mark.parametrize("name", ["gra-singles", "captain", "fort-worth"])
def test_the_page_of_a_rule_set_speaks_of_every_option(name: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "rules" / f"{name}.md").read_text(encoding="utf-8")
    assert all(f"`{option.name}`" in page for option in VARIANTS[name].options)
