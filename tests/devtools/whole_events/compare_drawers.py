"""What the page of all events says is in hand, by drawer and method; its line of the event; and closes."""

from __future__ import annotations

from typing import Final

from lxml.html import HtmlElement

from tests.devtools.whole_events.compare_cards import page_fails
from tests.devtools.whole_events.facts import Facts
from tests.devtools.whole_events.second_drawers import read_places
from tests.devtools.whole_events.second_money import money, read_money, read_purse
from tests.devtools.whole_events.values import Disagreement, Found
from tests.devtools.whole_events.words import PageFails, Pages, Row, select, words
from tournament.models import DayClose, Drawer

WITHHELD: Final = "Withheld taxes on hand"
DONATED: Final = "Donations on hand"
METHODS: Final = {"Cash": "cash", "Check": "check", "Card": "card", "Transfer": "transfer", "Other": "other"}


def compare_drawers(facts: Facts, pages: Pages) -> Found:
    where = pages.of_desk("tournament-money/")
    try:
        page = pages.get(where, staff=True)
    except PageFails as fails:
        yield page_fails(fails)
        return
    drawers = {one.pk: f"{one.name}: {one.cashier}" for one in Drawer.objects.select_related("cashier")}
    expected = {
        drawers[place] if place else "The safe": {**sums, "together": sums.total()}
        for place, sums in read_places(facts.event).items()
    }
    seen = {row["Where"]: _by_method(row) for row in rows_below(page, "Where")}
    if expected != seen:
        yield Disagreement("money in each drawer", where, expected, seen, "every movement")
    yield from _line_of_event(facts, rows_below(page, "Event"), where)
    for column, cents, rows in (
        (WITHHELD, facts.withheld, "withholdings and remittances"),
        (DONATED, facts.donations, "donations and payments to charity"),
    ):
        own = next((row for row in rows_below(page, "Event", column) if row["Event"] == facts.event.name), {})
        if read_money(own.get(column, "$0.00")) != cents:
            yield Disagreement(column, where, money(cents), own.get(column), rows)
    yield from _closes(facts)


def rows_below(page: HtmlElement, first: str, also: str = "") -> list[Row]:
    """The rows of the first table whose first heading is this, and that has another one as well."""
    for table in select(page, "table"):
        heads = [words(head) for head in select(table, "thead th")]
        if heads[:1] == [first] and (not also or also in heads):
            return [dict(zip(heads, map(words, row), strict=True)) for row in select(table, "tbody tr")]
    return []


def _by_method(row: Row) -> dict[str, int]:
    """Amounts that are not zero, and all of them together."""
    sums = {method: cents for label, method in METHODS.items() if (cents := read_money(row.get(label, "")))}
    return {**sums, "together": read_money(row["Together"]) or 0}


def _line_of_event(facts: Facts, rows: list[Row], where: str) -> Found:
    purse = read_purse(facts)
    own = next((row for row in rows if row["Event"] == facts.event.name), {})
    for head, cents in (("Fees collected", purse.collected), ("Prize pool", purse.pool), ("Expenses", purse.expenses)):
        if read_money(own.get(head, "")) != cents:
            yield Disagreement(head, where, money(cents), own.get(head), f"{len(facts.ledger)} lines of the ledger")


def _closes(facts: Facts) -> Found:
    """After a close the ledger has what was counted, and two people signed."""
    for close in DayClose.objects.filter(tournament=facts.event.tournament_id).select_related("count"):
        for method, cents in close.count.counted.items():
            lines = [one for one in close.figures["accounts"] if (one["account"], one["method"]) == ("money", method)]
            before = sum(one["before_cents"] for one in lines) if method == "cash" else 0
            ledger = before + sum(one["day_cents"] for one in lines)
            if ledger != cents:
                yield Disagreement(f"{method} of {close.day}", "the close", money(cents), money(ledger), "its count")
        if close.by_id == close.count.by_id:
            yield Disagreement(f"{close.day}", "the close", "two people", close.by_name, "signatures")
