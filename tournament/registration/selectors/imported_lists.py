"""Evaluate each row of an imported list by comparing it with existing entries and with earlier rows of the list."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.errors import NotFound
from tournament.lazy_text import lazy_text
from tournament.models import Entrant, Event, ImportBatch, ImportRow, Member
from tournament.money.selectors.ledger import load_event_accounts
from tournament.registration.selectors.entries import (
    has_partner_draw,
    has_two_partner_pools,
    list_sites,
    make_side_choices,
)
from tournament.spreadsheets import (
    ParsedRow,
    RowParsingContext,
    RowRemark,
    map_cells_by_field,
    name_key,
    parse_entry_row,
)
from tournament.spreadsheets.rows import (
    KnownEntries,
    KnownEntry,
    extract_phone_digits,
    find_certain_duplicate,
    find_possible_duplicates,
)

Verdict = ImportRow.Verdict
UNCLEAR_AMOUNT_CODES = ("unclear-amount", "large-amount", "foreign-currency")
"""Codes of remarks that keep a payment from being recorded until staff accept the row."""


@dataclass(frozen=True, slots=True)
class RowVerdict:
    verdict: str
    reading: ParsedRow
    remarks: tuple[RowRemark, ...]
    entrant: int = 0
    """The primary key of the existing entrant that this row matches, or 0."""
    due_cents: int = 0
    """Cents paid according to the list, but not recorded yet."""

    @property
    def is_new(self) -> bool:
        return self.verdict == Verdict.NEW


def load_import_batch(event: Event, pk: int) -> ImportBatch:
    batch = event.imports.select_related("event__tournament").filter(pk=pk).first()
    if batch is None:
        raise NotFound("no-import", _("There is no such list. Choose one of the lists on the import page."))
    return batch


def load_row_parsing_context(batch: ImportBatch, cells: Iterable[list[str]] | None = None) -> RowParsingContext:
    """Return the context for parsing the list's rows: facts about the event, and the list's date and amount formats.

    Pass the `cells` of all rows if they are already loaded.
    """
    event = batch.event
    context = RowParsingContext(
        event.name,
        event.entry_size,
        asks=has_partner_draw(event),
        two_pools=has_two_partner_pools(event),
        sites=tuple(list_sites(event)),
        sides=tuple(make_side_choices(event)),
        fee_cents=event.fee_cents,
        today=timezone.now().astimezone(ZoneInfo(event.tournament.time_zone)).date(),
        currency=event.tournament.currency,
    )
    rows = batch.rows.values_list("cells", flat=True) if cells is None else cells
    return context.with_columns(rows, read_column_mapping(batch), batch.order, batch.headers)


def needs_parsing_choice(batch: ImportBatch, context: RowParsingContext) -> bool:
    """Return whether staff must choose the encoding or the date order before the list can be imported."""
    return bool(batch.doubted_encodings) or not context.order_is_sure


def parse_import_row(batch: ImportBatch, row: ImportRow, context: RowParsingContext) -> ParsedRow:
    return parse_entry_row(map_cells_by_field(row.cells, read_column_mapping(batch)), context)


def read_column_mapping(batch: ImportBatch) -> Mapping[str, int]:
    return {name: int(place) for name, place in batch.mapping.items()}


def list_ignored_columns(batch: ImportBatch, rows: Iterable[list[str]]) -> list[tuple[str, int]]:
    """Return the headings of ignored columns, each with the number of rows that have a value in it."""
    read = set(read_column_mapping(batch).values())
    places = [place for place in range(len(batch.headers)) if place not in read]
    counts = {place: sum(place < len(cells) and bool(cells[place].strip()) for cells in rows) for place in places}
    return [(batch.headers[place], counts[place]) for place in places if counts[place]]


def _load_known_entries(event: Event) -> KnownEntries:
    """Return all entries. Withdrawn ones are included, so that a second import does not enter them again."""
    people: dict[int, list[Member]] = defaultdict(list)
    members = Member.objects.filter(entrant__event=event).select_related("player__merged_into", "entrant")
    for member in members.order_by("entrant__number", "seat", "pk"):
        people[member.entrant_id].append(member)
    known = KnownEntries()
    accounts = load_event_accounts(event).accounts
    for own in people.values():
        entrant = own[0].entrant
        label = lazy_text("entry %(number)s", number=entrant.number)
        is_out = entrant.state in (Entrant.State.WITHDRAWN, Entrant.State.REFUSED)
        if is_out:
            state = str(entrant.get_state_display()).lower()
            label = lazy_text("entry %(number)s (%(state)s)", number=entrant.number, state=state)
        names, first = frozenset(member.player.name_key for member in own), own[0].player
        known.add(
            KnownEntry(
                label,
                names,
                first.email_key,
                phone=extract_phone_digits(first.phone),
                club=name_key(entrant.club),
                key=entrant.pk,
                number=entrant.number,
                paid_cents=accounts[entrant.pk].net_paid_cents if entrant.pk in accounts else 0,
                is_out=is_out,
            )
        )
    return known


def evaluate_import_rows(batch: ImportBatch, rows: Iterable[ImportRow]) -> list[tuple[ImportRow, RowVerdict]]:
    """Evaluate all rows of an imported list that have not been imported, in the order of the list."""
    known, context, judged = _load_known_entries(batch.event), load_row_parsing_context(batch), []
    for row in rows:
        if row.verdict == Verdict.IMPORTED:
            continue
        reading = parse_import_row(batch, row, context)
        judgement = _evaluate_row(row, reading, known)
        if judgement.is_new:
            known.add_row(row.number, reading)
        judged.append((row, judgement))
    return judged


def _evaluate_row(row: ImportRow, reading: ParsedRow, known: KnownEntries) -> RowVerdict:
    if not any(cell.strip() for cell in row.cells):
        return RowVerdict(Verdict.BLANK, reading, ())
    if row.verdict == Verdict.DROPPED:
        return RowVerdict(Verdict.DROPPED, reading, reading.remarks)
    if not reading.is_for_event:
        text = lazy_text("This row is for other events. Set it aside, or correct its events.")
        return RowVerdict(Verdict.LOOK, reading, (RowRemark("mend", "other-event", text), *reading.remarks))
    same = known.by_key.get(row.entrant_id or 0) or find_certain_duplicate(reading, known, by_name=not row.accepted)
    if same is not None and all(remark.level != "mend" for remark in reading.remarks):
        return _evaluate_known_row(reading, same, is_accepted=row.accepted or bool(row.entrant_id))
    remarks = (*reading.remarks, *find_possible_duplicates(reading, known))
    levels = {remark.level for remark in remarks}
    needs_look = "mend" in levels or ("look" in levels and not row.accepted)
    return RowVerdict(Verdict.LOOK if needs_look else Verdict.NEW, reading, remarks)


def _evaluate_known_row(reading: ParsedRow, same: KnownEntry, *, is_accepted: bool) -> RowVerdict:
    """Evaluate a row of an imported list that repeats an existing entry.

    The row may contain a payment that has not been recorded.
    """
    note = RowRemark("note", "there", lazy_text("The same as %(entry)s.", entry=same.label))
    due_cents = reading.amount.cents - same.paid_cents
    if not same.key or same.is_out or not reading.amount.cents or due_cents <= 0:
        return RowVerdict(Verdict.THERE, reading, (note,))
    unclear = tuple(remark for remark in reading.remarks if remark.code in UNCLEAR_AMOUNT_CODES)
    text = lazy_text("The list has a payment that is not recorded.")
    if same.paid_cents:
        text = lazy_text("The list has a higher payment than is recorded. Only the difference is added.")
    remarks = (note, RowRemark("note", "payment", text), *unclear)
    verdict = Verdict.LOOK if unclear and not is_accepted else Verdict.PAYS
    return RowVerdict(verdict, reading, remarks, same.key, due_cents)
