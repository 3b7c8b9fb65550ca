"""The command line for spoiled requests: `python -m tests.devtools.spoiled --requests 100000 --seed 1 [--site]`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # these modules set Django up, and only `set_up` knows with which settings
    from tests.devtools.spoiled.judge import Outcome
    from tests.devtools.spoiled.known import Known
    from tests.devtools.spoiled.senders import Sender

Undone = Callable[[Callable[[], None]], None]


def main(arguments: list[str]) -> int:
    wanted = _parser().parse_args(arguments)
    if wanted.files:
        with tempfile.TemporaryDirectory(prefix="spoiled-") as folder:
            return _spoil_files(Path(folder), wanted.files, wanted.seed, wanted.only, wanted.size)
    with tempfile.TemporaryDirectory(prefix="spoiled-") as folder:
        opened = _at_a_site(Path(folder)) if wanted.site else _in_this_process(Path(folder))
        with opened as (known, sender, undone):
            from tests.devtools.spoiled.judge import send_all

            numbers = range(wanted.only, wanted.only + 1) if wanted.only is not None else range(wanted.requests)
            began = time.monotonic()
            outcome = send_all(known, sender, wanted.seed, numbers, undone)
    _print(outcome, time.monotonic() - began)
    return 1 if outcome.faults else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.devtools.spoiled", description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=0, help="spoil this many files of tournaments instead")
    parser.add_argument(
        "--size", choices=("event", "tournament", "installation"), default="tournament", help="of --files"
    )
    parser.add_argument("--only", type=int, default=None, help="one of them by its number")
    parser.add_argument("--site", action="store_true", help="over sockets, to a site that is started for it")
    return parser


def set_up(folder: Path) -> None:
    """Set up Django with an empty database in this folder."""
    os.environ.pop("DATABASE_URL", None)
    # VAR_DIR before anything of config is imported: later it stays what it was.
    own = {"TEST_RUN_DIR": str(folder), "VAR_DIR": str(folder), "TEST_DATABASE": str(folder / "test.sqlite3")}
    os.environ |= own
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    from tests.migrated import lay_migrated

    lay_migrated(folder / "test.sqlite3")
    import logging

    import django

    django.setup()
    from django.test.utils import setup_test_environment

    from tests.chance import seed_secrets

    setup_test_environment()
    logging.disable()
    seed_secrets("spoiled")


def _spoil_files(folder: Path, count: int, seed: int, only: int | None, size: str) -> int:
    set_up(folder)
    from scoring.archive.selectors.export import export_tournament
    from scoring.archive.selectors.installations import export_installation
    from tests.devtools.spoiled.archives import judge_files
    from tests.scoring.helpers.archive import a_tournament_in_play, another_installation, read_members
    from tests.scoring.helpers.two_events import two_events

    event, file = two_events()[0] if size == "event" else a_tournament_in_play(), folder / "whole.zip"
    if size == "installation":
        export_installation(file)
    else:
        export_tournament(event.tournament, file, event=event if size == "event" else None)
    members = read_members(file)
    began = time.monotonic()
    with another_installation():
        numbers = range(count) if only is None else range(only, only + 1)
        outcomes, faults = judge_files(members, folder, seed, numbers)
    print("\n\n".join(faults[:40]))
    print("\n".join(f"{number:6} {outcome}" for outcome, number in sorted(outcomes.items())))
    print(f"{outcomes.total()} files in {time.monotonic() - began:.0f} s, {len(faults)} with faults")
    return 1 if faults else 0


@contextmanager
def _in_this_process(folder: Path) -> Iterator[tuple[Known, Sender, Undone]]:
    set_up(folder)
    from tests.config.hall import Hall
    from tests.devtools.spoiled.rows import as_in_production, known_here, take_back

    with as_in_production():
        yield *known_here(Hall()), take_back


@contextmanager
def _at_a_site(folder: Path) -> Iterator[tuple[Known, Sender, Undone]]:
    from tests.devtools.hall.site import started
    from tests.devtools.spoiled.known import Known
    from tests.devtools.spoiled.senders import BySocket

    with started(folder, "tests.devtools.spoiled.make") as site:
        known, sender = Known(site.known), BySocket(site.port)
        known.read_all(sender)
        yield known, sender, lambda case: case()
        log = site.log()
    if "Traceback" in log:
        print(log[-20_000:])


def _print(outcome: Outcome, seconds: float) -> None:
    for place, found in outcome.by_place().items():
        print(found[0])
        print(f"--- {len(found)} × {place}\n")
    print(f"{outcome.statuses.total()} requests in {seconds:.0f} s: {outcome}")
    print(f"{len(outcome.faults)} with faults")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
