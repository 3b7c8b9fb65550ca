"""Check exported ledgers with the accounting programs hledger and Beancount, if they are installed."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.tournament.helpers.money import faults_of
from tournament.purse.journal import JOURNAL_SYNTAXES, AccountNames, CurrencyFormat, JournalEntry, write_journal
from tournament.purse.kinds import AccountKind

USD = CurrencyFormat("USD")
SATURDAY, SUNDAY = date(2026, 11, 28), date(2026, 11, 29)


def entry(day: date, number: int, *lines: tuple[str, int], **about: Any) -> JournalEntry:
    words = {"payee": "Ada Lovelace", "description": "Payment"} | about
    return JournalEntry(day, f"3-{number:04}", lines=lines, **words)


CASH, OWED, FEES = "Assets:Cash", "Assets:Receivable", "Income:Fees"
DAYS = (
    entry(SATURDAY, 1, (OWED, 100_00), (FEES, -100_00), description="Fee"),
    entry(SATURDAY, 2, (CASH, 80_05), (OWED, -80_05)),
    entry(SATURDAY, 3, description="Fee"),
    entry(SUNDAY, 4, (CASH, 20_00), (OWED, -20_00), payee='A; "B" | \\C', tags={"reason": 'x, y: "z" ; [2026-01-01]'}),
)


def text(program: str, *, unit: CurrencyFormat = USD) -> str:
    return "\n".join(write_journal(DAYS, JOURNAL_SYNTAXES[program], title='The "Open"', unit=unit)) + "\n"


@pytest.mark.parametrize("program", JOURNAL_SYNTAXES)
@pytest.mark.parametrize("unit", [USD, CurrencyFormat("JPY", 0)])
def test_accounting_programs_accept_it(program: str, unit: CurrencyFormat, tmp_path: Path) -> None:
    assert faults_of(program, text(program, unit=unit), tmp_path) == ""


@pytest.mark.parametrize("program", JOURNAL_SYNTAXES)
def test_the_program_finds_a_cent_at_the_end_of_its_day(program: str, tmp_path: Path) -> None:
    spoiled = text(program).replace("80.05 USD", "80.06 USD", 1).replace("-80.05 USD", "-80.06 USD", 1)
    assert "balance" in faults_of(program, spoiled, tmp_path).lower()


BEANCOUNT = """\
option "title" "The 'Open'"
option "operating_currency" "USD"

2026-11-28 open Assets:Receivable USD
2026-11-28 open Income:Fees USD
2026-11-28 * "Ada Lovelace" "Fee"
  receipt: "3-0001"
  Assets:Receivable  100.00 USD
  Income:Fees  -100.00 USD

2026-11-28 open Assets:Cash USD
2026-11-28 * "Ada Lovelace" "Payment"
  receipt: "3-0002"
  Assets:Cash  80.05 USD
  Assets:Receivable  -80.05 USD

2026-11-28 * "Ada Lovelace" "Fee"
  receipt: "3-0003"

2026-11-29 balance Assets:Receivable  19.95 ~ 0 USD
2026-11-29 balance Income:Fees  -100.00 ~ 0 USD
2026-11-29 balance Assets:Cash  80.05 ~ 0 USD

2026-11-29 * "A; 'B' | /C" "Payment"
  receipt: "3-0004"
  reason: "x, y: 'z' ; [2026-01-01]"
  Assets:Cash  20.00 USD
  Assets:Receivable  -20.00 USD

2026-11-30 balance Assets:Receivable  -0.05 ~ 0 USD
2026-11-30 balance Income:Fees  -100.00 ~ 0 USD
2026-11-30 balance Assets:Cash  100.05 ~ 0 USD
"""
HLEDGER = """\
; The "Open"
decimal-mark .
commodity 1000.00 USD

account Assets:Receivable
account Income:Fees
2026-11-28 * (3-0001) Ada Lovelace | Fee
    Assets:Receivable  100.00 USD
    Income:Fees  -100.00 USD

account Assets:Cash
2026-11-28 * (3-0002) Ada Lovelace | Payment
    Assets:Cash  80.05 USD
    Assets:Receivable  -80.05 USD

2026-11-28 * (3-0003) Ada Lovelace | Fee

2026-11-28 * Balances at the end of the day
    Assets:Receivable  0.00 USD = 19.95 USD
    Income:Fees  0.00 USD = -100.00 USD
    Assets:Cash  0.00 USD = 80.05 USD

2026-11-29 * (3-0004) A, "B" / \\C | Payment
    ; reason: x; y: "z" ; [2026-01-01]
    Assets:Cash  20.00 USD
    Assets:Receivable  -20.00 USD

2026-11-29 * Balances at the end of the day
    Assets:Receivable  0.00 USD = -0.05 USD
    Income:Fees  0.00 USD = -100.00 USD
    Assets:Cash  0.00 USD = 100.05 USD
"""


@pytest.mark.parametrize(("program", "file"), [("hledger", HLEDGER), ("beancount", BEANCOUNT)])
def test_the_file_has_every_entry_and_the_balances_of_each_day(program: str, file: str) -> None:
    # Receivable: 100.00 − 80.05 = 19.95 on Saturday, and 19.95 − 20.00 = −0.05 on Sunday.
    assert text(program) == file


@pytest.mark.parametrize(
    ("typed", "in_hledger", "in_beancount"),
    [
        ("Ada Lovelace", "Ada Lovelace", '"Ada Lovelace"'),
        ("A | B | C", "A / B / C", '"A | B | C"'),  # hledger separates the payee from the description with “|”.
        ("A; B; C", "A, B, C", '"A; B; C"'),  # “;” begins a comment in hledger.
        ('"A" "B"', '"A" "B"', "\"'A' 'B'\""),  # A quotation mark ends a text in Beancount.
        ("A\\B\\C", "A\\B\\C", '"A/B/C"'),  # A backslash escapes the next character in Beancount.
        ("  A\n\tB\r\nC ", "A B C", '"A B C"'),
    ],
)
def test_typed_text_cannot_break_the_line_of_an_entry(typed: str, in_hledger: str, in_beancount: str) -> None:
    written = [entry(SATURDAY, 1, payee=typed, description=typed)]
    lines = {
        name: list(write_journal(written, syntax, title="", unit=USD)) for name, syntax in JOURNAL_SYNTAXES.items()
    }
    assert f"2026-11-28 * (3-0001) {in_hledger} | {in_hledger}" in lines["hledger"]
    assert f"2026-11-28 * {in_beancount} {in_beancount}" in lines["beancount"]


def test_every_account_has_a_name_of_its_own() -> None:
    names = AccountNames()
    found = {names.get_name(kind, method="cash", category="Prizes") for kind in AccountKind}
    assert len(found) == len(AccountKind)
    assert not any(name.startswith("Equity:") for name in found)


def test_a_day_without_movements_and_a_ledger_without_days() -> None:
    assert len(list(write_journal([], JOURNAL_SYNTAXES["beancount"], title="", unit=USD))) == 2
    ends = [line for line in text("hledger").splitlines() if "Balances" in line]
    assert ends == [f"{SATURDAY} * Balances at the end of the day", f"{SUNDAY} * Balances at the end of the day"]
