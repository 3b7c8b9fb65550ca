"""A tournament's log: row digests, the hash chain, its seals, and the seal codes on printed documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import accumulate
from operator import sub
from typing import Any, Final

import rfc8785
from django.apps import apps
from django.db.models import Field, Model

from tournament.core.selectors.left_out import LEFT_OUT_VERB, LeftOutParts, load_left_out_parts
from tournament.models import AuditEntry, AuditHead, Event, LogSeal, Tournament
from tournament.models.base import Fact

# --- Digests of rows -------------------------------------------------------------------------------------------------
# The log has a digest of each row that a write touched, so that `verify_event` notices a later change in the database.

RECORDED_APPS: Final = ("tournament", "pairing", "scoring")
"""The apps whose rows the log covers, except `LOG_MODELS` and `UNCHECKED_COLUMNS`."""

LOG_MODELS: Final = ("tournament.AuditEntry", "tournament.AuditHead", "tournament.LogSeal")
"""The models of the log itself, which the chain and the seals protect."""

ALL_COLUMNS: Final = "*"
UNCHECKED_COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "tournament.User": {
        ALL_COLUMNS: "An account belongs to the installation. Every fact keeps the name of its author."
    },
    "tournament.User_groups": {ALL_COLUMNS: "Nobody may do anything here by a group of Django's."},
    "tournament.User_user_permissions": {ALL_COLUMNS: "Nobody may do anything here by a permission of Django's."},
    "tournament.SignInLink": {ALL_COLUMNS: "It lets staff sign in once. Each signature keeps who made its link."},
    "tournament.SecretDigest": {ALL_COLUMNS: "It only tells a process whether it was started with the right secrets."},
    "tournament.Club": {ALL_COLUMNS: "It names the club that uses the installation. No fact depends on it."},
    "tournament.Installation": {ALL_COLUMNS: "It names the installation that has these rows. A restore renames it."},
    "tournament.RowChange": {
        ALL_COLUMNS: "It tells a second laptop which rows to copy. The rows themselves are checked."
    },
    "tournament.TopicVersion": {ALL_COLUMNS: "It says which open pages to load again."},
    "tournament.IdempotencyKey": {
        ALL_COLUMNS: "It recognizes a request that comes twice. What the request did is checked."
    },
    "tournament.Job": {ALL_COLUMNS: "Work in the background: a file or an email that can be made again."},
    "tournament.StoredTask": {ALL_COLUMNS: "A task that waits for a worker. The rows that it writes are checked."},
    "tournament.MessageCopy": {ALL_COLUMNS: "How far a message was sent. Its text is checked."},
    "tournament.FilePart": {ALL_COLUMNS: "Pieces of files that were made and can be made again."},
    "tournament.ImportRow": {
        ALL_COLUMNS: "Lines of a list before anybody was entered. Whoever was entered is checked."
    },
    "tournament.Event": {"version": "It counts the changes of the event, for open pages."},
    "scoring.EarlierKey": {
        ALL_COLUMNS: "The key that came after it has signed each row. Without that it is not trusted."
    },
    "scoring.SealKey": {"made_at": "When a key was first used. The key itself is checked with each seal."},
}
"""The columns that `verify_event` does not check, by model name, with reasons. `ALL_COLUMNS` means the whole table."""
MIGRATIONS_TABLE: Final = "django_migrations"
UNCHECKED_DJANGO_TABLES_REASON: Final = (
    "A table of Django and its libraries: sessions, permissions and sign-in of staff accounts."
)

EMPTY_VALUES: Final[tuple[object, ...]] = (None, "", 0, False, [], {})
COLUMNS_OMITTED_IF_EMPTY: Final = frozenset({"link_by", "link_at"})
"""Columns that older logs do not have. They are left out of a digest if they are empty."""


def _is_recorded(model: type[Model]) -> bool:
    label = model._meta.label
    return (
        model._meta.app_label in RECORDED_APPS
        and label not in LOG_MODELS
        and ALL_COLUMNS not in UNCHECKED_COLUMNS.get(label, ())
    )


def list_recorded_models() -> list[type[Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if _is_recorded(model)]


@cache
def list_recorded_tables() -> frozenset[str]:
    return frozenset(model._meta.db_table for model in list_recorded_models())


def list_unchecked_columns() -> list[dict[str, str]]:
    """Return every table and column that `verify_event` does not compare with the log, and why."""
    found = [
        {"table": apps.get_model(label)._meta.db_table, "columns": column, "why": why}
        for label, columns in UNCHECKED_COLUMNS.items()
        for column, why in columns.items()
    ]
    others = {
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label not in RECORDED_APPS
    }
    return found + [
        {"table": table, "columns": ALL_COLUMNS, "why": UNCHECKED_DJANGO_TABLES_REASON}
        for table in sorted(others | {MIGRATIONS_TABLE})
    ]


def compute_row_digest(row: Model, unknown: Mapping[str, Any] | None = None) -> str:
    """Return 128 bits of a row's SHA-256 in hexadecimal. The result is the same before and after saving the row.

    Empty columns are left out, so adding a column later does not change the digests of older rows. `unknown` contains
    columns that only a newer version of the program knows.
    """
    columns = {
        field.attname: _to_stored_json(field, getattr(row, field.attname))
        for field in _list_digested_columns(type(row))
    }
    columns |= unknown or {}
    text = json.dumps({name: value for name, value in columns.items() if value not in EMPTY_VALUES}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@cache
def _list_digested_columns(model: type[Model]) -> tuple[Field[Any, Any], ...]:
    left_out = UNCHECKED_COLUMNS.get(model._meta.label, {})
    return tuple(field for field in model._meta.concrete_fields if field.attname not in left_out)


def _to_stored_json(field: Field[Any, Any], value: Any) -> Any:
    """Return a column's value as JSON data.

    The result is the same before and after the row is saved and loaded again.
    """
    if isinstance(value, str | int):
        value = field.to_python(value)
    if value is None or type(value) in (str, int, bool):
        return value
    return json.loads(json.dumps(value, default=_encode_for_json))


DIGESTS_ADDED_VERB: Final = "record.digests-added"
"""The verb of the log rows in which an update of the program recorded digests of earlier rows."""


def compute_row_digests(rows: Mapping[type[Model], Mapping[Any, Model | None]]) -> dict[str, dict[str, str]]:
    """Return the digests of these rows by table and primary key.

    A row that is passed as None is loaded from the database. If it was deleted, its digest is "".
    """
    digests: dict[str, dict[str, str]] = {}
    for model, by_key in rows.items():
        if _is_recorded(model):
            reread = model._base_manager.in_bulk([pk for pk, row in by_key.items() if row is None])
            current = ((pk, row or reread.get(pk)) for pk, row in by_key.items())
            digests[model._meta.db_table] = {str(pk): compute_row_digest(row) if row else "" for pk, row in current}
    return digests


def compute_fact_digest(fact: Fact) -> str:
    """Return the SHA-256 of a row's canonical JSON (RFC 8785).

    The result is the same before and after saving the row.
    """
    return _digest_json(make_fact_content(fact))


def compute_columns_digest(row: Model, columns: Sequence[str]) -> str:
    """Return the SHA-256 of these columns of a row as canonical JSON (RFC 8785). Their values must never change."""
    return _digest_json(_columns_to_json({column: getattr(row, column) for column in columns}))


def make_fact_content(fact: Fact) -> dict[str, Any]:
    content = {field.attname: getattr(fact, field.attname) for field in fact._meta.concrete_fields}
    return _columns_to_json(
        {name: value for name, value in content.items() if value or name not in COLUMNS_OMITTED_IF_EMPTY}
    )


def _digest_json(content: dict[str, Any]) -> str:
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()


def _columns_to_json(columns: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(json.dumps(columns, default=_encode_for_json))
    return content


def format_time(at: datetime) -> str:
    """Format a time in the way that seals and the log store it."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _encode_for_json(value: object) -> str:
    if isinstance(value, bytes | memoryview):
        return hashlib.sha256(value).hexdigest()
    return format_time(value) if isinstance(value, datetime) else str(value)


# --- The chain and its seals -----------------------------------------------------------------------------------------

FINISH_VERBS: Final = ("event.finished", "event.ended-early")
PAYOUT_VERBS: Final = ("prize.paid", "prize.undone", "prize.voided", "prize.reissued", "prize.returned")
DAY_CLOSED_VERB: Final = "day.closed"
IMPORTED_VERB: Final = "tournament.imported"
SEALING_VERBS: Final = frozenset({*FINISH_VERBS, *PAYOUT_VERBS, DAY_CLOSED_VERB})
"""The log verbs of events that seal the log: an event ends, a day is closed, or payouts change."""

GENESIS_DIGEST: Final = "0" * 64
"""The `previous` digest in a log's first row and first seal."""

SEAL_FORMAT: Final = "gin-log-seal/1"
SEAL_CODE_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32 alphabet. It leaves out I, L, O and U, which are easily misread."""


@dataclass(frozen=True, slots=True)
class ChainCheckResult:
    """The result of checking a log's hash chain.

    It contains the number of rows, and the first row that was changed or is missing.
    """

    rows: int
    broken_at: int | None

    @property
    def is_intact(self) -> bool:
        return self.broken_at is None


def check_log_chain(tournament: Tournament, last_row: int | None = None) -> ChainCheckResult:
    """Check the hash chain of a tournament's log.

    All digests are recomputed, and each row must contain the digest of the previous row. If `last_row` is given, later
    rows are not checked.
    """
    rows, left_out = (
        AuditEntry.objects.filter(tournament=tournament).order_by("seq"),
        load_left_out_parts(tournament.pk),
    )
    if last_row is not None:
        return check_log_entries(rows.filter(seq__lte=last_row).iterator(), None, left_out)
    head = AuditHead.objects.filter(tournament=tournament).first()
    return check_log_entries(rows.iterator(), (head.seq, head.digest) if head else (0, GENESIS_DIGEST), left_out)


def check_log_entries(
    entries: Iterable[AuditEntry], head: tuple[int, str] | None, left_out: LeftOutParts | None = None
) -> ChainCheckResult:
    """Check the hash chain of these log rows, which must be in order.

    `head` has the number and digest of the log's last row, or is None if they are unknown. `left_out` says how many
    rows an imported event file left out. If it is None, any row may be left out.
    """
    previous, seq, empty = GENESIS_DIGEST, 0, 0
    for entry in entries:
        seq += 1
        if entry.seq != seq or entry.previous != previous or compute_log_entry_digest(entry) != entry.digest:
            return ChainCheckResult(seq, entry.seq)
        empty += entry.verb == LEFT_OUT_VERB
        if left_out is not None and entry.verb == LEFT_OUT_VERB and (empty > left_out.log_rows or seq > left_out.until):
            return ChainCheckResult(seq, entry.seq)
        previous = entry.digest
    return ChainCheckResult(seq, seq + 1 if head is not None and head != (seq, previous) else None)


def compute_log_entry_digest(entry: AuditEntry) -> str:
    """Return the SHA-256 of a log row's canonical JSON (RFC 8785), which includes the previous row's digest.

    For a row that an event file left out, return the stored digest, because its contents are unknown. The check
    of the chain counts such rows.
    """
    if entry.verb == LEFT_OUT_VERB:
        return entry.digest
    return hashlib.sha256(rfc8785.dumps(make_log_entry_content(entry))).hexdigest()


def make_log_entry_content(entry: AuditEntry) -> dict[str, Any]:
    """Return all data that a log row's digest covers.

    The digests of the written rows (`row_digests`) are left out if there are none, as in old log rows. If an import
    changed primary keys, the content has the original ones. For a row that was left out, only its position in the log
    is known.
    """
    if entry.verb == LEFT_OUT_VERB:
        return {"seq": entry.seq, "previous": entry.previous}
    keys = {"tournament": entry.tournament_id, "event": entry.event_id, "user": entry.user_id, **entry.original_keys}
    row_digests = {"row_digests": entry.row_digests} if entry.row_digests else {}
    return {
        "tournament": keys["tournament"],
        "seq": entry.seq,
        "at": entry.at.isoformat(timespec="microseconds"),
        "event": keys["event"],
        "user": keys["user"],
        "by": entry.by_name,
        "verb": entry.verb,
        "about": entry.about,
        "reason": entry.reason,
        "data": entry.data,
        **row_digests,
        "previous": entry.previous,
    }


def make_log_seal_statement(seal: LogSeal) -> bytes:
    """Return the bytes that a log seal signs, as canonical JSON (RFC 8785).

    They include the log row's digest, which also covers the tournament and all earlier rows.
    """
    statement: dict[str, str | int] = {
        "format": SEAL_FORMAT,
        "number": seal.number,
        "log_row": seal.log_row,
        "log_digest": seal.log_digest,
        "previous": seal.previous,
    }
    return rfc8785.dumps(statement)


def compute_seal_digest(seal: LogSeal) -> str:
    """Return the SHA-256 of a seal's signed statement. The next seal's statement includes this digest."""
    return hashlib.sha256(make_log_seal_statement(seal)).hexdigest()


def make_log_seal_code(log_row: int, log_digest: str) -> str:
    """Return the code that is printed for a sealed log.

    It contains the number of the log's last row, and 60 bits of a hash over that number and the row's digest.

    >>> make_log_seal_code(214, "0" * 64)
    'R214-6F87-WQ15-JB83'
    """
    value = int(hashlib.sha256(f"{log_row} {log_digest}".encode()).hexdigest()[:15], 16)
    letters = "".join(SEAL_CODE_ALPHABET[value >> shift & 31] for shift in range(55, -1, -5))
    return f"R{log_row}-{letters[:4]}-{letters[4:8]}-{letters[8:]}"


def load_finish_seal_code(event: Event) -> str:
    """Return the seal code of the event's last finish, or "" if that finish was not sealed."""
    return _load_last_seal_code(event.tournament_id, event=event, verb__in=FINISH_VERBS)


def load_payouts_seal_code(event: Event) -> str:
    """Return the seal code of the event's last sealed finish or payout, or "" if there is none."""
    return _load_last_seal_code(event.tournament_id, event=event, verb__in=[*FINISH_VERBS, *PAYOUT_VERBS])


def load_daily_close_seal_code(tournament: Tournament, close: int) -> str:
    """Return the seal code of a day's close, or "" if it was not sealed. `close` is the primary key."""
    offsets = tournament.imports.order_by("-pk").values_list("key_offset", flat=True)
    earlier = accumulate([close, *offsets], sub)
    return _load_last_seal_code(tournament.pk, verb=DAY_CLOSED_VERB, data__close__in=list(earlier))


def _load_last_seal_code(tournament: int, **about: Any) -> str:
    sealed = LogSeal.objects.filter(tournament=tournament).values("log_row")
    entries = AuditEntry.objects.filter(tournament=tournament, seq__in=sealed, **about)
    last = entries.order_by("-seq").values_list("seq", "digest").first()
    return make_log_seal_code(*last) if last is not None else ""
