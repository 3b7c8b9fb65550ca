"""Score word gin independently of the program's code, based only on the specification of `tally`."""

from __future__ import annotations

from typing import Any

PRESET = {"target": 1000, "progressive": False}


def recount(case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the expected answer of `tally`, and the number of lines up to the end of the game."""
    options = PRESET | case.get("options", {})
    first, second = case["sides"]
    sums = {first: 0, second: 0}
    lines: list[dict[str, Any]] = []
    for line in case["lines"]:
        if _is_over(options, sums, len(lines)):
            break
        gained = _hand(line, first, second)
        sums = {first: sums[first] + gained[first], second: sums[second] + gained[second]}
        lines.append({"points": gained, "running": sums, "event": line["outcome"]})
    over = _is_over(options, sums, len(lines))
    better = None if sums[first] == sums[second] else first if sums[first] > sums[second] else second
    return {"complete": over, "winner": better if over else None, "totals": sums, "lines": lines}, len(lines)


def _is_over(options: dict[str, Any], sums: dict[str, int], played: int) -> bool:
    if options["progressive"]:
        return played >= 8
    low, high = sorted(sums.values())
    return bool(high > low and high >= options["target"])


def _hand(line: dict[str, Any], first: str, second: str) -> dict[str, int]:
    me = line["by"]
    you = second if me == first else first
    w = {side: line["words"][side] + 50 * line.get("long_words", {}).get(side, 0) for side in (me, you)}
    d = line["deadwood"]
    if line["outcome"] == "gin":
        return {me: 10 + w[me] + d[you], you: w[you] - d[you]}
    if line["outcome"] == "stock" or d[me] == d[you]:
        return {me: w[me] - d[me], you: w[you] + d[you]}
    if d[me] > d[you]:
        return {me: -d[me], you: w[you] - d[you] + d[me]}
    return {me: w[me] - d[me] + d[you], you: w[you] - d[you]}
