"""Fees, pool, prizes and payouts: the public page, the desk's, each player's own, against the ledger's lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy

from lxml.html import HtmlElement

from tests.devtools.whole_events.compare_cards import page_fails
from tests.devtools.whole_events.compare_standings import shown_places
from tests.devtools.whole_events.facts import Facts
from tests.devtools.whole_events.second_money import Account, Purse, awards, first_amount, money, read_purse
from tests.devtools.whole_events.second_pools import read_side_pools
from tests.devtools.whole_events.values import Disagreement, Found
from tests.devtools.whole_events.words import PageFails, Pages, read_facts_list, read_plain_table, select, words

EXPENSES = "What the expenses were spent on"
WON = ("Place", "Name", "Prize")


def compare_prizes(facts: Facts, pages: Pages) -> Found:
    purse = read_purse(facts)
    where = pages.of_event("prizes/")
    try:
        page = pages.get(where)
        desk = pages.get(pages.of_desk("prizes/"), staff=True)
    except PageFails as fails:
        yield page_fails(fails)
        return
    said = read_facts_list(page)
    made_of = f"{len(facts.ledger)} lines of the ledger"
    for term, expected in (("Fees collected", purse.collected), ("Prize pool", purse.pool)):
        if term in said:
            yield from _same(term, where, money(expected), money(first_amount(said[term]) or 0), made_of)
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
    """What the public page says was spent, by category, and what is left."""
    tables = [one for one in select(page, "table") if words(one).startswith(EXPENSES)]
    rows = {words(row[0]): first_amount(words(row[1])) for table in tables for row in select(table, "tr")}
    made_of = f"{len(facts.spent)} categories of expenses"
    spent = {f"Spent: {category}": cents for category, cents in facts.spent.items()}
    yield from _same("spent", where, spent, {term: rows[term] for term in rows if term.startswith("Spent: ")}, made_of)
    kept = sum(pool.collected - pool.prizes for pool in read_side_pools(facts))
    extras = sum(account.extras_collected for account in purse.accounts.values())
    to_come = purse.added - facts.received
    left = purse.expenses + kept + extras - purse.subsidy - to_come - sum(facts.spent.values())
    if rows or left:
        yield from _same("left for expenses", where, left, rows.get("Left for expenses"), made_of)


def _awards(facts: Facts, purse: Purse, rows: list[dict[str, str]], where: str) -> Found:
    finish = facts.finish or ()
    expected = awards(facts, purse.pool, finish) if purse.pool else {}
    places = shown_places(finish)
    wanted = sorted((facts.name(entry), places[entry], money(cents)) for entry, cents in expected.items())
    together = [row for row in rows if row.get("Name") and row.get("Prize", "").startswith("$")]
    seen = sorted((row["Name"], row["Place"], row["Prize"]) for row in together if row["Place"] != "Together")
    made_of = f"a pool of {money(purse.pool)}, the finish and the scale"
    yield from _same("who won what", where, wanted, seen, made_of)
    if sum(expected.values()) != purse.pool and expected:
        yield Disagreement("awards", where, money(purse.pool), money(sum(expected.values())), made_of)


def _handed_over(facts: Facts, purse: Purse, text: str, where: str) -> Found:
    """What was handed over is what was awarded, or the desk says what is open."""
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
    """An entry's own page and the desk's page of its money."""
    purse = read_purse(facts)
    for entry in numbers:
        who = facts.entrants[entry]
        if who.state in ("joined", "parted"):
            continue
        account = purse.accounts.get(entry, Account(0, 0, 0))
        for where, staff in ((f"/my/{who.token}/", False), (pages.of_desk(f"entrants/{entry}/money/"), True)):
            try:
                said = read_facts_list(pages.get(where, staff=staff))
            except PageFails as fails:
                yield page_fails(fails)
                continue
            made_of = f"the lines of entry {entry}"
            terms = {"Fee": account.owed, "Side pools": account.side, "Extras": account.extras, "Paid": account.kept}
            for term, expected in terms.items():
                if term in said or (expected and term == "Extras"):
                    seen = first_amount(said.get(term, ""))
                    yield from _same(f"{term} of {entry}", where, expected, seen, made_of)
            due = next((value for term, value in said.items() if term.startswith(("Owes", "To pay"))), None)
            if due is not None or account.due:
                yield from _same(f"due of {entry}", where, account.due, first_amount(due or "") or 0, made_of)
            back = next((value for term, value in said.items() if term.startswith("To be refunded")), None)
            if back is not None or (account.to_return and not staff):
                yield from _same(
                    f"to hand back to {entry}", where, account.to_return, first_amount(back or ""), made_of
                )


def compare_winners_own_pages(facts: Facts, pages: Pages) -> Found:
    """A winner's own page says place and prize."""
    if facts.finish is None:
        return
    purse = read_purse(facts)
    places = shown_places(facts.finish)
    for entry, cents in (awards(facts, purse.pool, facts.finish) if purse.pool else {}).items():
        where = f"/my/{facts.entrants[entry].token}/"
        try:
            text = words(pages.get(where))
        except PageFails as fails:
            yield page_fails(fails)
            continue
        if money(cents) not in text:
            yield Disagreement(f"prize of {entry}", where, money(cents), text[:160], f"place {places[entry]}")


def _same(what: str, where: str, expected: object, seen: object, facts: str) -> Iterator[Disagreement]:
    if expected != seen:
        yield Disagreement(what, where, expected, seen, facts)
