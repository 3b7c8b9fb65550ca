"""Write the ledger as a text file for the accounting programs hledger and Beancount.

Each business day ends with a balance assertion for every account. The accounting program then reports an error if a
row was changed later.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final, Protocol

from tournament.purse.kinds import ACCOUNT_DETAILS, AccountKind


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A transaction in the file for accounting programs, with its business day.

    `lines` contains account names with cents. `tags` contains the entry, event, author and reason.
    """

    day: date
    receipt: str
    payee: str
    description: str
    lines: tuple[tuple[str, int], ...]
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CurrencyFormat:
    currency: str
    digits: int = 2

    def format_amount(self, cents: int) -> str:
        """Format cents as an amount with the currency code.

        >>> CurrencyFormat("USD").format_amount(-12345), CurrencyFormat("JPY", 0).format_amount(500)
        ('-123.45 USD', '500 JPY')
        """
        return f"{self.format_number(cents)} {self.currency}"

    def format_number(self, cents: int) -> str:
        whole, rest = divmod(abs(cents), 10**self.digits)
        return f"{'-' if cents < 0 else ''}{whole}" + (f".{rest:0{self.digits}}" if self.digits else "")


class _Syntax(Protocol):
    """The syntax of one accounting program. Each method returns or yields complete lines of the file."""

    ending: str

    def format_head(self, title: str, unit: CurrencyFormat) -> Iterator[str]: ...

    def format_account(self, day: date, account: str, unit: CurrencyFormat) -> str: ...

    def format_entry(self, entry: JournalEntry, unit: CurrencyFormat) -> Iterator[str]: ...

    def format_balances(self, day: date, sums: Mapping[str, int], unit: CurrencyFormat) -> Iterator[str]: ...


def write_journal(
    entries: Iterable[JournalEntry], syntax: _Syntax, *, title: str, unit: CurrencyFormat
) -> Iterator[str]:
    r"""Yield the lines of the file for an accounting program. Entries must be sorted by business day.

    After each day, the balances of all accounts are listed.

    >>> lines = (("Assets:Cash", 80_00), ("Assets:Receivable", -80_00))
    >>> paid = JournalEntry(date(2026, 11, 28), "3-0001", "Ada", "Payment", lines, {"entry": "7"})
    >>> print("\n".join(write_journal([paid], _Hledger(), title="Open", unit=CurrencyFormat("USD"))))
    ; Open
    decimal-mark .
    commodity 1000.00 USD
    <BLANKLINE>
    account Assets:Cash
    account Assets:Receivable
    2026-11-28 * (3-0001) Ada | Payment
        ; entry: 7
        Assets:Cash  80.00 USD
        Assets:Receivable  -80.00 USD
    <BLANKLINE>
    2026-11-28 * Balances at the end of the day
        Assets:Cash  0.00 USD = 80.00 USD
        Assets:Receivable  0.00 USD = -80.00 USD
    """
    yield from syntax.format_head(title, unit)
    sums: Counter[str] = Counter()
    day: date | None = None
    for entry in entries:
        if day is not None and entry.day != day:
            yield ""
            yield from syntax.format_balances(day, sums, unit)
        day = entry.day
        yield ""
        for account, cents in entry.lines:
            if account not in sums:
                yield syntax.format_account(day, account, unit)
            sums[account] += cents
        yield from syntax.format_entry(entry, unit)
    if day is not None:
        yield ""
        yield from syntax.format_balances(day, sums, unit)


# --- Account names ---------------------------------------------------------------------------------------------------


class AccountNames:
    """Account names that both hledger and Beancount accept.

    A number is added to categories whose names would otherwise be equal.

    >>> names = AccountNames()
    >>> names.get_name("money", method="cash"), names.get_name("expense", category="Office supplies")
    ('Assets:Cash', 'Expenses:Costs:Office-Supplies')
    >>> names.get_name("expense", category="office-supplies"), names.get_name("fees")
    ('Expenses:Costs:Office-Supplies-2', 'Income:Fees')
    """

    def __init__(self) -> None:
        self._taken: dict[str, str] = {}
        self._of: dict[tuple[str, str], str] = {}

    def get_name(self, account: str, *, method: str = "", category: str = "") -> str:
        terms = ACCOUNT_DETAILS[account]
        if account == AccountKind.MONEY:
            return f"{terms.journal}:{_make_name_part(method)}"
        return self._get_category_name(terms.journal, category) if terms.by_category else terms.journal

    def _get_category_name(self, above: str, category: str) -> str:
        if (above, category) not in self._of:
            plain = name = f"{above}:{_make_name_part(category)}"
            number = 2
            while name in self._taken:
                name, number = f"{plain}-{number}", number + 1
            self._taken[name] = category
            self._of[above, category] = name
        return self._of[above, category]


def _make_name_part(text: str) -> str:
    """Return the text in a form that can be part of an account name: capitalized ASCII words, joined by hyphens.

    >>> _make_name_part("café & bar"), _make_name_part("茶")
    ('Cafe-Bar', 'Other')
    """
    ascii_only = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "-".join(word[0].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", ascii_only)) or "Other"


# --- Syntaxes --------------------------------------------------------------------------------------------------------


class _Hledger:
    ending = "journal"

    def format_head(self, title: str, unit: CurrencyFormat) -> Iterator[str]:
        yield f"; {_join_lines(title)}"
        yield "decimal-mark ."
        yield f"commodity 1000.{'0' * unit.digits} {unit.currency}"

    def format_account(self, day: date, account: str, unit: CurrencyFormat) -> str:
        return f"account {account}"

    def format_entry(self, entry: JournalEntry, unit: CurrencyFormat) -> Iterator[str]:
        payee, description = (_escape_for_hledger(text) for text in (entry.payee, entry.description))
        yield f"{entry.day} * ({entry.receipt}) {payee} | {description}"
        # A comma would end the value of a tag.
        yield from (f"    ; {name}: {_join_lines(text).replace(',', ';')}" for name, text in entry.tags.items())
        yield from (f"    {account}  {unit.format_amount(cents)}" for account, cents in entry.lines)

    def format_balances(self, day: date, sums: Mapping[str, int], unit: CurrencyFormat) -> Iterator[str]:
        yield f"{day} * Balances at the end of the day"
        for account, cents in sums.items():
            yield f"    {account}  {unit.format_amount(0)} = {unit.format_amount(cents)}"


class _Beancount:
    ending = "beancount"

    def format_head(self, title: str, unit: CurrencyFormat) -> Iterator[str]:
        yield f"option {_quote_for_beancount('title')} {_quote_for_beancount(title)}"
        yield f"option {_quote_for_beancount('operating_currency')} {_quote_for_beancount(unit.currency)}"

    def format_account(self, day: date, account: str, unit: CurrencyFormat) -> str:
        return f"{day} open {account} {unit.currency}"

    def format_entry(self, entry: JournalEntry, unit: CurrencyFormat) -> Iterator[str]:
        yield f"{entry.day} * {_quote_for_beancount(entry.payee)} {_quote_for_beancount(entry.description)}"
        for name, text in {"receipt": entry.receipt, **entry.tags}.items():
            yield f"  {name}: {_quote_for_beancount(text)}"
        yield from (f"  {account}  {unit.format_amount(cents)}" for account, cents in entry.lines)

    def format_balances(self, day: date, sums: Mapping[str, int], unit: CurrencyFormat) -> Iterator[str]:
        """Yield the balance assertions for the day.

        They have the date of the next day, because Beancount checks balances at the beginning of a day. Without “~ 0”,
        Beancount would tolerate a difference of one cent.
        """
        for account, cents in sums.items():
            yield f"{day + timedelta(days=1)} balance {account}  {unit.format_number(cents)} ~ 0 {unit.currency}"


JOURNAL_SYNTAXES: Final[Mapping[str, _Syntax]] = {"hledger": _Hledger(), "beancount": _Beancount()}


def _join_lines(text: str) -> str:
    return " ".join(text.split())


def _escape_for_hledger(text: str) -> str:
    return _join_lines(text).replace(";", ",").replace("|", "/")


def _quote_for_beancount(text: str) -> str:
    plain = _join_lines(text).replace("\\", "/").replace('"', "'")
    return f'"{plain}"'
