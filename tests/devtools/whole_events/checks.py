"""What the program's own check of an event says, by its command."""

from __future__ import annotations

import io
import json
from typing import Any

from django.core.management import call_command

from tests.devtools.whole_events.values import Disagreement, Found


def ask_verify_event(tournament: str, event: str) -> tuple[dict[str, Any], int]:
    """The answer of `verify_event --json` and its exit status."""
    out = io.StringIO()
    status = 0
    try:
        call_command("verify_event", tournament, event, "--json", stdout=out)
    except SystemExit as ended:
        status = int(ended.code or 0)
    return json.loads(out.getvalue().strip().splitlines()[-1]), status


def compare_check(tournament: str, event: str, differing: list[str], cards: int) -> Found:
    """It names every match whose card and result differ, and no other; what it counted is what is on record."""
    answer, status = ask_verify_event(tournament, event)
    where = f"verify_event {tournament} {event} --json"
    problems = answer["problems"]
    if answer["ok"] != (not problems) or status != (1 if problems else 0):
        yield Disagreement(
            "verify_event", where, "ok, problems and exit status agree", (answer["ok"], problems, status)
        )
    said = [f"{one['code']} {one['place']}: {one['message']}" for one in problems]
    for ident in differing:
        if not any(ident in one for one in said):
            yield Disagreement("verify_event", where, f"a problem that names {ident}", said, "card and result differ")
    for one in said:
        if not any(ident in one for ident in differing):
            yield Disagreement("verify_event", where, "no problem", one, "honest rows")
    if answer["checked"].get("cards", cards) != cards:
        yield Disagreement("verify_event: cards", where, cards, answer["checked"]["cards"], "cards on record")
