"""Score Fort Worth Gin independently of the program's code, based only on the specification of `tally`."""

from __future__ import annotations

from typing import Any

WILD = {"full": "A23456789TJQK", "short": "A3579JK", "very-short": "2468TQ"}
PRESET = {"length": "full", "spades": False, "kings_double": False, "double_negative": False, "value_cents": 50}


def recount(case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the expected answer of `tally`, and the number of lines up to the end of the game."""
    options = PRESET | case.get("options", {})
    wild = WILD[options["length"]]
    sums = dict.fromkeys(case["sides"], 0)
    lines: list[dict[str, Any]] = []
    for rank, line in zip(wild, case["lines"], strict=False):
        points = dict(line["counts"])
        closer = line.get("by")
        if closer is not None:
            points[closer] = -10
            hundred = 100
            while sums[closer] >= hundred:
                points[closer] -= 10
                hundred += 100
        times = _times(rank, line.get("turn", "  "), options)
        points = {side: times * points[side] for side in sums}
        sums = {side: sums[side] + points[side] for side in sums}
        lines.append({"points": points, "running": sums, "event": "stymie" if closer is None else "close"})
    answer = {"complete": len(lines) == len(wild), "winner": None, "totals": sums, "lines": lines}
    if answer["complete"]:
        answer |= _finished(sums, options)
    return answer, len(lines)


def _times(rank: str, turn: str, options: dict[str, Any]) -> int:
    if options["spades"] and turn == "AS":
        return 3
    if options["kings_double"] and rank == "K":
        return 2
    return 2 if options["spades"] and turn[1] == "S" else 1


def _finished(sums: dict[str, int], options: dict[str, Any]) -> dict[str, Any]:
    if options["double_negative"] and min(sums.values()) < 0:
        sums = {side: 2 * total for side, total in sums.items()}
    low = min(sums.values())
    winners = [side for side in sums if sums[side] == low]
    paid = {side: (low - total) * options["value_cents"] for side, total in sums.items()}
    left = -sum(paid.values())
    for place, side in enumerate(winners):
        share = -(-left // (len(winners) - place))  # the earlier of those still to be paid takes the odd cent
        paid[side] = share
        left -= share
    only = winners[0] if len(winners) == 1 else None
    return {"winner": only, "winners": winners, "totals": sums, "settlement_cents": paid}
