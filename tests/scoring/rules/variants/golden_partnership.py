"""A row of a golden partnership sheet: `8H  A knock 5-20 & B gin 0-14`, a hand for each board."""

from __future__ import annotations

from typing import Any

from tests.scoring.rules.sheet import golden_hands


def read_record(sides: list[str], row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line; its answer says nothing more."""
    up, rest = row.split(maxsplit=1)
    boards = [golden_hands.read_hand(sides, board.strip()) for board in rest.split("&")]
    return ({} if up == "--" else {"up": up}) | {"boards": boards}, {}
