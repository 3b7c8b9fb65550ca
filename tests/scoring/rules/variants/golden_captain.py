"""A row of a golden captain sheet: `B knock 5-20 | A B C`, the knocker's count first, then box, captain, out."""

from __future__ import annotations

from typing import Any


def read_record(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line, and the roles of its answer."""
    record, roles = (part.split() for part in row.split("|"))
    box, captain, out = roles
    line: dict[str, Any] = {}
    if record[0].startswith("dealer="):
        line["dealer"] = record.pop(0).removeprefix("dealer=")
    if record[0] in ("stock", "void"):
        line["outcome"] = record[0]
    elif record[0] == "points":
        line |= {"outcome": "points", "points": int(record[-1])}
        line |= {"to": record[1]} if len(record) == 3 else {}
    else:
        by, outcome, counts, *wrong = record
        against = captain if by == box else box
        own, other = counts.split("-")
        line |= {"outcome": outcome, "by": by, "counts": {by: int(own), against: int(other)}}
        if wrong and wrong[0] == "missing":
            line["missing"] = {against: int(wrong[1])}
        elif wrong:
            line["extra"] = {against: wrong[1:]}
    return line, {"roles": {"box": box, "captain": captain, "out": out}}
