"""Read the rows that were changed since a certain moment, and how far the second laptop has followed."""

import base64
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tournament.core.dispatch import SECOND_LAPTOP_SILENCE_S, read_second_laptop_ack
from tournament.models import AuditEntry, RowChange

CHANGES_TABLE: Final = "tournament_rowchange"
MAX_CHANGES_IN_BATCH: Final = 50_000
"""The second laptop gets a new copy of the database if it lacks more changes than this."""
UNFOLLOWED_TABLES: Final = frozenset({CHANGES_TABLE, "django_migrations", "tournament_installation"})
"""Tables of which each laptop has its own rows."""


# --- The connection between the two laptops --------------------------------------------------------------------------


class LaptopRole(StrEnum):
    """The role of this laptop.

    `SECOND` follows the first one, and `TOOK_OVER` was the second one. `SHUT_OUT` was the first one, and has learned
    that the other one took over.
    """

    FIRST = "first"
    SECOND = "second"
    TOOK_OVER = "took-over"
    SHUT_OUT = "shut-out"


READ_ONLY_ROLES: Final = frozenset({LaptopRole.SECOND, LaptopRole.SHUT_OUT})


@dataclass(frozen=True, slots=True, kw_only=True)
class LaptopLink:
    """The other laptop, as stored in `second-laptop/link.json`.

    `key` authenticates both sides. `address` and `certificate` (a SHA-256) are those of the first laptop. `epoch` is
    the other laptop's epoch, as far as this one knows. `change` is the last change that the second laptop had when it
    took over, and `at` is the time of the takeover.
    """

    role: LaptopRole
    key: str
    address: str = ""
    certificate: str = ""
    epoch: int = 0
    change: int = 0
    at: float = 0.0


def get_link_folder() -> Path:
    return Path(settings.VAR_DIR) / "second-laptop"


def read_link() -> LaptopLink | None:
    """Return the other laptop, or None if this one works alone."""
    with suppress(OSError, ValueError, TypeError):
        content = json.loads((get_link_folder() / "link.json").read_text())
        return LaptopLink(**{**content, "role": LaptopRole(content["role"])})
    return None


def is_read_only() -> bool:
    """Return whether only the other laptop may write."""
    link = read_link()
    return link is not None and link.role in READ_ONLY_ROLES


@dataclass(frozen=True, slots=True)
class FollowingStatus:
    """The last change that the second laptop has stored, and the time of its last message to the first laptop."""

    change: int
    heard_at: float

    @property
    def is_connected(self) -> bool:
        return time.time() - self.heard_at < SECOND_LAPTOP_SILENCE_S


def read_following_status() -> FollowingStatus:
    return FollowingStatus(*read_second_laptop_ack())


def count_seconds_behind() -> int:
    """Return for how many seconds the second laptop has lacked something, or 0 if it has everything."""
    status = read_following_status()
    if status.change >= load_last_change():
        return 0
    missing = load_entries_since_change(status.change).order_by("pk").first()
    return max(0, round(time.time() - missing.at.timestamp())) if missing is not None else 0


def is_take_over_requested() -> bool:
    """Return whether somebody at this laptop has asked to take over, and this has not happened yet."""
    return (get_link_folder() / "take-over").exists()


def get_first_copy_file() -> Path:
    """Return the file with the first laptop's data, which is there until it was installed."""
    return get_link_folder() / "first-copy.backup.zip"


def describe_following_problem() -> str:
    """Return a sentence if there is a second laptop that does not have everything, or "" if all is well."""
    link = read_link()
    if link is None or link.role is not LaptopRole.FIRST:
        return ""
    if not read_following_status().is_connected:
        return _("The second laptop does not answer. What is recorded now is only on this computer.")
    behind = count_seconds_behind()
    if behind <= MAX_SECONDS_BEHIND:
        return ""
    return _("The second laptop is %(seconds)s seconds behind.") % {"seconds": behind}


MAX_SECONDS_BEHIND: Final = 5
"""Seconds by which the second laptop may be behind before *Today* warns."""


def read_joining_state() -> Mapping[str, str]:
    """Return the request to follow another laptop (`address`, `words`, `failure`), or {} if there is none."""
    with suppress(OSError, ValueError, TypeError):
        return dict(json.loads((get_link_folder() / "join.json").read_text()))
    return {}


def load_last_change() -> int:
    """Return the number of the newest change in this database, or 0 if changes are not recorded."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT MAX(id) FROM {CHANGES_TABLE}")
        row = cursor.fetchone()
    return int(row[0] or 0)


def load_entries_since_change(change: int) -> QuerySet[AuditEntry]:
    """Return the log rows that were written after this change, newest first."""
    later = RowChange.objects.filter(table_name=AuditEntry._meta.db_table, pk__gt=change)
    keys = [int(key) for key in later.values_list("row_key", flat=True)]
    return AuditEntry.objects.filter(pk__in=keys).select_related("tournament", "event").order_by("-pk")


# --- Batches of changes ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableChanges:
    """The changed rows of a table as SQLite stores them, and the primary keys of deleted rows.

    `columns` begins with the primary key. Binary values are in base64, and `binary` has the numbers of their columns.
    """

    columns: list[str]
    binary: list[int]
    rows: list[list[Any]]
    deleted: list[Any]


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """All rows that changed after the change `after`, up to and including `until`, as they were at one moment.

    `heads` has the last row and its digest of each changed log, by tournament.
    """

    after: int
    until: int
    tables: Mapping[str, TableChanges]
    heads: Mapping[str, list[Any]]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "ChangeBatch":
        tables = {name: TableChanges(**table) for name, table in content["tables"].items()}
        return cls(content["after"], content["until"], tables, content["heads"])


@contextmanager
def open_database_for_reading(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a database without Django, which would convert the stored values."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, isolation_level=None, timeout=20)) as database:
        yield database


def read_last_change(database: sqlite3.Connection) -> int:
    return int(database.execute(f"SELECT MAX(id) FROM {CHANGES_TABLE}").fetchone()[0] or 0)


def read_change_batch(database: sqlite3.Connection, after: int) -> ChangeBatch | None:
    """Return the rows that changed after this change, or None if there are too many or they were already forgotten."""
    database.execute("BEGIN")
    try:
        first, until = database.execute(f"SELECT MIN(id), MAX(id) FROM {CHANGES_TABLE}").fetchone()
        until = until or 0
        if until - after > MAX_CHANGES_IN_BATCH or until < after or (until > after and first > after + 1):
            return None
        changed: dict[str, set[str]] = {}
        for table, key in database.execute(
            f"SELECT table_name, row_key FROM {CHANGES_TABLE} WHERE id > ? AND id <= ?", (after, until)
        ):
            changed.setdefault(table, set()).add(key)
        tables = {table: _read_rows(database, table, sorted(keys)) for table, keys in sorted(changed.items())}
        return ChangeBatch(after, until, tables, _read_heads(tables))
    finally:
        database.execute("ROLLBACK")


def _read_rows(database: sqlite3.Connection, table: str, keys: list[str]) -> TableChanges:
    described = database.execute(f'PRAGMA table_info("{table}")').fetchall()
    primary = next(column for column in described if column[5])
    columns = [primary[1], *(column[1] for column in described if not column[5])]
    binary = [columns.index(column[1]) for column in described if column[2].upper() == "BLOB"]
    selected = ", ".join(f'"{name}"' for name in columns)
    rows, wanted = [], {_read_key(primary[2], key) for key in keys}
    for key in sorted(wanted):
        row = database.execute(f'SELECT {selected} FROM "{table}" WHERE "{primary[1]}" = ?', (key,)).fetchone()
        if row is not None:
            rows.append([_encode_value(value, number in binary) for number, value in enumerate(row)])
    return TableChanges(columns, binary, rows, sorted(wanted - {row[0] for row in rows}))


def _read_key(column_type: str, key: str) -> int | str:
    return int(key) if "int" in column_type.lower() else key


def _encode_value(value: Any, is_binary: bool) -> Any:
    return base64.b64encode(value).decode() if is_binary and value is not None else value


def _read_heads(tables: Mapping[str, TableChanges]) -> dict[str, list[Any]]:
    changed = tables.get("tournament_audithead")
    if changed is None:
        return {}
    place = {name: changed.columns.index(name) for name in ("tournament_id", "seq", "digest")}
    return {str(row[place["tournament_id"]]): [row[place["seq"]], row[place["digest"]]] for row in changed.rows}
