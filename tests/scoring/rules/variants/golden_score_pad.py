"""A row of a golden score pad: the points of the sides in order, `15 0 30`; behind them `won B`, and `@ Red cards`."""

from __future__ import annotations

import re
from typing import Any

ROW = re.compile(r"([-\d ]+?)(?: won (\S+))?(?: @ (.+))?")


def read_record(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line; its answer says nothing more."""
    found = ROW.fullmatch(row)
    assert found, row
    points, won_by, name = found.groups()
    line: dict[str, Any] = {"points": dict(zip(sides, map(int, points.split()), strict=True))}
    if won_by:
        line["won_by"] = won_by
    return line | ({"round": name} if name else {}), {}
