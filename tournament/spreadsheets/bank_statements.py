"""Parse bank statements: recognize the columns, tell incoming from outgoing money, and report unreadable rows."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tournament.errors import DomainError
from tournament.lazy_text import join_with_or, lazy_text
from tournament.spreadsheets.cells import (
    UnreadableCell,
    detect_date_order,
    detect_decimal_mark,
    find_currency_codes,
    is_foreign_currency,
    is_implausible_date,
    read_amount_currency,
    read_date_and_time,
    read_money,
)
from tournament.spreadsheets.columns import CURRENCY_HEADINGS, split_headings
from tournament.spreadsheets.names import name_key, normalize_text
from tournament.spreadsheets.reading import ParsedSpreadsheet, parse_spreadsheet
from tournament.spreadsheets.rows import RowRemark

HEADINGS_BY_FIELD: Final[Mapping[str, tuple[str, ...]]] = {
    "day": split_headings("""
        date, booking date, posting date, transaction date, booked, posted, buchungstag, datum, buchungsdatum,
        date operation, date d operation, date comptable, fecha, fecha operacion, data, data operazione,
        data operacji, data ksiegowania, datum zauctovani, konyveles datuma, dato, tarih, bokforingsdag,
        boekingsdatum, дата, дата операции, process date, completed date, value date, valuta, valutadatum,
        wertstellung, date valeur, entry date, ημερομηνια, תאריך, التاريخ, 日付, 取引日, 日期, 交易日期, 거래일
    """),
    "amount": split_headings("""
        amount, betrag, transaction amount, value, montant, importe, importo, valor, bedrag, kwota, castka, objem,
        suma, osszeg, belopp, belob, beløb, belop, beløp, summa, tutar, сумма, umsatz, amount eur, amount usd,
        betrag eur, betrag in eur, net amount, gross, amt, ποσο, סכום, المبلغ, 金額, 金额, 금액
    """),
    "credit": split_headings("""
        credit, credit amount, credits, deposit, deposits, paid in, money in, in, haben, gutschrift, haber, abono,
        abonos, avere, entrate, credito, uznania, received, inflow, incoming, income, кредит, приход, receipts,
        alacak, πιστωση, זכות, 入金, 入金額, お預り金額, 收入, 입금
    """),
    "debit": split_headings("""
        debit, debit amount, debits, withdrawal, withdrawals, paid out, money out, out, soll, belastung,
        lastschrift, debe, cargo, cargos, dare, uscite, debito, obciazenia, outflow, outgoing, spent, дебет, расход,
        borc, χρεωση, חובה, 出金, 出金額, お支払金額, 支出, 출금
    """),
    "direction": split_headings("""
        debit credit, credit debit, d c, c d, dr cr, cr dr, dc, cd, drcr, crdr, soll haben, haben soll, s h,
        direction, credit debit indicator, debit credit indicator, in out, sens, sign, debe haber, d h, af bij,
        bij af, transaction direction, soll haben kennzeichen, dt ct, ma wn, дебет кредит, дт кт, χρεωση πιστωση,
        borc alacak
    """),
    "kind": split_headings("""
        type, transaction type, kind, art, typ, tipo, type of transaction, buchungsart, umsatzart, entry type,
        type d operation, tipo de movimiento
    """),
    "payer": split_headings("""
        name, payer, from, sender, counterparty, payee, customer, auftraggeber, payer name, nom, nome, nombre,
        counterparty name, remitter, originator, beguenstigter zahlungspflichtiger, begunstigter, emetteur,
        ordenante, ordinante, nadawca, nazwa nadawcy, nazev protiuctu, avsandare, afsender, avsender, naam,
        naam tegenpartij, zahlungspflichtiger, auftraggeber begunstigter, плательщик, name of payer
    """),
    "currency": tuple(sorted(CURRENCY_HEADINGS)),
    "reference": split_headings("reference, payment reference, customer reference, ref, end to end id, referenz"),
    "text": split_headings("""
        description, memo, remittance information, details, message, note, purpose, narrative, text,
        verwendungszweck, libelle, motif, concepto, causale, tytul, tytul operacji, zprava, kozlemeny, meddelande,
        meddelelse, omschrijving, mededelingen, payment details, particulars, назначение платежа, acıklama,
        περιγραφη, αιτιολογια, תיאור, البيان, 摘要
    """),
}
FIELD_LABELS: Final = {
    "day": lazy_text("Date"),
    "amount": lazy_text("Amount"),
    "credit": lazy_text("Money in"),
    "debit": lazy_text("Money out"),
    "direction": lazy_text("In or out"),
    "payer": lazy_text("Payer"),
    "reference": lazy_text("Reference"),
    "text": lazy_text("Text"),
    "currency": lazy_text("Currency"),
}
"""The column names shown to staff."""
CREDIT_WORDS: Final = frozenset({
    "credit", "cr", "c", "haben", "h", "in", "incoming", "deposit", "received", "credito", "abono", "haber",
    "gutschrift", "eingang", "bij", "uznani", "money in", "paid in", "transfer in", "kredit", "ct", "ma",
    "avere", "кредит", "приход",
    "incoming transfer", "credit transfer", "kreditni", "inflow", "zugang", "entree", "ingreso",
})  # fmt: skip
DEBIT_WORDS: Final = frozenset({
    "debit", "dr", "d", "soll", "s", "out", "outgoing", "withdrawal", "debito", "cargo", "debe", "lastschrift",
    "belastung", "ausgang", "af", "money out", "paid out", "transfer out", "sent", "dt", "wn", "dare",
    "дебет", "расход",
    "direct debit", "outgoing transfer", "fee", "charge", "debetni", "outflow", "abgang", "sortie", "gasto", "debet",
    "card payment",
})  # fmt: skip
_REFERENCE_PATTERNS: Final = (
    re.compile(r"\bRF[\s-]?\d{2}[\s-]?\d{4}[\s-]?\d{4}\b", re.IGNORECASE),
    re.compile(r"\bRF\d{2}[0-9A-Z]{1,21}\b", re.IGNORECASE),
)
"""A pattern for our own payment references, and one for any ISO 11649 reference."""
_TOTAL_LINE_PATTERN: Final = re.compile(
    r"(?:grand |sub)?totals?\b|(?:opening|closing|starting|ending|previous|new|current|available)?\s*balance\b"
    r"|saldo\b|summe\b|(?:anfangs|end)saldo|solde\b|sum\b",
    re.IGNORECASE,
)


def remove_date_and_payer(booked: str, payer: str, text: str) -> str:
    """Return a row's text without its date and payer, which the page shows in separate columns.

    >>> remove_date_and_payer("02.11.2026", "Ann Lee", "02.11.2026 Ann Lee RF95 0000 0011 Ann Lee's fee")
    "RF95 0000 0011 Ann Lee's fee"
    """
    for cell in filter(None, (booked, payer)):
        text = text.replace(cell, "", 1)
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class BankStatementLine:
    """A row in a bank statement. Negative `cents` mean outgoing money, and None means that the amount is unreadable.

    `booked` is the date as written in the list, and `text` contains all cells except amounts. A row that needs
    correction, or has a doubtful amount, cannot be recorded as a transfer. `currency` is "" if the list does not
    specify one.
    """

    booked: str
    cents: int | None
    payer: str
    text: str
    day: dt.date | None = None
    reference: str = ""
    number: int = 0
    remarks: tuple[RowRemark, ...] = ()
    currency: str = ""

    @property
    def remaining_text(self) -> str:
        return remove_date_and_payer(self.booked, self.payer, self.text)

    @property
    def is_incoming(self) -> bool:
        return self.cents is not None and self.cents > 0 and not self.is_unreadable and not self.is_doubtful

    @property
    def is_unreadable(self) -> bool:
        return any(remark.level == "mend" for remark in self.remarks)

    @property
    def is_doubtful(self) -> bool:
        """Whether the amount is ambiguous or in a foreign currency."""
        return any(remark.code in ("unclear-amount", "foreign-currency") for remark in self.remarks)

    @property
    def is_blank(self) -> bool:
        return not self.text and self.cents is None


@dataclass(frozen=True, slots=True)
class BankStatement:
    """A parsed bank statement. `order` is the date order, and `order_is_sure` is false if a date remains ambiguous."""

    read: ParsedSpreadsheet
    columns: Mapping[str, int]
    rows: tuple[BankStatementLine, ...]
    order: str = ""
    order_is_sure: bool = True


def read_bank_statement(
    content: bytes,
    encoding: str = "",
    sheet: str = "",
    order: str = "",
    today: dt.date | None = None,
    currency: str = "",
) -> BankStatement:
    """Return all rows in a bank's CSV or XLSX file. Amounts in a currency other than `currency` are marked as doubtful.

    Raises:
        UnreadableList: the file is not a list.
        DomainError: `no-amounts`: no column contains amounts. `no-directions`: the values in the column “In or out” are
            unknown.
    """
    read = parse_spreadsheet(content, encoding, sheet, _guess_bank_columns)
    columns = _guess_bank_columns(read.headers) if read.has_headings else {}
    if not {"amount", "credit", "debit"} & columns.keys():
        columns = {**_guess_columns_by_content(read.rows, columns), **columns}
    amounts = [name for name in ("amount", "credit", "debit") if name in columns]
    if not amounts:
        message = lazy_text("The list has no column of amounts. Name its column “Amount” and try again.")
        raise DomainError("no-amounts", message, field="file")
    has_minus = any(_is_negative(row[columns[name]]) for row in read.rows for name in amounts[:1])
    if not {"direction", "credit", "debit"} & columns.keys() and not has_minus:
        _add_direction_column(read, columns)
    _choose_direction_column(read.rows, columns, has_minus=has_minus)
    days = [row[columns["day"]] for row in read.rows] if "day" in columns else []
    date_order, is_sure = (order, True) if order else detect_date_order(days)
    decimal = detect_decimal_mark(
        _DIRECTION_CODE_PATTERN.sub("", row[columns[name]]) for row in read.rows for name in amounts
    )
    rows = []
    for number, cells in enumerate(read.rows, start=read.first):
        remarks: list[RowRemark] = []
        cents = _read_cents(cells, columns, decimal, remarks, has_minus=has_minus)
        named = _list_currency_texts(cells, columns, read.headers)
        foreign = next((name for name in named if is_foreign_currency(name, currency)), "")
        if cents and foreign:
            codes = join_with_or(find_currency_codes(foreign))
            text = lazy_text("The amount is in %(foreign)s, not in %(currency)s.", foreign=codes, currency=currency)
            remarks.append(RowRemark("look", "foreign-currency", text))
        day = (
            _read_day(cells[columns["day"]], date_order, today, remarks, is_sure=is_sure) if "day" in columns else None
        )
        rows.append(_make_statement_line(cells, columns, number, cents, day, remarks, named))
    return BankStatement(read, columns, tuple(rows), date_order, is_sure)


def _guess_bank_columns(headers: Sequence[str]) -> dict[str, int]:
    """Guess the position of each column of a bank statement from the headings.

    >>> _guess_bank_columns(["Posting Date", "Details", "Credit Amount", "Balance"])
    {'day': 0, 'credit': 2, 'text': 1}
    >>> _guess_bank_columns(["Booking date", "Value date", "Betrag (EUR)", "Soll/Haben"])
    {'day': 0, 'amount': 2, 'direction': 3}
    """
    keys = [name_key(header) for header in headers]
    plain = [name_key(re.sub(r"[(\[][^)\]]*[)\]]", " ", header)) for header in headers]
    first = [name_key(re.split(r"[,;:(\[]| - ", header)[0]) for header in headers]
    found: dict[str, int] = {}
    for name, known in HEADINGS_BY_FIELD.items():
        for wording in (keys, plain, first):
            if name not in found:
                place = next((wording.index(key) for key in known if key in wording), None)
                if place is not None and place not in found.values():
                    found[name] = place
    for name, pattern in _HEADING_PATTERNS:
        if name not in found and not (name == "amount" and {"credit", "debit"} & found.keys()):
            free = [
                place
                for place, key in enumerate(plain)
                if place not in found.values() and not _IGNORED_HEADINGS_PATTERN.search(key)
            ]
            if (place := next((place for place in free if re.search(pattern, plain[place])), None)) is not None:
                found[name] = place
    return {name: found[name] for name in HEADINGS_BY_FIELD if name in found}


_IGNORED_HEADINGS_PATTERN: Final = re.compile(
    r"\b(balance|saldo|solde|account|konto|iban|bic|currency|wahrung|waehrung|foreign|fee|code|number|no|id|count)\b"
)
_HEADING_PATTERNS: Final = (
    ("credit", r"\b(credit|gutschrift|haben|deposits?|paid in|money in)\b"),
    ("debit", r"\b(debit|lastschrift|belastung|soll|withdrawals?|paid out|money out)\b"),
    ("amount", r"\b(amount|betrag|montant|importe|importo|kwota|castka|bedrag|belop|summa|gross)\b"),
    ("day", r"\b(date|datum|data|fecha|buchungsdatum|buchungstag)\b"),
    ("payer", r"\b(payer|payee|sender|remitter|auftraggeber|zahlungspflichtiger|counterparty|nadawca|naam|name)\b"),
    ("text", r"\b(description|verwendungszweck|libelle|memo|opis|zprava|avisierungstext|omschrijving|details|text)\b"),
)
"""Words that identify a column in a longer heading."""


def _guess_columns_by_content(rows: Sequence[Sequence[str]], known: Mapping[str, int]) -> dict[str, int]:
    """Return the columns of dates and amounts, recognized by their cells.

    If several columns look like amounts, none is chosen, because one may be a balance or outgoing money.
    """
    places_of: dict[str, list[int]] = {}
    for place in range(len(rows[0]) if rows else 0):
        cells = [row[place].strip() for row in rows if row[place].strip()]
        for name, shape in (("day", _DATE_PATTERN), ("amount", _AMOUNT_PATTERN)):
            if place not in known.values() and cells and 2 * sum(map(bool, map(shape.fullmatch, cells))) > len(cells):
                places_of.setdefault(name, []).append(place)
    return {name: places[0] for name, places in places_of.items() if len(places) == 1 or name == "day"}


_DATE_PATTERN: Final = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[ T].*)?")
_AMOUNT_PATTERN: Final = re.compile(r"[-+−(]?\W?\d[\d., ']*[.,]\d{2}\W{0,3}(?:[A-Z]{2,3})?")
_DIRECTION_CODE_PATTERN: Final = re.compile(r"\s*\b(?:CR|DR|C|D|S|H|Cr\.|Dr\.)$")


def _add_direction_column(read: ParsedSpreadsheet, columns: dict[str, int]) -> None:
    """Add `direction` to the columns: the first unrecognized column in which every filled cell means “in” or “out”.

    If there is none, change nothing. Columns about debit or credit cards do not count.
    """
    for place, header in enumerate(read.headers):
        filled = [row[place] for row in read.rows if row[place].strip()]
        is_about_cards = re.search(r"card|karte|carte|tarj|funding", name_key(header))  # debit card or credit card
        if place not in columns.values() and not is_about_cards and filled and all(map(_read_direction, filled)):
            columns["direction"] = place
            return


def _choose_direction_column(rows: Sequence[Sequence[str]], columns: dict[str, int], *, has_minus: bool) -> None:
    """Decide which column, if any, tells incoming from outgoing money.

    A column “In or out” is always used. A column “Type” is used only if it shows which amounts are incoming.

    Raises:
        DomainError: `no-directions`: the column is needed, but its values are unknown.
    """
    name = "direction" if "direction" in columns else "kind"
    words = {row[columns[name]].strip() for row in rows} - {""} if name in columns else set()
    known = {word for word in words if _read_direction(word)}
    if name == "kind" and (known == words or not has_minus) and known:
        columns["direction"] = columns["kind"]
    elif words and not known and (name == "direction" or (len(words) > 1 and not has_minus and "amount" in columns)):
        text = lazy_text(
            "“%(word)s” does not say whether money came in. Write Credit or Debit, and try again.", word=min(words)[:40]
        )
        raise DomainError("no-directions", text, field="file")
    columns.pop("kind", None)
    if "amount" in columns and {"credit", "debit"} & columns.keys():
        for name in ("credit", "debit"):
            columns.pop(name, None)


def _read_direction(cell: str) -> int:
    """Return 1 for incoming money, -1 for outgoing money, or 0 if the cell indicates neither.

    >>> [_read_direction(cell) for cell in ("Credit", "H", "-", "Direct Debit", "Transfer")]
    [1, 1, -1, -1, 0]
    """
    text = normalize_text(cell)
    if text in ("+", "-", "−", "–"):
        return 1 if text == "+" else -1
    key = name_key(text)
    if key in CREDIT_WORDS or key in DEBIT_WORDS:
        return 1 if key in CREDIT_WORDS else -1
    words = set(key.split())
    return (1 if words & _WORDS_IN else 0) - (1 if words & _WORDS_OUT else 0)


_WORDS_IN: Final = frozenset({
    "credit", "deposit", "incoming", "inbound", "received", "crdt", "gutschrift", "eingang", "prijem", "income",
})  # fmt: skip
_WORDS_OUT: Final = frozenset({
    "debit", "withdrawal", "outgoing", "outbound", "sent", "dbit", "lastschrift", "belastung", "ausgang", "platba",
    "purchase", "charge",
})  # fmt: skip


def _list_currency_texts(cells: Sequence[str], columns: Mapping[str, int], headers: Sequence[str]) -> list[str]:
    """Return the texts that name a row's currency.

    They come from the currency column, the amount's cell, and the heading of the amount's column.
    """
    places = [columns[name] for name in ("amount", "credit", "debit") if name in columns]
    filled = [place for place in places if cells[place].strip()]
    column = [cells[columns["currency"]]] if "currency" in columns else []
    beside = [read_amount_currency(_DIRECTION_CODE_PATTERN.sub("", cells[place])) for place in filled]
    return [name for name in (*column, *beside, *(headers[place] for place in filled)) if find_currency_codes(name)]


def _is_negative(cell: str) -> bool:
    try:
        return read_money(_DIRECTION_CODE_PATTERN.sub("", normalize_text(cell))).cents < 0
    except UnreadableCell:
        return False


def _read_cents(
    cells: Sequence[str], columns: Mapping[str, int], decimal: str, remarks: list[RowRemark], *, has_minus: bool
) -> int | None:
    if "amount" not in columns:
        return _read_cents_from_two_columns(cells, columns, decimal, remarks)
    cents = _read_signed_cents(cells[columns["amount"]], decimal, remarks)
    if cents is None or "direction" not in columns:
        return cents
    word = cells[columns["direction"]]
    sign = _read_direction(word)
    if sign == 0 and (has_minus or not cents):
        return cents
    if sign == 0:
        text = lazy_text(
            "“%(word)s” does not say whether money came in. The row is left out.", word=normalize_text(word)[:40] or "–"
        )
        remarks.append(RowRemark("mend", "no-direction", text))
        return None
    if cents < 0 and sign > 0:
        text = lazy_text(
            "The amount is below zero, and “%(word)s” says it came in. The row is left out.",
            word=normalize_text(word)[:40],
        )
        remarks.append(RowRemark("mend", "two-directions", text))
        return None
    return sign * abs(cents)


def _read_cents_from_two_columns(
    cells: Sequence[str], columns: Mapping[str, int], decimal: str, remarks: list[RowRemark]
) -> int | None:
    """Return a row's signed cents from the columns `credit` (incoming) and `debit` (outgoing).

    Return None if the row has no readable amount, or has nonzero amounts in both columns.
    """
    amounts: list[int] = []
    for name, sign in (("credit", 1), ("debit", -1)):
        if name in columns and cells[columns[name]].strip():
            cents = _read_signed_cents(cells[columns[name]], decimal, remarks)
            if cents is None:
                return None
            # A negative amount in the column for incoming money is a returned payment.
            amounts.append(sign * abs(cents) if sign < 0 else cents)
    moved = [cents for cents in amounts if cents]
    if len(moved) > 1:
        text = lazy_text("The row has an amount that came in, and one that went out. It is left out.")
        remarks.append(RowRemark("mend", "two-amounts", text))
        return None
    if not amounts and any(cell.strip() for cell in cells):
        remarks.append(RowRemark("mend", "no-amount", lazy_text("The row has no amount. It is left out.")))
    return moved[0] if moved else (0 if amounts else None)


def _read_signed_cents(cell: str, decimal: str, remarks: list[RowRemark]) -> int | None:
    text = normalize_text(cell)
    text = text[1:] if text[:1] == "'" else text
    if not text:
        remarks.append(RowRemark("mend", "no-amount", lazy_text("The row has no amount. It is left out.")))
        return None
    try:
        money = read_money(text, decimal)
    except UnreadableCell:
        money = None
    sign = _read_direction(money.other_text) if money and money.other_text else 1
    if money is None or sign == 0:
        message = lazy_text("“%(cell)s” is not an amount. The row is left out.", cell=text[:40])
        remarks.append(RowRemark("mend", "bad-amount", message))
        return None
    if money.is_unclear:
        message = lazy_text(
            "“%(cell)s” can be two amounts. It is read as %(amount)s.",
            cell=text[:40],
            amount=f"{money.cents / 100:,.2f}",
        )
        remarks.append(RowRemark("look", "unclear-amount", message))
    return sign * abs(money.cents) if money.other_text else money.cents


def _read_day(
    cell: str, order: str, today: dt.date | None, remarks: list[RowRemark], *, is_sure: bool
) -> dt.date | None:
    try:
        moment = read_date_and_time(cell, order, is_sure=is_sure)
    except UnreadableCell:
        text = lazy_text("“%(cell)s” is not a date.", cell=normalize_text(cell)[:40])
        remarks.append(RowRemark("look", "bad-date", text))
        return None
    if moment is None:
        return None
    day = moment.at.date()
    if moment.is_unclear:
        text = lazy_text(
            "“%(cell)s” can be two days. Choose the order of day and month for the list.",
            cell=normalize_text(cell)[:40],
        )
        remarks.append(RowRemark("look", "unclear-date", text))
    elif today is not None and is_implausible_date(day, today):
        text = lazy_text("The day %(day)s is long past.", day=day.isoformat())
        if day > today:
            text = lazy_text("The day %(day)s is in the future.", day=day.isoformat())
        remarks.append(RowRemark("look", "unlikely-date", text))
    return day


def _make_statement_line(
    cells: Sequence[str],
    columns: Mapping[str, int],
    number: int,
    cents: int | None,
    day: dt.date | None,
    remarks: list[RowRemark],
    currencies: Sequence[str],
) -> BankStatementLine:
    def cell(name: str) -> str:
        return normalize_text(cells[columns[name]]) if name in columns else ""

    money = {columns[name] for name in ("amount", "credit", "debit") if name in columns}
    # Some banks have a column for the reference, so all cells are searched for it.
    words = [normalize_text(text) for place, text in enumerate(cells) if place not in money and text.strip()]
    text = " ".join(words)
    if not any(one.strip() for one in cells):
        remarks.clear()
    elif any(map(_TOTAL_LINE_PATTERN.match, words)) and not cell("payer"):
        message = lazy_text("This row looks like a total or a balance. It is left out.")
        remarks.append(RowRemark("mend", "a-sum", message))
    matches = (pattern.search(word) for pattern in _REFERENCE_PATTERNS for word in words)
    reference = next(filter(None, matches), None)
    return BankStatementLine(
        booked=cell("day")[:40],
        cents=cents,
        payer=cell("payer")[:200],
        text=text[:500],
        day=day,
        reference=(normalize_text(reference[0]) if reference else cell("reference"))[:100],
        number=number,
        remarks=tuple(remarks),
        currency=next((codes[0] for codes in map(find_currency_codes, currencies) if len(codes) == 1), ""),
    )
