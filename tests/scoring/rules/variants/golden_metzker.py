"""A row of a golden couples sheet: `Guys gin 10; Girls run 6-4; stock 5-9 | 4 0 | gin, run, stock | 4 0  0 0  0 0`.

A gin with the opponent's points, a run with the runner's first, the stock in the order of the teams; then the sums of
the net points awarded so far, the event, and the three games after the round.
"""

from __future__ import annotations

from typing import Any


def read_record(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line, and its columns instead of running totals."""
    record, games = (part.strip() for part in row.split("|"))
    results = [_read_result(sides, result.split()) for result in record.split(";")]
    columns = [dict(zip(sides, map(int, game.split()), strict=True)) for game in games.split("  ")]
    return {"results": results}, {"columns": columns, "running": None}


def _read_result(sides: list[str], words: list[str]) -> dict[str, Any]:
    *by, outcome, counts = words
    own, _, other = counts.rpartition("-")
    numbers = [int(own or 0), int(other)]
    if not by:
        return {"outcome": outcome, "counts": dict(zip(sides, numbers, strict=True))}
    against = next(side for side in sides if side != by[0])
    return {"outcome": outcome, "by": by[0], "counts": dict(zip([by[0], against], numbers, strict=True))}
