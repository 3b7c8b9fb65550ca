"""The first laptop records changes of rows and sends them in batches, and the second laptop stores them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection, transaction

from tests.factories import a_tournament, an_event
from tests.tournament.helpers.backups import write
from tests.tournament.helpers.second_laptop import Snapshot
from tournament.core.selectors.log import compute_log_entry_digest
from tournament.core.services.installation import begin_installation_epoch
from tournament.models import AuditEntry, AuditHead, FilePart, Installation, Player, RowChange, SecretDigest, Tournament
from tournament.second_laptop.selectors import (
    UNCOPIED_TABLES,
    ChangeBatch,
    load_entries_since_change,
    load_last_change,
    open_database_for_reading,
    read_change_batch,
)
from tournament.second_laptop.services.changes import (
    AlreadyTakenOver,
    BrokenLogChain,
    apply_changes,
    begin_following,
    delete_confirmed_changes,
    start_recording_changes,
    stop_recording_changes,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _recorded() -> Iterator[None]:
    start_recording_changes()
    yield
    stop_recording_changes()


def database_file() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def batch_since(change: int) -> ChangeBatch:
    with open_database_for_reading(database_file()) as database:
        batch = read_change_batch(database, change)
    assert batch is not None
    return ChangeBatch.from_json(json.loads(json.dumps(batch.as_json())))


def rows() -> dict[str, list[str]]:
    """Return the rows of all tables that are copied to a second laptop, as sorted texts by table."""
    with closing(sqlite3.connect(database_file())) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: sorted(map(repr, database.execute(f'SELECT * FROM "{name}"')))
            for name in names
            if name not in UNCOPIED_TABLES and not name.startswith("sqlite_")
        }


class SecondLaptop(Snapshot):
    """A second laptop with a copy of the current database. `store` applies a batch of later changes to the copy."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = rows()

    def store(self, batch: ChangeBatch) -> None:
        self.bring_back()
        begin_following(self.change)
        apply_changes(batch, epoch=1)


def test_a_second_laptop_has_the_same_rows() -> None:
    event = an_event()
    second = SecondLaptop()
    write(event.tournament)
    another = a_tournament()
    Player.objects.create(name="Grace Hopper")
    FilePart.objects.create(name="photo", number=0, content=b"\x00\xff")
    SecretDigest.objects.create(name="TEXT_KEY", digest="d" * 64)
    batch, expected = batch_since(second.change), rows()
    second.store(batch)
    assert rows() == expected and Tournament.objects.filter(pk=another.pk).exists()


def test_deleted_rows_are_deleted_there() -> None:
    player = Player.objects.create(name="Grace Hopper")
    second = SecondLaptop()
    Player.objects.filter(pk=player.pk).delete()
    second.store(batch_since(second.change))
    assert not Player.objects.filter(pk=player.pk).exists()


def test_two_rows_may_exchange_a_unique_value() -> None:
    one, other = a_tournament(), a_tournament()
    second = SecondLaptop()
    slugs = {one.pk: other.slug, other.pk: one.slug}
    Tournament.objects.filter(pk=one.pk).update(slug="meanwhile")
    Tournament.objects.filter(pk=other.pk).update(slug=slugs[other.pk])
    Tournament.objects.filter(pk=one.pk).update(slug=slugs[one.pk])
    second.store(batch_since(second.change))
    assert dict(Tournament.objects.filter(pk__in=slugs).values_list("pk", "slug")) == slugs


def test_nothing_is_stored_after_this_laptop_has_taken_over() -> None:
    tournament = a_tournament()
    second = SecondLaptop()
    write(tournament)
    batch = batch_since(second.change)
    second.bring_back()
    begin_installation_epoch(Installation.Origin.TAKEN_OVER, "hall", above=1)
    expected = rows()
    with pytest.raises(AlreadyTakenOver):
        apply_changes(batch, epoch=1)
    assert rows() == expected


def test_what_was_rolled_back_is_no_change() -> None:
    before = load_last_change()
    with transaction.atomic():
        Player.objects.create(name="Grace Hopper")
        transaction.set_rollback(True)
    assert load_last_change() == before


def test_the_same_batch_may_come_twice() -> None:
    tournament = a_tournament()
    second = SecondLaptop()
    write(tournament)
    batch, expected = batch_since(second.change), rows()
    second.store(batch)
    apply_changes(batch, epoch=1)
    assert rows() == expected


def test_it_remembers_how_far_it_has_followed() -> None:
    tournament = a_tournament()
    second = SecondLaptop()
    write(tournament)
    batch = batch_since(second.change)
    second.store(batch)
    assert load_last_change() == batch.until


@pytest.mark.parametrize("column", ["about", "by_name", "verb"])
def test_a_changed_log_row_is_refused(column: str) -> None:
    tournament = a_tournament()
    second = SecondLaptop()
    write(tournament)
    batch = batch_since(second.change)
    table = batch.tables[AuditEntry._meta.db_table]
    table.rows[-1][table.columns.index(column)] = "forged"
    with pytest.raises(BrokenLogChain):
        second.store(batch)
    assert (load_last_change(), rows()) == (second.change, second.rows)


def test_a_log_row_that_continues_another_row_is_refused() -> None:
    """The digests in the batch fit each other, but not the last row that the second laptop has."""
    tournament = a_tournament()
    write(tournament)
    second = SecondLaptop()
    entry = write(tournament)
    entry.previous = "0" * 64
    digest = compute_log_entry_digest(entry)
    AuditEntry.objects.filter(pk=entry.pk).update(previous=entry.previous, digest=digest)
    AuditHead.objects.update(digest=digest)
    with pytest.raises(BrokenLogChain):
        second.store(batch_since(second.change))
    assert rows() == second.rows


def test_a_missing_log_row_is_refused() -> None:
    tournament = a_tournament()
    second = SecondLaptop()
    write(tournament)
    write(tournament)
    batch = batch_since(second.change)
    batch.tables[AuditEntry._meta.db_table].rows.pop(0)
    with pytest.raises(BrokenLogChain):
        second.store(batch)


def test_a_batch_shows_one_moment_even_if_somebody_writes_while_it_is_read() -> None:
    tournament = a_tournament()
    second = SecondLaptop()
    write(tournament)
    expected = rows()
    with open_database_for_reading(database_file()) as database:
        database.set_trace_callback(lambda statement: write(tournament) if "row_key" in statement else None)
        batch = read_change_batch(database, second.change)
    assert batch is not None and AuditEntry.objects.count() == 2
    second.store(batch)
    assert rows() == expected


def test_changes_that_were_forgotten_need_a_new_copy() -> None:
    tournament = a_tournament()
    first = load_last_change()
    write(tournament)
    delete_confirmed_changes(load_last_change())
    with open_database_for_reading(database_file()) as database:
        assert read_change_batch(database, first) is None


def test_the_last_change_is_never_forgotten() -> None:
    write(a_tournament())
    last = load_last_change()
    delete_confirmed_changes(last)
    assert load_last_change() == last


def test_log_rows_since_a_change_are_listed_newest_first() -> None:
    tournament = a_tournament()
    write(tournament, about="before")
    change = load_last_change()
    write(tournament, about="Ada")
    write(tournament, about="Alan")
    assert [entry.about for entry in load_entries_since_change(change)] == ["Alan", "Ada"]


def test_every_followed_table_is_recorded() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger'")
        recorded = {name for (name,) in cursor.fetchall()}
    assert recorded == {name for name in connection.introspection.table_names() if name not in UNCOPIED_TABLES}


@pytest.mark.parametrize("stop", [stop_recording_changes, lambda: begin_following(7)], ids=["alone", "follower"])
def test_without_recording_nothing_is_noted(stop: Callable[[], None]) -> None:
    stop()
    Player.objects.create(name="Grace Hopper")
    assert not RowChange.objects.filter(table_name=Player._meta.db_table).exists()
