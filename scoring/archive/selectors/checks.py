"""Check the file of a tournament without a database: its digests, its seal, its log, and every row against the log."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from django.db.models import Model
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from scoring.archive.selectors.files import FACTS, FILES, LOG, SUMMARY, ArchiveReader, ArchiveRefused
from scoring.models import SealKey
from tournament.core.selectors.log import ChainCheckResult, check_log_entries, compute_row_digest, list_recorded_models
from tournament.core.selectors.rows import (
    RecordedKeys,
    get_archived_columns,
    list_archived_models,
    make_key_change,
    row_from_json,
)
from tournament.models import AuditEntry, Player, Tournament, TournamentImport

MAX_LISTED_FAULTS: Final = 20
MAX_KEY: Final = 1 << 53
"""Primary keys are at most this large, so that every JSON parser reads them exactly."""


@dataclass(frozen=True, slots=True)
class ArchiveRow:
    """A row of `facts.jsonl`. `unknown` has the columns that this version of the program does not know."""

    row: Model
    log_row: int
    unknown: Mapping[str, Any]


@dataclass
class ArchiveCheck:
    """The result of checking a file. `faults` are sentences, and it can be imported if there are none."""

    log_rows: int = 0
    rows: int = 0
    keys: RecordedKeys = field(default_factory=RecordedKeys)
    largest_key: int = 0
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
    check = ArchiveCheck()
    if not archive.is_seal_genuine():
        check.add_fault(_("The file was changed after it was made: its seal does not belong to its contents."))
    for name in [*(f"{FILES}{each}" for each in archive.list_files()), SUMMARY]:
        for _chunk in archive.read_chunks(name):
            pass
    last_digests = _check_log(archive, check)
    check.keys = RecordedKeys(
        tuple(
            (row.row.log_rows, make_key_change(row.row))
            for row in read_rows(archive)
            if isinstance(row.row, TournamentImport)
        )
    )
    _check_rows(archive, check, last_digests)
    return check


def read_log(archive: ArchiveReader) -> Iterator[AuditEntry]:
    """Yield the rows of the log. Their keys are the exporting installation's current ones.

    Raises:
        ArchiveRefused: `damaged-archive`.
    """
    accounts = archive.manifest.shared_keys["tournament.User"]
    for line in archive.read_lines(LOG):
        try:
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
            _require_types(entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable_line(archive, LOG) from error
        yield entry


def _require_types(entry: AuditEntry) -> None:
    texts = (entry.by_name, entry.verb, entry.about, entry.reason, entry.previous, entry.digest)
    numbers = (entry.seq, entry.tournament_id, entry.event_id or 0, entry.user_id or 0)
    tables = entry.row_digests.values()
    digests = [each for table in tables for each in (*table.keys(), *table.values())]
    if not all(isinstance(text, str) for text in (*texts, *digests)):
        raise ValueError
    if not all(type(number) is int and 0 <= number < MAX_KEY for number in numbers):
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
            if type(key) is not int or not 0 < key < MAX_KEY:
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


def _check_log(archive: ArchiveReader, check: ArchiveCheck) -> dict[tuple[str, str], tuple[str, int]]:
    """Check the chain of the log. Return the last digest of each database row, by table and recorded key."""
    last: dict[tuple[str, str], tuple[str, int]] = {}

    def collect() -> Iterator[AuditEntry]:
        for entry in read_log(archive):
            for table, digests in entry.row_digests.items():
                last.update({(table, pk): (digest, entry.seq) for pk, digest in digests.items()})
            yield entry

    log = archive.manifest.content["log"]
    chain: ChainCheckResult = check_log_entries(collect(), (log["rows"], log["digest"]))
    check.log_rows = chain.rows
    if not chain.is_intact:
        check.add_fault(_("The log was changed at row %(row)s.") % {"row": chain.broken_at})
    return last


def _check_rows(archive: ArchiveReader, check: ArchiveCheck, last: dict[tuple[str, str], tuple[str, int]]) -> None:
    """Compare every row with its last digest in the log, and require that no row is missing."""
    manifest, recorded = archive.manifest.content, {model._meta.db_table: model for model in list_recorded_models()}
    shared_players, tournaments = frozenset(manifest["shared_players"]), 0
    current: dict[tuple[type[Model], int], tuple[str, int]] = {}
    for (table, pk), (digest, seq) in last.items():
        if (model := recorded.get(table)) is not None:
            current[model, check.keys.current_key(model._meta.label, int(pk), seq)] = (digest, seq)
    last.clear()
    seal_keys = [SealKey(pk=each["key"], public=each["public"]) for each in manifest["seal_keys"] if each["key"]]
    for row in [*seal_keys, *(each.row for each in read_rows(archive))]:
        check.rows += 1
        check.largest_key = max(check.largest_key, row.pk)
        tournaments += isinstance(row, Tournament)
        names = {"kind": row._meta.object_name, "key": row.pk}
        digest, seq = current.pop((type(row), row.pk), ("", 0))
        is_logged_elsewhere = isinstance(row, SealKey) and not digest  # in the log of the first tournament that used it
        is_shared = isinstance(row, Player) and row.pk in shared_players
        if type(row) not in recorded.values() or is_logged_elsewhere or is_shared:
            continue
        if not digest:
            check.add_fault(_("%(kind)s %(key)s is not in the log, or is in the file twice.") % names)
        elif compute_row_digest(check.keys.restore_row(row, seq)) != digest:
            text = _("%(kind)s %(key)s is not as row %(row)s of the log recorded it.")
            check.add_fault(text % {**names, "row": seq})
    for (missing, key), (digest, seq) in current.items():
        if digest:
            text = _("Row %(row)s of the log names %(kind)s %(key)s, and the file does not have it.")
            check.add_fault(text % {"row": seq, "kind": missing._meta.object_name, "key": key})
    if tournaments != 1:
        check.add_fault(_("The file does not have exactly one tournament."))
