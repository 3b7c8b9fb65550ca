"""A row of a golden Court Whist card: game.hand and tricks, `4.1 7 lady 3`, `6.2 5 spoken 1`; or `2.3 sits out`."""

from __future__ import annotations

from typing import Any

FIELDS = {"lady": "lady_tricks", "spoken": "spoken", "faces": "faces"}


def read_record(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line; its answer says nothing more."""
    place, *record = row.split()
    game, hand = place.split(".")
    line: dict[str, Any] = {"game": int(game), "hand": int(hand)}
    if record == ["sits", "out"]:
        return line | {"sit_out": True}, {}
    line["tricks"] = int(record[0])
    if len(record) > 1:
        _, name, number = record
        line[FIELDS[name]] = int(number)
    return line, {}
