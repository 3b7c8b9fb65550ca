"""Ask the supervisor to stop or restart the program, record the events of its runs, and create the first account."""

import datetime as dt
import json
import secrets
from contextlib import suppress
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require_installation_permission
from tournament.core.selectors.installation import CLUB_KEY
from tournament.core.services.durable_files import remove_durably, write_durably
from tournament.errors import Conflict, NotFound
from tournament.models import Club, User
from tournament.setup.services.sign_in import FIRST_USER_EMAIL
from tournament.this_computer.selectors.state import (
    RunAction,
    RunEventKind,
    digest_first_start_secret,
    get_first_start_file,
    get_run_events_file,
    get_run_request_file,
    is_first_start_needed,
    is_first_start_secret,
    read_run_request,
)

MAX_RUN_EVENTS: Final = 300
"""The number of stored run events. Older ones are deleted when there are twice as many."""


def request_stop_or_restart(action: RunAction, *, by: Actor) -> None:
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
    write_durably(get_run_request_file(), json.dumps({"action": action, "by_name": by.name}))


def remove_run_request() -> None:
    """Remove the request once it is carried out. Only the supervisor calls this."""
    remove_durably(get_run_request_file())


def record_run_event(kind: RunEventKind, **about: object) -> None:
    """Add an event to the list that the page *This computer* reads. If the disk is full, do nothing."""
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


# --- The first start -------------------------------------------------------------------------------------------------


def make_first_start_secret() -> str:
    """Return the secret of a new link for the first start. Only its digest is stored. Earlier links expire."""
    secret = secrets.token_urlsafe(24)
    write_durably(get_first_start_file(), digest_first_start_secret(secret))
    return secret


def make_first_start_link(site: str) -> str:
    """Return a new link to the page *Welcome*, or "" if there is no such page or the program is already set up.

    Earlier links expire. A checkout has this page only with SETUP=1.
    """
    if not settings.HAS_FIRST_START_PAGE or not is_first_start_needed():
        return ""
    return site + reverse("tournament:first_start", args=[make_first_start_secret()])


def require_first_start(secret: str) -> None:
    """Check that the link is valid, and that nobody has set up this installation yet.

    Raises:
        NotFound: `link-used`.
    """
    if not is_first_start_needed():
        raise NotFound("link-used", _("This program is set up already. Sign in."))
    if not is_first_start_secret(secret):
        message = _("This link has expired. Use the newest link that the program has printed, or start it again.")
        raise NotFound("link-used", message)


def set_up_installation(secret: str, *, club_name: str, time_zone: str, name: str, password: str) -> User:
    """Create the first administrator, and record the club. If two people do this at once, only one succeeds.

    Raises:
        NotFound: `link-used`.
    """
    user = User(email=FIRST_USER_EMAIL, name=name, is_staff=True, is_superuser=True)
    user.set_password(password)  # slow, so it is done before the transaction
    try:
        with transaction.atomic():
            require_first_start(secret)
            user.save(force_insert=True)
            Club.objects.update_or_create(pk=CLUB_KEY, defaults={"name": club_name, "time_zone": time_zone})
    except IntegrityError:  # on PostgreSQL, two people did this at once
        raise NotFound("link-used", _("This program is set up already. Sign in.")) from None
    with suppress(OSError):
        remove_durably(get_first_start_file())
    return user


def change_club(*, name: str, time_zone: str, by: Actor) -> None:
    """Change the club's name and time zone.

    Raises:
        NotAllowed: the actor is neither an administrator nor a director of all tournaments.
    """
    require_installation_permission(by)
    Club.objects.update_or_create(pk=CLUB_KEY, defaults={"name": name, "time_zone": time_zone})
