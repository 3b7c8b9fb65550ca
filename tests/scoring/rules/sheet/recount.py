"""Score two-sided gin independently of the program's code, based only on the specification of `tally`.

Every line of a case must be valid. The game can end before the last line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.scoring.rules.sheet.recount_hands import PRESETS, hand_worth, settlement
from tests.scoring.rules.variants import (
    recount_captain,
    recount_court_whist,
    recount_fort_worth,
    recount_hollywood,
    recount_metzker,
    recount_partnership,
    recount_score_pad,
    recount_word_gin,
)

OTHERS: dict[str, Callable[[dict[str, Any]], tuple[dict[str, Any], int]]] = {
    "captain": recount_captain.recount,
    "court-whist": recount_court_whist.recount,
    "fort-worth": recount_fort_worth.recount,
    "gra-partnership": recount_partnership.recount,
    "hollywood": recount_hollywood.recount,
    "metzker": recount_metzker.recount,
    "score-pad": recount_score_pad.recount,
    "word-gin": recount_word_gin.recount,
}
"""The variants that are not a single two-sided game, each with the function that scores a case of it."""


def recount(case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the expected answer of `tally`, and the number of lines up to the end of the game."""
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
        event, winner, worth = hand_worth(line, options, (first, second))
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
        answer["settlement"] = settlement(answer["totals"], champion, boxes, options)
    return answer, len(answers)


def ended(case: dict[str, Any]) -> dict[str, Any]:
    """Return the case without the lines after the end of the game."""
    return case | {"lines": case["lines"][: recount(case)[1]]}
