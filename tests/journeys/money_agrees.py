"""Compare the pages, papers, and files of a closed tournament with the test's own notes, and with each other."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from playwright.sync_api import expect

from tests.journeys.money_walk import Notes, Staff, amounts_in, cents_in, column_of, facts_on, fetched, row_on, text_of
from tests.kit import desk_url, public_url
from tournament.models import Event

SPENT: Final = "Spent and paid out"
PRINTED: Final = ("payouts", "payout-receipts")


def event_agrees(director: Staff, event: Event, notes: Notes) -> None:
    """Check that an event's payments, prizes, and expenses match the notes, and that its files match its pages."""
    desk = desk_url(event)
    payments_agree(director, event, notes)
    prizes_agree(director, event, notes, desk)
    director.to_page(event, "Money", "Expenses")
    rows = dict(
        zip(*(director.main.locator(f"table.table {tag}").all_inner_texts() for tag in ("th", "td")), strict=True)
    )
    assert amounts_in(rows["Share of the fees for expenses"]) == [notes.expenses]
    assert amounts_in(rows["Left for expenses"]) == [notes.left]
    listed = column_of(director.page, f"{desk}accounting/lists/expenses.csv", "Amount")
    assert sum(listed) == notes.added.total() + notes.spent.total()
    assert sum(column_of(director.page, f"{desk}accounting/lists/postings.csv", "Amount")) == 0


def payments_agree(director: Staff, event: Event, notes: Notes) -> None:
    director.to_page(event, "Money", "Payments")
    fee, paid = (amounts_in(text)[0] for text in director.main.locator("tfoot td").all_inner_texts()[2:4])
    assert fee == paid == notes.collected + notes.side
    address = f"{director.page.url.split('#')[0]}?_export=csv"
    for name in ("Charged", "Paid"):
        assert sum(column_of(director.page, address, name)) == notes.collected + notes.side
    shown = {label.lower(): cents for label, cents in facts_on(director.page).items()}
    assert shown == {method: cents for method, cents in notes.in_hand.items() if cents}


def prizes_agree(director: Staff, event: Event, notes: Notes, desk: str) -> None:
    """Check that the prizes add up to the pool, that the winners were paid, and that the public page agrees."""
    director.goes_to("Prizes")
    facts = facts_on(director.page)
    assert (facts["Fees collected"], facts["Prize pool"]) == (notes.collected, notes.pool)
    cells = director.main.locator("table.table").first.locator("td:last-child").all_inner_texts()
    *awards, total = [amounts_in(text)[0] for text in cells]
    assert sum(awards) == total == notes.pool
    everything = [*awards, *([notes.side_prizes] if notes.side else [])]
    assert sum(everything) == notes.prizes.total()
    lists = f"{desk}accounting/lists/"
    for name in ("Prize", "Paid out"):
        assert column_of(director.page, f"{lists}prizes.csv", name) == everything
    assert sum(column_of(director.page, f"{lists}prizes.csv", "Still to pay")) == 0
    assert sum(column_of(director.page, f"{lists}payouts.csv", "Amount")) == sum(everything)
    hall = fetched(director.page, public_url(event, "prizes/")).decode()
    shown = amounts_in(hall.split("Who won what")[1])
    assert all(shown.count(cents) >= everything.count(cents) for cents in everything)
    papers_agree(director, event, awards, everything)


def papers_agree(director: Staff, event: Event, awards: list[int], everything: list[int]) -> None:
    """Check that the printed list of payouts has each prize, and that the receipts add up to the prizes.

    There must be one receipt for each player.
    """
    lists, receipts = (printed(director, kind) for kind in PRINTED)
    on_list = amounts_in(lists)
    assert all(on_list.count(cents) >= everything.count(cents) for cents in everything)
    assert sum(awards) in on_list
    signed_for = re.findall(r"I received (\S+)\. ", f"{receipts} ")
    assert sum(map(cents_in, signed_for)) == sum(everything)
    assert len(signed_for) == len(everything) * event.entry_size


def printed(director: Staff, kind: str) -> str:
    """Print this kind of document on the desk's page *Print*, and return the text of the PDF."""
    page = director.page
    director.goes_to("Print")
    page.get_by_label("What").select_option(kind)
    page.get_by_role("button", name="Print", exact=True).click()
    link = page.get_by_role("link", name="Download")
    expect(link.first).to_be_visible()
    return text_of(fetched(page, link.first.get_attribute("href") or ""), f"zero-{kind}")


def close_agrees(director: Staff, events: dict[str, Notes]) -> dict[str, int]:
    """Check the page and the printed report of the closed day, and return the balance of each account in cents."""
    director.goes_to("Close the day") if director.page.get_by_role(
        "link", name="Close the day", exact=True
    ).is_visible() else (director.opens("Money", "Close the day"))
    page = director.page
    for name, notes in events.items():
        assert row_on(page, "Events", name) == [notes.collected, notes.added.total(), notes.pool, notes.expenses]
        assert row_on(page, "What is left for expenses", name) == [notes.side, notes.left]
    assert row_on(page, "All accounts, adding up to zero", "All accounts") == [0, 0, 0]
    cells = [text.strip() for text in page.locator(".close-sections :is(th, td)").all_inner_texts()]
    paper = fetched(page, page.get_by_role("link", name="Print (Letter)").get_attribute("href") or "")
    text = text_of(paper, "zero-close")
    assert [cell for cell in cells if cell not in text] == []
    section = page.locator("section", has=page.get_by_role("heading", name="All accounts, adding up to zero"))
    rows = [row.inner_text() for row in section.locator("tbody tr").all()]
    return {text.split("\t")[0].strip(): amounts_in(text)[-1] for text in rows}


def whole_agrees(director: Staff, events: dict[str, Notes], in_hand: dict[str, int]) -> None:
    """Check that the money page of the whole tournament matches the notes about all events.

    The money on hand must match the count.
    """
    director.goes_to("Tournament money")
    page, sums = director.page, [0] * 8
    for name, notes in events.items():
        made_of = [notes.collected, notes.added.total(), notes.pool, notes.expenses]
        figures = [*made_of, notes.side, notes.spent.total(), notes.left, notes.prizes.total()]
        assert [*row_on(page, "Events", name), *row_on(page, SPENT, name)] == figures
        sums = [one + more for one, more in zip(sums, figures, strict=True)]
    assert [*row_on(page, "Events", "All events"), *row_on(page, SPENT, "All events")] == sums
    counted = [in_hand[method] for method in ("cash", "check", "card")]
    for title in ("Money in and out by day", "Money on hand by drawer"):
        assert row_on(page, title, "Money on hand") == [*counted, sum(counted)]
    expect(director.main).to_contain_text("every fee is settled, and every prize is paid")


def accountants_agree(director: Staff, accounts: dict[str, int], folder: Path) -> None:
    """Check that the accounting program hledger computes the same balances as the page about the closed day."""
    if shutil.which("hledger") is None:
        return
    director.goes_to("Accounting files")
    page = director.page
    link = director.main.get_by_role("row").filter(has_text="All events").get_by_role("link", name="hledger")
    journal = folder / "all.journal"
    journal.write_bytes(fetched(page, link.get_attribute("href") or ""))
    subprocess.run(["hledger", "-f", journal, "check", "--strict"], check=True)
    asked = ["hledger", "-f", journal, "balance", "--flat", "-O", "csv", "-N"]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    balances = {row[0]: row[1] for row in csv.reader(io.StringIO(said)) if row[0] != "account"}
    by_hledger = sorted(
        round(float(amount.split()[0].lstrip("$").replace(",", "")) * 100) for amount in balances.values()
    )
    assert by_hledger == sorted(cents for cents in accounts.values() if cents)
