"""Score Hollywood gin independently of the program's code, based only on the specification of `tally`.

Each of the three games is recomputed from the first hand, so that no state has to be carried along.
"""

from __future__ import annotations

from typing import Any

from tests.scoring.rules.sheet.recount_hands import PRESETS, hand_worth, settlement

Score = tuple[str, int]


def recount(case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the expected answer of `tally`, and the number of lines up to the end of the game."""
    options = PRESETS["hollywood"] | case.get("options", {})
    sides = case["sides"]
    scores: list[Score] = []
    lines: list[dict[str, Any]] = []
    for line in case["lines"]:
        if all(_champion(taken, options) for taken in _games(scores, sides, options)):
            break
        event, scorer, worth = hand_worth(line, options, tuple(sides))
        if worth:
            scores.append((scorer, worth))
        points = {side: worth if side == scorer else 0 for side in sides}
        columns = [_totals(taken, sides) for taken in _games(scores, sides, options)]
        lines.append({"points": points, "columns": columns, "event": event})
    return _answer(_games(scores, sides, options), sides, options) | {"lines": lines}, len(lines)


def _answer(games: list[list[Score]], sides: list[str], options: dict[str, Any]) -> dict[str, Any]:
    totals = [_totals(taken, sides) for taken in games]
    champions = [_champion(taken, options) for taken in games]
    complete = None not in champions
    answer: dict[str, Any] = {
        "complete": complete,
        "winner": max(sides, key=champions.count) if complete else None,
        "totals": {side: sum(total[side] for total in totals) for side in sides},
        "games": [{**total, "winner": who} for total, who in zip(totals, champions, strict=True)],
    }
    if complete and (options["box_bonus"] or options["game_bonus"] or options["shutout"] == "double"):
        paid = dict.fromkeys(sides, 0)
        for taken, total, who in zip(games, totals, champions, strict=True):
            boxes = {side: sum(1 for scorer, _ in taken if scorer == side) for side in sides}
            for side, amount in settlement(total, who, boxes, options).items():
                paid[side] += amount
        answer["settlement"] = paid
    return answer


def _games(scores: list[Score], sides: list[str], options: dict[str, Any]) -> list[list[Score]]:
    """Return the scores that count in each of the three games."""
    games: list[list[Score]] = [[], [], []]
    for scorer, worth in scores:
        first_here = True  # the scorer's next game without a score takes it, the ones behind that do not
        for taken in games:
            if _champion(taken, options):
                continue
            has_scored = any(who == scorer for who, _ in taken)
            if has_scored or first_here:
                taken.append((scorer, worth))
            first_here = first_here and has_scored
    return games


def _totals(taken: list[Score], sides: list[str]) -> dict[str, int]:
    return {side: sum(worth for scorer, worth in taken if scorer == side) for side in sides}


def _champion(taken: list[Score], options: dict[str, Any]) -> str | None:
    for side in {scorer for scorer, _ in taken}:
        if sum(worth for scorer, worth in taken if scorer == side) >= options["target"]:
            return side
    return None
