"""Helpers for tests of the rules: play a sheet, read its cells, and read the problems of a refused case."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from scoring.rules.book.layout import LineCells
from scoring.rules.sheet.sheets import ScoreSheet, judge_line, make_empty_sheet, make_variant_rules
from tournament.errors import InvalidInput


def problems_of(act: Callable[..., object], *args: Any, **named: Any) -> list[tuple[str, str]]:
    """Call `act`, which must refuse these arguments, and return the code and path of each problem."""
    with pytest.raises(InvalidInput) as refused:
        act(*args, **named)
    return [(problem.code, problem.path) for problem in refused.value.problems]


def play_sheet(rules: str, *lines: dict[str, Any], sides: str = "A B", **options: Any) -> ScoreSheet:
    sheet = make_empty_sheet(make_variant_rules(rules, options), sides.split())
    for line in lines:
        sheet = judge_line(sheet, line).sheet
    return sheet


def cell_texts(lines: Iterable[LineCells]) -> list[list[str]]:
    return [[cell.text for cell in line.cells] for line in lines]
