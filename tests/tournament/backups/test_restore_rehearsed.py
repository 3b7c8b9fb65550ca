"""Restore a backup that was made while two processes were recording events, and check that nothing is missing."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from config.environment import BASE_DIR
from laptop.prepare import make_migrated_database
from tests.laptop.runs import environment_of, manage

WRITE = """
import sys, time
import django
django.setup()
from scoring.rehearsal.services.random_event import RandomEvent
from tournament.models import AuditEntry
def acknowledge(act):
    pk, digest = AuditEntry.objects.order_by("-pk").values_list("pk", "digest").first()
    print(time.time(), pk, digest, flush=True)
RandomEvent("knockout", "score-pad", seed=int(sys.argv[1]), entrants=8, after_act=acknowledge).play()
"""
"""Play an event through the program's services. After each act, print the time and a row of the log."""

BACK_UP = """
import sys, time
from pathlib import Path
import django
django.setup()
from tournament.backups.services import make_backup
from tournament.core.services.secrets import exit_on_wrong_secrets
exit_on_wrong_secrets()
logs = [Path(name) for name in sys.argv[1:]]
for count in (1, 10, 20):
    while any(len(log.read_text().splitlines()) < count for log in logs):
        time.sleep(0.05)
    began, backup = time.time(), make_backup()
print(began, backup.path)
"""
"""Make a backup each time both writer processes have written more. Print when the last one began, and its path."""

VERIFY = """
import json
from scoring.verification.selectors.event import verify_event
from tournament.core.selectors.log import check_log_chain
from tournament.models import Event, Tournament
checks = [check for event in Event.objects.all() for check in verify_event(event)]
faults = [f"{check.subject}: {check.finding}" for check in checks if not check.passed]
faults += [f"the log of {each}" for each in Tournament.objects.all() if not check_log_chain(each).is_intact]
print(json.dumps({"events": Event.objects.count(), "faults": faults}))
"""


@dataclass(frozen=True)
class Rehearsal:
    """The results of a rehearsed restore.

    `restored` is the folder of the restored installation. `acknowledged` has the primary keys and digests of the
    log rows that were committed before the backup began. `backup` is the backup's file.
    """

    restored: Path
    acknowledged: set[tuple[int, str]]
    backup: Path


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Rehearsal:
    used, empty = tmp_path_factory.mktemp("used"), tmp_path_factory.mktemp("empty")
    make_migrated_database(Path(sys.executable)).copy_to(used / "db.sqlite3")
    logs = [used / f"writer-{seed}.log" for seed in (1, 2)]
    with ExitStack() as writers:
        for seed, log in enumerate(logs, start=1):
            writers.enter_context(writer(used, seed, log))
        made = subprocess.run(
            [sys.executable, "-c", BACK_UP, *map(str, logs)],
            cwd=BASE_DIR,
            env=environment(used),
            check=True,
            capture_output=True,
            text=True,
        )
    began, path = made.stdout.split(maxsplit=1)
    lines = [line.split() for log in logs for line in log.read_text().splitlines()[:-1]]  # the last may be incomplete
    acknowledged = {(int(pk), digest) for at, pk, digest in lines if float(at) < float(began)}
    manage(empty, "restore", path.strip(), "--yes")
    return Rehearsal(empty, acknowledged, Path(path.strip()))


@contextmanager
def writer(installation: Path, seed: int, log: Path) -> Iterator[None]:
    """Run a process that plays a random event and writes its log rows to `log`.

    Kill the process at the end of the block.
    """
    with log.open("wb") as output:
        command = [sys.executable, "-c", WRITE, str(seed)]
        process = subprocess.Popen(command, cwd=BASE_DIR, env=environment(installation), stdout=output)
    try:
        yield
        assert process.poll() is None, "the writers should have written all the time"
    finally:
        process.kill()
        process.wait()


def environment(installation: Path) -> dict[str, str]:
    return environment_of(installation) | {"DJANGO_SETTINGS_MODULE": "config.settings"}


def test_everything_that_was_acknowledged_before_the_backup_is_there(rehearsal: Rehearsal) -> None:
    with closing(sqlite3.connect(rehearsal.restored / "db.sqlite3")) as database:
        found = set(database.execute("SELECT id, digest FROM tournament_auditentry"))
    assert len(rehearsal.acknowledged) >= 30 and rehearsal.acknowledged - found == set()


def test_every_figure_and_log_of_the_restored_database_is_verified(rehearsal: Rehearsal) -> None:
    found = json.loads(manage(rehearsal.restored, "shell", "--no-imports", "-c", VERIFY))
    assert found == {"events": 2, "faults": []}


def test_the_backup_has_all_rows_of_the_restored_database_but_those_of_the_restore(rehearsal: Rehearsal) -> None:
    with closing(sqlite3.connect(rehearsal.restored / "db.sqlite3")) as database:
        added = database.execute("SELECT verb FROM tournament_auditentry WHERE id > ?", [log_row(rehearsal.backup)])
        assert added.fetchall() == [("installation.restored",)] * 2


def log_row(backup: Path) -> int:
    return int(backup.name.removesuffix(".backup.zip").rpartition("-")[2])
