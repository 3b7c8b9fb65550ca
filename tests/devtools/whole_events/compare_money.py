"""Compare fees, prizes, payouts, side pools, extras, and cash drawers on all pages with the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from copy import deepcopy
from typing import Final

from lxml.html import HtmlElement

from tests.devtools.whole_events.compare_standings import shown_places
from tests.devtools.whole_events.facts import Facts
from tests.devtools.whole_events.second_money import (
    Account,
    PoolReading,
    Purse,
    awards,
    first_amount,
    money,
    read_money,
    read_places,
    read_purse,
    read_side_pools,
)
from tests.devtools.whole_events.values import Disagreement, Found, compare, reports_failed_pages
from tests.devtools.whole_events.words import Pages, Row, read_facts_list, read_plain_table, select, words
from tournament.models import DayClose, Drawer

EXPENSES = "What the expenses were spent on"
WON = ("Place", "Name", "Prize")


@reports_failed_pages
def compare_prizes(facts: Facts, pages: Pages) -> Found:
    purse = read_purse(facts)
    where = pages.of_event("prizes/")
    page = pages.get(where)
    desk = pages.get(pages.of_desk("prizes/"), staff=True)
    said = read_facts_list(page)
    made_of = f"{len(facts.ledger)} lines of the ledger"
    for term, expected in (("Fees collected", purse.collected), ("Prize pool", purse.pool)):
        if term in said:
            yield from compare(term, where, money(expected), money(first_amount(said[term]) or 0), made_of)
    if purse.pool != purse.collected + purse.added + purse.subsidy - purse.expenses:
        yield Disagreement("pool", where, "adds up", purse, made_of)
    yield from _expenses(facts, purse, page, where)
    if facts.finish is not None:
        of_the_event = deepcopy(page)
        for pool in select(of_the_event, "section.side-pool"):  # compared by `compare_side_pools`
            pool.drop_tree()
        yield from _awards(facts, purse, read_plain_table(of_the_event, WON), where)
        yield from _handed_over(facts, purse, words(desk), pages.of_desk("prizes/"))


def _expenses(facts: Facts, purse: Purse, page: HtmlElement, where: str) -> Found:
    """Compare the expenses by category, and the remaining amount, with the public page."""
    tables = [one for one in select(page, "table") if words(one).startswith(EXPENSES)]
    rows = {words(row[0]): first_amount(words(row[1])) for table in tables for row in select(table, "tr")}
    made_of = f"{len(facts.spent)} categories of expenses"
    spent = {f"Spent: {category}": cents for category, cents in facts.spent.items()}
    yield from compare(
        "spent", where, spent, {term: rows[term] for term in rows if term.startswith("Spent: ")}, made_of
    )
    kept = sum(pool.collected - pool.prizes for pool in read_side_pools(facts))
    extras = sum(account.extras_collected for account in purse.accounts.values())
    to_come = purse.added - facts.received
    left = purse.expenses + kept + extras - purse.subsidy - to_come - sum(facts.spent.values())
    if rows or left:
        yield from compare("left for expenses", where, left, rows.get("Left for expenses"), made_of)


def _awards(facts: Facts, purse: Purse, rows: list[dict[str, str]], where: str) -> Found:
    finish = facts.finish or ()
    expected = awards(facts, purse.pool, finish) if purse.pool else {}
    places = shown_places(finish)
    wanted = sorted((facts.name(entry), places[entry], money(cents)) for entry, cents in expected.items())
    together = [row for row in rows if row.get("Name") and row.get("Prize", "").startswith("$")]
    seen = sorted((row["Name"], row["Place"], row["Prize"]) for row in together if row["Place"] != "Together")
    made_of = f"a pool of {money(purse.pool)}, the finish and the scale"
    yield from compare("who won what", where, wanted, seen, made_of)
    if sum(expected.values()) != purse.pool and expected:
        yield Disagreement("awards", where, money(purse.pool), money(sum(expected.values())), made_of)


def _handed_over(facts: Facts, purse: Purse, text: str, where: str) -> Found:
    """Check that each payout equals the award, or that the staff page shows the award as unpaid."""
    expected = awards(facts, purse.pool, facts.finish or ()) if purse.pool else {}
    for entry, cents in facts.paid_out.items():
        if cents and cents != expected.get(entry, 0) and not _says_open(text):
            yield Disagreement(
                f"prize of {entry}", where, f"said to be open: {money(expected.get(entry, 0))}", money(cents), "payouts"
            )


def _says_open(text: str) -> bool:
    said = text.casefold()
    return any(word in said for word in ("too much", "too little", "open", "to come back", "still to"))


def compare_accounts(facts: Facts, pages: Pages, numbers: Iterable[int]) -> Found:
    """Check the money of each entry on its own page and on the staff page."""
    purse = read_purse(facts)
    for entry in numbers:
        who = facts.entrants[entry]
        if who.state in ("joined", "parted"):
            continue
        account = purse.accounts.get(entry, Account(0, 0, 0))
        yield from _compare_account(pages, entry, account, f"/my/{who.token}/", staff=False)
        yield from _compare_account(pages, entry, account, pages.of_desk(f"entrants/{entry}/money/"), staff=True)


@reports_failed_pages
def _compare_account(pages: Pages, entry: int, account: Account, where: str, *, staff: bool) -> Found:
    rows = read_facts_list(pages.get(where, staff=staff))
    made_of = f"the lines of entry {entry}"
    terms = {"Fee": account.owed, "Side pools": account.side, "Extras": account.extras, "Paid": account.kept}
    for term, expected in terms.items():
        if term in rows or (expected and term == "Extras"):
            yield from compare(f"{term} of {entry}", where, expected, first_amount(rows.get(term, "")), made_of)
    due = next((value for term, value in rows.items() if term.startswith(("Owes", "To pay"))), None)
    if due is not None or account.due:
        yield from compare(f"due of {entry}", where, account.due, first_amount(due or "") or 0, made_of)
    back = next((value for term, value in rows.items() if term.startswith("To be refunded")), None)
    if back is not None or (account.to_return and not staff):
        seen = first_amount(back or "")
        yield from compare(f"to hand back to {entry}", where, account.to_return, seen, made_of)


def compare_winners_own_pages(facts: Facts, pages: Pages) -> Found:
    """Check that each winner's own page shows the prize."""
    if facts.finish is None:
        return
    pool = read_purse(facts).pool
    places = shown_places(facts.finish)
    for entry, cents in (awards(facts, pool, facts.finish) if pool else {}).items():
        yield from _compare_prize(facts, pages, entry, cents, places[entry])


@reports_failed_pages
def _compare_prize(facts: Facts, pages: Pages, entry: int, cents: int, place: str) -> Found:
    where = f"/my/{facts.entrants[entry].token}/"
    text = words(pages.get(where))
    if money(cents) not in text:
        yield Disagreement(f"prize of {entry}", where, money(cents), text[:160], f"place {place}")


@reports_failed_pages
def compare_side_pools(facts: Facts, pages: Pages) -> Found:
    where = pages.of_event("prizes/")
    page = pages.get(where)
    shown = {words(select(one, "h2")[0]).partition(": ")[2]: one for one in select(page, "section.side-pool")}
    for pool in read_side_pools(facts):
        section = shown.pop(pool.name, None)
        if section is None:
            yield Disagreement(f"side pool {pool.name}", where, "on the page", "nothing", "its row")
            continue
        said = read_facts_list(section)
        paid_out = next((value for term, value in said.items() if term.startswith("Paid out")), "")
        seen = (first_amount(said["Collected"]), first_amount(paid_out), _won(section))
        expected = (pool.collected, pool.prizes, _pool_awards(facts, pool))
        if seen != expected:
            yield Disagreement(f"side pool {pool.name}", where, expected, seen, "charges, payments, finish and result")
    for name in shown:
        yield Disagreement(f"side pool {name}", where, "no such pool", "on the page", "no row")


def _pool_awards(facts: Facts, pool: PoolReading) -> list[tuple[str, str, str]]:
    places = shown_places(pool.levels)
    return sorted((facts.name(entry), places[entry], money(cents)) for entry, cents in pool.awards.items())


def _won(section: object) -> list[tuple[str, str, str]]:
    rows = read_plain_table(section, WON)  # type: ignore[arg-type]
    return sorted((row["Name"], row["Place"], row["Prize"]) for row in rows if read_money(row["Prize"]))


def compare_pool_winners(facts: Facts, pages: Pages) -> Found:
    """Check that each side pool winner's own page shows the award."""
    for pool in read_side_pools(facts):
        for entry, cents in pool.awards.items():
            yield from _compare_award(facts, pages, pool.name, entry, cents)


@reports_failed_pages
def _compare_award(facts: Facts, pages: Pages, pool: str, entry: int, cents: int) -> Found:
    where = f"/my/{facts.entrants[entry].token}/"
    text = words(pages.get(where))
    if money(cents) not in text or f"Side pool: {pool}" not in text:
        yield Disagreement(f"award of {entry}", where, (pool, money(cents)), text[:160], "side pool")


@reports_failed_pages
def compare_extras(facts: Facts, pages: Pages) -> Found:
    """Compare the number of extras sold and the total paid with the ledger lines that were not reversed."""
    where, spent = pages.of_desk("extras/"), pages.of_desk("expenses/")
    page, expenses = pages.get(where, staff=True), pages.get(spent, staff=True)
    back = {line["corrects_id"] for line in facts.ledger if line["kind"] == "reversal"}
    sold = Counter(line["reference"] for line in facts.ledger if line["kind"] == "extra" and line["id"] not in back)
    sections = {words(select(one, "h2")[0]): read_facts_list(one) for one in select(page, "section.box")}
    seen = {name: int(said["Sold"]) for name, said in sections.items() if said.get("Sold", "0") != "0"}
    if seen != dict(sold):
        yield Disagreement("extras sold", where, dict(sold), seen, "charges that were not reversed")
    paid = sum(account.extras_collected for account in read_purse(facts).accounts.values())
    on_page = sum(first_amount(said["Paid"]) or 0 for said in sections.values() if "Paid" in said)
    if on_page != paid:
        yield Disagreement("paid for extras", where, money(paid), money(on_page), "payments beyond fees and side pools")
    if paid and f"Paid for extras {money(paid)}" not in words(expenses):
        yield Disagreement("paid for extras", spent, money(paid), words(expenses)[:300], "payments")


WITHHELD: Final = "Withheld taxes on hand"
DONATED: Final = "Donations on hand"
METHODS: Final = {"Cash": "cash", "Check": "check", "Card": "card", "Transfer": "transfer", "Other": "other"}


@reports_failed_pages
def compare_drawers(facts: Facts, pages: Pages) -> Found:
    where = pages.of_desk("tournament-money/")
    page = pages.get(where, staff=True)
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
    """Return the rows of the first table whose first heading is `first`.

    If `also` is given, the table must have that heading, too.
    """
    for table in select(page, "table"):
        heads = [words(head) for head in select(table, "thead th")]
        if heads[:1] == [first] and (not also or also in heads):
            return [dict(zip(heads, map(words, row), strict=True)) for row in select(table, "tbody tr")]
    return []


def _by_method(row: Row) -> dict[str, int]:
    """Return the row's nonzero amounts, keyed by payment method, and their total."""
    sums = {method: cents for label, method in METHODS.items() if (cents := read_money(row.get(label, "")))}
    return {**sums, "together": read_money(row["Together"]) or 0}


def _line_of_event(facts: Facts, rows: list[Row], where: str) -> Found:
    purse = read_purse(facts)
    own = next((row for row in rows if row["Event"] == facts.event.name), {})
    for head, cents in (("Fees collected", purse.collected), ("Prize pool", purse.pool), ("Expenses", purse.expenses)):
        if read_money(own.get(head, "")) != cents:
            yield Disagreement(head, where, money(cents), own.get(head), f"{len(facts.ledger)} lines of the ledger")


def _closes(facts: Facts) -> Found:
    """Check that the ledger equals the counted money at each daily close, and that two people signed it."""
    for close in DayClose.objects.filter(tournament=facts.event.tournament_id).select_related("count"):
        for method, cents in close.count.counted.items():
            lines = [one for one in close.figures["accounts"] if (one["account"], one["method"]) == ("money", method)]
            before = sum(one["before_cents"] for one in lines) if method == "cash" else 0
            ledger = before + sum(one["day_cents"] for one in lines)
            if ledger != cents:
                yield Disagreement(f"{method} of {close.day}", "the close", money(cents), money(ledger), "its count")
        if close.by_id == close.count.by_id:
            yield Disagreement(f"{close.day}", "the close", "two people", close.by_name, "signatures")
