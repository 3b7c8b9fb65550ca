"""Play a random event in a separate process, and stop it when it contains the most interesting states."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.devtools.kept.files import work_on

if TYPE_CHECKING:
    from scoring.rehearsal.services.play import ActionRecord
    from tournament.models import Event

EARLIEST, LATEST = 0.4, 0.75
"""An event is halfway after this share of its actions."""


@dataclass(frozen=True)
class Order:
    """A random event to play, to stop before its end, and to add to the dump.

    The module `stands` defines the states that an event can have, such as a score card that only some players have
    signed. If `aim` is the name of a state, the event is stopped while it has this state. If `aim` is empty, the event
    is stopped about halfway, with as many new states as possible. The states in `shown` are not new, because earlier
    events of the dump have them.
    """

    kind: str
    rules: str
    seed: int
    entrants: int
    aim: str = ""
    shown: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{self.kind} {self.rules} --seed {self.seed}"


@dataclass(frozen=True)
class Look:
    """The event after some of its actions, with the states that it shows and a copy of its database."""

    acts: int
    stands: frozenset[str]
    copy: Path


@dataclass(frozen=True)
class Left:
    acts: int
    of: int
    stands: frozenset[str]


def play_and_leave(order: Order, database: Path) -> Left | None:
    """Play an event at random, and store a copy of its database in `database`.

    The copy is from the moment that shows the most of the states in `order`.

    Return None, and store nothing, if the event never reached the state that it should show.
    """
    with TemporaryDirectory(prefix="kept-event-") as name:
        own = Path(name) / "event.sqlite3"
        copyfile(database, own)
        event, acts, looks = _play(order, own)
        chosen = next((look for look in _fitting(order, acts, looks) if _is_clean(event, look)), None)
        if chosen is None:
            return None
        copyfile(chosen.copy, database)
        return Left(chosen.acts, acts, chosen.stands)


def _play(order: Order, own: Path) -> tuple[Event, int, list[Look]]:
    work_on(own, str(order))
    import django

    django.setup()
    from scoring.rehearsal.services.random_event import RandomEvent
    from tests.devtools.kept.stands import stands_of

    looks: list[Look] = []

    def look(done: ActionRecord) -> None:
        stands = stands_of(done.event)
        if stands:
            looks.append(Look(done.number, stands, own.with_name(f"{done.number}.sqlite3")))
            _copy(own, looks[-1].copy)

    played = RandomEvent(order.kind, order.rules, order.seed, order.entrants, look).play()
    return played.event, played.acts, looks


def _copy(database: Path, to: Path) -> None:
    """Copy the database, including its write-ahead log."""
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)


def _fitting(order: Order, acts: int, looks: list[Look]) -> list[Look]:
    """Return the moments at which the event could be stopped, best first."""
    if order.aim:
        return [look for look in looks if order.aim in look.stands]
    from tests.devtools.kept.stands import GOING_ON

    half = [look for look in looks if EARLIEST <= look.acts / acts <= LATEST and look.stands & GOING_ON]
    return sorted(half, key=lambda look: (-len(look.stands - order.shown), -len(look.stands), look.acts))


def _is_clean(event: Event, look: Look) -> bool:
    from django.db import connection

    from tests.verifying import failed_checks

    connection.close()
    connection.settings_dict["NAME"] = str(look.copy)
    return not failed_checks(type(event).objects.select_related("tournament").get(pk=event.pk))
