"""A bank's list of transfers: which column is what, and the money that came in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tournament.errors import DomainError
from tournament.said import worded
from tournament.spreadsheets.cells import Paid, Unreadable, read_amount
from tournament.spreadsheets.keys import name_key, tidy
from tournament.spreadsheets.reading import read_list

HEADINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "booked": ("date", "booking date", "posting date", "transaction date", "value date", "posted", "buchungstag"),
    "cents": ("amount", "credit", "credit amount", "deposit", "deposits", "paid in", "betrag"),
    "payer": ("name", "payer", "from", "sender", "counterparty", "payee", "customer", "auftraggeber"),
    "text": (
        *("description", "memo", "reference", "remittance information", "details", "message", "note", "purpose"),
        "verwendungszweck",
    ),
}


@dataclass(frozen=True, slots=True)
class BankRow:
    """Money that came in, as the bank's list writes it. `text` is everything in the row that is no amount."""

    booked: str
    cents: int
    payer: str
    text: str


def read_bank_list(content: bytes) -> list[BankRow]:
    """Return what came in, by a CSV or XLSX file of a bank; what went out and lines without an amount are left out.

    Raises:
        UnreadableList: no list at all. DomainError: `no-amounts`, no column of amounts.
    """
    read = read_list(content)
    columns = _columns(read.headers)
    if "cents" not in columns:
        said = worded("The list has no column of amounts. Name its column “Amount” and try again.")
        raise DomainError("no-amounts", said, field="file")
    found = (_row(cells, columns) for cells in read.rows)
    return [row for row in found if row is not None]


def _columns(headers: Sequence[str]) -> dict[str, int]:
    """
    >>> _columns(["Posting Date", "Details", "Credit Amount", "Balance"])
    {'booked': 0, 'cents': 2, 'text': 1}
    """
    keys = [name_key(header) for header in headers]
    found = {}
    for name, known in HEADINGS.items():
        place = next((keys.index(key) for key in known if key in keys), None)
        if place is not None:
            found[name] = place
    return found


def _row(cells: Sequence[str], columns: Mapping[str, int]) -> BankRow | None:
    try:
        amount = read_amount(cells[columns["cents"]].strip().removeprefix("+"))
    except Unreadable:  # below zero: it went out
        return None
    if amount.paid is not Paid.PAYMENT:
        return None
    said = {name: tidy(cells[columns[name]]) if name in columns else "" for name in ("booked", "payer")}
    # Some banks put the reference into a column of its own: it is looked for in all of them.
    words = [tidy(cell) for place, cell in enumerate(cells) if place != columns["cents"] and cell.strip()]
    return BankRow(said["booked"][:40], amount.cents, said["payer"][:200], " ".join(words)[:500])
