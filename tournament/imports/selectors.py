"""A list being imported: each row judged against the event and against the rows above it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.errors import NotFound
from tournament.models import Entrant, Event, ImportBatch, ImportRow, Member
from tournament.registration.selectors.partners import draws_partners, has_two_pools
from tournament.registration.selectors.sides import side_choices
from tournament.registration.selectors.sites import sites_of
from tournament.said import worded
from tournament.spreadsheets import Remark, RowReading, Wanted, email_key, mapped, name_key, read_row

Verdict = ImportRow.Verdict


@dataclass(frozen=True, slots=True)
class Known:
    """An entry that is there already, in the event or further up in the list."""

    label: str
    names: frozenset[str]
    email: str


@dataclass
class KnownEntries:
    by_name: dict[str, list[Known]] = field(default_factory=lambda: defaultdict(list))
    by_email: dict[str, list[Known]] = field(default_factory=lambda: defaultdict(list))

    def add(self, known: Known) -> None:
        for name in known.names:
            self.by_name[name].append(known)
        if known.email:
            self.by_email[known.email].append(known)


@dataclass(frozen=True, slots=True)
class Judgement:
    verdict: str
    reading: RowReading
    remarks: tuple[Remark, ...]

    @property
    def taken(self) -> bool:
        return self.verdict == Verdict.NEW


def load_batch(event: Event, pk: int) -> ImportBatch:
    batch = event.imports.select_related("event__tournament").filter(pk=pk).first()
    if batch is None:
        raise NotFound("no-import", _("There is no such list. Choose one of the lists on the import page."))
    return batch


def wanted_of(batch: ImportBatch) -> Wanted:
    """What the event takes, and what the columns of the whole list show of amounts and dates."""
    event = batch.event
    wanted = Wanted(
        event.name,
        event.entry_size,
        asks=draws_partners(event),
        two_pools=has_two_pools(event),
        sites=tuple(sites_of(event)),
        sides=tuple(side_choices(event)),
        fee_cents=event.fee_cents,
        today=timezone.now().astimezone(ZoneInfo(event.tournament.time_zone)).date(),
    )
    return wanted.for_columns(batch.rows.values_list("cells", flat=True), columns_of(batch))


def read_batch_row(batch: ImportBatch, row: ImportRow, wanted: Wanted) -> RowReading:
    return read_row(mapped(row.cells, columns_of(batch)), wanted)


def columns_of(batch: ImportBatch) -> Mapping[str, int]:
    return {name: int(place) for name, place in batch.mapping.items()}


def unread_columns(batch: ImportBatch) -> list[tuple[str, int]]:
    """Headings of which nothing is taken, each with how many rows say something under it."""
    columns = columns_of(batch)
    taken = set(columns.values())
    places = [place for place in range(len(batch.headers)) if place not in taken]
    filled = [row.cells for row in batch.rows.all()]
    counts = {place: sum(place < len(cells) and bool(cells[place].strip()) for cells in filled) for place in places}
    return [(batch.headers[place], counts[place]) for place in places if counts[place]]


def load_known(event: Event) -> KnownEntries:
    """Everybody who was ever entered, withdrawn entries too: a list read again must not bring them back."""
    people: dict[int, list[Member]] = defaultdict(list)
    members = Member.objects.filter(entrant__event=event).select_related("player__merged_into", "entrant")
    for member in members.order_by("entrant__number", "seat", "pk"):
        people[member.entrant_id].append(member)
    known = KnownEntries()
    for own in people.values():
        entrant = own[0].entrant
        label = worded("entry %(number)s", number=entrant.number)
        if entrant.state in (Entrant.State.WITHDRAWN, Entrant.State.REFUSED):
            state = str(entrant.get_state_display()).lower()
            label = worded("entry %(number)s (%(state)s)", number=entrant.number, state=state)
        known.add(Known(label, frozenset(m.player.name_key for m in own), own[0].player.email_key))
    return known


def judge_rows(batch: ImportBatch, rows: Iterable[ImportRow]) -> list[tuple[ImportRow, Judgement]]:
    """Every row that is not settled yet, in the order of the list."""
    known, wanted, judged = load_known(batch.event), wanted_of(batch), []
    for row in rows:
        if row.verdict == Verdict.IMPORTED:
            continue
        reading = read_batch_row(batch, row, wanted)
        judgement = _judge(row, reading, known)
        if judgement.taken:
            names = frozenset(name_key(name) for name in reading.names)
            known.add(Known(worded("row %(number)s of this list", number=row.number), names, email_key(reading.email)))
        judged.append((row, judgement))
    return judged


def _judge(row: ImportRow, reading: RowReading, known: KnownEntries) -> Judgement:
    if not any(cell.strip() for cell in row.cells):
        return Judgement(Verdict.BLANK, reading, ())
    if row.verdict == Verdict.DROPPED:
        return Judgement(Verdict.DROPPED, reading, reading.remarks)
    if not reading.is_for_event:
        text = worded("This row is for other events. Set it aside, or correct its events.")
        return Judgement(Verdict.LOOK, reading, (Remark("mend", "other-event", text), *reading.remarks))
    there = _same_entry(reading, known)
    if there is not None and all(remark.level != "mend" for remark in reading.remarks):
        text = worded("The same as %(entry)s.", entry=there.label)
        return Judgement(Verdict.THERE, reading, (Remark("note", "there", text),))
    remarks = (*reading.remarks, *_doubts(reading, known))
    levels = {remark.level for remark in remarks}
    needs_look = "mend" in levels or ("look" in levels and not row.accepted)
    return Judgement(Verdict.LOOK if needs_look else Verdict.NEW, reading, remarks)


def _same_entry(reading: RowReading, known: KnownEntries) -> Known | None:
    names = frozenset(name_key(name) for name in reading.names)
    mail = email_key(reading.email)
    candidates = [one for name in names for one in known.by_name.get(name, ())]
    return next((one for one in candidates if names == one.names and mail == one.email), None)


def _doubts(reading: RowReading, known: KnownEntries) -> list[Remark]:
    """Somebody of this name, or this e-mail, is there already, and it is not plainly the same entry."""
    doubts, met = [], set()
    for name in reading.names:
        for one in known.by_name.get(name_key(name), ()):
            met.add(one.label)
            if len(reading.names) > 1 or reading.asks:
                text = worded(
                    "%(name)s is already in another team: %(entry)s. Correct the row or set it aside.",
                    name=name,
                    entry=one.label,
                )
                doubts.append(Remark("mend", "in-another-team", text))
            else:
                text = worded(
                    "%(name)s is already there as %(entry)s, with another email. If it is another player, accept it.",
                    name=name,
                    entry=one.label,
                )
                doubts.append(Remark("look", "same-name", text))
    for one in known.by_email.get(email_key(reading.email), ()) if reading.email else ():
        if one.label not in met:
            text = worded(
                "The email is that of %(entry)s, under another name. If they are two players, accept it.",
                entry=one.label,
            )
            doubts.append(Remark("look", "same-email", text))
    return doubts
