"""A row of a golden word gin sheet: `A gin words 31-12 long 1-0 deadwood 0-7`, pairs in the order of the sides."""

from __future__ import annotations

from typing import Any

FIELDS = {"words": "words", "long": "long_words", "deadwood": "deadwood"}


def read_record(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line; its answer says nothing more."""
    by, outcome, *pairs = row.split()
    line: dict[str, Any] = {"outcome": outcome, "by": by}
    for name, pair in zip(pairs[::2], pairs[1::2], strict=True):
        line[FIELDS[name]] = dict(zip(sides, map(int, pair.split("-")), strict=True))
    return line, {}
