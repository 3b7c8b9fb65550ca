"""Links between two laptops, and a database that lacks some writes, for tests of the second laptop."""

from __future__ import annotations

import sqlite3

from django.db import connection

from tests.kit import clear_caches
from tournament.models import Tournament
from tournament.second_laptop.selectors import LaptopLink, LaptopRole, load_last_change
from tournament.second_laptop.services.roles import save_link


def a_link(role: LaptopRole) -> LaptopLink:
    return LaptopLink(role=role, key="ab" * 32, address="192.168.1.20:8002", certificate="cd" * 32, epoch=5)


def a_second_laptop() -> LaptopLink:
    """Make this laptop follow another one with epoch 5."""
    link = a_link(LaptopRole.SECOND)
    save_link(link)
    return link


def verbs_of(tournament: Tournament, by_name: str = "") -> list[str]:
    """Return the verbs in the tournament's log, or only those of one author, the oldest first."""
    entries = tournament.log.order_by("seq")
    if by_name:
        entries = entries.filter(by_name=by_name)
    return list(entries.values_list("verb", flat=True))


class Snapshot:
    """The current state of the database, with the last change in it. Changes must be recorded."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:")
        connection.connection.backup(self._database)
        self.change = load_last_change()

    def bring_back(self) -> None:
        self._database.backup(connection.connection)
        clear_caches()
