"""Write a tournament with all its facts, its log and its attached files into one archive (`docs/format.md`)."""

import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import FileField, ForeignKey, Model
from django.utils import timezone

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
    ArchiveWriter,
    Manifest,
    encode_json_line,
)
from scoring.archive.selectors.persons import PersonsRemover
from scoring.archive.selectors.pseudonyms import Pseudonyms
from scoring.models import SealKey
from scoring.rules.evidence.sealing import encode_public_key
from scoring.seals.selectors.keys import get_installation_key, load_trusted_public_keys
from tournament.core.selectors.log import (
    GENESIS_DIGEST,
    RECORDED_APPS,
    compute_row_digest,
    format_time,
    list_recorded_models,
    make_log_entry_content,
)
from tournament.core.selectors.rows import (
    list_archived_models,
    load_recorded_keys,
    load_unknown_columns,
    row_to_json,
    select_tournament_rows,
)
from tournament.models import AuditEntry, AuditHead, Event, Player, Tournament, User
from tournament.money.selectors.ledger import load_event_accounts, load_payout, load_prize_pool

_ROWS_AT_ONCE: Final = 500
_LOG_ROWS_AT_ONCE: Final = 200
_COLUMNS_THAT_COUNT_CHANGES: Final = {"Event": ("version",)}
"""Columns that differ from one installation to the next, although the facts are the same."""


def export_tournament(tournament: Tournament, target: Path, *, without_persons: bool = False) -> dict[str, Any]:
    """Write the file of a tournament. Return its manifest.

    If `without_persons` is true, all names are replaced, and other personal data is left out (`persons.py`).

    The file is complete, or it is not there: it is written under another name first. Writing goes on meanwhile, and
    the file has the state of one moment.

    Raises:
        ArchiveRefused: `names-in-draw`, only if `without_persons` is true.
    """
    part = target.with_name(f".{target.name}.part")
    try:
        with _read_one_moment(), zipfile.ZipFile(part, "w") as archive:
            here = Tournament.objects.get(pk=tournament.pk)
            remover = PersonsRemover(Pseudonyms(here)) if without_persons else None
            manifest = _write_tournament(ArchiveWriter(archive), here, remover)
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return manifest


@contextmanager
def _read_one_moment() -> Iterator[None]:
    """Let all queries in the block see the database as it is now, without making writers wait."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        # `atomic` would begin the transaction as a writer (`transaction_mode`).
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield


class _OfficialEmails(dict[int, str]):
    """The email addresses of accounts in a file without persons."""

    def __init__(self, names: Pseudonyms) -> None:
        self._names = names

    def __missing__(self, user: int) -> str:
        return self._names.official_email(user)


def _write_tournament(
    writer: ArchiveWriter, tournament: Tournament, remover: PersonsRemover | None = None
) -> dict[str, Any]:
    accounts: set[int] = set()
    files: list[str] = []
    emails = dict(User.objects.values_list("pk", "email")) if remover is None else _OfficialEmails(remover.names)
    shared = {User._meta.label: emails, SealKey._meta.label: dict(SealKey.objects.values_list("pk", "public"))}
    first_entries, player_digests = _write_log(writer, tournament, emails, accounts, is_empty=remover is not None)
    shared_players = _write_facts(writer, tournament, first_entries, player_digests, shared, accounts, files, remover)
    for name in sorted(set(files)):
        with writer.member(f"{FILES}{name}") as member, default_storage.open(name) as file:
            member.write(file.read())
    with writer.member(SUMMARY) as member:
        summary = make_summary(tournament)
        member.write(encode_json_line(summary if remover is None else remover.replace_summary(summary)))
    head = AuditHead.objects.filter(tournament=tournament).first() if remover is None else None
    key = get_installation_key()
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
        "persons": remover is None,
        "schema": load_schema(),
        "log": {"rows": head.seq if head else 0, "digest": head.digest if head else GENESIS_DIGEST},
        "accounts": [
            {"key": user.pk, "name": user.name, "email": user.email}
            for user in User.objects.filter(pk__in=accounts).order_by("pk")
        ]
        if remover is None
        else remover.describe_accounts(accounts),
        "seal_keys": _list_seal_keys(tournament) if remover is None else [],
        "shared_players": shared_players,
        "members": {name: member.as_json() for name, member in writer.members.items()},
        "seal": {"key": encode_public_key(key), "signature": ""},
    }
    content["seal"]["signature"] = key.sign(Manifest(content, {}).signable).hex()
    writer.write_manifest(content)
    return content


def load_schema() -> dict[str, str]:
    """Return the last migration of each app whose rows a file contains."""
    applied = MigrationRecorder(connection).applied_migrations()
    return {app: max(name for label, name in applied if label == app) for app in RECORDED_APPS}


def _list_seal_keys(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the public keys that sealed the tournament's cards and log, and whether this installation trusts them."""
    trusted = load_trusted_public_keys()
    cards = SealKey.objects.filter(seals__version__card__match__event__tournament=tournament).distinct().order_by("pk")
    keys = {row.public: row.pk for row in cards}
    logs = tournament.log_seals.order_by().values_list("public", flat=True).distinct()
    return [
        {"key": keys.get(public), "public": public, "trusted": public in trusted}
        for public in [*keys, *sorted(set(logs) - keys.keys())]
    ]


# --- The log and the facts -------------------------------------------------------------------------------------------

_Rows = dict[str, dict[int, int]]
_Digests = dict[int, tuple[str, int]]


def _write_log(
    writer: ArchiveWriter, tournament: Tournament, emails: Mapping[int, str], accounts: set[int], *, is_empty: bool
) -> tuple[_Rows, _Digests]:
    """Write the rows of the log, or none if `is_empty` is true.

    Returns:
        The log row that first mentions each database row, by table and current primary key. The last digest of each
        player with its log row, by current primary key.
    """
    first: _Rows = {}
    players: _Digests = {}
    keys, labels = (
        load_recorded_keys(tournament.pk),
        {model._meta.db_table: model._meta.label for model in list_recorded_models()},
    )
    with writer.member(LOG) as member:
        for entry in AuditEntry.objects.filter(tournament=tournament).order_by("seq").iterator(_LOG_ROWS_AT_ONCE):
            if not is_empty:
                member.write_line(_encode_log_entry(entry, emails))
                accounts.update(filter(None, [entry.user_id]))
            for table, digests in entry.row_digests.items():
                of_table = first.setdefault(table, {})
                for pk, digest in digests.items():
                    current = keys.current_key(labels.get(table, ""), int(pk), entry.seq)
                    of_table.setdefault(current, entry.seq)
                    if table == Player._meta.db_table:
                        players[current] = (digest, entry.seq)
    return first, players


def _encode_log_entry(entry: AuditEntry, emails: Mapping[int, str]) -> dict[str, Any]:
    line = {**make_log_entry_content(entry), "digest": entry.digest}
    if entry.user_id is not None:
        line["account"] = emails[entry.user_id]
    if (line["tournament"], line["event"]) != (entry.tournament_id, entry.event_id):
        line["current"] = {"tournament": entry.tournament_id, "event": entry.event_id}
    return line


def _write_facts(
    writer: ArchiveWriter,
    tournament: Tournament,
    first_entries: _Rows,
    player_digests: _Digests,
    shared: Mapping[str, Mapping[int, str]],
    accounts: set[int],
    files: list[str],
    remover: PersonsRemover | None,
) -> list[int]:
    """Write all rows in the order of the log, and collect the accounts and files to which they refer.

    Return the keys of players whose record was last changed by the log of another tournament.
    """
    places: list[tuple[int, int, int]] = []
    models = [model for model in list_archived_models() if remover is None or remover.keeps(model)]
    for number, model in enumerate(models):
        first = first_entries.get(model._meta.db_table, {})
        for pk in select_tournament_rows(model, tournament).order_by("pk").values_list("pk", flat=True).distinct():
            places.append((first.get(pk, 0), number, pk))
    places.sort()
    keys, shared_players = load_recorded_keys(tournament.pk), []
    unknown = load_unknown_columns(tournament.pk) if remover is None else {}
    with writer.member(FACTS) as member:
        for start in range(0, len(places), _ROWS_AT_ONCE):
            chunk = places[start : start + _ROWS_AT_ONCE]
            wanted: dict[int, list[int]] = {}
            for _entry, number, pk in chunk:
                wanted.setdefault(number, []).append(pk)
            rows = {number: models[number]._base_manager.in_bulk(pks) for number, pks in wanted.items()}
            for entry, number, pk in chunk:
                row, kind = rows[number][pk], str(models[number]._meta.object_name)
                row = row if remover is None else remover.replace(row)
                member.write_line(_encode_row(row, kind, entry, shared, unknown))
                _collect(row, accounts, files)
                if isinstance(row, Player) and remover is None:
                    digest, seq = player_digests.get(pk, ("", 0))
                    if digest != compute_row_digest(keys.restore_row(row, seq)):
                        shared_players.append(pk)
    return shared_players


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


def make_summary(tournament: Tournament) -> dict[str, Any]:
    """Return the tournament's events with entrants, matches, standings, places and payouts, for other programs.

    Amounts are in cents. Entrants are referred to by their entry number.
    """
    return {
        "tournament": tournament.name,
        "venue": tournament.venue,
        "starts_on": tournament.starts_on.isoformat(),
        "ends_on": tournament.ends_on.isoformat(),
        "currency": tournament.currency,
        "events": [_summarize_event(event) for event in tournament.events.order_by("pk")],
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
