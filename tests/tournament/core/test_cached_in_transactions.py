"""Inside a transaction, a cached value is computed once, and again only after a statement that may have changed it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection, transaction

from tests.factories import an_event
from tournament.core.cached import cached_in_transaction, clear_cache, is_read_only_statement
from tournament.models import Event

pytestmark = pytest.mark.django_db


class Counted:
    """A callable that reads the event's name from the database and counts its own calls."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> str:
        self.times += 1
        return Event.objects.values_list("name", flat=True).get()


@pytest.fixture
def read() -> Iterator[Counted]:
    an_event(name="Open")
    yield Counted()
    clear_cache()


def name(read: Counted) -> str:
    return cached_in_transaction("name", read)


def test_queries_and_savepoints_keep_the_cache(read: Counted) -> None:
    assert name(read) == "Open"
    with transaction.atomic():
        assert Event.objects.exists() and name(read) == "Open"
    assert (name(read), read.times) == ("Open", 1)


def test_another_key_is_another_value(read: Counted) -> None:
    assert [cached_in_transaction(("name", at), read) for at in (1, 2, 1, 2)] == ["Open"] * 4
    assert read.times == 2


def test_a_write_empties_the_cache(read: Counted) -> None:
    assert name(read) == "Open"
    Event.objects.update(name="Masters")
    assert (name(read), read.times) == ("Masters", 2)


def test_a_write_that_bypasses_models_empties_the_cache(read: Counted) -> None:
    assert name(read) == "Open"
    with connection.cursor() as cursor:
        cursor.execute("update tournament_event set name = 'Masters'")
    assert name(read) == "Masters"
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE tournament_event SET name = %s", [["Seniors"]])
    assert name(read) == "Seniors"


def test_a_rolled_back_write_empties_the_cache(read: Counted) -> None:
    with transaction.atomic():
        Event.objects.update(name="Masters")
        assert name(read) == "Masters"
        transaction.set_rollback(True)
    assert name(read) == "Open"


def test_another_statement_wrapper_does_not_disable_the_cache(read: Counted) -> None:
    heard: list[str] = []

    def listen(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        heard.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(listen):
        assert name(read) == "Open"
    asked = len(heard)
    Event.objects.update(name="Masters")
    assert (name(read), len(heard)) == ("Masters", asked)


@pytest.mark.postgres
def test_a_lock_empties_the_cache(read: Counted) -> None:
    assert name(read) == "Open"
    Event.objects.select_for_update().get()
    assert (name(read), read.times) == ("Open", 2)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_the_next_transaction_starts_with_an_empty_cache(read: Counted) -> None:
    for _turn in range(2):
        with transaction.atomic():
            assert [name(read), name(read)] == ["Open", "Open"]
    assert read.times == 2


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_a_failed_transaction_leaves_nothing_in_the_cache(read: Counted) -> None:
    with transaction.atomic():
        Event.objects.update(name="Masters")
        assert name(read) == "Masters"
        transaction.set_rollback(True)
    with transaction.atomic():
        assert name(read) == "Open"


@pytest.mark.parametrize(
    ("sql", "reads"),
    [
        ('SELECT "id" FROM "match" WHERE "id" = %s', True),
        ('SELECT "id" FROM "match" WHERE "id" = %s FOR UPDATE', False),
        ('SELECT "id" FROM "match" WHERE "id" = %s FOR NO KEY UPDATE', False),
        ('SELECT "id" FROM "match" FOR UPDATE OF "match"', False),
        ('SELECT "id" FROM "match" FOR SHARE', False),
        ("SELECT pg_advisory_xact_lock(7)", False),
        ('SAVEPOINT "s1"', True),
        ('RELEASE SAVEPOINT "s1"', True),
        ('ROLLBACK TO SAVEPOINT "s1"', False),
        ('INSERT INTO "match" VALUES (1)', False),
        ("BEGIN IMMEDIATE", False),
    ],
)
def test_no_kind_of_lock_is_a_mere_read(sql: str, reads: bool) -> None:
    assert is_read_only_statement(sql) is reads
