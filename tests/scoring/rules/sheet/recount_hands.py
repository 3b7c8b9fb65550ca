"""Score a hand and settle a game of two-sided gin, based only on the specification of `tally`."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "gra-singles": {"target": 150, "gin_bonus": 25, "undercut_bonus": 25, "big_gin_bonus": None, "spades_double": False,
                        "box_bonus": 0, "game_bonus": 0, "shutout": "none"},
    "standard": {"target": 100, "gin_bonus": 25, "undercut_bonus": 25, "big_gin_bonus": 31, "spades_double": False,
                     "box_bonus": 25, "game_bonus": 100, "shutout": "double"},
    "oklahoma": {"target": 150, "gin_bonus": 25, "undercut_bonus": 25, "big_gin_bonus": None, "spades_double": True,
                     "box_bonus": 25, "game_bonus": 100, "shutout": "double"},
    "hollywood": {"target": 150, "gin_bonus": 25, "undercut_bonus": 25, "big_gin_bonus": None, "spades_double": False,
                  "box_bonus": 25, "game_bonus": 100, "shutout": "double"},
    "gra-partnership": {"target": 250, "gin_bonus": 25, "undercut_bonus": 25, "spades_double": False, "boards": 2},
}  # fmt: skip
WORTH = dict(zip("A23456789TJQK", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], strict=True))


def hand_worth(line: dict[str, Any], options: dict[str, Any], sides: tuple[str, str]) -> tuple[str, Any, int]:
    """Return what happened in the hand, the scoring side or None, and the points."""
    outcome = line["outcome"]
    if outcome == "stock":
        return "dead", None, 0
    if outcome == "void":
        return "void", None, 0
    if outcome == "points":
        return "points", line.get("to"), line["points"]
    me = line["by"]
    you = sides[1] if me == sides[0] else sides[0]
    yours = line["counts"][you]
    yours += 10 * line.get("missing", {}).get(you, 0)
    yours += sum(WORTH[card[0]] for card in line.get("extra", {}).get(you, []))
    mine = line["counts"][me]
    factor = 2 if options["spades_double"] and line.get("up", "  ")[1] == "S" else 1
    if outcome == "gin":
        return "gin", me, factor * (yours + options["gin_bonus"])
    if outcome == "big-gin":
        return "big-gin", me, factor * (yours + options["big_gin_bonus"])
    if mine < yours:
        return "knock", me, factor * (yours - mine)
    return "undercut", you, factor * (mine - yours + options["undercut_bonus"])


def settlement(
    totals: dict[str, int], champion: str | None, boxes: dict[str, int], options: dict[str, Any]
) -> dict[str, int]:
    """Return the final score of each side: its total, doubled in a shut-out, with boxes and the bonus for the game."""
    paid = {}
    for side, total in totals.items():
        others = [t for s, t in totals.items() if s != side]
        if side == champion and options["shutout"] == "double" and others == [0]:
            total *= 2
        paid[side] = total + options["box_bonus"] * boxes[side] + (options["game_bonus"] if side == champion else 0)
    return paid
