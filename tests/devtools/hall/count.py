"""Compare the acknowledged writes with the database and `verify_event`, in a separate process.

python -m tests.devtools.hall.count <tournament> <event>     reads writes as JSON, prints a line of JSON
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections import Counter
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

# ruff: noqa: E402 (rows need Django to be set up first)

from django.core.management import call_command

from pairing.models import MatchResult
from scoring.models import SheetLine
from tournament.core.selectors.events import load_event
from tournament.models import Event, LedgerLine

Writes = list[dict[str, Any]]


def main(tournament: str, event: str) -> None:
    writes: Writes = json.load(sys.stdin)
    found = load_event(tournament, event)
    lost: list[str] = []
    doubled: list[str] = []
    by_kind = {kind: [one for one in writes if one["kind"] == kind] for kind in ("hand", "result", "payment")}
    results = Counter(MatchResult.objects.filter(match__event=found).values_list("reason", flat=True))
    payments = Counter(LedgerLine.objects.filter(event=found).values_list("reference", flat=True))
    for kind, rows in (("result", results), ("payment", payments)):
        _compare(by_kind[kind], rows, lost, doubled)
    _compare_hands(found, by_kind["hand"], lost, doubled)
    problems = list_problems(tournament, event)
    print(json.dumps({"lost": lost, "doubled": doubled, "problems": problems, "version": found.version}))


def _compare(writes: Writes, rows: Counter[str], lost: list[str], doubled: list[str]) -> None:
    for one in writes:
        if one["sure"] and not rows[one["mark"]]:
            lost.append(f"{one['kind']} {one['where']}")
        if rows[one["mark"]] > 1:
            doubled.append(f"{one['kind']} {one['where']}")


def _compare_hands(event: Event, writes: Writes, lost: list[str], doubled: list[str]) -> None:
    """Check that each hand is recorded under its number, and that no card has more hands than were sent."""
    on_card: dict[str, dict[int, list[Any]]] = {}
    lines = SheetLine.objects.filter(card__match__event=event, superseded_by=None)
    for card, number, line in lines.values_list("card__token", "number", "line"):
        on_card.setdefault(card, {}).setdefault(number, []).append(line)
    sent = {(one["where"], one["content"]["number"]) for one in writes}
    first = {card: min(number for where, number in sent if where == card) for card, _number in sent}
    for one in writes:
        card, number = one["where"], one["content"]["number"]
        there = on_card.get(card, {}).get(number, [])
        if one["sure"] and not any(_is_same(line, one["content"]) for line in there):
            lost.append(f"hand {number} of {card}")
    for card, begins in first.items():
        for number, there in on_card[card].items():
            if len(there) > 1 or (number >= begins and (card, number) not in sent):
                doubled.append(f"hand {number} of {card}")


def _is_same(line: dict[str, Any], content: dict[str, Any]) -> bool:
    counts = {name.removeprefix("counts_"): int(value) for name, value in content.items() if name.startswith("counts_")}
    return (line["outcome"], line.get("by"), line.get("counts")) == (content["outcome"], content.get("by"), counts)


def list_problems(tournament: str, event: str) -> list[str]:
    out = io.StringIO()
    with contextlib.suppress(SystemExit):
        call_command("verify_event", tournament, event, "--json", stdout=out)
    answer = json.loads(out.getvalue().strip().splitlines()[-1])
    return [f"{one['place']}: {one['message']}" for one in answer["problems"]]


if __name__ == "__main__":
    main(*sys.argv[1:3])
