"""Check a tournament file or an event file without a database.

The check covers the file's digests, its seal, its log, and every row against the log.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from itertools import chain
from typing import Any, Final

from django.db.models import FileField, Model
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from scoring.archive.selectors.files import (
    FACTS,
    FILES,
    LOG,
    MAX_PRIMARY_KEY,
    SUMMARY,
    UNREADABLE_ARCHIVE_ERRORS,
    ArchiveReader,
    ArchiveRefused,
)
from scoring.models import Appeal, AppealDecided, Card, CardSeat, SealKey
from tournament.core.selectors.left_out import LEFT_OUT_VERB
from tournament.core.selectors.log import (
    DIGESTS_ADDED_VERB,
    ChainCheckResult,
    check_log_entries,
    compute_row_digest,
    list_recorded_models,
)
from tournament.core.selectors.rows import (
    RecordedKeys,
    get_archived_columns,
    list_archived_models,
    make_key_change,
    row_from_json,
)
from tournament.models import AuditEntry, Event, Player, Tournament, TournamentImport

MAX_LISTED_FAULTS: Final = 20


@dataclass(frozen=True, slots=True)
class ArchiveRow:
    """A row of `facts.jsonl`. `unknown` contains the columns that this version of the program does not know."""

    row: Model
    log_row: int
    unknown: Mapping[str, Any]


@dataclass
class ArchiveCheck:
    """The result of checking a file.

    `faults` contains a sentence for each fault. A file with faults cannot be imported.

    An earlier version of the program added digests of all earlier rows to old logs, but missed some rows. `missed_rows`
    contains the primary keys of these rows by model. `digests_added_at` is the time of that update, and `early_cards`
    contains the cards that were opened before it.
    """

    log_rows: int = 0
    rows: int = 0
    keys: RecordedKeys = field(default_factory=RecordedKeys)
    largest_key: int = 0
    digests_added_at: datetime | None = None
    early_cards: set[int] = field(default_factory=set)
    missed_rows: dict[type[Model], set[int]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def add_fault(self, text: str) -> None:
        if len(self.faults) < MAX_LISTED_FAULTS:
            self.faults.append(text)


@cache
def _models_by_kind() -> dict[str, type[Model]]:
    return {str(model._meta.object_name): model for model in list_archived_models()}


def check_archive(archive: ArchiveReader) -> ArchiveCheck:
    """Check everything in the file.

    Raises:
        ArchiveRefused: `damaged-archive`: a part cannot be read, or differs from its digest in the manifest.
    """
    try:
        return _check_archive(archive)
    except UNREADABLE_ARCHIVE_ERRORS as error:
        raise _unreadable_line(archive, f"{FACTS} / {LOG}") from error


def _check_archive(archive: ArchiveReader) -> ArchiveCheck:
    check = ArchiveCheck()
    if not archive.is_seal_genuine():
        check.add_fault(_("The file was changed after it was made: its seal does not belong to its contents."))
    for name in [*(f"{FILES}{each}" for each in archive.list_files()), SUMMARY]:
        for _chunk in archive.read_chunks(name):
            pass
    check.keys = RecordedKeys(
        tuple(
            (row.row.log_rows, make_key_change(row.row))
            for row in read_rows(archive)
            if isinstance(row.row, TournamentImport)
        )
    )
    last_digests = _check_log(archive, check)
    if archive.manifest.has_persons:
        _check_rows(archive, check, last_digests)
    else:
        _check_rows_without_log(archive, check)
    return check


def read_log(archive: ArchiveReader) -> Iterator[AuditEntry]:
    """Yield the rows of the log. Their primary keys are the ones that the exporting installation used at that time.

    Raises:
        ArchiveRefused: `damaged-archive`.
    """
    accounts = archive.manifest.shared_keys["tournament.User"]
    last = archive.manifest.made_at
    for line in archive.read_lines(LOG):
        try:
            if line.keys() == _NAMES_OF_ROW_LEFT_OUT:
                yield _make_left_out_entry(archive, line, last)
                continue
            at = parse_datetime(line["at"])
            if at is None or at.tzinfo is None:
                raise ValueError("at")
            recorded = {name: line[name] for name in ("tournament", "event", "user")}
            account = accounts[line["account"]] if "account" in line else None
            keys = {**recorded, **line.get("current", {}), "user": account}
            entry = AuditEntry(
                tournament_id=keys["tournament"],
                event_id=keys["event"],
                user_id=keys["user"],
                seq=line["seq"],
                at=at,
                by_name=line["by"],
                verb=line["verb"],
                about=line["about"],
                reason=line["reason"],
                data=line["data"],
                row_digests=line.get("row_digests", {}),
                previous=line["previous"],
                digest=line["digest"],
                original_keys=recorded if keys != recorded else {},
            )
            if entry.verb == LEFT_OUT_VERB:
                raise ValueError("verb")
            _require_types(entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable_line(archive, LOG) from error
        last = at
        yield entry


_NAMES_OF_ROW_LEFT_OUT: Final = {"seq", "previous", "digest"}


def _make_left_out_entry(archive: ArchiveReader, line: Mapping[str, Any], at: datetime) -> AuditEntry:
    """Return a log row without contents. It gets the time of the row before it, because its own time is unknown."""
    entry = AuditEntry(
        tournament_id=archive.manifest.content["tournament"]["key"],
        seq=line["seq"],
        at=at,
        verb=LEFT_OUT_VERB,
        previous=line["previous"],
        digest=line["digest"],
    )
    _require_types(entry)
    return entry


def _require_types(entry: AuditEntry) -> None:
    texts = (entry.by_name, entry.verb, entry.about, entry.reason, entry.previous, entry.digest)
    numbers = (entry.seq, entry.tournament_id, *(key for key in (entry.event_id, entry.user_id) if key is not None))
    tables = entry.row_digests.values()
    digests = [each for table in tables for each in (*table.keys(), *table.values())]
    if not all(isinstance(text, str) for text in (*texts, *digests)) or not isinstance(entry.data, dict):
        raise ValueError
    if not all(key.isdecimal() for table in tables for key in table):
        raise ValueError
    if not all(type(number) is int and 0 <= number < MAX_PRIMARY_KEY for number in numbers):
        raise ValueError


def read_rows(archive: ArchiveReader) -> Iterator[ArchiveRow]:
    """Yield the rows of the tournament in the order of the log.

    Raises:
        ArchiveRefused: `damaged-archive`: a row cannot be read. `newer-version`: a kind of row is unknown.
    """
    for line in archive.read_lines(FACTS):
        model = _models_by_kind().get(line.get("kind", ""))
        if model is None:
            message = _("%(name)s has facts that this version does not know. Update this computer's program first.")
            raise ArchiveRefused("newer-version", message % {"name": archive.path.name})
        try:
            key, known = line["key"], {column.name for column in get_archived_columns(model)}
            if type(key) is not int or not 0 < key < MAX_PRIMARY_KEY:
                raise ValueError("key")
            columns = {name: value for name, value in line["columns"].items() if name in known}
            unknown = {name: value for name, value in line["columns"].items() if name not in known}
            row = row_from_json(model, key, columns, archive.manifest.shared_keys)
            yield ArchiveRow(row, line["log_row"], unknown)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise _unreadable_line(archive, FACTS) from error


def _unreadable_line(archive: ArchiveReader, member: str) -> ArchiveRefused:
    message = _("A line of %(member)s in %(name)s cannot be read. Choose another file. Nothing was imported.")
    return ArchiveRefused("damaged-archive", message % {"member": member, "name": archive.path.name})


_LastDigests = dict[type[Model], dict[int, tuple[str, int]]]


def _check_log(archive: ArchiveReader, check: ArchiveCheck) -> _LastDigests:
    """Check the log's hash chain.

    For each database row, return its last digest and the number of the log row that contains this digest. The result is
    keyed by model and current primary key.
    """
    recorded = {model._meta.db_table: model for model in list_recorded_models()}
    last: _LastDigests = {model: {} for model in recorded.values()}

    def collect() -> Iterator[AuditEntry]:
        for entry in read_log(archive):
            if entry.verb == DIGESTS_ADDED_VERB:
                check.digests_added_at = check.digests_added_at or entry.at
            for table, digests in entry.row_digests.items():
                if (model := recorded.get(table)) is not None:
                    for pk, digest in digests.items():
                        key = check.keys.find_current_key(model._meta.label, int(pk), entry.seq)
                        last[model][key] = (digest, entry.seq)
                        if model is Card and entry.verb == DIGESTS_ADDED_VERB:
                            check.early_cards.add(key)
            yield entry

    log = archive.manifest.content["log"]
    left_out = archive.manifest.left_out
    result: ChainCheckResult = check_log_entries(collect(), (log["rows"], log["digest"]), left_out)
    check.log_rows = result.rows
    if not result.is_intact:
        check.add_fault(_("The log was changed at row %(row)s.") % {"row": result.broken_at})
    return last


def _check_rows(archive: ArchiveReader, check: ArchiveCheck, last: _LastDigests) -> None:
    """Compare every row with its last digest in the log, and report rows that are missing."""
    manifest = archive.manifest.content
    shared_players, tournaments, left_out = frozenset(manifest["shared_players"]), 0, archive.manifest.left_out
    events: list[int] = []
    files: set[str] = set()
    seal_keys = [SealKey(pk=each["key"], public=each["public"]) for each in manifest["seal_keys"] if each["key"]]
    rows = chain((ArchiveRow(each, 0, {}) for each in seal_keys), read_rows(archive))
    for row, unknown in ((each.row, each.unknown) for each in rows):
        check.rows += 1
        files.update(_list_file_names(row))
        check.largest_key = max(check.largest_key, row.pk)
        tournaments += isinstance(row, Tournament)
        events += [row.pk] if isinstance(row, Event) else []
        names = {"kind": row._meta.object_name, "key": row.pk}
        digest, seq = last.get(type(row), {}).pop(row.pk, ("", 0))
        is_logged_elsewhere = isinstance(row, SealKey) and not digest  # in the log of the first tournament that used it
        is_shared = isinstance(row, Player) and row.pk in shared_players
        if type(row) not in last or is_logged_elsewhere or is_shared:
            continue
        if not digest and _was_missed_by_update(row, check):
            check.missed_rows.setdefault(type(row), set()).add(row.pk)
            continue
        if not digest:
            check.add_fault(_("%(kind)s %(key)s is not in the log, or is in the file twice.") % names)
        elif digest not in _list_digests(check.keys.restore_row(row, seq), unknown):
            text = _("%(kind)s %(key)s is not as row %(row)s of the log recorded it.")
            check.add_fault(text % {**names, "row": seq})
    for missing, digests in last.items():
        for key, (digest, seq) in digests.items():
            if digest and not left_out.has_row(missing, key, seq):
                text = _("Row %(row)s of the log names %(kind)s %(key)s, and the file does not have it.")
                check.add_fault(text % {"row": seq, "kind": missing._meta.object_name, "key": key})
    for name in sorted(files.symmetric_difference(archive.list_files())):
        check.add_fault(_("The facts and the attached files do not belong together: %(name)s.") % {"name": name})
    _require_one_tournament(archive, check, tournaments, events)


_ENTRANT_COLUMNS: Final[Mapping[str, str]] = {
    "Appeal": "entrant_id",
    "CardSeat": "entrant_id",
    "Cut": "keeper_id",
    "HandCheck": "entrant_id",
    "Signature": "entrant_id",
    "UpCard": "entrant_id",
}
"""The column that was empty in each row that `scoring/migrations/0004_row_digests.py` missed."""


def _was_missed_by_update(row: Any, check: ArchiveCheck) -> bool:
    """Return whether a row without a digest is one that the update missed when it added digests of earlier rows.

    The update missed rows without an entrant, and the decisions on appeals without an entrant.
    `scoring/migrations/0007_missed_row_digests.py` adds the digests, but the file may be from before this migration.
    """
    if isinstance(row, AppealDecided):
        has_no_entrant = row.appeal_id in check.missed_rows.get(Appeal, ())
    else:
        column = _ENTRANT_COLUMNS.get(str(row._meta.object_name))
        has_no_entrant = column is not None and getattr(row, column) is None
    if not has_no_entrant or check.digests_added_at is None:
        return False
    return row.card_id in check.early_cards if isinstance(row, CardSeat) else bool(row.at <= check.digests_added_at)


def _require_one_tournament(archive: ArchiveReader, check: ArchiveCheck, tournaments: int, events: list[int]) -> None:
    """Report a fault unless the file has exactly one tournament. An event file must have only that event."""
    if tournaments != 1:
        check.add_fault(_("The file does not have exactly one tournament."))
    event = archive.manifest.event
    if event is not None and events != [event["key"]]:
        check.add_fault(_("The file does not have exactly the event that it names."))


def _list_digests(row: Model, unknown: Mapping[str, Any]) -> list[str]:
    """Return the digests that the log may contain for a row. Older versions left out columns that they did not know."""
    return [compute_row_digest(row), *([compute_row_digest(row, unknown)] if unknown else [])]


def _list_file_names(row: Model) -> Iterator[str]:
    """Yield the names of the row's attached files. Each name must begin with the upload folder of its column.

    Raises:
        ValueError: a name begins with another folder.
    """
    for column in row._meta.concrete_fields:
        if isinstance(column, FileField) and (name := str(getattr(row, column.attname))):
            if not name.startswith(str(column.upload_to)):
                raise ValueError(name)
            yield name


def _check_rows_without_log(archive: ArchiveReader, check: ArchiveCheck) -> None:
    """Report rows that occur twice in a file without personal data.

    Such a file has no log. Only the seal protects its rows.
    """
    found: Counter[tuple[type[Model], int]] = Counter((type(each.row), each.row.pk) for each in read_rows(archive))
    check.rows, check.largest_key = found.total(), max((key for _model, key in found), default=0)
    for (model, key), times in found.items():
        if times > 1:
            check.add_fault(_("%(kind)s %(key)s is in the file twice.") % {"kind": model._meta.object_name, "key": key})
    tournaments, events = ([key for model, key in found.elements() if model is each] for each in (Tournament, Event))
    _require_one_tournament(archive, check, len(tournaments), events)
    if check.log_rows:
        check.add_fault(_("A file without persons cannot have a log."))
