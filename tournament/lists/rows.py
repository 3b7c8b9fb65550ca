"""One row of a list: what would be taken from it, and what somebody should look at first."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tournament.lists import cells
from tournament.lists.cells import Amount, Paid, Unreadable
from tournament.lists.keys import name_key, tidy


@dataclass(frozen=True, slots=True)
class Remark:
    """`level`: `mend` must be corrected, `look` may be accepted as it is, `note` is for the director to know."""

    level: str
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class RowReading:
    """What a row says, clean. `moment` is the clock at the venue, without a zone."""

    is_for_event: bool = True
    names: tuple[str, ...] = ()
    team: str = ""
    public_name: str = ""
    email: str = ""
    phone: str = ""
    club: str = ""
    notes: str = ""
    moment: dt.datetime | None = None
    amount: Amount = field(default_factory=lambda: Amount(Paid.NOTHING))
    method: str = ""
    reference: str = ""
    remarks: tuple[Remark, ...] = ()


HINTS = (
    (
        re.compile(r"keep apart", re.IGNORECASE),
        "apart",
        "Asks to be kept apart from others in round one: decide on the draw's page.",
    ),
    (re.compile(r"re-?entry", re.IGNORECASE), "re-entry", "Would like a re-entry: nothing is entered for it now."),
)


def read_row(row: Mapping[str, str], *, event_name: str, entry_size: int) -> RowReading:
    """`row` by the fields of `columns.FIELDS`; everything wrong with it is found, not only the first."""
    remarks: list[Remark] = []
    names = _names(row, entry_size, remarks)
    email = _email(row["email"], remarks)
    moment, amount = _moment(row["at"], remarks), _amount(row["amount"], remarks)
    method, reference = cells.read_method(row["method"])
    _refuse_what_runs(row, remarks)
    notes = tidy(row["notes"])
    for pattern, code, text in HINTS:
        if pattern.search(notes):
            remarks.append(Remark("note", code, text))
    events = [name_key(part) for part in re.split(r"[;,/]", row["events"]) if part.strip()]
    return RowReading(
        is_for_event=not events or name_key(event_name) in events,
        names=names,
        team=tidy(row["team"])[:200],
        public_name=tidy(row["public_name"])[:200],
        email=email,
        phone=tidy(row["phone"])[:60],
        club=", ".join(part for part in (tidy(row["club"]), tidy(row["region"])) if part)[:200],
        notes=notes,
        moment=moment,
        amount=amount,
        method=method or ("other" if amount.cents else ""),
        reference=reference,
        remarks=tuple(remarks),
    )


def _names(row: Mapping[str, str], entry_size: int, remarks: list[Remark]) -> tuple[str, ...]:
    first, last = tidy(row["first_name"]), tidy(row["last_name"])
    name = tidy(row["name"]) or " ".join(part for part in (first, last) if part)
    names = [name, tidy(row["partner"])] if entry_size == 2 else [name]
    if not names[0]:
        remarks.append(Remark("mend", "no-name", "The name is missing."))
    elif not name_key(names[0]):
        remarks.append(Remark("mend", "no-name", f"“{names[0][:40]}” is no name."))
    if entry_size == 2 and not names[1]:
        remarks.append(Remark("mend", "no-partner", "The partner is missing."))
    if entry_size == 2 and names[1] and name_key(names[0]) == name_key(names[1]):
        remarks.append(Remark("mend", "same-twice", "Both partners are the same person."))
    for each in names:
        if cells.lost_letters(each):
            text = f"A letter of “{each}” was lost when the list was saved. Write the name as it is, or accept it."
            remarks.append(Remark("look", "lost-letter", text))
    return tuple(each[:200] for each in names if each)


def _email(cell: str, remarks: list[Remark]) -> str:
    email = tidy(cell)
    if email and not cells.is_email(email):
        remarks.append(
            Remark("mend", "bad-email", f"“{email[:60]}” is no e-mail address. Correct it or leave it empty.")
        )
        return ""
    return email


def _moment(cell: str, remarks: list[Remark]) -> dt.datetime | None:
    try:
        return cells.read_moment(cell)
    except Unreadable as error:
        remarks.append(Remark("mend", "bad-date", str(error)))
        return None


def _amount(cell: str, remarks: list[Remark]) -> Amount:
    try:
        return cells.read_amount(cell)
    except Unreadable as error:
        remarks.append(Remark("mend", "bad-amount", str(error)))
        return Amount(Paid.NOTHING)


def _refuse_what_runs(row: Mapping[str, str], remarks: list[Remark]) -> None:
    for name, cell in row.items():
        if name == "amount":
            continue
        if cells.is_formula(cell):
            remarks.append(
                Remark(
                    "mend", "formula", f"“{cell[:40]}” is a formula, not a text. It is never run; write what is meant."
                )
            )
        if cells.is_markup(cell):
            remarks.append(
                Remark("mend", "markup", f"“{cell[:40]}” is markup, not a text. Write what is meant, or empty it.")
            )
