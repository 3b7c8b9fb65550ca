"""An independent count of two-sided gin, straight from the sentences of CONTRACTS.md and sharing no code with it.

It takes cases that are right in every line; it finds for itself where the sheet was complete.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.scoring.rules import recount_captain, recount_fort_worth, recount_word_gin

OTHERS: dict[str, Callable[[dict[str, Any]], tuple[dict[str, Any], int]]] = {
    "captain": recount_captain.recount,
    "fort-worth": recount_fort_worth.recount,
    "word-gin": recount_word_gin.recount,
}
"""The variants that are not two-sided gin, each counted by a module of its own."""
PRESETS: dict[str, dict[str, Any]] = {
    "gra-singles": {"target": 150, "gin_bonus": 25, "undercut_bonus": 25, "big_gin_bonus": None, "spades_double": False,
                        "box_bonus": 0, "game_bonus": 0, "shutout": "none"},
    "standard": {"target": 100, "gin_bonus": 25, "undercut_bonus": 25, "big_gin_bonus": 31, "spades_double": False,
                     "box_bonus": 25, "game_bonus": 100, "shutout": "double"},
    "oklahoma": {"target": 150, "gin_bonus": 25, "undercut_bonus": 25, "big_gin_bonus": None, "spades_double": True,
                     "box_bonus": 25, "game_bonus": 100, "shutout": "double"},
}  # fmt: skip
WORTH = dict(zip("A23456789TJQK", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], strict=True))


def recount(case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """The answer of the sheet as far as it goes, and how many lines it takes."""
    if case["rules"] in OTHERS:
        return OTHERS[case["rules"]](case)
    options = PRESETS[case["rules"]] | case.get("options", {})
    first, second = case["sides"]
    history = [(0, 0)]
    boxes = {first: 0, second: 0}
    answers = []
    for line in case["lines"]:
        if max(history[-1]) >= options["target"]:
            break
        event, winner, worth = _hand(line, options, (first, second))
        gained = (worth if winner == first else 0, worth if winner == second else 0)
        history.append((history[-1][0] + gained[0], history[-1][1] + gained[1]))
        if worth:
            boxes[winner] += 1
        answers.append(
            {
                "points": {first: gained[0], second: gained[1]},
                "running": {first: history[-1][0], second: history[-1][1]},
                "event": event,
            }
        )
    one, two = history[-1]
    over = max(one, two) >= options["target"]
    champion = None if not over else first if one > two else second
    answer = {"complete": over, "winner": champion, "totals": {first: one, second: two}, "lines": answers}
    if over and (options["box_bonus"] or options["game_bonus"] or options["shutout"] == "double"):
        answer["settlement"] = _settlement(answer["totals"], champion, boxes, options)
    return answer, len(answers)


def _hand(line: dict[str, Any], options: dict[str, Any], sides: tuple[str, str]) -> tuple[str, Any, int]:
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


def _settlement(
    totals: dict[str, int], champion: str | None, boxes: dict[str, int], options: dict[str, Any]
) -> dict[str, int]:
    paid = {}
    for side, total in totals.items():
        others = [t for s, t in totals.items() if s != side]
        if side == champion and options["shutout"] == "double" and others == [0]:
            total *= 2
        paid[side] = total + options["box_bonus"] * boxes[side] + (options["game_bonus"] if side == champion else 0)
    return paid
