"""Ask the supervisor to stop or restart the program, and record the events of its runs."""

import datetime as dt
import json
from contextlib import suppress
from typing import Final

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require_installation_permission
from tournament.core.services.durable_files import remove_durably, write_durably
from tournament.errors import Conflict
from tournament.this_computer.selectors import (
    RunAction,
    RunEventKind,
    get_run_events_file,
    make_run_request_path,
    read_run_request,
)

MAX_RUN_EVENTS: Final = 300
"""How many events of the last runs are stored. Older ones are deleted when there are twice as many."""


def request_run_action(action: RunAction, *, by: Actor) -> None:
    """Ask the supervisor to stop or restart the program.

    Raises:
        NotAllowed: the actor is neither an administrator nor a director of all tournaments.
        Conflict: `run-requested`: somebody else has just requested it.
    """
    require_installation_permission(by)
    if read_run_request() is not None:
        message = _(
            "Somebody else is stopping or restarting the program now. Wait a minute, then load this page again."
        )
        raise Conflict("run-requested", message)
    write_durably(make_run_request_path(), json.dumps({"action": action, "by_name": by.name}))


def remove_run_request() -> None:
    """Remove the request once it is carried out. Only the supervisor calls this."""
    remove_durably(make_run_request_path())


def record_run_event(kind: RunEventKind, **about: object) -> None:
    """Add an event to the list that the page *This computer* reads. A full disk is ignored."""
    file = get_run_events_file()
    at = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    line = json.dumps({"at": at, "kind": kind, **about})
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as events:
            events.write(line + "\n")
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        if len(lines) > 2 * MAX_RUN_EVENTS:
            write_durably(file, "".join(lines[-MAX_RUN_EVENTS:]))
