"""Record which rows change on the first laptop, and store the changed rows on the second one."""

import base64
import os
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction

from tournament.core.dispatch import SECOND_LAPTOP_ACK, notify_streams_after_commit
from tournament.core.marks import renew_topic_marks
from tournament.core.selectors.installation import load_installation
from tournament.core.selectors.log import GENESIS_DIGEST, compute_log_entry_digest
from tournament.core.topics import ANY_WRITE_TOPIC
from tournament.models import AuditEntry, AuditHead, RowChange
from tournament.second_laptop.selectors import CHANGES_TABLE, UNCOPIED_TABLES, ChangeBatch, TableChanges

_ROWS_AT_ONCE: Final = 500
_TRIGGER_PREFIX: Final = "second_laptop_"
_OPERATIONS: Final = {"insert": "NEW", "update": "NEW", "delete": "OLD"}


class BrokenLogChain(Exception):
    """Raised if the log rows in a batch do not continue this laptop's logs. Nothing from the batch was stored."""


class AlreadyTakenOver(Exception):
    """Raised because this laptop has taken over and may no longer store the other laptop's changes.

    Nothing was stored.
    """


# --- Recording changes on the first laptop ---------------------------------------------------------------------------


def start_recording_changes() -> None:
    """Make the database record the table and primary key of every changed row, in the transaction that changes it.

    Triggers do this, so writes by other programs are recorded, too. The triggers are lost when a migration rebuilds a
    table, so call this at each start.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        for table, key in _list_followed_tables():
            for operation, row in _OPERATIONS.items():
                cursor.execute(
                    f'CREATE TRIGGER IF NOT EXISTS "{_TRIGGER_PREFIX}{table}_{operation}" '
                    f'AFTER {operation.upper()} ON "{table}" BEGIN '
                    f"INSERT INTO {CHANGES_TABLE} (table_name, row_key) VALUES ('{table}', {row}.\"{key}\"); END"
                )


def stop_recording_changes() -> None:
    """Remove the triggers that record changes."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s", [f"{_TRIGGER_PREFIX}%"]
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f'DROP TRIGGER "{name}"')


def delete_confirmed_changes(until: int) -> None:
    """Delete recorded changes that the second laptop has stored. Keep the last one, so that the numbering continues."""
    RowChange.objects.filter(pk__lt=until).delete()


def _list_followed_tables() -> list[tuple[str, str]]:
    """Return the names of all tables that are copied to the second laptop, each with its primary key column."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%%' ORDER BY name"
        )
        tables = [name for (name,) in cursor.fetchall() if name not in UNCOPIED_TABLES]
        return [(table, connection.introspection.get_primary_key_column(cursor, table) or "rowid") for table in tables]


def record_acknowledgement(change: int, heard_at: float) -> None:
    """Store the last change that the second laptop has, and the time of the last message from the other laptop.

    Both laptops call this. The values are stored in a file, so that every process can read them without a query.
    """
    file = settings.SECOND_LAPTOP_ACK_FILE
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.open(file, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0) as target:
        target.write(SECOND_LAPTOP_ACK.pack(change, heard_at))


def begin_following(change: int) -> None:
    """Prepare this laptop's copy of the first laptop's database for later changes.

    `change` is the last change that the copy contains.
    """
    stop_recording_changes()
    _set_followed_change(change)


def _set_followed_change(change: int) -> None:
    RowChange.objects.all().delete()
    if change:
        RowChange.objects.create(pk=change)


# --- Storing changes on the second laptop ----------------------------------------------------------------------------


@transaction.atomic
def apply_changes(batch: ChangeBatch, *, epoch: int) -> None:
    """Store a batch in one transaction, and check that its log rows follow those on this laptop.

    `epoch` is the epoch in which this laptop began to follow the other one.

    Raises:
        AlreadyTakenOver: a newer epoch has begun here.
        BrokenLogChain: a log row in the batch was altered, or log rows are missing.
    """
    installation = load_installation()
    if installation is not None and installation.epoch > epoch:
        raise AlreadyTakenOver
    heads = dict(AuditHead.objects.values_list("tournament_id", "digest"))
    with connection.cursor() as cursor:
        for table, changes in batch.tables.items():
            _delete_rows(cursor, table, changes)
        for table, changes in batch.tables.items():
            _insert_rows(cursor, table, changes)
    _check_chains(batch, heads)
    _set_followed_change(batch.until)
    _renew_pages(batch)


def _delete_rows(cursor: Any, table: str, changes: TableChanges) -> None:
    keys = [[key] for key in (*changes.deleted, *(row[0] for row in changes.rows))]
    cursor.executemany(f'DELETE FROM "{table}" WHERE "{changes.columns[0]}" = %s', keys)


def _insert_rows(cursor: Any, table: str, changes: TableChanges) -> None:
    names = ", ".join(f'"{name}"' for name in changes.columns)
    marks = ", ".join(["%s"] * len(changes.columns))
    rows = [
        [
            base64.b64decode(value) if number in changes.binary and value is not None else value
            for number, value in enumerate(row)
        ]
        for row in changes.rows
    ]
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', rows[start : start + _ROWS_AT_ONCE])


def _check_chains(batch: ChangeBatch, heads: dict[int, str]) -> None:
    """Raise BrokenLogChain unless the new log rows follow the last row that this laptop already had.

    The digests of the new rows are recomputed.
    """
    for name, (seq, digest) in batch.heads.items():
        previous = heads.get(int(name), GENESIS_DIGEST)
        known = (
            AuditEntry.objects.filter(tournament=int(name), digest=previous).values_list("seq", flat=True).first() or 0
        )
        for entry in AuditEntry.objects.filter(tournament=int(name), seq__gt=known).order_by("seq").iterator():
            known += 1
            if (entry.seq, entry.previous) != (known, previous) or compute_log_entry_digest(entry) != entry.digest:
                raise BrokenLogChain(f"row {entry.seq} of the log of tournament {name}")
            previous = entry.digest
        if (known, previous) != (seq, digest):
            raise BrokenLogChain(f"the end of the log of tournament {name}")


def _renew_pages(batch: ChangeBatch) -> None:
    """After the commit, make sure that pages that show changed rows are rendered again."""
    changed = batch.tables.get("tournament_topicversion")
    topics: dict[int, set[str]] = {}
    if changed is not None:
        event, name = changed.columns.index("event_id"), changed.columns.index("name")
        for row in changed.rows:
            topics.setdefault(row[event], set()).add(row[name])
    for pk, names in topics.items():
        transaction.on_commit(partial(renew_topic_marks, pk, (*names, ANY_WRITE_TOPIC)))
        notify_streams_after_commit(pk)
