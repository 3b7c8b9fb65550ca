"""Score the partnership game independently of the program's code, based only on the specification of `tally`."""

from __future__ import annotations

from typing import Any

from tests.scoring.rules.sheet.recount_hands import PRESETS, hand_worth


def recount(case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the expected answer of `tally`, and the number of lines up to the end of the game."""
    options = PRESETS["gra-partnership"] | case.get("options", {})
    us, them = case["sides"]
    ours = theirs = 0
    lines: list[dict[str, Any]] = []
    for line in case["lines"]:
        if ours >= options["target"] or theirs >= options["target"]:
            break
        lead = 0
        for board in line["boards"]:
            _, scorer, worth = hand_worth(board, options, (us, them))
            lead += worth if scorer == us else -worth
        ours += max(lead, 0)
        theirs += max(-lead, 0)
        lines.append(
            {
                "points": {us: max(lead, 0), them: max(-lead, 0)},
                "running": {us: ours, them: theirs},
                "event": "net" if lead else "level",
            }
        )
    champion = us if ours >= options["target"] else them if theirs >= options["target"] else None
    totals = {us: ours, them: theirs}
    return {"complete": champion is not None, "winner": champion, "totals": totals, "lines": lines}, len(lines)
