"""A row of a golden Hollywood sheet: `8H  A knock 5-20 | 15 0 | knock | 15 0 | 15 0  0 0  0 0`.

The hand, the sums of the games and the event as everywhere; then the hand's points, then the three games after it.
"""

from __future__ import annotations

from typing import Any

from tests.scoring.rules.sheet import golden_hands


def read_record(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line, and its columns instead of running totals."""
    record, points, games = (part.strip() for part in row.split("|"))
    line, _ = golden_hands.read_record(sides, record)
    columns = [dict(zip(sides, map(int, game.split()), strict=True)) for game in games.split("  ")]
    worth = dict(zip(sides, map(int, points.split()), strict=True))
    return line, {"points": worth, "columns": columns, "running": None}
