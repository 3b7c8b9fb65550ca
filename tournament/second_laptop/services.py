"""Record which rows change, and store the changes of the first laptop on the second one."""

import base64
import datetime as dt
import hashlib
import json
import os
import secrets
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction
from mnemonic import Mnemonic

from tournament.backups.services import restore_backup
from tournament.core.dispatch import SECOND_LAPTOP_ACK, notify_streams_after_commit
from tournament.core.marks import renew_topic_marks
from tournament.core.selectors.log import GENESIS_DIGEST, compute_log_entry_digest
from tournament.core.services.installation import begin_installation_epoch
from tournament.core.topics import ANY_WRITE_TOPIC
from tournament.models import AuditEntry, AuditHead, Installation, RowChange
from tournament.second_laptop.selectors import (
    CHANGES_TABLE,
    UNFOLLOWED_TABLES,
    ChangeBatch,
    LaptopLink,
    LaptopRole,
    TableChanges,
    get_first_copy_file,
    get_link_folder,
    load_last_change,
    read_link,
)

_ROWS_AT_ONCE: Final = 500
_TRIGGER_PREFIX: Final = "second_laptop_"
_OPERATIONS: Final = {"insert": "NEW", "update": "NEW", "delete": "OLD"}


class BrokenChain(Exception):
    """Raised if a batch does not continue the logs that are here. Nothing of it was stored."""


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
    """Note on the first laptop how far the second one has followed. Every process can read it without a query."""
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
def apply_changes(batch: ChangeBatch) -> None:
    """Store a batch completely or not at all, and check that it continues every log.

    Raises:
        BrokenChain: a log row was changed on the way, or rows are missing in between.
    """
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


# --- Pairing ---------------------------------------------------------------------------------------------------------


def save_link(link: LaptopLink) -> None:
    """Remember the other laptop. The file has a secret, so only this user may read it."""
    folder = get_link_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write_privately(folder / "link.json", json.dumps(asdict(link)))


def request_joining(address: str, words: str, failure: str = "") -> None:
    """Ask the process `laptop.link` to follow the laptop at this address. `failure` says why that did not work."""
    get_link_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    content = {"address": address, "words": "" if failure else words, "failure": failure}
    _write_privately(get_link_folder() / "join.json", json.dumps(content))


def keep_received_link(link: LaptopLink) -> None:
    """Remember the link with the first laptop until its data is installed here (`install_first_copy`)."""
    _write_privately(get_link_folder() / "received.json", json.dumps(asdict(link)))


def install_first_copy(*, is_stopped: bool) -> None:
    """Replace the data of this laptop with the copy that it received, and follow the first laptop from then on.

    Raises:
        BackupUnreadable: the copy is damaged.
        BackupFailed: the program is running, or the disk is full.
    """
    received = get_link_folder() / "received.json"
    content = json.loads(received.read_text())
    link = LaptopLink(**{**content, "role": LaptopRole(content["role"])})
    try:
        restore_backup(get_first_copy_file(), is_stopped=is_stopped, keeps_identity=True)
        begin_following(link.change)
        save_link(link)
        (get_link_folder() / "join.json").unlink(missing_ok=True)
    finally:
        received.unlink(missing_ok=True)
        get_first_copy_file().unlink(missing_ok=True)


class NotSecond(Exception):
    """Raised if this laptop does not follow another one, so that it cannot take over."""


def request_take_over() -> None:
    """Ask the process `laptop.link` to take over. The processes that show pages cannot write to the database.

    Raises:
        NotSecond: this laptop follows no other one.
    """
    link = read_link()
    if link is None or link.role is not LaptopRole.SECOND:
        raise NotSecond
    (get_link_folder() / "take-over").touch()


def take_over() -> LaptopLink:
    """Let the second laptop become the one that writes. The first one is shut out as soon as it can be reached.

    Taking over twice does nothing.

    Raises:
        NotSecond: this laptop follows no other one.
    """
    (get_link_folder() / "take-over").unlink(missing_ok=True)
    link = read_link()
    if link is not None and link.role is LaptopRole.TOOK_OVER:
        return link
    if link is None or link.role is not LaptopRole.SECOND:
        raise NotSecond
    begin_installation_epoch(Installation.Origin.TAKEN_OVER, link.address, above=link.epoch)
    taken = replace(link, role=LaptopRole.TOOK_OVER, change=load_last_change(), at=time.time())
    save_link(taken)
    return taken


def shut_out(link: LaptopLink, *, epoch: int, change: int, at: float) -> None:
    """Make this laptop read-only, because the other one has taken over with a higher epoch."""
    save_link(replace(link, role=LaptopRole.SHUT_OUT, epoch=epoch, change=change, at=at))


OFFER_LIFETIME: Final = dt.timedelta(minutes=15)
MAX_WRONG_WORDS: Final = 5
"""How often the words may be typed wrong before new ones are needed."""
WORD_COUNT: Final = 6


@dataclass(frozen=True, slots=True)
class PairingOffer:
    """The words that the first laptop shows, until they are used, expire, or were typed wrong too often."""

    words: str
    made_at: float
    failures: int = 0

    @property
    def key(self) -> bytes:
        return compute_words_key(self.words)


def offer_pairing() -> PairingOffer:
    """Choose six words that a second laptop needs to be added. Earlier words are no longer valid."""
    words = Mnemonic("english").wordlist
    offer = PairingOffer(" ".join(secrets.choice(words) for _turn in range(WORD_COUNT)), time.time())
    _save_offer(offer)
    return offer


def read_offer() -> PairingOffer | None:
    """Return the words that are valid now, or None."""
    with suppress(OSError, ValueError, TypeError):
        offer = PairingOffer(**json.loads((get_link_folder() / "offer.json").read_text()))
        if 0 <= time.time() - offer.made_at < OFFER_LIFETIME.total_seconds() and offer.failures < MAX_WRONG_WORDS:
            return offer
    return None


def close_offer_after_failure(offer: PairingOffer) -> None:
    """Count a wrong attempt. After several, the words are no longer valid."""
    _save_offer(replace(offer, failures=offer.failures + 1))


def remove_offer() -> None:
    (get_link_folder() / "offer.json").unlink(missing_ok=True)


def compute_words_key(words: str) -> bytes:
    """Return the key that the six words stand for. Spaces and capital letters do not matter.

    The words have 66 random bits, and `scrypt` makes every guess slow.
    """
    normalized = " ".join(words.lower().split()).encode()
    return hashlib.scrypt(normalized, salt=b"gin-rummy second laptop", n=1 << 14, r=8, p=1, dklen=32)


def _save_offer(offer: PairingOffer) -> None:
    get_link_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    _write_privately(get_link_folder() / "offer.json", json.dumps(asdict(offer)))


def remove_link() -> None:
    """Forget the other laptop. From then on, this one works alone."""
    for name in ("link.json", "ack", "offer.json", "join.json"):
        (get_link_folder() / name).unlink(missing_ok=True)


def _write_privately(file: Path, content: str) -> None:
    part = file.with_name(f".{file.name}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "w", encoding="utf-8") as target:
        target.write(content)
        target.flush()
        os.fsync(handle)
    part.replace(file)
