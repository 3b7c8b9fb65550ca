"""Import a list: parse it, let staff correct its rows, and enter the valid rows in one transaction."""

import datetime as dt
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.errors import Conflict, DomainError
from tournament.intake import LIST_FILE_LIMITS, read_in_subprocess
from tournament.lazy_text import text_to_json, to_english
from tournament.models import Entrant, Event, ImportBatch, ImportRow
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.services.fees_and_refunds import add_fee_waiver, add_payment
from tournament.registration.selectors.imported_lists import (
    RowVerdict,
    evaluate_import_rows,
    load_row_parsing_context,
    needs_parsing_choice,
)
from tournament.registration.services.entries import EntryRequest, record_entry
from tournament.registration.services.people import Person
from tournament.spreadsheets import ENTRY_LIST_FIELDS, ParsedRow, normalize_text, parse_spreadsheet
from tournament.spreadsheets.cells import DATE_ORDERS, PaymentKind
from tournament.spreadsheets.columns import detect_columns
from tournament.spreadsheets.encodings import is_text_encoding
from tournament.spreadsheets.names import PARTNER_SEPARATOR
from tournament.spreadsheets.reading import ParsedSpreadsheet

Verdict = ImportRow.Verdict

PARSING_FIELDS: Final = ("encoding", "delimiter", "headers", "mapping", "doubted_encodings", "sheet", "sheets")
"""Fields of an import that depend on how its file is parsed."""


def store_uploaded_list(event: Event, file_name: str, content: bytes, *, by: Actor) -> ImportBatch:
    """Parse an uploaded list of entries, and store its rows with their evaluation. Nobody is entered yet.

    Raises:
        UnreadableList: the file cannot be read.
    """
    require_permission(by, "desk", event.tournament)
    read = read_in_subprocess(LIST_FILE_LIMITS, parse_spreadsheet, content)
    with writing(event, verb="list.read", by=by) as write:
        batch = ImportBatch.objects.create(
            event=event,
            file_name=file_name[-255:],
            file_digest=hashlib.sha256(content).hexdigest(),
            content=content,
            **_make_batch_fields(read),
            **write.fact_fields(),
        )
        _add_rows(batch, read)
        write.about(batch.file_name, batch=batch.pk, rows=len(read.rows), sha256=batch.file_digest)
        return batch


def _make_batch_fields(read: ParsedSpreadsheet) -> dict[str, Any]:
    return {
        "encoding": read.encoding,
        "delimiter": read.delimiter,
        "headers": list(read.headers),
        "mapping": detect_columns(read.headers, read.rows, has_headings=read.has_headings),
        "doubted_encodings": " ".join(read.encodings),
        "sheet": read.sheet[:100],
        "sheets": "\n".join(read.sheets),
    }


def _add_rows(batch: ImportBatch, read: ParsedSpreadsheet) -> None:
    ImportRow.objects.bulk_create(
        ImportRow(batch=batch, number=number, cells=list(cells), verdict=Verdict.LOOK)
        for number, cells in enumerate(read.rows, start=read.first)
    )
    _evaluate_and_save_rows(batch)


def reparse_uploaded_list(
    batch: ImportBatch, *, by: Actor, encoding: str = "", sheet: str = "", order: str = ""
) -> None:
    """Parse an uploaded list of entries again with another encoding, sheet, or date order.

    Raises:
        Conflict: `entered`: the encoding and the sheet cannot change after rows were entered.
        DomainError: `no-such-choice`.
    """
    require_permission(by, "desk", batch.event.tournament)
    if (
        not (encoding or sheet or order)
        or (encoding and not is_text_encoding(encoding))
        or order not in ("", *DATE_ORDERS)
    ):
        raise DomainError("no-such-choice", _("Choose one of the readings that the page offers."))
    read = (
        read_in_subprocess(LIST_FILE_LIMITS, parse_spreadsheet, bytes(batch.content or b""), encoding, sheet)
        if encoding or sheet
        else None
    )
    with writing(batch.event, verb="list.read-again", by=by) as write:
        if read is not None and batch.rows.filter(verdict=Verdict.IMPORTED).exists():
            raise Conflict(
                "entered", _("Rows of this list are entered already. Import the file again to read it another way.")
            )
        if read is not None:
            batch.rows.all().delete()
            for name, value in _make_batch_fields(read).items():
                setattr(batch, name, value)
        batch.order = order or batch.order
        batch.save(update_fields=[*PARSING_FIELDS, "order"])
        if read is not None:
            _add_rows(batch, read)
        else:
            _evaluate_and_save_rows(batch)
        write.about(batch.file_name, batch=batch.pk, encoding=batch.encoding, sheet=batch.sheet, order=batch.order)


def set_column_mapping(batch: ImportBatch, mapping: Mapping[str, int], *, by: Actor) -> None:
    """Set the meaning of an imported list's columns, and evaluate all its rows again.

    Raises:
        DomainError: `bad-mapping`.
    """
    require_permission(by, "desk", batch.event.tournament)
    if not set(mapping) <= set(ENTRY_LIST_FIELDS) or len(set(mapping.values())) != len(mapping):
        raise DomainError("bad-mapping", _("Two columns have the same meaning. Give each column a meaning of its own."))
    with writing(batch.event, verb="list.mapped", by=by) as write:
        batch.mapping = {name: place for name, place in mapping.items() if 0 <= place < len(batch.headers)}
        batch.save(update_fields=["mapping"])
        _evaluate_and_save_rows(batch)
        write.about(batch.file_name, batch=batch.pk, mapping=batch.mapping)


def correct_import_row(row: ImportRow, cells: Sequence[str], *, by: Actor) -> ImportRow:
    """Correct the cells of a row in an imported list, and evaluate the whole list again."""
    require_permission(by, "desk", row.batch.event.tournament)
    with writing(row.batch.event, verb="list.mended", by=by) as write:
        locked = _load_row_not_entered(row)
        width = len(row.batch.headers)
        before, after = locked.cells, [cell[:2000] for cell in [*cells, *[""] * width][:width]]
        locked.cells, locked.accepted, locked.verdict = after, False, Verdict.LOOK
        locked.save(update_fields=["cells", "accepted", "verdict"])
        _evaluate_and_save_rows(row.batch)
        write.about(f"{row.batch.file_name}, row {row.number}", row=row.pk, was=before, now=after)
        locked.refresh_from_db()
        return locked


def resolve_import_row(row: ImportRow, act: str, *, by: Actor) -> None:
    """Record a decision about a row, and evaluate the whole list again.

    `act` is one of four decisions:

    - `accept`: accept a doubtful row as it is.
    - `drop`: set the row aside.
    - `restore`: bring back a row that was set aside.
    - `same`: link the row to the existing entry that its remarks mention.
    """
    require_permission(by, "desk", row.batch.event.tournament)
    if act not in ("accept", "drop", "restore", "same"):
        raise DomainError("no-such-act", _("Choose to accept the row, to set it aside, or to restore it."))
    with writing(row.batch.event, verb=f"list.{act}", by=by) as write:
        locked = _load_row_not_entered(row)
        locked.accepted = act == "accept"
        entries = {remark.get("entry", 0) for remark in locked.remarks} - {0}
        same = list(row.batch.event.entrants.filter(number__in=entries)) if act == "same" else []
        locked.entrant = same[0] if len(same) == 1 else None
        locked.verdict = Verdict.DROPPED if act == "drop" else Verdict.LOOK
        locked.save(update_fields=["accepted", "verdict", "entrant"])
        _evaluate_and_save_rows(row.batch)
        write.about(f"{row.batch.file_name}, row {row.number}", row=row.pk)


def import_valid_rows(batch: ImportBatch, *, by: Actor, key: str = "", hides_names: bool = False) -> int:
    """Enter all new rows in one transaction, in order of their entry times. Return how many were entered.

    Rows are evaluated again under the event's lock, so that nobody who registered in the meantime is entered twice. If
    `hides_names` is set, the public sees only the initials of all these players, even if the list does not request it.

    Raises:
        Conflict: `nothing-new`, `reading-open`.
    """
    require_permission(by, "desk", batch.event.tournament)
    with writing(
        batch.event, verb="list.imported", by=by, key=make_idempotency_key(key, batch.pk, hides_names)
    ) as write:
        if write.repeated:
            return int(write.outcome["entered"])
        batch.event = write.the_event
        if needs_parsing_choice(batch, load_row_parsing_context(batch)):
            message = _("The list can be read in two ways. Choose one on its page, then enter the rows.")
            raise Conflict("reading-open", message)
        good = [(row, judged.reading) for row, judged in _evaluate_and_save_rows(batch) if judged.is_new]
        if not good:
            raise Conflict("nothing-new", _("No row of this list is new. Fix the rows that need a look first."))
        zone = ZoneInfo(write.the_event.tournament.time_zone)
        last = dt.datetime.max.replace(tzinfo=dt.UTC)
        good.sort(key=lambda pair: (_to_entry_time(pair[1], zone) or last, pair[0].number))
        numbers = [_enter_row(write, batch, row, reading, hides_names) for row, reading in good]
        batch.imported_at = write.at
        batch.save(update_fields=["imported_at"])
        _evaluate_and_save_rows(batch)
        write.outcome.clear()
        write.about(batch.file_name, batch=batch.pk, entered=len(numbers), numbers=numbers)
        return len(numbers)


def record_imported_payments(batch: ImportBatch, *, by: Actor, key: str = "") -> int:
    """Record the listed payments of players who have already been entered. Return how many were recorded.

    Raises:
        Conflict: `nothing-new`, `reading-open`.
    """
    require_permission(by, "desk", batch.event.tournament)
    with writing(batch.event, verb="list.payments", by=by, key=make_idempotency_key(key, batch.pk)) as write:
        if write.repeated:
            return int(write.outcome["entered"])
        batch.event = write.the_event
        if needs_parsing_choice(batch, load_row_parsing_context(batch)):
            message = _("The list can be read in two ways. Choose one on its page, then record the payments.")
            raise Conflict("reading-open", message)
        paid = [judged for _row, judged in _evaluate_and_save_rows(batch) if judged.verdict == Verdict.PAYS]
        if not paid:
            raise Conflict("nothing-new", _("No row of this list has a payment that is not recorded."))
        entrants = batch.event.entrants.in_bulk([judged.entrant for judged in paid])
        for judged in paid:
            reading = judged.reading
            add_payment(write, entrants[judged.entrant], judged.due_cents, reading.method, reading.reference)
        numbers = [entrants[judged.entrant].number for judged in paid]
        _evaluate_and_save_rows(batch)
        write.outcome.clear()
        write.about(batch.file_name, batch=batch.pk, entered=len(numbers), numbers=numbers)
        return len(numbers)


def _enter_row(
    write: WriteTransaction, batch: ImportBatch, row: ImportRow, reading: ParsedRow, hides_names: bool
) -> int:
    zone = ZoneInfo(batch.event.tournament.time_zone)
    entry = EntryRequest(
        tuple(_iter_people(reading, hides_names)),
        team=reading.team,
        notes=reading.notes,
        source=Entrant.Source.IMPORT.value,
        at=_to_entry_time(reading, zone),
        site=reading.site,
        side=reading.side,
        asks_for_partner=reading.asks,
        pool=reading.pool,
        is_different_person=row.accepted and not reading.email,
    )
    entrant = record_entry(write, entry)
    _record_listed_payment(write, entrant, reading, batch.file_name)
    row.entrant, row.verdict = entrant, Verdict.IMPORTED
    row.save(update_fields=["entrant", "verdict"])
    return entrant.number


def _iter_people(reading: ParsedRow, hides_names: bool) -> Iterator[Person]:
    count = len(reading.names)
    public_names = [*reading.public_name.split(PARTNER_SEPARATOR.strip()), ""] if count > 1 else [reading.public_name]
    answers = reading.shows_names * count if len(reading.shows_names) == 1 else reading.shows_names
    contacts = ((reading.email, reading.phone, reading.club), (reading.partner_email, reading.partner_phone, ""))
    for seat, (name, sort_name) in enumerate(zip(reading.names, reading.sort_names, strict=True)):
        public_name = normalize_text(public_names[seat])
        hides = hides_names or (seat < len(answers) and not answers[seat])
        own_sort_name = "" if public_name else sort_name
        yield Person(name, *contacts[seat], public_name, not hides, sort_name=own_sort_name, hides_name=hides)


def _to_entry_time(reading: ParsedRow, zone: ZoneInfo) -> dt.datetime | None:
    """Return the time of the entry, in the venue's time zone unless the list specifies an offset."""
    return reading.moment if reading.moment is None or reading.moment.tzinfo else reading.moment.replace(tzinfo=zone)


def _record_listed_payment(write: WriteTransaction, entrant: Entrant, reading: ParsedRow, file_name: str) -> None:
    amount, owed = reading.amount, load_entry_account(entrant).owed_cents
    if amount.kind == PaymentKind.COMPLIMENTARY and owed:
        add_fee_waiver(replace(write, reason=f"complimentary, as on the list {file_name}"), entrant, None)
    if amount.kind == PaymentKind.EARLY and owed > amount.cents:
        reason = f"early-bird fee, as on the list {file_name}"
        add_fee_waiver(replace(write, reason=reason), entrant, owed - amount.cents)
    if amount.cents:
        add_payment(write, entrant, amount.cents, reading.method, reading.reference)


def _evaluate_and_save_rows(batch: ImportBatch) -> list[tuple[ImportRow, RowVerdict]]:
    judged = evaluate_import_rows(batch, batch.rows.order_by("number"))
    for row, judgement in judged:
        row.verdict = judgement.verdict
        row.remarks = [
            {
                "level": r.level,
                "code": r.code,
                "text": to_english(r.text),
                "said": text_to_json(r.text),
                "entry": r.entry,
            }
            for r in judgement.remarks
        ]
    ImportRow.objects.bulk_update([row for row, _judgement in judged], ["verdict", "remarks"], batch_size=200)
    return judged


def _load_row_not_entered(row: ImportRow) -> ImportRow:
    locked = ImportRow.objects.get(pk=row.pk)
    if locked.verdict == Verdict.IMPORTED:
        raise Conflict("imported", _("This row has been entered. Correct the entry instead."))
    return locked
