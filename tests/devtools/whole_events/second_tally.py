"""A card read a second time: totals, whether it is complete, and who has won, by the recounts of the rules' tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.devtools.whole_events.facts import CardRow
from tests.scoring.rules.sheet.recount import recount
from tests.scoring.rules.variants.recount_score_pad import meant


@dataclass(frozen=True)
class Reading:
    """By the letters of the card. `closed`: it ended before its end; `winner` then is by the rule of its closing."""

    totals: Mapping[str, int]
    complete: bool
    winner: str | None
    closed: bool = False
    waits: bool = False

    @property
    def over(self) -> bool:
        return self.complete or self.closed


def read_card(card: CardRow) -> Reading:
    """Without lines every total is nothing."""
    case = {"rules": card.variant, "options": _options(card), "sides": list(card.sides), "lines": _lines(card)}
    answer, _taken = recount(case)
    reading = Reading(answer["totals"], answer["complete"], answer["winner"])
    if card.closing is None or reading.complete:
        return reading
    return _closed(card, reading)


def _options(card: CardRow) -> dict[str, object]:
    return {name: value for name, value in card.options.items() if value is not None or card.variant != "score-pad"}


def _lines(card: CardRow) -> list[dict[str, Any]]:
    """A card entered by its totals has them as its first line: so many points each, the fewer first."""
    totals = paper_totals(card)
    if totals is None:
        return list(card.lines)
    points = [
        {"outcome": "points", "to": side, "points": totals[side]}
        for side in sorted(totals, key=lambda one: totals[one])
    ]
    if card.variant == "gra-partnership":
        points = [{"boards": [one, {"outcome": "stock"}]} for one in points]
    return [*points, *hands_of(card)]


def paper_totals(card: CardRow) -> dict[str, int] | None:
    first = card.lines[0] if card.lines else {}
    return first["totals"] if set(first) == {"totals"} else None


def hands_of(card: CardRow) -> list[dict[str, Any]]:
    return [line for line in card.lines if set(line) != {"totals"}]


def _closed(card: CardRow, open_: Reading) -> Reading:
    """Time was called, or somebody left: by the rule on the event's sheet."""
    closing = card.closing or {}
    rule = closing["rule"]
    winner: str | None = None
    if rule == "forfeit":
        staying = [side for side in card.sides if side != closing["left"]]
        if len(staying) != 1:
            return open_
        winner = staying[0]
    elif rule == "replay":
        return Reading(open_.totals, False, None, closed=True)
    elif rule == "director":
        winner = closing["winner"]
        if winner is None:
            return open_
    elif closing["hands"] is not None and len(card.lines) < closing["hands"]:
        return Reading(open_.totals, False, None, waits=True)
    else:
        winner = _leader(card, open_)
        counts = len(card.sides) != 2 or not card.numbers or closing.get("table")  # of teams the totals stand
        if winner is None and not counts:
            return open_
    return Reading(open_.totals, False, winner, closed=True)


def _leader(card: CardRow, open_: Reading) -> str | None:
    games = (card.closing or {}).get("games") or {}
    most = max(games.values(), default=0)
    ahead = [side for side, count in games.items() if count == most]
    if len(games) > 1 and len(ahead) == 1:
        return ahead[0]
    if len(card.sides) == 1:
        return None
    if card.variant == "score-pad" and meant(card.options).get("back_to_zero"):
        return None  # played back to zero: its totals do not show who is ahead
    best = min(open_.totals.values()) if low_wins(card) else max(open_.totals.values())
    leaders = [side for side, total in open_.totals.items() if total == best]
    return leaders[0] if len(leaders) == 1 else None


def low_wins(card: CardRow) -> bool:
    """Whether the lowest total is the best one."""
    if card.variant == "score-pad":
        return bool(meant(card.options)["wins"] == "low")
    return card.variant == "fort-worth"
