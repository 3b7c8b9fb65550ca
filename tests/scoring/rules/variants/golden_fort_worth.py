"""A row of a golden Fort Worth sheet: `4S A closes B 34 C 12`, or `-- stymie A 5 B 7`; `--`: no turn card recorded."""

from __future__ import annotations

from typing import Any


def read_record(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line; its answer says nothing more."""
    turn, *record = row.split()
    line: dict[str, Any] = {} if turn == "--" else {"turn": turn}
    if record[0] == "stymie":
        counts = record[1:]
    else:
        line["by"] = record[0]
        assert record[1] == "closes", row
        counts = record[2:]
    line["counts"] = {side: int(count) for side, count in zip(counts[::2], counts[1::2], strict=True)}
    return line, {}
