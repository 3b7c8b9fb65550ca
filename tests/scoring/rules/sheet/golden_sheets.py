"""Read golden sheets, which are score sheets with their expected answers.

The notation is described in tests/scoring/golden/README.txt.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.scoring.rules.sheet import golden_hands
from tests.scoring.rules.variants.golden_rows import ROW_READERS

GOLDEN = Path(__file__).parents[2] / "golden"
PATHS = sorted(GOLDEN.glob("*/*.txt"))

HEADER = re.compile(r"(rules|options|sides|case|end|also|settlement|refused): *(.*)")


@dataclass
class GoldenSheet:
    """A case, and the answer that its file expects."""

    name: str
    source: str = ""
    case: dict[str, Any] = field(default_factory=dict)
    running: list[list[int]] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    end: str = ""
    totals: list[int] = field(default_factory=list)
    settlement: list[int] | None = None
    also: dict[str, Any] = field(default_factory=dict)
    line_also: list[dict[str, Any]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)

    @property
    def answer(self) -> dict[str, Any]:
        if self.refused:
            return {"ok": False, "problems": self.refused}
        before = [[0] * len(self.totals), *self.running]
        points = [[b - a for a, b in zip(*pair, strict=True)] for pair in zip(before, self.running, strict=False)]
        answer = {
            "ok": True,
            "complete": self.end != "open",
            "winner": None if self.end in ("open", "tied") else self.end,
            "totals": self._by_side(self.totals),
            "lines": [
                _said({"points": self._by_side(p), "running": self._by_side(r), "event": event, **also})
                for p, r, event, also in zip(points, self.running, self.events, self.line_also, strict=True)
            ],
            **self.also,
        }
        return answer if self.settlement is None else answer | {"settlement": self._by_side(self.settlement)}

    def _by_side(self, values: list[int]) -> dict[str, int]:
        return dict(zip(self.case["sides"], values, strict=True))


def _said(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if value is not None}


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
    elif name == "also":
        sheet.also |= json.loads(value)
    else:
        sheet.case[name] = {"rules": str, "options": json.loads, "sides": str.split}[name](value)


def _read_line(sheet: GoldenSheet, row: str) -> None:
    read = ROW_READERS.get(sheet.case["rules"], golden_hands.read_record)
    record, running, event, *more = (part.strip() for part in row.split("|"))
    line, also = read(sheet.case["sides"], " | ".join([record, *more]))
    sheet.case["lines"].append(line)
    sheet.running.append([int(total) for total in running.split()])
    sheet.events.append(event)
    sheet.line_also.append(also)
