"""Write a tournament, or one of its events, with all facts, the log and attached files into one archive.

`docs/format.md` describes the archive. `docs/decisions/0037-files-of-events.md` says what an event file leaves
out, and why.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import FileField, ForeignKey, Model
from django.utils import timezone
from django.utils.translation import gettext as _

from pairing.models import MatchResult
from pairing.stages.selectors.boards import load_valid_matches
from pairing.stages.selectors.course import load_event_stages, load_final_placings
from scoring.archive.selectors.files import (
    FACTS,
    FILES,
    FORMAT,
    LOG,
    SUMMARY,
    VERSION,
    ArchiveRefused,
    ArchiveWriter,
    encode_json_line,
)
from scoring.archive.selectors.persons import PersonalDataRemover
from scoring.archive.selectors.pseudonyms import Pseudonyms
from scoring.models import CardSeal, SealKey
from scoring.seals.selectors.keys import load_trusted_public_keys
from tournament.core.selectors.left_out import LEFT_OUT_VERB, LeftOutParts, load_left_out_parts
from tournament.core.selectors.log import (
    GENESIS_DIGEST,
    IMPORTED_VERB,
    RECORDED_APPS,
    compute_row_digest,
    format_time,
    make_log_entry_content,
)
from tournament.core.selectors.rows import (
    list_archived_models,
    load_recorded_keys,
    load_unknown_columns,
    row_to_json,
    select_event_rows,
    select_tournament_rows,
)
from tournament.core.services.durable_files import replace_durably
from tournament.models import AuditEntry, AuditHead, Event, IdempotencyKey, Player, PlayerCorrection, Tournament, User
from tournament.money.selectors.ledger import load_event_accounts, load_payout, load_prize_pool

_ROWS_AT_ONCE: Final = 500
_LOG_ROWS_AT_ONCE: Final = 200
_COLUMNS_THAT_COUNT_CHANGES: Final = {"Event": ("version",)}
"""The columns of each model that only count changes.

Their values can differ between two installations that have the same facts.
"""


def export_tournament(
    tournament: Tournament, target: Path, *, event: Event | None = None, without_persons: bool = False
) -> dict[str, Any]:
    """Write a file of the tournament, or of one of its events. Return the file's manifest.

    If `without_persons` is true, all names are replaced, and other personal data is left out (`persons.py`).

    The file is first written under another name, so an incomplete file never has the final name. Other processes can
    write to the database in the meantime. The file contains the state of a single moment.

    Raises:
        ArchiveRefused: `event-depends` if the event depends on another event. `names-in-draw`, only if
        `without_persons` is true.
    """
    with use_database_snapshot(), write_complete_archive(target) as writer:
        here = Tournament.objects.get(pk=tournament.pk)
        only = Event.objects.get(pk=event.pk, tournament=here) if event is not None else None
        remover = PersonalDataRemover(Pseudonyms(here)) if without_persons else None
        return _Exporter(writer, here, only, remover).write()


@contextmanager
def write_complete_archive(target: Path) -> Iterator[ArchiveWriter]:
    """Yield a writer for an archive. The archive gets its final name when it is complete and stored on the disk."""
    part = target.with_name(f".{target.name}.part")
    try:
        with zipfile.ZipFile(part, "w") as archive:
            yield ArchiveWriter(archive)
        replace_durably(part, target)
    finally:
        part.unlink(missing_ok=True)


_is_reading: ContextVar[bool] = ContextVar("_is_reading", default=False)


@contextmanager
def use_database_snapshot() -> Iterator[None]:
    """Let all queries in the block see the database as it is now, without making writers wait.

    A nested block sees the same moment as the outer block.
    """
    if connection.in_atomic_block or _is_reading.get():
        yield
    elif connection.vendor == "sqlite":
        # `atomic` would begin the transaction as a writer (`transaction_mode`).
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            token = _is_reading.set(True)
            try:
                yield
            finally:
                _is_reading.reset(token)
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield


class _OfficialEmails(dict[int, str]):
    """The neutral email addresses of accounts in a file without personal data."""

    def __init__(self, names: Pseudonyms) -> None:
        self._names = names

    def __missing__(self, user: int) -> str:
        return self._names.make_official_email(user)


class _Exporter:
    """Writes one file. `event` is None for a whole tournament. `remover` is None if personal data stays in the file."""

    def __init__(
        self, writer: ArchiveWriter, tournament: Tournament, event: Event | None, remover: PersonalDataRemover | None
    ) -> None:
        self.writer, self.tournament, self.event, self.remover = writer, tournament, event, remover
        self.recorded_keys = load_recorded_keys(tournament.pk)
        self.models = [model for model in list_archived_models() if remover is None or remover.exports_model(model)]
        self.keys = {model: self._select_keys(model) for model in self.models}
        self.accounts: set[int] = set()
        self.files: list[str] = []
        self.emails: Mapping[int, str] = (
            dict(User.objects.values_list("pk", "email")) if remover is None else _OfficialEmails(remover.names)
        )

    def _select_keys(self, model: type[Model]) -> set[int]:
        rows = (
            select_tournament_rows(model, self.tournament)
            if self.event is None
            else select_event_rows(model, self.event)
        )
        return set(rows.order_by().values_list("pk", flat=True).distinct())

    def write(self) -> dict[str, Any]:
        """Write all members of the archive, and return the manifest."""
        tournament, remover = self.tournament, self.remover
        log = self._write_log()
        if self.event is not None:
            self._keep_own_requests(log)
        shared_players = self._write_facts(log)
        for name in sorted(set(self.files)):
            with self.writer.member(f"{FILES}{name}") as member, default_storage.open(name) as file:
                member.write(file.read())
        with self.writer.member(SUMMARY) as member:
            summary = make_summary(tournament, self.event)
            member.write(encode_json_line(summary if remover is None else remover.replace_summary(summary)))
        head = AuditHead.objects.filter(tournament=tournament).first() if remover is None else None
        content: dict[str, Any] = {
            "format": FORMAT,
            "version": ".".join(map(str, VERSION)),
            "made_at": format_time(timezone.now()),
            "tournament": {
                "slug": tournament.slug if remover is None else "tournament",
                "name": tournament.name if remover is None else "Tournament",
                "key": tournament.pk,
                "is_copy": tournament.is_copy,
            },
            **self._describe_event(log),
            "persons": remover is None,
            "schema": list_latest_migrations(),
            "log": {"rows": head.seq if head else 0, "digest": head.digest if head else GENESIS_DIGEST},
            "accounts": [
                {"key": user.pk, "name": user.name, "email": user.email}
                for user in User.objects.filter(pk__in=self.accounts).order_by("pk")
            ]
            if remover is None
            else remover.describe_accounts(self.accounts),
            "seal_keys": _list_seal_keys(tournament) if remover is None else [],
            "shared_players": shared_players,
        }
        return self.writer.write_manifest(content)

    def _describe_event(self, log: _LogContents) -> dict[str, Any]:
        """Return the parts of the manifest about the exported event, and about what the file leaves out.

        A file of a whole tournament has the second part only if the tournament was imported from an event file.
        """
        parts: dict[str, Any] = {}
        if self.event is not None:
            names = {"slug": self.event.slug, "name": self.event.name}
            if self.remover is not None:
                names = {
                    "slug": self.remover.names.make_event_slug(self.event.pk),
                    "name": self.remover.names.events[self.event.pk],
                }
            parts["event"] = {**names, "key": self.event.pk}
        earlier = load_left_out_parts(self.tournament.pk)
        if self.remover is None:
            left_out = self._describe_left_out(log, earlier)
            parts |= {"left_out": left_out} if self.event is not None or any(left_out.values()) else {}
        return parts

    def _describe_left_out(self, log: _LogContents, earlier: LeftOutParts) -> dict[str, Any]:
        rows = {table: set(keys) for table, keys in earlier.rows.items()}
        for model, keys_here in self.keys.items():  # new rows may have the keys of rows that were left out earlier
            rows.get(model._meta.db_table, set()).difference_update(keys_here)
        for model, missing in log.missing.items():
            keys = sorted(missing)
            for start in range(0, len(keys), _ROWS_AT_ONCE):
                elsewhere = model._base_manager.filter(pk__in=keys[start : start + _ROWS_AT_ONCE])
                rows.setdefault(model._meta.db_table, set()).update(elsewhere.values_list("pk", flat=True))
        seals, moved = dict(earlier.seals), {table: set(keys) for table, keys in earlier.moved.items()}
        if self.event is not None:
            others = CardSeal.objects.filter(version__card__match__event__tournament=self.tournament)
            seals |= dict(others.exclude(version__card__match__event=self.event).values_list("number", "digest"))
            corrections = PlayerCorrection.objects.filter(pk__in=self.keys[PlayerCorrection]).exclude(event=self.event)
            moved.setdefault(PlayerCorrection._meta.db_table, set()).update(corrections.values_list("pk", flat=True))
        return {
            "log_rows": log.left_out,
            "rows": {table: sorted(keys) for table, keys in sorted(rows.items()) if keys},
            "seals": {str(number): digest for number, digest in sorted(seals.items())},
            "moved": {table: sorted(keys) for table, keys in sorted(moved.items()) if keys},
        }

    # --- The log -----------------------------------------------------------------------------------------------------

    def _write_log(self) -> _LogContents:
        """Write the rows of the log. A file without personal data gets no rows."""
        found = _LogContents()
        models = {model._meta.db_table: model for model in list_archived_models()}
        with self.writer.member(LOG) as member:
            rows = AuditEntry.objects.filter(tournament=self.tournament).order_by("seq")
            for entry in rows.iterator(_LOG_ROWS_AT_ONCE):
                recorded = {
                    (model, self.recorded_keys.find_current_key(model._meta.label, int(pk), entry.seq)): digest
                    for table, digests in entry.row_digests.items()
                    if (model := models.get(table)) is not None
                    for pk, digest in digests.items()
                }
                is_left_out = not self._concerns_event(entry, recorded)
                if self.remover is None:
                    member.write_line(self._encode_log_entry(entry, is_left_out=is_left_out))
                found.left_out += is_left_out or entry.verb == LEFT_OUT_VERB
                if not is_left_out:
                    self.accounts.update(filter(None, [entry.user_id if self.remover is None else None]))
                    found.add(entry, recorded, self.keys)
        return found

    def _concerns_event(self, entry: AuditEntry, recorded: Mapping[tuple[type[Model], int], str]) -> bool:
        """Return whether the file contains the contents of this log row.

        An event's file leaves out the contents of log rows about other events, except for rows that changed something
        in the file. Changes to players do not count here, because any event may have changed a player.
        """
        if self.event is None or entry.event_id == self.event.pk:
            return True
        return any(model is not Player and key in self.keys.get(model, ()) for model, key in recorded)

    def _encode_log_entry(self, entry: AuditEntry, *, is_left_out: bool) -> dict[str, Any]:
        line = {**make_log_entry_content(entry), "digest": entry.digest}
        if entry.verb == LEFT_OUT_VERB:
            return line
        if is_left_out:
            return {name: line[name] for name in ("seq", "previous", "digest")}
        if entry.user_id is not None:
            line["account"] = self.emails[entry.user_id]
        event = entry.event_id if self.event is None or entry.event_id == self.event.pk else None
        if (line["tournament"], line["event"]) != (entry.tournament_id, event):
            line["current"] = {"tournament": entry.tournament_id, "event": event}
        return line

    def _keep_own_requests(self, log: _LogContents) -> None:
        """Leave out the idempotency keys of requests whose log row is left out."""
        requests = IdempotencyKey.objects.filter(pk__in=self.keys.get(IdempotencyKey, ()))
        kept = {
            request.pk
            for request in requests.iterator()
            if _identify_request(request.verb, request.outcome) in log.requests
        }
        if IdempotencyKey in self.keys:
            self.keys[IdempotencyKey] = kept

    # --- The facts ---------------------------------------------------------------------------------------------------

    def _write_facts(self, log: _LogContents) -> list[int]:
        """Write all rows in the order of the log, and collect the accounts and files that they refer to.

        Return the primary keys of players who were last changed by a row that this log does not contain. Such a row
        belongs to the log of another tournament, or was left out.
        """
        places = sorted(
            (log.first_rows.get(model, {}).get(pk, 0), number, pk)
            for number, model in enumerate(self.models)
            for pk in self.keys[model]
        )
        shared_players = []
        shared = {User._meta.label: self.emails, SealKey._meta.label: dict(SealKey.objects.values_list("pk", "public"))}
        unknown = load_unknown_columns(self.tournament.pk) if self.remover is None else {}
        with self.writer.member(FACTS) as member:
            for start in range(0, len(places), _ROWS_AT_ONCE):
                chunk = places[start : start + _ROWS_AT_ONCE]
                wanted: dict[int, list[int]] = {}
                for _entry, number, pk in chunk:
                    wanted.setdefault(number, []).append(pk)
                rows = {number: self.models[number]._base_manager.in_bulk(pks) for number, pks in wanted.items()}
                for entry, number, pk in chunk:
                    row, kind = rows[number][pk], str(self.models[number]._meta.object_name)
                    if self.event is not None:
                        self._require_separable(row)
                    row = row if self.remover is None else self.remover.replace(row)
                    member.write_line(_encode_row(row, kind, entry, shared, unknown))
                    _collect(row, self.accounts, self.files)
                    if isinstance(row, Player) and self.remover is None:
                        digest, seq = log.players.get(pk, ("", 0))
                        if digest != compute_row_digest(self.recorded_keys.restore_row(row, seq)):
                            shared_players.append(pk)
        return shared_players

    def _require_separable(self, row: Model) -> None:
        """Refuse a row that refers to a row outside the file.

        References to other events are allowed, because an import replaces them.

        Raises:
            ArchiveRefused: `event-depends`.
        """
        for column in row._meta.concrete_fields:
            if not isinstance(column, ForeignKey) or column.related_model in (User, SealKey, Event):
                continue
            key = getattr(row, column.attname)
            if key is not None and key not in self.keys.get(column.related_model, ()):
                message = _(
                    "A part of this event (%(kind)s) belongs to another event. Export the whole tournament instead."
                )
                raise ArchiveRefused("event-depends", message % {"kind": row._meta.verbose_name})


@dataclass
class _LogContents:
    """Information collected from the log rows whose contents are in the file.

    - `first_rows`: for each database row, the number of the first log row that names it.
    - `players`: each player's last digest, and the number of the log row that contains it.
    - `missing`: the primary keys of database rows that the log names, but that are not in the file. Rows that were
      deleted according to the log are not included.
    - `requests`: digests that identify the logged requests (`_identify_request`). Idempotency keys of other requests
      are not exported.
    - `left_out`: the number of log rows without contents.
    """

    first_rows: dict[type[Model], dict[int, int]] = field(default_factory=dict)
    players: dict[int, tuple[str, int]] = field(default_factory=dict)
    missing: dict[type[Model], set[int]] = field(default_factory=dict)
    requests: set[bytes] = field(default_factory=set)
    left_out: int = 0

    def add(
        self,
        entry: AuditEntry,
        recorded: Mapping[tuple[type[Model], int], str],
        keys: Mapping[type[Model], Collection[int]],
    ) -> None:
        self.requests.add(_identify_request(entry.verb, entry.data))
        for (model, key), digest in recorded.items():
            if model is Player:
                self.players[key] = (digest, entry.seq)
            if not (model is Player and entry.verb == IMPORTED_VERB and entry.seq > 1):
                self.first_rows.setdefault(model, {}).setdefault(key, entry.seq)
            if key not in keys.get(model, ()):
                missing = self.missing.setdefault(model, set())
                (missing.add if digest else missing.discard)(key)


def _identify_request(verb: str, outcome: Mapping[str, Any]) -> bytes:
    """Return a digest that is the same for a request's log row and for its idempotency key.

    It is made from the outcome, which both of them store. The log row also has digests of database rows, and the
    sign-in link. These are ignored.
    """
    plain = {name: value for name, value in outcome.items() if name != "signed_in_by_link" and not _has_digests(value)}
    return hashlib.sha256(json.dumps([verb, plain], sort_keys=True).encode()).digest()


def _has_digests(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(each, dict) and "digest" in each for each in value)
    )


def list_latest_migrations() -> dict[str, str]:
    """Return the name of the last migration of each app that has rows in the file."""
    applied = MigrationRecorder(connection).applied_migrations()
    return {app: max(name for label, name in applied if label == app) for app in RECORDED_APPS}


def _list_seal_keys(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the public keys that sealed the tournament's cards and log.

    `trusted` is true for a key that this installation trusts.
    """
    trusted = load_trusted_public_keys()
    cards = SealKey.objects.filter(seals__version__card__match__event__tournament=tournament).distinct().order_by("pk")
    keys = {row.public: row.pk for row in cards}
    logs = tournament.log_seals.order_by().values_list("public", flat=True).distinct()
    return [
        {"key": keys.get(public), "public": public, "trusted": public in trusted}
        for public in [*keys, *sorted(set(logs) - keys.keys())]
    ]


def _encode_row(
    row: Model, kind: str, entry: int, shared: Mapping[str, Mapping[int, str]], unknown: Mapping[str, Any]
) -> dict[str, Any]:
    columns = row_to_json(row, shared)
    for name in _COLUMNS_THAT_COUNT_CHANGES.get(kind, ()):
        columns.pop(name, None)
    columns |= unknown.get(f"{kind} {row.pk}", {})
    return {"kind": kind, "key": row.pk, "log_row": entry, "columns": columns}


def _collect(row: Model, accounts: set[int], files: list[str]) -> None:
    for column in row._meta.concrete_fields:
        value = getattr(row, column.attname)
        if isinstance(column, ForeignKey) and column.related_model is User and value is not None:
            accounts.add(value)
        if isinstance(column, FileField) and value:
            files.append(str(value))


# --- The summary -----------------------------------------------------------------------------------------------------


def make_summary(tournament: Tournament, event: Event | None = None) -> dict[str, Any]:
    """Summarize the tournament's events for other programs: entrants, matches, standings, places and payouts.

    If `event` is given, return only this event. Amounts are in cents. Entrants are referred to by their entry number.
    """
    return {
        "tournament": tournament.name,
        "venue": tournament.venue,
        "starts_on": tournament.starts_on.isoformat(),
        "ends_on": tournament.ends_on.isoformat(),
        "currency": tournament.currency,
        "events": [_summarize_event(each) for each in tournament.events.order_by("pk") if event in (None, each)],
    }


def _summarize_event(event: Event) -> dict[str, Any]:
    placings = load_final_placings(event)
    payout = load_payout(event)
    accounts = load_event_accounts(event)
    return {
        "slug": event.slug,
        "name": event.name,
        "state": event.state,
        "entrants": list(event.entrants.order_by("number").values("number", "name", "club", "state")),
        "matches": _summarize_matches(event),
        "standings": _summarize_standings(event),
        "places": [{"place": str(each), "numbers": sorted(each.entries)} for each in placings.finish]
        if placings is not None
        else [],
        "collected_cents": accounts.total.collected_cents,
        "pool_cents": load_prize_pool(event).pool_cents,
        "payouts": [] if payout is None else [{"number": award.entry, "cents": award.cents} for award in payout.awards],
    }


def _summarize_matches(event: Event) -> list[dict[str, Any]]:
    """Return the valid matches that have a result, in the order in which they were first decided."""
    results = MatchResult.objects.filter(match__in=load_valid_matches(event), superseded_by__isnull=True)
    return [
        {
            "match": result.match.ident,
            "stage": result.match.stage.name,
            "round": result.match.round,
            "sides": sorted(map(int, result.credits)),
            "winner": result.winner.number if result.winner else None,
            "credits": result.credits,
            "score": result.score,
        }
        for result in results.select_related("match__stage", "winner").order_by("match_id")
        if result.credits or result.score
    ]


def _summarize_standings(event: Event) -> list[dict[str, Any]]:
    """Return the standings of each pool, such as a qualifying stage or a group. Brackets have no standings."""
    return [
        {
            "stage": stage.name,
            "group": part.name,
            "entrants": [
                {
                    "number": row.entry,
                    "place": row.place,
                    "wins": row.record.wins,
                    "losses": row.record.losses,
                    "byes": row.record.byes,
                }
                for row in ranked
            ],
        }
        for stage in load_event_stages(event).pools
        for part, ranked in stage.pool.standings
    ]
