"""Read a hand from a row of a golden sheet, such as `8H A knock 5-20`.

The row contains the up card, the player who ended the hand, how the player ended it, and both players' counts. The
count of the player who ended the hand comes first.
"""

from __future__ import annotations

import re
from typing import Any

FINISH = re.compile(r"(\S+) (knock|gin|big-gin) (\d+)-(\d+)(?: missing (\d+))?(?: extra ([A-Z0-9 ]+))?")


def read_record(sides: list[str], record: str) -> tuple[dict[str, Any], dict[str, Any]]:
    up, rest = record.split(maxsplit=1)
    line: dict[str, Any] = {} if up == "--" else {"up": up}
    return line | read_hand(sides, rest), {}


def read_hand(sides: list[str], record: str) -> dict[str, Any]:
    """Return the hand that is written in a text such as `A knock 5-20`, which has no up card."""
    if record.startswith("dealer="):
        dealer, record = record.split(maxsplit=1)
        return {"dealer": dealer.removeprefix("dealer="), **read_hand(sides, record)}
    finish = FINISH.fullmatch(record)
    if finish is None:
        outcome, *more = record.split()
        hand: dict[str, Any] = {"outcome": outcome}
        if len(more) == 2:
            hand["to"] = more[0]
        return hand | ({"points": int(more[-1])} if more else {})
    by, outcome, own, other, missing, extra = finish.groups()
    against = next(side for side in sides if side != by)
    hand = {"outcome": outcome, "by": by, "counts": {by: int(own), against: int(other)}}
    if missing is not None:
        hand["missing"] = {against: int(missing)}
    if extra is not None:
        hand["extra"] = {against: extra.split()}
    return hand
