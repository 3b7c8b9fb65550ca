"""Record which rows change on the first laptop, and store these changes on the second one."""

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
from tournament.second_laptop.selectors import CHANGES_TABLE, UNFOLLOWED_TABLES, ChangeBatch, TableChanges

_ROWS_AT_ONCE: Final = 500
_TRIGGER_PREFIX: Final = "second_laptop_"
_OPERATIONS: Final = {"insert": "NEW", "update": "NEW", "delete": "OLD"}


class BrokenChain(Exception):
    """Raised if a batch does not continue the logs that are here. Nothing of it was stored."""


class AlreadyTakenOver(Exception):
    """Raised if this laptop has taken over, so that nothing may come from the other one. Nothing was stored."""


# --- Recording changes on the first laptop ---------------------------------------------------------------------------


def start_recording_changes() -> None:
    """Let the database note the table and key of every changed row, in the transaction that changes it.

    Triggers notice every write, also those of other programs. They are lost when a migration rebuilds a table, so this
    is called at each start.
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
    """Remove the triggers."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s", [f"{_TRIGGER_PREFIX}%"]
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f'DROP TRIGGER "{name}"')


def forget_changes(until: int) -> None:
    """Delete recorded changes that the second laptop has stored, except the last one, which keeps the numbering."""
    RowChange.objects.filter(pk__lt=until).delete()


def _list_followed_tables() -> list[tuple[str, str]]:
    """Return the names of all tables whose rows the second laptop gets, each with its primary key."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%%' ORDER BY name"
        )
        tables = [name for (name,) in cursor.fetchall() if name not in UNFOLLOWED_TABLES]
        return [(table, connection.introspection.get_primary_key_column(cursor, table) or "rowid") for table in tables]


def record_acknowledgement(change: int, heard_at: float) -> None:
    """Note how far the second laptop has followed, and when the other laptop was last heard. Both laptops do this.

    Every process can read it without a query.
    """
    file = settings.SECOND_LAPTOP_ACK_FILE
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.pwrite(handle, SECOND_LAPTOP_ACK.pack(change, heard_at), 0)
    finally:
        os.close(handle)


def begin_following(change: int) -> None:
    """Prepare a copy of the first laptop's database, which has everything up to this change, for storing later ones."""
    stop_recording_changes()
    _set_followed_change(change)


def _set_followed_change(change: int) -> None:
    RowChange.objects.all().delete()
    if change:
        RowChange.objects.create(pk=change)


# --- Storing changes on the second laptop ----------------------------------------------------------------------------


@transaction.atomic
def apply_changes(batch: ChangeBatch, *, epoch: int) -> None:
    """Store a batch completely or not at all, and check that it continues every log.

    `epoch` is the epoch in which this laptop began to follow the other one.

    Raises:
        AlreadyTakenOver: a newer epoch has begun here.
        BrokenChain: a log row was changed on the way, or rows are missing in between.
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
    """Recompute the digests of the new log rows, beginning with the last row that was here before."""
    for name, (seq, digest) in batch.heads.items():
        previous = heads.get(int(name), GENESIS_DIGEST)
        known = (
            AuditEntry.objects.filter(tournament=int(name), digest=previous).values_list("seq", flat=True).first() or 0
        )
        for entry in AuditEntry.objects.filter(tournament=int(name), seq__gt=known).order_by("seq").iterator():
            known += 1
            if (entry.seq, entry.previous) != (known, previous) or compute_log_entry_digest(entry) != entry.digest:
                raise BrokenChain(f"row {entry.seq} of the log of tournament {name}")
            previous = entry.digest
        if (known, previous) != (seq, digest):
            raise BrokenChain(f"the end of the log of tournament {name}")


def _renew_pages(batch: ChangeBatch) -> None:
    """Let the pages that show changed rows be rendered again."""
    changed = batch.tables.get("tournament_topicversion")
    topics: dict[int, set[str]] = {}
    if changed is not None:
        event, name = changed.columns.index("event_id"), changed.columns.index("name")
        for row in changed.rows:
            topics.setdefault(row[event], set()).add(row[name])
    for pk, names in topics.items():
        transaction.on_commit(partial(renew_topic_marks, pk, (*names, ANY_WRITE_TOPIC)))
        notify_streams_after_commit(pk)
