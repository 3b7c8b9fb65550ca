"""Every dump can be opened, verified without faults, and continued with today's code."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from config.environment import BASE_DIR
from scoring.rehearsal.selectors.playable import PlayableCombination, list_playable_combinations
from tests.devtools.kept.files import dumps, lay_dump, write_dump
from tests.devtools.kept.make import one_of_each_kind
from tests.devtools.kept.stands import ALL

EVERY_DUMP = pytest.mark.parametrize("dump", dumps(), ids=lambda dump: dump.name.removesuffix(".sql.gz"))

NEW = "a new kind of event or variant of rules is to be kept, too: make keep-events"


def answers(what: str, dump: Path) -> list[dict[str, Any]]:
    """Run `tests.devtools.kept.check` in a separate process, and return what it prints.

    A separate process does not touch the test's database.
    """
    command = [sys.executable, "-m", "tests.devtools.kept.check", what, str(dump)]
    done = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    assert found
    return found


def faults(found: list[dict[str, Any]]) -> str:
    return "\n".join(f"{one['event']}: {fault}" for one in found for fault in one["faults"])


def name_of(one: PlayableCombination) -> str:
    """Return the name that random tournaments with this kind of event and these rules have in common.

    The slug of such a tournament is this name, followed by a hyphen and the tournament's seed.
    """
    return f"{one.kind.name}-{one.rules.name}".replace(":", "-")


@pytest.mark.sample("dumps", 4)
@EVERY_DUMP
def test_it_verifies_clean_and_its_pages_open(dump: Path) -> None:
    found = answers("look", dump)
    assert faults(found) == ""
    assert dump != dumps()[-1] or {stand for one in found for stand in one["stands"]} == ALL


@pytest.mark.sample("dumps", 4)
@EVERY_DUMP
def test_its_events_are_played_on(dump: Path) -> None:
    found = answers("go-on", dump)
    assert faults(found) == ""
    assert "finished" in {one["state"] for one in found}


def test_every_kind_of_event_is_kept_and_every_variant_of_rules(tmp_path: Path) -> None:
    names = {name_of(one): one for one in list_playable_combinations()}
    kept = set()
    for dump in dumps():
        database = tmp_path / dump.name
        lay_dump(dump, database)
        with closing(sqlite3.connect(database)) as connection:
            rows = connection.execute("SELECT slug FROM tournament_tournament").fetchall()
        kept |= {slug.rpartition("-")[0] for (slug,) in rows}
    found = [names[name] for name in kept & names.keys()]
    assert {one.kind.name for one in found} == {one.kind.name for one in names.values()}, NEW
    assert {one.rules.variant for one in found} == {one.rules.variant for one in names.values()}, NEW


def test_each_kind_is_chosen_once_and_each_variant_has_its_event() -> None:
    chosen = one_of_each_kind(list_playable_combinations())
    assert [one.kind.name for one in chosen] == list(
        dict.fromkeys(one.kind.name for one in list_playable_combinations())
    )
    assert {one.rules.variant for one in chosen} == {one.rules.variant for one in list_playable_combinations()}


def test_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    lay_dump(dumps()[-1], tmp_path / "kept.sqlite3")
    write_dump(tmp_path / "kept.sqlite3", tmp_path / "again.sql.gz")
    assert (tmp_path / "again.sql.gz").read_bytes() == dumps()[-1].read_bytes()
