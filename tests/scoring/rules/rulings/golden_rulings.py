"""Read golden rulings, which are cases with their expected answers.

The notation is described in tests/scoring/golden/adjudicate/README.md.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PATHS = sorted((Path(__file__).parents[2] / "golden" / "adjudicate").glob("*/*.txt"))


@dataclass
class GoldenRuling:
    """A case and its expected answer. The explanation in the answer must contain the text `says`."""

    where: str
    case: dict[str, Any]
    answer: dict[str, Any]
    says: str = ""
    missing_facts: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)


def read_golden_rulings(path: Path) -> list[GoldenRuling]:
    head, *paragraphs = path.read_text(encoding="utf-8").rstrip().split("\n\n")
    heading = dict(row.split(": ", 1) for row in head.splitlines()[1:])
    assert heading.keys() == {"source", "rules", "kind", "rule"}, path
    assert (path.parent.name, path.stem) == (heading["rules"], heading["kind"])
    return [
        read_paragraph(f"{path.parent.name}/{path.stem}-{i}", heading, text) for i, text in enumerate(paragraphs, 1)
    ]


def read_paragraph(where: str, heading: dict[str, str], text: str) -> GoldenRuling:
    nothing: dict[str, Any] = {"line": None, "points": {}, "choices": [], "penalties": []}
    case = {"rules": heading["rules"], "kind": heading["kind"]}
    golden = GoldenRuling(where, case, {"rule": heading["rule"], **nothing})
    for row in text.splitlines():
        if not row.startswith("#"):
            read_row(golden, *row.split(": ", 1))
    return golden


def read_row(golden: GoldenRuling, name: str, value: str) -> None:
    if name in ("facts", "options", "sides"):
        golden.case[name] = json.loads(value)
    elif name == "refused":
        code, path = value.split(" at ")
        golden.refused.append((code, path))
    elif name == "awaits":
        golden.missing_facts = value.split(", ")
    elif name == "says":
        golden.says = value
    else:
        golden.answer[name] = ANSWERS[name](value)


def pairs(value: str) -> list[tuple[str, str]]:
    words = [item.split(" ") for item in value.split(", ")]
    return [(first, second) for first, second in words]


ANSWERS = {
    "ruling": lambda value: None if value == "open" else value,
    "line": json.loads,
    "points": lambda value: {side: int(points) for side, points in pairs(value)},
    "choices": lambda value: [{"code": code, "whose": whose} for code, whose in pairs(value)],
    "penalties": lambda value: [
        {"side": side, "effect": effect, "credit_opponent": False} for side, effect in pairs(value)
    ],
}
GOLDEN_RULINGS = [golden for path in PATHS for golden in read_golden_rulings(path)]
