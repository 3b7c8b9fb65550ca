"""Play random events and compare them while they are played, each in a separate process with its own database file."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from tests.migrated import lay_migrated

MIGRATED = "migrated.sqlite3"


@dataclass(frozen=True)
class Order:
    """An event to play. `often` and `changes` have the same meaning as in `Watch`."""

    kind: str
    rules: str
    seed: int
    often: float = 0.03
    entrants: int | None = None
    changes: float = 0.0
    round_trips: bool = False

    def __str__(self) -> str:
        trips = " --round-trips" if self.round_trips else ""
        return f"--kind {self.kind} --rules {self.rules} --seed {self.seed}{trips}"


@dataclass(frozen=True)
class Outcome:
    """The result of playing an event.

    `fault` is the reason why the event stopped before its end. `busy` and `comparing` are seconds of processor time.
    """

    order: Order
    acts: int
    busy: float
    comparing: float
    found: tuple[str, ...]
    fault: str = ""

    @property
    def good(self) -> bool:
        return not self.found and not self.fault


def spread(choices: Sequence[tuple[str, str]], events: int, seed: int) -> list[tuple[str, str]]:
    """Return as many choices as there are `events`, in random order.

    Kinds of events alternate, and each choice is used once before any is repeated.
    """
    dice = Random(seed)
    found: list[tuple[str, str]] = []
    while len(found) < events:
        by_kind: dict[str, list[tuple[str, str]]] = {}
        for one in dice.sample(list(choices), len(choices)):
            by_kind.setdefault(one[0], []).append(one)
        while by_kind:
            for kind in list(by_kind):
                found.append(by_kind[kind].pop())
                if not by_kind[kind]:
                    del by_kind[kind]
    return found[:events]


def play_all(orders: Sequence[Order], processes: int) -> Iterator[Outcome]:
    """Yield each outcome when its event ends."""
    with tempfile.TemporaryDirectory(prefix="whole-events-") as folder:
        lay_migrated(Path(folder) / MIGRATED)
        jobs = [(order, folder, number) for number, order in enumerate(orders)]
        context = multiprocessing.get_context("spawn")
        # no Pool: its processes may start none, and a file that is checked is read in one of its own
        with ProcessPoolExecutor(processes, mp_context=context, max_tasks_per_child=1) as pool:
            for done in as_completed([pool.submit(_play_alone, job) for job in jobs]):
                yield done.result()


def _play_alone(job: tuple[Order, str, int]) -> Outcome:
    order, folder, number = job
    own = Path(folder) / f"event-{number}"
    own.mkdir()
    database = own / "event.sqlite3"
    shutil.copyfile(Path(folder) / MIGRATED, database)
    os.environ |= {"DJANGO_SETTINGS_MODULE": "tests.settings", "TEST_DATABASE": str(database), "TEST_RUN_DIR": str(own)}
    os.environ.pop("DATABASE_URL", None)
    import logging

    import django

    django.setup()
    logging.disable(logging.CRITICAL)
    try:
        with files_read_here():
            return play(order, own)
    finally:
        shutil.rmtree(own, ignore_errors=True)


@contextmanager
def files_read_here() -> Iterator[None]:
    """Within the block, read uploaded files in this process.

    Otherwise, each event would start another process for its few files.
    """
    from multiprocessing.reduction import ForkingPickler

    from tournament import intake

    def read(_limits: intake.FileLimits, question: tuple[Any, ...]) -> Any:
        return ForkingPickler.loads(intake._read_and_pickle(*question))

    with patch.object(intake, "_read_in_process", read):
        yield


def play(order: Order, folder: Path | None = None) -> Outcome:
    """Play one event in the current database, and compare its pages with the recorded facts after every action.

    If the order has round trips, `folder` is for their files and databases.
    """
    from tests.devtools.whole_events.playing import WatchedPlay
    from tests.devtools.whole_events.round_trips import play_with_round_trips

    began, fault, played = time.process_time(), "", WatchedPlay(order)
    try:
        if order.round_trips and folder is not None:
            play_with_round_trips(played, folder)
        else:
            played.begin()
    except Exception as error:  # anything that stops an event is what this run is to find.
        fault = _told(error)
    return Outcome(order, played.acts, time.process_time() - began, played.comparing, played.found, fault)


def _told(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    notes = "; ".join(getattr(error, "__notes__", ()))
    where = " < ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in reversed(frames[-4:]))
    return f"{type(error).__name__}: {error} [{notes}] at {where}"
