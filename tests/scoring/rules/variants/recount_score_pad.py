"""Score a score pad independently of the program's code, based on docs/rules/score-pad.md and the rule book.

This module repeats the games of the rule book, with their rounds, winners, and targets.
"""

from __future__ import annotations

from typing import Any

SALAD = [
    "Red cards", "Even cards", "Each trick", "Each heart", "Each face card", "Each seven", "Each ace", "Each queen",
    "King of spades", "Last trick",
]  # fmt: skip
NTH = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th"]
HELL = [f"{n} cards" for n in (10, 9, 8, 7, 6, 5, 4, 3, 2)]
ARIZONA = ["3s", "4s", "5s", "6s", "7s", "8s", "9s", "10s", "Jacks", "Queens", "Kings"]
TRAIN = [f"Double {n}" for n in (12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, "blank")]
SASKATCHEWAN = ["Each trick", "Each heart", "Each queen", "King of clubs", "Last trick", "PayDay"]
BOOK: dict[str, tuple[list[str], str, int | None]] = {
    "10-dime-rummy": (NTH[:8], "high", None),
    "500-rummy": ([], "high", 500),
    "arizona-rummy": (ARIZONA, "low", None),
    "canadian-salad": (SALAD, "low", None),
    "desert-rummy": ([], "high", 11),
    "euchre": ([], "high", 10),
    "five-hundreds": ([], "high", 500),
    "golf": (NTH, "low", None),
    "hand-and-foot-canasta": (NTH[:4], "high", None),
    "hearts": ([], "low", 100),
    "honeymoon-whist": (["Clubs", "Diamonds", "Hearts", "Spades", "No-trump"], "high", None),
    "horseshit-rummy": ([], "high", 1500),
    "oh-hell": ([*HELL, "1 card", *HELL[::-1]], "high", None),
    "oh-hell-6-7": ([*HELL[3:], "1 card", *HELL[:2:-1]], "high", None),
    "push": (NTH[:5], "low", None),
    "saskatchewan-rummy": (SASKATCHEWAN, "low", None),
    "sweep": ([], "low", 300),
    "thirty-one": ([], "low", None),
    "10000": ([], "high", 10_000),
    "chicken-foot": (["0-0", "1-1", "2-2", "3-3", "4-4", "5-5", "6-6", "7-7", "8-8", "9-9"], "low", None),
    "mexican-train": (TRAIN, "low", None),
    "sticks": ([], "high", 7),
}


def recount(case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the expected answer of `tally`, and the number of lines up to the end of the game."""
    options = meant(case.get("options", {}))
    sums = dict.fromkeys(case["sides"], 0)
    down: set[str] = set()
    lines: list[dict[str, Any]] = []
    over, winner = False, None
    for line in case["lines"]:
        if over:
            break
        points = {side: -line["points"][side] if side in down else line["points"][side] for side in sums}
        sums = {side: sums[side] + points[side] for side in sums}
        over, winner = _verdict(sums, len(lines) + 1, down, options)
        if line.get("won_by") is not None:
            over, winner = True, line["won_by"]
        if options["back_to_zero"] and options["target"]:
            down |= {side for side in sums if sums[side] >= options["target"]}
        lines.append({"points": points, "running": sums, "event": "points"})
    return {"complete": over, "winner": winner, "totals": sums, "lines": lines}, len(lines)


def meant(options: dict[str, Any]) -> dict[str, Any]:
    """Return all options. Options without a value get the value of the chosen game in the rule book."""
    game = options.get("game")
    rounds, wins, target = BOOK[game] if game else ([], "high", None)
    usual: dict[str, Any] = {"rounds": rounds, "wins": wins, "target": target}
    usual["losing_total"] = -150 if game == "500-rummy" else None
    usual["back_to_zero"] = game == "10000"
    return {name: value if options.get(name) is None else options[name] for name, value in usual.items()}


def _verdict(sums: dict[str, int], played: int, down: set[str], options: dict[str, Any]) -> tuple[bool, str | None]:
    home = [side for side in sums if side in down and sums[side] <= 0]
    if home:
        return True, home[0] if len(home) == 1 else None
    high = options["wins"] != "low"
    ranked = sorted(sums, key=lambda side: -sums[side] if high else sums[side])
    first = ranked[0] if sums[ranked[0]] != sums[ranked[1]] else None
    if options["rounds"] and played == len(options["rounds"]):
        return True, first
    if options["losing_total"] is not None and high and min(sums.values()) <= options["losing_total"]:
        return True, first
    if options["target"] is None or options["back_to_zero"] or max(sums.values()) < options["target"]:
        return False, None
    return (False, None) if high and first is None else (True, first)
