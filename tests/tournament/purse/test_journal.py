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


def test_every_account_has_a_name_of_its_own() -> None:
    names = AccountNames()
    found = {names.get_name(kind, method="cash", category="Prizes") for kind in AccountKind}
    assert len(found) == len(AccountKind)
    assert not any(name.startswith("Equity:") for name in found)


def test_a_day_without_movements_and_a_ledger_without_days() -> None:
    assert len(list(write_journal([], JOURNAL_SYNTAXES["beancount"], title="", unit=USD))) == 2
    ends = [line for line in text("hledger").splitlines() if "Balances" in line]
    assert ends == [f"{SATURDAY} * Balances at the end of the day", f"{SUNDAY} * Balances at the end of the day"]
