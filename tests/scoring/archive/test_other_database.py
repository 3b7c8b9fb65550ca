"""A whole installation can be moved from SQLite to PostgreSQL by exporting and importing a single file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import psycopg
import pytest
import rfc8785

from config.environment import BASE_DIR
from laptop.prepare import make_migrated_database
from tests.laptop.runs import START, WRITE, manage, shell
from tests.scoring.helpers.archive import facts_of_all
from tests.tournament.helpers.postgres import copied_database

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]  # so that there is a migrated database to copy

MOVE: Final = """
from django.core.management import call_command
call_command("import_event", "{source}")
call_command("export_event", everything=True, to=Path("{target}"))
"""
IMPORTS: Final = "from pathlib import Path"
KEPT: Final = BASE_DIR / "tests" / "kept" / "1.1.installation.zip"
"""The file of a whole installation that an earlier release exported. It has rows of many kinds."""
SERIAL_COLUMNS: Final = """
SELECT table_name, column_name, pg_get_serial_sequence(quote_ident(table_name), column_name)
FROM information_schema.columns
WHERE table_schema = 'public' AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL
"""


class Moved(NamedTuple):
    """The files that were exported from SQLite and from PostgreSQL, and the URL of the PostgreSQL database."""

    from_sqlite: Path
    from_postgres: Path
    url: str


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[Moved]:
    """Import a file into SQLite and export it again, then import the new file into PostgreSQL and export it again.

    Yield both exported files, and the URL of the PostgreSQL database.
    """
    folder, other = tmp_path_factory.mktemp("sqlite"), tmp_path_factory.mktemp("postgres")
    make_migrated_database(Path(sys.executable)).copy_to(folder / "db.sqlite3")
    first, second = folder / "all.zip", other / "all.zip"
    shell(folder, START, IMPORTS, MOVE.format(source=KEPT, target=first))
    with copied_database("imported") as url:
        shell(other, START, IMPORTS, MOVE.format(source=first, target=second), DATABASE_URL=url)
        yield Moved(first, second, url)


def canonical_facts(file: Path) -> list[bytes]:
    """Return every row in the file as canonical JSON.

    PostgreSQL does not keep the order of the keys in a JSON column, so the rows cannot be compared as they are.
    """
    return [rfc8785.dumps(json.loads(line)) for lines in facts_of_all(file) for line in lines]


def test_the_facts_are_the_same_byte_for_byte(moved: Moved) -> None:
    facts = canonical_facts(moved.from_postgres)
    assert facts == canonical_facts(moved.from_sqlite)
    assert len(facts) > 200


def test_the_event_is_verified_there(moved: Moved) -> None:
    folder = moved.from_postgres.parent
    answer = manage(folder, "verify_event", "desert-classic", "singles", "--json", DATABASE_URL=moved.url)
    assert json.loads(answer.splitlines()[-1])["ok"]


def test_a_tournament_is_added_afterwards(moved: Moved) -> None:
    later = WRITE.replace("TURNS", "1").replace("NAME", "later")
    shell(moved.from_postgres.parent, later, DATABASE_URL=moved.url)
    with psycopg.connect(moved.url) as database:
        slugs = database.execute("SELECT slug FROM tournament_tournament ORDER BY id").fetchall()
    assert slugs == [("desert-classic",), ("later-0",)]


def test_every_sequence_goes_on_after_the_last_row(moved: Moved) -> None:
    with psycopg.connect(moved.url) as database:
        behind = [
            table
            for table, column, sequence in database.execute(SERIAL_COLUMNS).fetchall()
            if database.execute(f'SELECT max("{column}") >= nextval(%s) FROM "{table}"', [sequence]).fetchone()[0]
        ]
    assert behind == []
