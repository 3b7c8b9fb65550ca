from __future__ import annotations

import json
import sqlite3
import time
from typing import Any

from django.db import connection
from django.test import Client

from tests.factories import a_user, an_entrant, an_event
from tests.kit import clear_caches, client_as, event_url, page_text
from tournament.models import Entrant, LedgerLine, Tournament
from tournament.second_laptop.selectors import (
    LaptopLink,
    LaptopRole,
    MissingAction,
    load_actions_since_change,
    load_last_change,
)
from tournament.second_laptop.services.changes import record_acknowledgement
from tournament.second_laptop.services.missing_acts import save_missing_actions
from tournament.second_laptop.services.roles import save_link

LONG_AGO = 60.0


def a_link(role: LaptopRole) -> LaptopLink:
    return LaptopLink(role=role, key="ab" * 32, address="192.168.1.20:8002", certificate="cd" * 32, epoch=5)


def a_second_laptop() -> LaptopLink:
    """Make this laptop the second one, which copies a first laptop's data. Return the link to the first laptop.

    The link has the epoch 5. The epoch grows with each takeover and each restored backup.
    """
    link = a_link(LaptopRole.SECOND)
    save_link(link)
    return link


def verbs_of(tournament: Tournament, by_name: str = "") -> list[str]:
    """Return the verbs in the tournament's log, oldest first. With `by_name`, return only those of this author."""
    entries = tournament.log.order_by("seq")
    if by_name:
        entries = entries.filter(by_name=by_name)
    return list(entries.values_list("verb", flat=True))


class Snapshot:
    """A copy of the database, and the number of its last recorded change. `bring_back` restores the copy."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:")
        connection.connection.backup(self._database)
        self.change = load_last_change()

    def bring_back(self) -> None:
        self._database.backup(connection.connection)
        clear_caches()


def hear_from_second_laptop(change: int, seconds_ago: float) -> None:
    record_acknowledgement(change, time.time() - seconds_ago)


def payment_form(client: Client, entrant: Entrant, dollars: str = "75") -> tuple[str, dict[str, Any]]:
    """Return the URL and the form fields for a cash payment of an entrant at the desk."""
    url = event_url("tournament:desk_sale", entrant.event, number=entrant.number)
    form = client.get(url).context["form"]
    return url, {**{name: form[name].value() or "" for name in form.fields}, "cents": dollars, "method": "cash"}


def pay(client: Client, entrant: Entrant, dollars: str = "75") -> None:
    url, fields = payment_form(client, entrant, dollars)
    assert client.post(url, fields, HTTP_REFERER=f"http://testserver{url}").status_code == 302


def missed(*, after: Snapshot) -> list[MissingAction]:
    """Restore the snapshot, as if another laptop that lacks all later actions took over. Return these actions."""
    sent = [act.as_json() for act in load_actions_since_change(after.change)]
    after.bring_back()
    save_missing_actions(json.loads(json.dumps(sent)))
    return load_acts(sent)


def load_acts(sent: list[dict[str, Any]]) -> list[MissingAction]:
    return [MissingAction.from_json(each) for each in sent]


class Desk:
    """An event with one entrant, a member of the desk's staff, and a director."""

    def __init__(self) -> None:
        self.event = an_event()
        self.entrant = an_entrant(self.event, "Ada Lovelace")
        self.person = a_user("desk", self.event.tournament)
        self.client = Client()
        self.client.force_login(self.person)
        self.director = client_as("director", self.event)
        self.page = f"/desk/{self.event.tournament.slug}/backups/old-laptop/"

    def miss_payment(self) -> MissingAction:
        before = Snapshot()
        pay(self.client, self.entrant)
        [act] = missed(after=before)
        return act

    def decide(self, act: MissingAction, decision: str, client: Client | None = None) -> str:
        answer = (client or self.director).post(self.page, {"act": act.key, "decision": decision}, follow=True)
        return page_text(answer)

    def count_payments(self) -> int:
        return LedgerLine.objects.filter(entrant=self.entrant, kind="payment").count()
