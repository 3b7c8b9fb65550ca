"""Printed lists and letters continue from page to page without losing a line."""

from __future__ import annotations

import datetime as dt
import io

from pypdf import PdfReader

from tournament.core.pdf.flow import PageLayout, TextFlowable
from tournament.core.pdf.lists import ListColumn, PrintedList, write_printed_list
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.models import Tournament
from tournament.money.pdf.close import DailyCloseSheet, MoneyTable, write_daily_close

COLUMNS = (ListColumn("Number", 1), ListColumn("Player", 4, bold=True), ListColumn("Amount", 2, align="right"))


def pages_of(content: bytes) -> list[str]:
    return [" ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(content)).pages]


def printed(rows: int) -> bytes:
    target = io.BytesIO()
    lines = [(str(number), f"Kurt Gödel {number}", "$5.00") for number in range(1, rows + 1)]
    content = PrintedList(
        "Fees", "Desert Classic", COLUMNS, lines, ("", "Total", f"${5 * rows}.00"), note="Seal code 7F3A."
    )
    assert write_printed_list(target, content) == len(pages_of(target.getvalue()))
    return target.getvalue()


def test_each_page_has_title_headings_note_and_its_number() -> None:
    pages = pages_of(printed(70))
    assert len(pages) == 3
    for number, text in enumerate(pages, start=1):
        assert all(words in text for words in ("Fees", "Player", "Seal code 7F3A.", f"{number} / 3"))
    assert [sum(f"Gödel {row} " in text for text in pages) for row in range(1, 71)] == [1] * 70


def test_a_total_is_never_alone_on_a_page() -> None:
    for rows in range(28, 36):
        last = pages_of(printed(rows))[-1]
        assert f"Gödel {rows} " in last and f"Total ${5 * rows}.00" in last


def test_the_same_list_has_the_same_bytes() -> None:
    assert printed(40) == printed(40)


def test_a_long_text_wraps_at_its_size_and_is_cut_at_a_word() -> None:
    target = io.BytesIO()
    PageLayout(PAPER_SIZES["letter"], "t").write(target, [TextFlowable("quoted words " * 90, most_lines=4)])
    (text,) = pages_of(target.getvalue())
    assert text.count("quoted") > 20 and (" quoted … " in text or " words … " in text)


def test_a_close_with_dozens_of_categories_has_every_line_once() -> None:
    day = dt.date(2026, 11, 27)
    rows = tuple((f"Category {number}.", f"${number}.00") for number in range(1, 121))
    small = (("Cash", "$1.00", "$1.00", "$0.00"),)
    tables = (
        MoneyTable("Charges", ("What", "Amount"), rows[:60], ("Charges of the day", "$60.00")),
        MoneyTable("Money in and out", ("What", "Amount"), rows[60:]),
        MoneyTable("Count and ledger", ("How", "Ledger", "Counted", "Difference"), small),
        MoneyTable("All accounts", ("Account", "Before", "Day", "After"), small, wide=True),
    )
    sheet = DailyCloseSheet(
        "Close", "Closed.", tables, (("Counted by", "Ann"), ("Signed by", "Dora")), "", (), "Check.", "Seal."
    )
    target = io.BytesIO()
    tournament = Tournament(name="Desert Classic", starts_on=day, ends_on=day)
    pages = write_daily_close(target, tournament, sheet)
    texts = pages_of(target.getvalue())
    assert pages == len(texts) > 1
    assert [sum(text.count(f"{name} ") for text in texts) for name, _amount in rows] == [1] * len(rows)
    assert all(words in text for text in texts for words in ("Counted by Ann", "Signed by Dora", "Seal."))
