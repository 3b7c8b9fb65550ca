"""Score a Court Whist card independently of the program's code, based only on the specification of `tally`."""

from __future__ import annotations

from typing import Any


def recount(case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the expected answer of `tally`, and the number of lines up to the end of the game."""
    [name] = case["sides"]
    games = [0, 0, 0, 0, 0, 0, 0]
    lines: list[dict[str, Any]] = []
    for line in case["lines"][:28]:
        points = _points(line)
        games[line["game"] - 1] += points
        event = "sit-out" if line.get("sit_out") else "tricks"
        lines.append({"points": {name: points}, "running": {name: sum(games)}, "event": event})
    answer = {"complete": len(lines) == 28, "winner": None, "totals": {name: sum(games)}, "lines": lines}
    return answer | {"games": games}, len(lines)


def _points(line: dict[str, Any]) -> int:
    if line.get("sit_out"):
        return 8
    tricks: int = line["tricks"]
    match line["game"]:
        case 2:
            return tricks + tricks
        case 4:
            return tricks + 2 * int(line["lady_tricks"])
        case 5:
            return 13 - tricks
        case 6:
            return tricks - 3 * int(line["spoken"])
        case 7:
            return tricks + int(line["faces"])
    return tricks
