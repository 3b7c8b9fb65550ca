"""Open a dump with today's code in a separate process, and print the problems of its events as JSON.

    python -m tests.devtools.kept.check look DUMP       migrate the dump, verify its events, and open their pages
    python -m tests.devtools.kept.check go-on DUMP      continue the events, and verify them again

Both commands work on a temporary copy, and do not change the dump.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from tests.chance import EXAMPLES, QUICK, SEED, in_part
from tests.devtools.kept.files import dumps, lay_dump, work_on

if TYPE_CHECKING:
    from tournament.models import Event

FEW: Final = 4 if QUICK else 8
"""The number of further actions in an event that is not played to its end."""


def main(what: str, dump: Path) -> None:
    with TemporaryDirectory(prefix="kept-check-") as folder:
        database = Path(folder) / "kept.sqlite3"
        lay_dump(dump, database)
        work_on(database, f"{what} {dump.name}")
        print(json.dumps(list(_answers(DO[what], dump))))


def _answers(do: Callable[[Event, int, bool], dict[str, Any]], dump: Path) -> Iterator[dict[str, Any]]:
    import django
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    from config.pages.page_process import reduce_garbage_collection

    django.setup()
    setup_test_environment()
    reduce_garbage_collection()
    logging.disable(logging.CRITICAL)
    call_command("migrate", verbosity=0)
    from tournament.models import Event

    kept = dumps() if dump in dumps() else [dump]
    parts = max(len(kept), round(2 / EXAMPLES) if QUICK else 1)
    for number, event in enumerate(Event.objects.select_related("tournament").order_by("pk")):
        to_its_end = (number + SEED) % parts == kept.index(dump)
        try:
            said = do(event, number, to_its_end)
        except Exception as error:  # anything that stops it is what this is to find, in every event.
            said = {"faults": ["".join(traceback.format_exception(error))]}
        yield {"event": event.tournament.slug, **said}


def _look(event: Event, number: int, _to_its_end: bool) -> dict[str, Any]:
    from scoring.verification.selectors.checks import check_every_row
    from scoring.verification.selectors.event import verify_event
    from tests.devtools.kept.pages import pages_that_fail
    from tests.devtools.kept.stands import stands_of

    checks = verify_event(event) if in_part(number, 2) else check_every_row(event)
    failed = [f"{check.subject}: {check.finding}" for check in checks if not check.passed]
    failed += pages_that_fail(event) if in_part(number, 6) else []
    return {"faults": failed, "stands": sorted(stands_of(event))}


def _go_on(event: Event, number: int, to_its_end: bool) -> dict[str, Any]:
    """Continue the event, and return its faults, its number of actions, and its state.

    If `to_its_end` is false, play only a few actions, and only in half of the events. The seed determines which events.
    """
    if not to_its_end and not in_part(number, 2):
        return {"faults": [], "acts": 0, "state": event.state}
    from scoring.rehearsal.services.random_event import RandomEvent
    from tests.devtools.kept.pages import faults_since

    played = RandomEvent.continue_event(event, seed=SEED, after_act=lambda done: not to_its_end and done.number >= FEW)
    state = played.event.state
    faults = [f"it is {state}"] if to_its_end and state != "finished" else []
    return {"faults": [*faults, *faults_since(played.event)], "acts": played.acts, "state": state}


DO: Final = {"look": _look, "go-on": _go_on}

if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
