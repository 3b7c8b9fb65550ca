"""Parse a row of an entry list, with remarks, and find the existing entry that it may repeat."""

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from tournament.lazy_text import join_with_or, lazy_text
from tournament.spreadsheets import cells
from tournament.spreadsheets.cells import (
    ListedPayment,
    PaymentKind,
    UnreadableCell,
    detect_date_order,
    detect_decimal_mark,
    find_currency_codes,
    is_foreign_currency,
    is_implausible_date,
    read_amount,
    read_date_and_time,
)
from tournament.spreadsheets.columns import ENTRY_LIST_FIELDS
from tournament.spreadsheets.encodings import looks_misdecoded
from tournament.spreadsheets.letters import find_unprintable_letters, format_letter_codes
from tournament.spreadsheets.names import (
    email_key,
    find_site_by_name,
    name_key,
    normalize_text,
    parse_last_name_first,
    parse_uppercase_surname,
)

_T = TypeVar("_T")

WORDS_MEANING_NO_NOTE = frozenset(
    {"", "no", "n", "none", "nobody", "no one", "na", "n a", "0", "false", "nein", "keine", "niemand"}
)
"""Cell values that mean that there is nothing to note, in the form that `name_key` returns."""
TOTALS_ROW_NAMES = frozenset(
    {"total", "totals", "subtotal", "grand total", "sum", "summe", "gesamt", "suma", "totale", "count"}
)
"""Names in a spreadsheet's row of totals, in the form that `name_key` returns."""
NOTE_FIELD_LABELS = {"senior": "Senior", "apart": "Keep apart"}
"""Labels of list columns for which entries have no field. The values in these columns are added to the notes."""
KEEP_APART_PATTERN = re.compile(r"\bkeep apart\b:?\s*(.*)", re.IGNORECASE | re.DOTALL)
"""A request in the notes to keep this player apart from certain people in the draw."""
KEEP_APART_REMARK = lazy_text(
    "Asks to be kept apart. The request stays in the notes, and the draw's page names it until you decide."
)
NOTE_REMARK_PATTERNS = (
    (KEEP_APART_PATTERN, "apart", KEEP_APART_REMARK),
    (re.compile(r"re-?entry", re.IGNORECASE), "re-entry", lazy_text("Would like a re-entry. No re-entry is made now.")),
)


@dataclass(frozen=True, slots=True)
class RowRemark:
    """A remark about a row of an imported list.

    The level is `mend` (the row must be corrected), `look` (staff can accept the row) or `note` (only information).
    """

    level: str
    code: str
    text: str
    entry: int = 0
    """The number of the entry mentioned in the remark, or 0."""


@dataclass(frozen=True, slots=True)
class ParsedRow:
    """The cleaned values of a row.

    - `moment`: the time of the entry. It is local time at the venue, without a time zone, unless the list has a UTC
      offset.
    - `sort_names`: a sort name for each of the `names`. It is empty if the list does not show which part is the family
      name.
    - `asks`: whether the player entered alone and asks for a partner, who is then drawn from `pool`.
    - `shows_names`: whether the public may see the names. It has one value for the whole entry, one for each player, or
      none if the list does not say.
    """

    is_for_event: bool = True
    names: tuple[str, ...] = ()
    sort_names: tuple[str, ...] = ()
    asks: bool = False
    pool: str = ""
    site: str = ""
    side: str = ""
    team: str = ""
    public_name: str = ""
    shows_names: tuple[bool, ...] = ()
    email: str = ""
    partner_email: str = ""
    phone: str = ""
    partner_phone: str = ""
    club: str = ""
    notes: str = ""
    moment: dt.datetime | None = None
    amount: ListedPayment = field(default_factory=lambda: ListedPayment(PaymentKind.NOTHING))
    method: str = ""
    reference: str = ""
    remarks: tuple[RowRemark, ...] = ()


@dataclass(frozen=True, slots=True)
class RowParsingContext:
    """The context for parsing a list's rows: facts about the event, and properties of the list's columns.

    `sides` contains each side's value and name, and `today` is the local date at the venue. `with_columns` adds
    `decimal`, `order`, `order_is_sure`, and `heading_currency` (the amount column's heading, which may name a
    currency).
    """

    event_name: str
    entry_size: int = 1
    asks: bool = False
    two_pools: bool = False
    sites: tuple[str, ...] = ()
    sides: tuple[tuple[str, str], ...] = ()
    fee_cents: int = 0
    today: dt.date | None = None
    currency: str = ""
    decimal: str = ""
    order: str = ""
    order_is_sure: bool = True
    heading_currency: str = ""

    def with_columns(
        self, rows: Iterable[Sequence[str]], columns: Mapping[str, int], order: str = "", headers: Sequence[str] = ()
    ) -> "RowParsingContext":
        """Return a copy with the properties of a list's columns.

        `order` is the date order that the user chose, if any.
        """
        all_rows = list(rows)

        def column(name: str) -> list[str]:
            place = columns.get(name, -1)
            return [_strip_apostrophes(cells[place]) for cells in all_rows if 0 <= place < len(cells)]

        date_order, is_sure = (order, True) if order else detect_date_order(column("at"))
        place = columns.get("amount", -1)
        return replace(
            self,
            decimal=detect_decimal_mark(column("amount")),
            order=date_order,
            order_is_sure=is_sure,
            heading_currency=headers[place] if 0 <= place < len(headers) else "",
        )


def parse_entry_row(row: Mapping[str, str], wanted: RowParsingContext) -> ParsedRow:
    """Parse a row that has a cell for each field in `columns.ENTRY_LIST_FIELDS`. The remarks report all errors."""
    remarks: list[RowRemark] = []
    _remark_on_formulas_and_markup(row, remarks)
    row = {name: _strip_apostrophes(cell) for name, cell in row.items()}
    names, sort_names = _read_names(row, wanted, remarks)
    asks = wanted.asks and not _read_partner(row)
    email = _read_email(row["email"], remarks)
    partner_email = _read_email(row["partner_email"], remarks) if wanted.entry_size == 2 and not asks else ""
    moment = _read_moment(row["at"], wanted, remarks)
    amount = _read_amount_cell(row["amount"], row["currency"], wanted, remarks)
    method, reference = cells.read_payment_method(row["method"])
    notes = _read_notes(row, remarks)
    _report_unused_cells(row, wanted, remarks, asks=asks)
    for pattern, code, text in NOTE_REMARK_PATTERNS:
        if pattern.search(notes):
            remarks.append(RowRemark("note", code, text))
    events = [name_key(part) for part in re.split(r"[;,/]", row["events"]) if part.strip()]
    return ParsedRow(
        is_for_event=not events or name_key(wanted.event_name) in events,
        names=names,
        sort_names=sort_names,
        asks=asks,
        pool=_read_pool(row["pool"], remarks) if asks and wanted.two_pools else "",
        site=_read_site(row["site"], wanted.sites, remarks),
        side=_read_side_cells(row, wanted, remarks),
        team=normalize_text(row["team"])[:200],
        public_name=normalize_text(row["public_name"])[:200],
        shows_names=_read_or_remark(partial(cells.read_yes_no_answers, row["shows_name"]), "bad-answer", remarks) or (),
        email=email,
        partner_email=partner_email,
        phone=normalize_text(row["phone"])[:60],
        partner_phone=normalize_text(row["partner_phone"])[:60] if wanted.entry_size == 2 and not asks else "",
        club=", ".join(part for part in (normalize_text(row["club"]), normalize_text(row["region"])) if part)[:200],
        notes=notes,
        moment=moment,
        amount=amount,
        method=method or ("other" if amount.cents else ""),
        reference=reference,
        remarks=tuple(remarks),
    )


def _strip_apostrophes(cell: str) -> str:
    """Return a cell without the apostrophes that make a spreadsheet treat it as text.

    >>> _strip_apostrophes("'+1 512 555 0100"), _strip_apostrophes("'tHooft"), _strip_apostrophes("late;'- 5 min")
    ('+1 512 555 0100', "'tHooft", 'late;- 5 min')
    """
    text = re.sub(r"([;\t\r\n]\s*)'(?=[=+@-])", r"\1", cell)
    return text[1:] if re.match(r"'[=+@\d-]", text) else text


def _read_moment(cell: str, wanted: RowParsingContext, remarks: list[RowRemark]) -> dt.datetime | None:
    read = partial(read_date_and_time, cell, wanted.order, is_sure=wanted.order_is_sure)
    found = _read_or_remark(read, "bad-date", remarks)
    if found is None:
        return None
    if found.is_unclear:
        text = lazy_text(
            "“%(cell)s” can be two days. Choose the order of day and month for the list.",
            cell=normalize_text(cell)[:40],
        )
        remarks.append(RowRemark("look", "unclear-date", text))
    elif wanted.today is not None and is_implausible_date(found.at.date(), wanted.today):
        day = found.at.date().isoformat()
        if found.at.date() > wanted.today:
            text = lazy_text("The day %(day)s is in the future. Correct it, or accept it.", day=day)
        else:
            text = lazy_text("The day %(day)s is long past. Correct it, or accept it.", day=day)
        remarks.append(RowRemark("look", "unlikely-date", text))
    return found.at


def _read_amount_cell(cell: str, currency: str, wanted: RowParsingContext, remarks: list[RowRemark]) -> ListedPayment:
    amount = _read_or_remark(partial(read_amount, cell, wanted.decimal), "bad-amount", remarks)
    if amount is None:
        return ListedPayment(PaymentKind.NOTHING)
    read_as = f"{amount.cents / 100:,.2f}"
    is_settled = 1_000_00 <= amount.cents <= 2 * wanted.fee_cents
    if amount.is_unclear and not is_settled:
        text = lazy_text(
            "“%(cell)s” can be two amounts. It is read as %(amount)s. Correct it, or accept it.",
            cell=normalize_text(cell)[:40],
            amount=read_as,
        )
        remarks.append(RowRemark("look", "unclear-amount", text))
    elif wanted.fee_cents and amount.cents > 3 * wanted.fee_cents:
        text = lazy_text(
            "%(amount)s is much more than the entry fee of %(fee)s. Correct it, or accept it.",
            amount=read_as,
            fee=f"{wanted.fee_cents / 100:,.2f}",
        )
        remarks.append(RowRemark("look", "large-amount", text))
    named = (currency, amount.currency, wanted.heading_currency)
    foreign = next((name for name in named if is_foreign_currency(name, wanted.currency)), "")
    if amount.cents and foreign:
        text = lazy_text(
            "The amount is in %(foreign)s, not in %(currency)s. Correct it, or accept it as %(amount)s %(currency)s.",
            foreign=join_with_or(find_currency_codes(foreign)),
            currency=wanted.currency,
            amount=read_as,
        )
        remarks.append(RowRemark("look", "foreign-currency", text))
    return amount


def _read_partner(row: Mapping[str, str]) -> str:
    """Return the partner's name, or "" if the cell is empty or asks for a partner."""
    return "" if cells.wants_partner(row["partner"]) else normalize_text(row["partner"])


def _read_names(
    row: Mapping[str, str], wanted: RowParsingContext, remarks: list[RowRemark]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names in normal order, and each one's sort name if the list shows it."""
    pairs = wanted.entry_size == 2
    both = (
        [_read_name(row, remarks), _put_name_in_normal_order(_read_partner(row), remarks)]
        if pairs
        else [_read_name(row, remarks)]
    )
    names = [name for name, _sort_name in both]
    if not names[0]:
        remarks.append(RowRemark("mend", "no-name", lazy_text("The name is missing. Write the name.")))
    elif not name_key(names[0]):
        remarks.append(
            RowRemark(
                "mend", "no-name", lazy_text("“%(name)s” is not a name. Write the name in letters.", name=names[0][:40])
            )
        )
    if pairs and not names[1]:
        remarks.append(_make_missing_partner_remark(wanted, is_wanted=cells.wants_partner(row["partner"])))
    if pairs and names[1] and name_key(names[0]) == name_key(names[1]):
        remarks.append(
            RowRemark("mend", "same-twice", lazy_text("Both names are the same player. Correct one of them."))
        )
    if name_key(names[0]) in TOTALS_ROW_NAMES:
        text = lazy_text(
            "“%(name)s” looks like a line of sums. Set it aside, or accept it as a player.", name=names[0][:40]
        )
        remarks.append(RowRemark("look", "a-sum", text))
    for each in names:
        if "@" in each or re.search(r"\d{4}", each):
            text = lazy_text("“%(name)s” is more than a name. Correct it, or accept it.", name=each[:60])
            remarks.append(RowRemark("look", "more-than-name", text))
        if cells.has_lost_letters(each):
            text = lazy_text(
                "A letter of “%(name)s” was lost when the list was saved. Correct it, or accept it.", name=each
            )
            remarks.append(RowRemark("look", "lost-letter", text))
    for each in (*names, row["club"], row["region"], row["team"]):
        if looks_misdecoded(each):
            text = lazy_text(
                "“%(text)s” has signs inside words. Choose another encoding, or accept it.", text=each[:60]
            )
            remarks.append(RowRemark("look", "odd-letters", text))
    if re.fullmatch(r"\d[.,]\d+E\+?\d+", normalize_text(row["phone"]), re.IGNORECASE):
        text = lazy_text(
            "A spreadsheet has shortened the phone number “%(phone)s”. Correct it.", phone=row["phone"][:40]
        )
        remarks.append(RowRemark("look", "lost-figures", text))
    _report_unprintable_letters([normalize_text(row["public_name"]) or names[0], *names[1:]], remarks)
    filled = [(name[:200], sort_name[:200]) for name, sort_name in both if name]
    return tuple(name for name, _sort in filled), tuple(sort_name for _read_name, sort_name in filled)


def _read_name(row: Mapping[str, str], remarks: list[RowRemark]) -> tuple[str, str]:
    first, last = normalize_text(row["first_name"]), normalize_text(row["last_name"])
    if normalize_text(row["name"]):
        return _put_name_in_normal_order(normalize_text(row["name"]), remarks)
    if first and last:
        called, sort_name = parse_last_name_first(f"{last}, {first}")
        return (called, sort_name) if sort_name else (f"{first} {last}", "")
    return first or last, ""


def _put_name_in_normal_order(name: str, remarks: list[RowRemark]) -> tuple[str, str]:
    """Return the name in normal order, and its sort name if the cell shows which part is the family name.

    The cell shows it if the name is written “Last, First” or has the family name in capitals. A remark then reports how
    the name is read.
    """
    called, sort_name = parse_last_name_first(name)
    lowered, sort_name_of_capitals = parse_uppercase_surname(called)
    if sort_name_of_capitals:
        called, sort_name = lowered, sort_name_of_capitals
    if sort_name:
        remarks.append(
            RowRemark(
                "note", "turned", lazy_text("“%(name)s” is read as %(called)s.", name=name[:60], called=called[:60])
            )
        )
    return called, sort_name


def _report_unprintable_letters(names: list[str], remarks: list[RowRemark]) -> None:
    for each in names:
        if letters := find_unprintable_letters(each):
            text = lazy_text(
                "Some letters of “%(name)s” cannot be printed; they appear as %(codes)s. "
                "Write the name in other letters, or accept it.",
                name=each[:40],
                codes=format_letter_codes(letters),
            )
            remarks.append(RowRemark("look", "not-on-paper", text))


def _make_missing_partner_remark(wanted: RowParsingContext, *, is_wanted: bool) -> RowRemark:
    if not wanted.asks:
        return RowRemark("mend", "no-partner", lazy_text("The partner is missing. Write the partner's name."))
    if is_wanted:
        return RowRemark("note", "asks", lazy_text("Looking for a partner. One will be drawn."))
    text = lazy_text("The partner is missing. Write the name, or accept the row to have a partner drawn.")
    return RowRemark("look", "no-partner", text)


def _read_pool(cell: str, remarks: list[RowRemark]) -> str:
    pool = _read_or_remark(partial(cells.read_partner_pool, cell), "bad-pool", remarks)
    if pool == "":
        remarks.append(
            RowRemark(
                "note", "no-pool", lazy_text("The pool is missing. Choose pool A or B before partners are drawn.")
            )
        )
    return pool or ""


def _read_site(cell: str, sites: tuple[str, ...], remarks: list[RowRemark]) -> str:
    """Return the event's location that a cell names, or "". Add a remark if the location is unknown or missing."""
    if not sites:
        return ""
    names, typed = " or ".join(sites), normalize_text(cell)
    if not typed:
        text = lazy_text(
            "The site is missing (%(sites)s). Accept the row, and choose the site before the draw.", sites=names
        )
        remarks.append(RowRemark("look", "no-site", text))
        return ""
    site = find_site_by_name(sites, typed)
    if not site:
        remarks.append(
            RowRemark(
                "mend",
                "bad-site",
                lazy_text("“%(site)s” is not a site of this event. Write %(sites)s.", site=typed[:60], sites=names),
            )
        )
    return site


def _read_side_cells(row: Mapping[str, str], wanted: RowParsingContext, remarks: list[RowRemark]) -> str:
    """Return the entry's side if the event has sides. It may also be given as A or B in the pool column."""
    if not wanted.sides:
        return ""
    side = _read_or_remark(partial(cells.read_side, row["side"] or row["pool"], wanted.sides), "bad-side", remarks)
    if side == "":
        names = " or ".join(name for _value, name in wanted.sides)
        text = lazy_text(
            "The side is missing (%(sides)s). Choose it on the entrant's page before registration closes.", sides=names
        )
        remarks.append(RowRemark("note", "no-side", text))
    return side or ""


def _read_notes(row: Mapping[str, str], remarks: list[RowRemark]) -> str:
    """Return an entry's notes. They include the values of columns for which entries have no field."""
    added = [
        f"{label}: {normalize_text(row[name])}"
        for name, label in NOTE_FIELD_LABELS.items()
        if name_key(row[name]) not in WORDS_MEANING_NO_NOTE
    ]
    for note in added:
        label, _colon, value = note.partition(": ")
        short = f"{label}: {value[:60]}"
        text = lazy_text("“%(said)s” goes into the notes. Nothing else is done with it.", said=short)
        if KEEP_APART_PATTERN.search(label):
            text = lazy_text("“%(said)s” goes into the notes.", said=short)
        remarks.append(RowRemark("note", "into-notes", text))
    return ". ".join(part for part in (normalize_text(row["notes"]), *added) if part)


def _report_unused_cells(
    row: Mapping[str, str], wanted: RowParsingContext, remarks: list[RowRemark], *, asks: bool
) -> None:
    """Add a remark about each filled cell that is ignored because this kind of entry does not need it."""
    unused = {
        "side": not wanted.sides,
        "site": not wanted.sites,
        "pool": not wanted.sides and not (asks and wanted.two_pools),
        "partner": wanted.entry_size != 2,
        "partner_email": wanted.entry_size != 2,
        "partner_phone": wanted.entry_size != 2,
    }
    for name, is_unused in unused.items():
        if is_unused and normalize_text(row[name]):
            text = lazy_text(
                "%(column)s “%(cell)s” is left out, because this entry does not need it.",
                column=ENTRY_LIST_FIELDS[name][0],
                cell=normalize_text(row[name])[:60],
            )
            remarks.append(RowRemark("note", "not-taken", text))


def _read_email(cell: str, remarks: list[RowRemark]) -> str:
    email = normalize_text(cell)
    if email and not cells.is_email(email):
        text = lazy_text("“%(email)s” is not an email address. Correct it or leave it empty.", email=email[:60])
        remarks.append(RowRemark("mend", "bad-email", text))
        return ""
    return email


def _read_or_remark(read: Callable[[], _T], code: str, remarks: list[RowRemark]) -> _T | None:
    """Return the result of `read`. If the cell is unreadable, add a remark and return None."""
    try:
        return read()
    except UnreadableCell as error:
        remarks.append(RowRemark("mend", code, error.message))
        return None


def _remark_on_formulas_and_markup(row: Mapping[str, str], remarks: list[RowRemark]) -> None:
    for name, cell in row.items():
        if name == "amount":
            continue
        if cells.is_formula(cell):
            text = lazy_text("“%(cell)s” is a formula, which is never run. Write the text itself.", cell=cell[:40])
            remarks.append(RowRemark("mend", "formula", text))
        if cells.has_markup(cell):
            text = lazy_text("“%(cell)s” is markup. Write the text itself, or empty the cell.", cell=cell[:40])
            remarks.append(RowRemark("mend", "markup", text))


# --- Known entries ---------------------------------------------------------------------------------------------------
# A row may repeat an existing entry, or another row.


@dataclass(frozen=True, slots=True)
class KnownEntry:
    """An existing entry, or an earlier row in the list. `key` is the entry's primary key, or 0 for a row."""

    label: str
    names: frozenset[str]
    email: str
    phone: str = ""
    club: str = ""
    key: int = 0
    number: int = 0
    paid_cents: int = 0
    is_out: bool = False


@dataclass
class KnownEntries:
    by_name: dict[str, list[KnownEntry]] = field(default_factory=lambda: defaultdict(list))
    by_email: dict[str, list[KnownEntry]] = field(default_factory=lambda: defaultdict(list))
    by_key: dict[int, KnownEntry] = field(default_factory=dict)
    claimed: set[int] = field(default_factory=set)
    """Primary keys of entries that already match a row without an email. Each entry can match only one such row."""

    def add_row(self, number: int, reading: ParsedRow) -> None:
        """Add a row of the imported list, so that later rows are compared with it."""
        names = frozenset(name_key(name) for name in reading.names)
        label = lazy_text("row %(number)s of this list", number=number)
        self.add(
            KnownEntry(
                label, names, email_key(reading.email), extract_phone_digits(reading.phone), name_key(reading.club)
            )
        )

    def add(self, known: KnownEntry) -> None:
        if known.key:
            self.by_key[known.key] = known
        for name in known.names:
            self.by_name[name].append(known)
        if known.email:
            self.by_email[known.email].append(known)


def find_certain_duplicate(reading: ParsedRow, known: KnownEntries, *, by_name: bool = True) -> KnownEntry | None:
    """Return the entry that a row certainly repeats, based on name and email, or on name, phone and club."""
    names = frozenset(name_key(name) for name in reading.names)
    mail, phone, club = email_key(reading.email), extract_phone_digits(reading.phone), name_key(reading.club)
    candidates = [entry for name in names for entry in known.by_name.get(name, ()) if names == entry.names]
    for entry in candidates:
        if mail and mail == entry.email:
            return entry
        if by_name and not mail and not entry.email and entry.key and entry.key not in known.claimed:
            other_phone = phone and entry.phone and phone != entry.phone
            other_club = club and entry.club and club != entry.club
            is_only = len(candidates) == 1 or (phone, club) == (entry.phone, entry.club)
            if is_only and not other_phone and not other_club:
                known.claimed.add(entry.key)
                return entry
    return None


def extract_phone_digits(phone: str) -> str:
    return "".join(filter(str.isdigit, phone))[-9:]


def find_possible_duplicates(reading: ParsedRow, known: KnownEntries) -> list[RowRemark]:
    """Return remarks about known entries with the same name or email, of which this row may be a duplicate."""
    doubts, labels = [], set()
    for name in reading.names:
        for one in known.by_name.get(name_key(name), ()):
            labels.add(one.label)
            if len(reading.names) > 1 or reading.asks:
                text = lazy_text(
                    "%(name)s is already in another team: %(entry)s. Correct the row or set it aside.",
                    name=name,
                    entry=one.label,
                )
                doubts.append(RowRemark("mend", "in-another-team", text))
            else:
                text = lazy_text(
                    "%(name)s is already there as %(entry)s, with another email. If it is another player, accept it.",
                    name=name,
                    entry=one.label,
                )
                if not reading.email or not one.email:
                    text = lazy_text(
                        "%(name)s is already there as %(entry)s. If they are two players of one name, accept it.",
                        name=name,
                        entry=one.label,
                    )
                doubts.append(RowRemark("look", "same-name", text, one.number))
    for one in known.by_email.get(email_key(reading.email), ()) if reading.email else ():
        if one.label not in labels:
            text = lazy_text(
                "The email is that of %(entry)s, under another name. If they are two players, accept it.",
                entry=one.label,
            )
            doubts.append(RowRemark("look", "same-email", text))
    return doubts
