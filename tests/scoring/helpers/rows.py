"""Helpers that create an event through the services, and check all of its database rows."""

from __future__ import annotations

import datetime as dt

from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from scoring.verification.selectors.checks import check_every_row
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event
from tournament.registration.services.entries import EntryRequest, add_entry, withdraw_entrant
from tournament.registration.services.people import Person
from tournament.setup.services.tournaments import create_event, create_tournament, open_registration


@prebuilt
def a_tournament_of(slug: str, *names: str) -> Event:
    """Create an event with these players through the services, withdraw the last player, and return the event."""
    days = {"starts_on": dt.date(2026, 11, 27), "ends_on": dt.date(2026, 11, 29)}
    tournament = create_tournament(by=SYSTEM_ACTOR, slug=slug, name=slug, venue="Palm Desert", **days)
    event = create_event(tournament, by=SYSTEM_ACTOR, slug="singles", name="Singles", fee_cents=6000)
    event = open_registration(event, by=SYSTEM_ACTOR)
    for name in names:
        add_entry(event, EntryRequest((Person(name, email=f"{name[:3]}@example.org"),)), by=SYSTEM_ACTOR)
    withdraw_entrant(event.entrants.get(name=names[-1]), by=SYSTEM_ACTOR)
    save_rule_sheet(event, ChosenRules("gra-singles", {}, 1), by=SYSTEM_ACTOR)
    return event


def problems(event: Event) -> list[str]:
    return [f"{check.subject} {check.finding}" for check in check_every_row(event) if not check.passed]
