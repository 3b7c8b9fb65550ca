"""Side pools on the public page and on the pages of who won; extras on the desk's pages; against the rows."""

from __future__ import annotations

from collections import Counter

from tests.devtools.whole_events.compare_cards import page_fails
from tests.devtools.whole_events.compare_money import WON
from tests.devtools.whole_events.compare_standings import shown_places
from tests.devtools.whole_events.facts import Facts
from tests.devtools.whole_events.second_money import first_amount, money, read_money, read_purse
from tests.devtools.whole_events.second_pools import PoolReading, read_side_pools
from tests.devtools.whole_events.values import Disagreement, Found
from tests.devtools.whole_events.words import PageFails, Pages, read_facts_list, read_plain_table, select, words


def compare_side_pools(facts: Facts, pages: Pages) -> Found:
    where = pages.of_event("prizes/")
    try:
        page = pages.get(where)
    except PageFails as fails:
        yield page_fails(fails)
        return
    shown = {words(select(one, "h2")[0]).partition(": ")[2]: one for one in select(page, "section.side-pool")}
    for pool in read_side_pools(facts):
        section = shown.pop(pool.name, None)
        if section is None:
            yield Disagreement(f"side pool {pool.name}", where, "on the page", "nothing", "its row")
            continue
        said = read_facts_list(section)
        paid_out = next((value for term, value in said.items() if term.startswith("Paid out")), "")
        seen = (first_amount(said["Collected"]), first_amount(paid_out), _won(section))
        expected = (pool.collected, pool.prizes, _awards(facts, pool))
        if seen != expected:
            yield Disagreement(f"side pool {pool.name}", where, expected, seen, "charges, payments, finish and result")
    for name in shown:
        yield Disagreement(f"side pool {name}", where, "no such pool", "on the page", "no row")


def _awards(facts: Facts, pool: PoolReading) -> list[tuple[str, str, str]]:
    places = shown_places(pool.levels)
    return sorted((facts.name(entry), places[entry], money(cents)) for entry, cents in pool.awards.items())


def _won(section: object) -> list[tuple[str, str, str]]:
    rows = read_plain_table(section, WON)  # type: ignore[arg-type]
    return sorted((row["Name"], row["Place"], row["Prize"]) for row in rows if read_money(row["Prize"]))


def compare_pool_winners(facts: Facts, pages: Pages) -> Found:
    """A winner's own page says it."""
    for pool in read_side_pools(facts):
        for entry, cents in pool.awards.items():
            where = f"/my/{facts.entrants[entry].token}/"
            try:
                text = words(pages.get(where))
            except PageFails as fails:
                yield page_fails(fails)
                continue
            if money(cents) not in text or f"Side pool: {pool.name}" not in text:
                yield Disagreement(f"award of {entry}", where, (pool.name, money(cents)), text[:160], "side pool")


def compare_extras(facts: Facts, pages: Pages) -> Found:
    """How many of each are sold, and what was paid for all of them: the lines that were not reversed."""
    where, spent = pages.of_desk("extras/"), pages.of_desk("expenses/")
    try:
        page, expenses = pages.get(where, staff=True), pages.get(spent, staff=True)
    except PageFails as fails:
        yield page_fails(fails)
        return
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
