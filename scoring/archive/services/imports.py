"""Import a tournament, or one of its events, from a file: as the original, as a copy, or as a replacement."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any, Final

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management.color import no_style
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.models import ForeignKey, Max, Model
from django.utils.translation import gettext as _

from scoring.archive.selectors.checks import ArchiveCheck, check_archive, read_log, read_rows
from scoring.archive.selectors.encryption import open_archive
from scoring.archive.selectors.export import make_summary
from scoring.archive.selectors.files import FILES, ArchiveReader, ArchiveRefused, Manifest
from scoring.card_state.selectors.cards import select_cards_with_facts
from scoring.card_state.selectors.state import make_card_state
from scoring.models import Card, SealKey
from scoring.seals.selectors.keys import is_trusted_key, list_configured_public_keys
from scoring.seals.services.sealing import confirm_trusted_keys
from tournament.core.permissions import SYSTEM_ACTOR, Actor
from tournament.core.selectors.left_out import LEFT_OUT_VERB
from tournament.core.selectors.log import IMPORTED_VERB
from tournament.core.selectors.rows import (
    PrimaryKeyChange,
    change_keys,
    list_archived_models,
    select_event_rows,
    select_tournament_rows,
)
from tournament.core.services.installation import raise_imported_versions
from tournament.core.services.record import writing
from tournament.core.topics import record_changed_rows
from tournament.errors import Conflict, DomainError
from tournament.models import (
    AuditEntry,
    AuditHead,
    Entrant,
    Event,
    IdempotencyKey,
    Merge,
    MergeUndone,
    Player,
    StaffRole,
    Tournament,
    TournamentImport,
    User,
)
from tournament.registration.services.people import make_private_link_token

PRIMARY_KEY_STEP: Final = 1_000_000
"""If imported rows need new primary keys, a multiple of this number is added to the old ones."""
_IMPORT_LOCK: Final = 0x67696E
"""The number of the PostgreSQL advisory lock that every import takes."""
_ROWS_AT_ONCE: Final = 500
_CARDS_AT_ONCE: Final = 50
_CONTRADICTIONS: Final = (
    *(DatabaseError, DomainError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError),
)
"""The errors that an import can raise if its facts could not have been recorded by any version of the program."""


class ImportMode(StrEnum):
    """The purpose of an import.

    `ORIGINAL` continues the tournament on this installation, with all private links. `COPY` is only for looking at it
    and trying things out. `REPLACE` replaces this installation's version of the tournament.
    """

    ORIGINAL = "original"
    COPY = "copy"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The imported tournament, the number of its rows and log rows, and whether its primary keys were changed."""

    tournament: Tournament
    rows: int
    log_rows: int
    has_new_keys: bool


def import_tournament(
    path: Path,
    *,
    mode: ImportMode = ImportMode.ORIGINAL,
    by: Actor,
    reason: str = "",
    replaced_log_rows: int | None = None,
    passphrase: str = "",
) -> ImportResult:
    """Open a file and import it with `import_open_archive`. An encrypted file needs its `passphrase`.

    Raises:
        ArchiveRefused: the passphrase is wrong, or `import_open_archive` refuses the file. Conflict: see
            `import_open_archive`.
    """
    with open_archive(path, passphrase) as archive:
        return import_open_archive(archive, mode=mode, by=by, reason=reason, replaced_log_rows=replaced_log_rows)


def import_open_archive(
    archive: ArchiveReader,
    *,
    mode: ImportMode = ImportMode.ORIGINAL,
    by: Actor,
    reason: str = "",
    replaced_log_rows: int | None = None,
) -> ImportResult:
    """Check a file completely, and import it in one transaction. `by` becomes a director of the imported tournament.

    Others can write to the database while the file is being checked. `replaced_log_rows` is the expected number of log
    rows of the replaced tournament. If the number is different, the import is refused, so that nothing is lost.

    Raises:
        ArchiveRefused: the file is damaged, was changed, or was made by a newer version. Nothing was imported.
        Conflict: `already-here`, `address-taken`, `not-here`, `changed-meanwhile`, `without-persons`,
            `event-not-alone`.
    """
    check, name = check_archive(archive), archive.path.name
    if check.faults:
        message = _("%(name)s was changed. Nothing was imported. %(fault)s")
        raise ArchiveRefused("altered-archive", message % {"name": name, "fault": check.faults[0]})
    with refuse_contradictions(name) as files, transaction.atomic():
        wait_for_other_imports()
        return import_checked_archive(
            archive, check, mode, files, by=by, reason=reason, replaced_log_rows=replaced_log_rows
        )


def import_checked_archive(
    archive: ArchiveReader,
    check: ArchiveCheck,
    mode: ImportMode,
    files: list[str],
    *,
    by: Actor,
    reason: str,
    replaced_log_rows: int | None = None,
) -> ImportResult:
    """Import a checked file in the caller's transaction. See `import_tournament`.

    The names of saved files are added to `files`.
    """
    here = find_same_tournament(archive)
    _require_mode(archive.manifest, here, mode)
    if here is not None and mode is ImportMode.REPLACE:
        if replaced_log_rows is not None:
            require_log_row_count(here, replaced_log_rows)
        _require_event_alone(archive, here)
        remove_tournament_and_players(here)
    importer = _Importer(archive, check, mode, trusts_keys=may_import_trusted_keys(archive.manifest, by))
    tournament = importer.insert(files)
    _require_connected(tournament, importer.inserted)
    _record_import(tournament, importer, by, reason)
    raise_imported_versions(tournament)
    _require_readable(tournament)
    return ImportResult(tournament, check.rows, check.log_rows, has_new_keys=importer.change.offset > 0)


def wait_for_other_imports() -> None:
    """Wait for other imports, so that two imports never look for the same tournament at once.

    This does nothing on SQLite, which allows only one writer at a time.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_IMPORT_LOCK])


@contextmanager
def refuse_contradictions(name: str) -> Iterator[list[str]]:
    """Refuse an import whose facts contradict each other.

    Yield a list for the names of saved files. If the import fails, delete these files.

    Raises:
        ArchiveRefused: `damaged-archive`: the database does not accept the rows.
    """
    files: list[str] = []
    try:
        yield files
    except BaseException as error:
        with suppress(DatabaseError, OSError):
            for saved in files:
                default_storage.delete(saved)
        if not isinstance(error, _CONTRADICTIONS) or isinstance(error, (ArchiveRefused, Conflict, OperationalError)):
            raise
        message = _("The facts in %(name)s contradict each other. Choose another file. Nothing was imported.")
        raise ArchiveRefused("damaged-archive", message % {"name": name}) from error


def _require_connected(tournament: Tournament, inserted: Mapping[type[Model], int]) -> None:
    """Raise LookupError if a row of the file belongs to no part of the tournament, such as a player who never entered.

    No page would show such a row, and no later file would contain it.
    """
    for model in list_archived_models():
        if select_tournament_rows(model, tournament).distinct().count() != inserted.get(model, 0):
            raise LookupError(f"Rows of {model._meta.label} do not belong to the tournament.")


def _require_readable(tournament: Tournament) -> None:
    """Compute what the pages show, to detect facts that contradict each other before the import is committed."""
    make_summary(tournament)
    cards = list(Card.objects.filter(match__event__tournament=tournament).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(cards), _CARDS_AT_ONCE):
        for card in select_cards_with_facts().filter(pk__in=cards[start : start + _CARDS_AT_ONCE]):
            make_card_state(card)


def find_same_tournament(archive: ArchiveReader) -> Tournament | None:
    """Return this installation's tournament whose log began with the same row as the file's log. Ignore copies."""
    first = next(read_log(archive), None)
    if first is None or archive.manifest.content["tournament"]["is_copy"]:
        return None
    same = AuditEntry.objects.filter(seq=1, digest=first.digest, tournament__is_copy=False).select_related("tournament")
    return next((entry.tournament for entry in same), None)


def require_log_row_count(tournament: Tournament, rows: int | None) -> None:
    """Raise `Conflict` unless the tournament's log has this number of rows."""
    if tournament.log.count() != rows:
        message = _("Something new was recorded here. Look at what would be lost, then confirm again.")
        raise Conflict("changed-meanwhile", message)


def _require_mode(manifest: Manifest, here: Tournament | None, mode: ImportMode) -> None:
    name = manifest.content["tournament"]["name"]
    if mode is not ImportMode.COPY and not manifest.has_persons:
        message = _("This file has no names, so it cannot go on here. Import it as a copy.")
        raise Conflict("without-persons", message)
    if mode is ImportMode.ORIGINAL and here is not None:
        message = _(
            "%(name)s is on this computer already. Import the file as a copy, or replace the tournament with it."
        )
        raise Conflict("already-here", message % {"name": name})
    if mode is ImportMode.REPLACE and here is None:
        message = _("%(name)s is not on this computer, so there is nothing to replace. Import the file without this.")
        raise Conflict("not-here", message % {"name": name})
    taken = Tournament.objects.filter(slug=manifest.content["tournament"]["slug"])
    if mode is ImportMode.ORIGINAL and taken.exists():
        message = _("Another tournament here has the web address “%(slug)s”. Import the file as a copy.")
        raise Conflict("address-taken", message % {"slug": manifest.content["tournament"]["slug"]})


def _require_event_alone(archive: ArchiveReader, here: Tournament) -> None:
    """If this is an event file, require that this tournament has nothing but that event.

    All events of a tournament share one log, which is a single hash chain. Therefore, one of several events cannot be
    replaced.

    Raises:
        Conflict: `event-not-alone`.
    """
    if archive.manifest.event is None:
        return
    event = find_same_event(archive, here)
    if event is None or not contains_only_event(here, event):
        message = _(
            "%(name)s has more on this computer than the event in this file, and they share one log. Open the file as "
            "a copy, or replace the tournament with a file of the whole tournament."
        )
        raise Conflict("event-not-alone", message % {"name": here.name})


def find_same_event(archive: ArchiveReader, here: Tournament) -> Event | None:
    """Return the event of this tournament that began with the same log row as the event in the file."""
    event = archive.manifest.event
    first = next((each for each in read_log(archive) if event is not None and each.event_id == event["key"]), None)
    if first is None:
        return None
    same = AuditEntry.objects.filter(tournament=here, seq=first.seq, digest=first.digest, event__isnull=False)
    return next((entry.event for entry in same.select_related("event")), None)


def contains_only_event(tournament: Tournament, event: Event) -> bool:
    """Return whether the tournament has only rows that this event's file would contain."""
    return all(
        select_tournament_rows(model, tournament).distinct().count()
        == select_event_rows(model, event).distinct().count()
        for model in list_archived_models()
    )


def remove_tournament_and_players(tournament: Tournament) -> None:
    """Remove a tournament and its players. Keep players who also play elsewhere, or were merged with such a player."""
    people = set(select_tournament_rows(Player, tournament).values_list("pk", flat=True))
    tournament.delete()
    stays = set(Player.objects.filter(members__isnull=False).values_list("pk", flat=True))
    pairs = [*Merge.objects.values_list("kept", "gone"), *Player.objects.values_list("pk", "merged_into")]
    while more := {each for pair in pairs if not stays.isdisjoint(pair) for each in pair if each} - stays:
        stays |= more
    merges = Merge.objects.filter(kept__in=people - stays)
    MergeUndone.objects.filter(merge__in=merges).delete()
    merges.delete()
    Player.objects.filter(pk__in=people - stays).update(merged_into=None)
    Player.objects.filter(pk__in=people - stays).delete()


class _Importer:
    """Inserts the rows of a checked file, with new primary keys if the original keys are taken."""

    def __init__(self, archive: ArchiveReader, check: ArchiveCheck, mode: ImportMode, *, trusts_keys: bool) -> None:
        self.archive, self.check, self.mode = archive, check, mode
        self.known_players: set[int] = set()
        self.inserted: Counter[type[Model]] = Counter()
        """The number of rows that are in the database now, by model. It includes players who were here before."""
        self.unknown: dict[str, Any] = {}
        self.detached: dict[type[Model], list[int]] = {}
        """The primary keys of rows that referred to an event outside the file, by model."""
        accounts = {each["key"]: _find_or_create_account(each) for each in self._manifest["accounts"]}
        self.change = PrimaryKeyChange(
            self._choose_offset(),
            {
                "tournament.User": accounts,
                "scoring.SealKey": _find_or_create_seal_keys(self._manifest["seal_keys"], trusts=trusts_keys),
            },
            f"c{(TournamentImport.objects.aggregate(last=Max('pk'))['last'] or 0) + 1}-"
            if mode is ImportMode.COPY
            else "",
        )

    @property
    def _manifest(self) -> dict[str, Any]:
        return dict(self.archive.manifest.content)

    def _choose_offset(self) -> int:
        """Return the number to add to all primary keys. It is 0 if they are all free here."""
        if self.mode is not ImportMode.COPY and not any(map(self._is_taken, _in_groups(self._rows()))):
            return 0
        self.known_players.clear()
        largest = max(model._base_manager.aggregate(last=Max("pk"))["last"] or 0 for model in list_archived_models())
        return (largest // PRIMARY_KEY_STEP + 1) * PRIMARY_KEY_STEP

    def _is_taken(self, rows: list[Model]) -> bool:
        """Return whether one of these primary keys is taken. A player who already exists here does not count."""
        model = type(rows[0])
        taken = model._base_manager.in_bulk([row.pk for row in rows])
        if issubclass(model, Player):
            same = {row.pk for row in rows if _is_same_player(row, taken.get(row.pk))}
            self.known_players |= same
            return bool(taken.keys() - same)
        return bool(taken)

    def _rows(self) -> Iterator[Model]:
        for each in read_rows(self.archive):
            if each.unknown:
                self.unknown[f"{each.row._meta.object_name} {each.row.pk}"] = dict(each.unknown)
            yield each.row

    def insert(self, files: list[str]) -> Tournament:
        for name in self.archive.list_files():
            content = b"".join(self.archive.read_chunks(f"{FILES}{name}"))
            if not default_storage.exists(name):
                files.append(default_storage.save(name, ContentFile(content)))
            elif not _is_same_content(name, content):
                message = _("Another file on this computer has the name %(file)s, which %(name)s needs.")
                raise ArchiveRefused("file-taken", message % {"file": name, "name": self.archive.path.name})
        tournament = self._manifest["tournament"]["key"] + self.change.offset
        for rows in _in_groups(self._rows()):
            self._insert_rows(rows)
        self._insert_log(tournament)
        connection.check_constraints(
            [AuditEntry._meta.db_table, *(model._meta.db_table for model in list_archived_models())]
        )
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), [*list_archived_models(), AuditEntry]):
                cursor.execute(statement)
        return Tournament.objects.get(pk=tournament)

    def _insert_rows(self, rows: list[Model]) -> None:
        model = type(rows[0])
        if model is IdempotencyKey and (self.change.offset or self.mode is ImportMode.COPY):
            return  # they were computed with other primary keys
        self.inserted[model] += len(rows)
        kept = [row for row in rows if not (isinstance(row, Player) and row.pk in self.known_players)]
        for row in kept:
            self._detach_from_other_events(row)
        changed = [change_keys(row, self.change) for row in kept]
        if self.mode is ImportMode.COPY:
            for row in changed:
                if isinstance(row, Tournament):
                    row.slug, row.is_copy = _find_free_slug(row.slug), True
                elif isinstance(row, Entrant):
                    row.token = make_private_link_token()
        _insert_unchanged(model, changed)

    def _detach_from_other_events(self, row: Model) -> None:
        """Replace references to events that are not in the file. Use None if possible, otherwise the file's event."""
        event = self.archive.manifest.event
        for column in row._meta.concrete_fields if event is not None else ():
            is_reference = isinstance(column, ForeignKey) and column.related_model is Event
            if event is not None and is_reference and getattr(row, column.attname) not in (None, event["key"]):
                setattr(row, column.attname, None if column.null else event["key"])
                self.detached.setdefault(type(row), []).append(row.pk + self.change.offset)

    def _insert_log(self, tournament: int) -> None:
        accounts = self.change.shared["tournament.User"]
        entries, last = read_log(self.archive), None
        while chunk := list(islice(entries, _ROWS_AT_ONCE)):
            for entry in chunk:
                if entry.verb == LEFT_OUT_VERB:
                    entry.tournament_id = tournament
                    continue
                keys = {"tournament": entry.tournament_id, "event": entry.event_id, "user": entry.user_id}
                entry.tournament_id = tournament
                entry.event_id = entry.event_id and entry.event_id + self.change.offset
                entry.user_id = entry.user_id and accounts[entry.user_id]
                now = {"tournament": entry.tournament_id, "event": entry.event_id, "user": entry.user_id}
                entry.original_keys = entry.original_keys or ({} if now == keys else keys)
            _insert_unchanged(AuditEntry, chunk, with_keys=False)
            last = chunk[-1]
        if last is not None:
            AuditHead.objects.create(tournament_id=tournament, seq=last.seq, digest=last.digest)


def _record_import(tournament: Tournament, importer: _Importer, by: Actor, reason: str) -> None:
    change, is_copy = importer.change, importer.mode is ImportMode.COPY
    manifest = importer.archive.manifest.content
    with writing(tournament, verb=IMPORTED_VERB, by=by, reason=reason) as write:
        row = TournamentImport.objects.create(
            tournament=tournament,
            log_rows=importer.check.log_rows,
            key_offset=change.offset,
            shared_keys={
                label: {str(old): new for old, new in keys.items() if old != new}
                for label, keys in change.shared.items()
            },
            prefix=change.prefix,
            file_digest=importer.archive.digest,
            origin={
                **{name: manifest[name] for name in ("version", "made_at", "tournament", "seal")},
                "persons": importer.archive.manifest.has_persons,
                **{name: manifest[name] for name in ("event", "left_out") if manifest.get(name) is not None},
            },
            unknown=_change_unknown(importer.unknown, change.offset),
            **write.fact_fields(),
        )
        if not importer.archive.manifest.has_persons:  # the file has no log that records its rows
            for model in list_archived_models():
                own = select_tournament_rows(model, tournament).values_list("pk", flat=True)
                record_changed_rows(model, own.distinct().order_by("pk"))
        elif is_copy:  # the log records the columns in which a copy differs
            record_changed_rows(Tournament, [tournament.pk])
            entrants = Entrant.objects.filter(event__tournament=tournament)
            record_changed_rows(Entrant, entrants.values_list("pk", flat=True))
        shared = [pk + change.offset for pk in manifest["shared_players"]]
        record_changed_rows(Player, [*shared, *importer.known_players])
        for model, keys in importer.detached.items():
            record_changed_rows(model, keys)
        for model, missed in importer.check.missed_rows.items():  # rows for which the file's log has no digest
            record_changed_rows(model, [pk + change.offset for pk in missed])
        is_director = by.user is not None and tournament.roles.filter(user=by.user, role=StaffRole.Role.DIRECTOR)
        if by.user is not None and not is_director:
            StaffRole.objects.create(tournament=tournament, user=by.user, role=StaffRole.Role.DIRECTOR)
        write.about(tournament, imported=row.pk, mode=importer.mode.value, log_rows=row.log_rows)


def _is_same_content(name: str, content: bytes) -> bool:
    with default_storage.open(name) as here:
        return bool(here.read() == content)


def _is_same_player(row: Any, here: Any) -> bool:
    return here is not None and here.created_at == row.created_at


def _change_unknown(unknown: dict[str, Any], offset: int) -> dict[str, Any]:
    changed = {}
    for name, columns in unknown.items():
        kind, key = name.split(" ")
        changed[f"{kind} {int(key) + offset}"] = columns
    return changed


def _find_or_create_account(account: dict[str, Any]) -> int:
    """Return the account with this email address. A new account cannot sign in."""
    user = User.objects.filter(email__iexact=account["email"]).first()
    if user is None:
        user = User.objects.create_user(account["email"], name=account["name"], is_active=False)
    return user.pk


def may_import_trusted_keys(manifest: Manifest, by: Actor) -> bool:
    """Return whether this installation may also trust the seal keys that the exporting installation trusted.

    Anybody can make a file that claims to trust a key. Therefore, either an administrator must import the file, or the
    file must be sealed with a key that is already trusted here.
    """
    is_administrator = by == SYSTEM_ACTOR or (by.user is not None and by.user.is_superuser)
    return is_administrator or is_trusted_key(manifest.seal["key"])


def _find_or_create_seal_keys(keys: list[dict[str, Any]], *, trusts: bool) -> dict[int, int]:
    """Return the primary keys of these seal keys on this installation.

    If `trusts` is true, also trust the keys that the exporting installation trusted.
    """
    configured = list_configured_public_keys()
    if trusts:
        confirm_trusted_keys(each["public"] for each in keys if each["trusted"] and each["public"] not in configured)
    return {each["key"]: SealKey.objects.get_or_create(public=each["public"])[0].pk for each in keys if each["key"]}


def _find_free_slug(slug: str) -> str:
    slugs = (f"{slug[:50]}-copy{f'-{number}' if number > 1 else ''}" for number in range(1, 10_000))
    return next(each for each in slugs if not Tournament.objects.filter(slug=each).exists())


def _in_groups(rows: Iterable[Model]) -> Iterator[list[Model]]:
    """Yield the rows in lists. All rows of a list belong to the same model."""
    iterator = iter(rows)
    while chunk := list(islice(iterator, _ROWS_AT_ONCE)):
        by_model: dict[type[Model], list[Model]] = {}
        for row in chunk:
            by_model.setdefault(type(row), []).append(row)
        yield from by_model.values()


def _insert_unchanged(model: type[Model], rows: list[Any], *, with_keys: bool = True) -> None:
    """Insert rows without changing any of their values.

    `bulk_create` is not used, because it would clean names and compute sort keys again.
    """
    if not rows:
        return
    columns = [column for column in model._meta.concrete_fields if with_keys or not column.primary_key]
    quote = connection.ops.quote_name
    names, marks = ", ".join(quote(str(column.column)) for column in columns), ", ".join(["%s"] * len(columns))
    statement = f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({marks})"
    values = [[column.get_db_prep_save(getattr(row, column.attname), connection) for column in columns] for row in rows]
    with connection.cursor() as cursor:
        cursor.executemany(statement, values)
