"""Score the captain game independently of the program's code, based only on the specification of `tally`."""

from __future__ import annotations

from typing import Any

WORTH = dict(zip("A23456789TJQK", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], strict=True))


def recount(case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the expected answer of `tally`, and the number of lines up to the end of the game."""
    options = {"target": 100, "undercut_bonus": 10, "gin_bonus": 25} | case.get("options", {})
    seats = list(case["sides"])
    sums = dict.fromkeys(seats, 0)
    lines: list[dict[str, Any]] = []
    for line in case["lines"]:
        if max(sums.values()) >= options["target"]:
            break
        box, captain, out = seats
        event, scorer, worth = _hand(line, options, [box, captain])
        if worth:
            sums = sums | {scorer: sums[scorer] + worth}
        points = {side: worth if side == scorer else 0 for side in case["sides"]}
        roles = {"box": box, "captain": captain, "out": out}
        lines.append({"points": points, "running": dict(sums), "event": event, "roles": roles})
        if worth:
            seats = [box, out, captain] if scorer == box else [captain, out, box]
    won = [side for side in sums if sums[side] >= options["target"]]
    answer = {"complete": bool(won), "winner": won[0] if won else None, "totals": sums, "lines": lines}
    return answer, len(lines)


def _hand(line: dict[str, Any], options: dict[str, Any], playing: list[str]) -> tuple[str, Any, int]:
    outcome = line["outcome"]
    if outcome in ("stock", "void"):
        return {"stock": "dead", "void": "void"}[outcome], None, 0
    if outcome == "points":
        return "points", line.get("to"), line["points"]
    me = line["by"]
    [you] = [side for side in playing if side != me]
    mine, yours = line["counts"][me], line["counts"][you]
    yours += 10 * line.get("missing", {}).get(you, 0)
    for card in line.get("extra", {}).get(you, []):
        yours += WORTH[card[0]]
    if outcome == "gin":
        return "gin", me, yours + options["gin_bonus"]
    if mine >= yours:
        return "undercut", you, mine - yours + options["undercut_bonus"]
    return "knock", me, yours - mine
