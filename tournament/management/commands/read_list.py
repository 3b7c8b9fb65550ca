"""The command `manage.py read_list`, which shows how an import would read a file. It needs no database."""

import datetime as dt
import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand

from tournament.errors import DomainError
from tournament.intake import LIST_FILE_LIMITS, read_in_subprocess
from tournament.lazy_text import lazy_text, to_english
from tournament.spreadsheets import (
    RowParsingContext,
    RowRemark,
    map_cells_by_field,
    normalize_text,
    parse_entry_row,
    parse_spreadsheet,
)
from tournament.spreadsheets.bank_statements import BankStatementLine, read_bank_statement
from tournament.spreadsheets.cells import DATE_ORDERS, PaymentKind
from tournament.spreadsheets.columns import detect_columns
from tournament.spreadsheets.encodings import decode_as, is_text_encoding
from tournament.spreadsheets.reading import ParsedSpreadsheet
from tournament.spreadsheets.rows import KnownEntries, find_certain_duplicate, find_possible_duplicates

OUTPUT_KEY_BY_FIELD: Final = {
    "at": "registered",
    "amount": "paid_cents",
    "region": "club",
    "first_name": "name",
    "last_name": "name",
}
"""Output keys for fields whose key differs from their name."""
BANK_OUTPUT_KEY_BY_FIELD: Final = {
    "amount": "amount_cents",
    "credit": "amount_cents",
    "debit": "amount_cents",
    "direction": "amount_cents",
}
MAX_SAMPLE_LINES: Final = 5


class Command(BaseCommand):
    help = "Show what an import would make of a list of entries or a bank's list, as one JSON object."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="a CSV or XLSX file")
        parser.add_argument("--kind", choices=("entries", "bank"), default="entries")
        parser.add_argument("--encoding", default="", help="read the file in this encoding, such as cp1250")
        parser.add_argument("--sheet", default="", help="read this sheet of a workbook")
        parser.add_argument("--currency", default="", help="doubt amounts in another currency than this, such as USD")
        parser.add_argument(
            "--order", choices=DATE_ORDERS, default="", help="the order of day and month, where no row shows it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            answer = {"ok": True, **_make_answer(options)}
        except DomainError as refusal:
            error = {"code": refusal.code, "path": "", "message": to_english(refusal.message)}
            answer = {"ok": False, "errors": [error]}
        self.stdout.write(json.dumps(answer, ensure_ascii=False))
        if not answer["ok"]:
            sys.exit(1)


def _make_answer(options: dict[str, Any]) -> dict[str, Any]:
    if options["encoding"] and not is_text_encoding(options["encoding"]):
        raise DomainError("unknown-encoding", "There is no encoding of this name. Write one such as cp1250 or utf-8.")
    content = _read_file(options["file"])
    choices = (options["encoding"], options["sheet"])
    today = dt.date.today()  # noqa: DTZ011 - the day where the command is run
    currency = options["currency"].upper()
    if options["kind"] == "bank":
        bank = read_in_subprocess(
            LIST_FILE_LIMITS, read_bank_statement, content, *choices, options["order"], today, currency
        )
        columns = {name: BANK_OUTPUT_KEY_BY_FIELD.get(name, name) for name in bank.columns}
        rows = [_describe_bank_row(row) for row in bank.rows]
        return _make_answer_fields(content, bank.read, bank.columns, columns, rows, bank.order_is_sure)
    read = read_in_subprocess(LIST_FILE_LIMITS, parse_spreadsheet, content, *choices)
    places = detect_columns(read.headers, read.rows, has_headings=read.has_headings)
    size = 2 if "partner" in places else 1
    context = RowParsingContext("", size, asks=size == 2, today=today, currency=currency)
    context = context.with_columns(read.rows, places, options["order"], read.headers)
    known = KnownEntries()
    rows = [
        _describe_row(number, cells, places, context, known) for number, cells in enumerate(read.rows, start=read.first)
    ]
    columns = {name: OUTPUT_KEY_BY_FIELD.get(name, name) for name in places}
    return _make_answer_fields(content, read, places, columns, rows, context.order_is_sure)


def _read_file(name: str) -> bytes:
    try:
        path = Path(name)
        if not path.is_file():
            raise DomainError("no-file", "There is no such file. Check its name.")
        if path.stat().st_size > LIST_FILE_LIMITS.most_bytes:
            raise DomainError("too-big", "The file is larger than 5 MB. Save only the sheet with the entries.")
        return path.read_bytes()
    except (OSError, ValueError) as fault:
        raise DomainError("no-file", "The file cannot be read. Check its name, and whether you may read it.") from fault


def _make_answer_fields(
    content: bytes,
    read: ParsedSpreadsheet,
    places: Mapping[str, int],
    names: dict[str, str],
    rows: list[dict[str, Any]],
    order_is_sure: bool,
) -> dict[str, Any]:
    choices = [*read.encodings, *(DATE_ORDERS if not order_is_sure else ())]
    columns = {read.headers[place] or f"column {place + 1}": names[field] for field, place in places.items()}
    answer = {
        "encoding": read.encoding,
        "sure": not choices,
        "delimiter": read.delimiter,
        "columns": columns,
        "unread": [header for place, header in enumerate(read.headers) if header and place not in places.values()],
        "rows": rows,
    }
    if choices:
        answer["choices"] = choices
    if read.encodings:
        answer["samples"] = {name: _sample_lines(content, name) for name in read.encodings}
    if read.titles:
        answer["titles"] = list(read.titles)
    if len(read.sheets) > 1:
        answer |= {"sheet": read.sheet, "sheets": list(read.sheets)}
    return answer


def _sample_lines(content: bytes, encoding: str) -> str:
    """Return the first lines that contain non-ASCII letters, decoded with this encoding."""
    lines = [line for line in decode_as(content, encoding).splitlines() if not line.isascii()]
    return "\n".join(lines[:MAX_SAMPLE_LINES])[:300]


def _describe_row(
    number: int, cells: tuple[str, ...], places: Mapping[str, int], context: RowParsingContext, known: KnownEntries
) -> dict[str, Any]:
    reading = parse_entry_row(map_cells_by_field(cells, places), context)
    if not any(cell.strip() for cell in cells):
        return {"row": number, "name": "", "blank": True, "doubts": [], "errors": []}
    errors = {remark.code for remark in reading.remarks if remark.level == "mend"}
    precision = "seconds" if reading.moment and reading.moment.second else "minutes"
    answer: dict[str, Any] = {
        "row": number,
        "name": reading.names[0] if reading.names else "",
        "club": reading.club,
        "paid_cents": None if "bad-amount" in errors else reading.amount.cents,
        "registered": reading.moment.isoformat(timespec=precision) if reading.moment else None,
        "email": reading.email,
        "phone": reading.phone,
        "notes": reading.notes,
        "method": reading.method,
        "reference": reading.reference,
    }
    if context.entry_size == 2:
        answer |= {"partner": reading.names[1] if len(reading.names) > 1 else "", "team": reading.team}
        answer |= {"partner_email": reading.partner_email, "partner_phone": reading.partner_phone}
    if "shows_name" in places:
        answer["shows_name"] = list(reading.shows_names)
    if reading.amount.kind in (PaymentKind.COMPLIMENTARY, PaymentKind.EARLY):
        answer["paid"] = reading.amount.kind.value
    same = find_certain_duplicate(reading, known) if reading.names else None
    if same is not None:
        duplicates = [RowRemark("look", "there", lazy_text("The same as %(entry)s.", entry=same.label))]
    else:
        duplicates = [remark for remark in find_possible_duplicates(reading, known) if remark.level == "look"]
        known.add_row(number, reading)
    return {**answer, **_split_remarks((*reading.remarks, *duplicates))}


def _describe_bank_row(row: BankStatementLine) -> dict[str, Any]:
    answer = {
        "row": row.number,
        "amount_cents": row.cents if all(remark.level != "mend" for remark in row.remarks) else None,
        "reference": row.reference,
        "payer": row.payer,
        "day": row.day.isoformat() if row.day else None,
        "text": normalize_text(row.text),
    }
    return {**answer, **({"blank": True} if row.is_blank else {}), **_split_remarks(row.remarks)}


def _split_remarks(remarks: tuple[RowRemark, ...]) -> dict[str, list[str]]:
    """Split the remarks into warnings about doubtful values, which staff can accept, and errors, which they must fix.

    Remarks that are only information are left out.
    """
    texts = [(remark.level, to_english(remark.text)) for remark in remarks]
    return {
        "doubts": [text for level, text in texts if level == "look"],
        "errors": [text for level, text in texts if level == "mend"],
    }
