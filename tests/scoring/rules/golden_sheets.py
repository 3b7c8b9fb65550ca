"""Reads the golden sheets of tests/scoring/golden (their notation: README.txt there)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent.parent / "golden"
PATHS = sorted(GOLDEN.glob("*/*.txt"))

HEADER = re.compile(r"(rules|options|sides|case|end|settlement|refused): *(.*)")
FINISH = re.compile(r"(\S+) (knock|gin|big-gin) (\d+)-(\d+)(?: missing (\d+))?(?: extra ([A-Z0-9 ]+))?")


@dataclass
class GoldenSheet:
    """A case, and what is said of its answer."""

    name: str
    source: str = ""
    case: dict[str, Any] = field(default_factory=dict)
    running: list[list[int]] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    end: str = ""
    totals: list[int] = field(default_factory=list)
    settlement: list[int] | None = None
    refused: list[tuple[str, str]] = field(default_factory=list)

    @property
    def answer(self) -> dict[str, Any]:
        """The whole answer, put together from what the file says."""
        if self.refused:
            return {"ok": False, "problems": self.refused}
        before = [[0] * len(self.totals), *self.running]
        points = [[b - a for a, b in zip(*pair, strict=True)] for pair in zip(before, self.running, strict=False)]
        answer = {
            "ok": True,
            "complete": self.end != "open",
            "winner": None if self.end == "open" else self.end,
            "totals": self._by_side(self.totals),
            "lines": [
                {"points": self._by_side(p), "running": self._by_side(r), "event": event}
                for p, r, event in zip(points, self.running, self.events, strict=True)
            ],
        }
        return answer if self.settlement is None else answer | {"settlement": self._by_side(self.settlement)}

    def _by_side(self, values: list[int]) -> dict[str, int]:
        return dict(zip(self.case["sides"], values, strict=True))


def read_golden(path: Path) -> GoldenSheet:
    title, *rows = path.read_text(encoding="utf-8").splitlines()
    sheet = GoldenSheet(f"{path.parent.name}/{path.stem}", case={"lines": []})
    assert title
    for row in rows:
        header = HEADER.fullmatch(row)
        if header:
            _read_header(sheet, *header.groups())
        elif row.startswith("source: "):
            sheet.source = row
        elif row and not row.startswith(("#", " ")):
            _read_line(sheet, row)
    return sheet


def _read_header(sheet: GoldenSheet, name: str, value: str) -> None:
    if name == "refused":
        code, path = value.split(" at ")
        sheet.refused.append((code, path))
    elif name == "end":
        sheet.end, totals = value.split(" | ")
        sheet.totals = [int(total) for total in totals.split()]
    elif name == "settlement":
        sheet.settlement = [int(amount) for amount in value.split()]
    elif name == "case":
        sheet.case |= json.loads(value)
    else:
        sheet.case[name] = {"rules": str, "options": json.loads, "sides": str.split}[name](value)


def _read_line(sheet: GoldenSheet, row: str) -> None:
    record, running, event = (part.strip() for part in row.split("|"))
    up, rest = record.split(maxsplit=1)
    line: dict[str, Any] = {} if up == "--" else {"up": up}
    if rest.startswith("dealer="):
        dealer, rest = rest.split(maxsplit=1)
        line["dealer"] = dealer.removeprefix("dealer=")
    sheet.case["lines"].append(line | _hand(sheet.case["sides"], rest))
    sheet.running.append([int(total) for total in running.split()])
    sheet.events.append(event)


def _hand(sides: list[str], record: str) -> dict[str, Any]:
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
