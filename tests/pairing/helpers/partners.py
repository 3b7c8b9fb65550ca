from __future__ import annotations

from django.test import Client

from pairing.blind_draw.services import make_partner_draw, post_partner_draw, seal_partner_draw
from pairing.models import PartnerDraw
from tests.factories import an_event
from tests.kit import event_url
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, Event
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person


def act(client: Client, event: Event, name: str, **fields: object) -> str:
    answer = client.post(event_url("pairing:desk_partners", event), {"act": name, **fields}, follow=True)
    return str(answer.content.decode())


@prebuilt
def pairs(asking: int = 0, *, pools: str = "", **fields: object) -> Event:
    fields = {"entry_size": 2, "name": "Partnership", "fee_cents": 0, **fields}
    event = an_event(**{**fields, "partners": "a-b" if pools else "one"})
    for number in range(1, asking + 1):
        person = Person(f"Player {number}", f"p{number}@example.org")
        add_entry(
            event,
            EntryRequest((person,), asks_for_partner=True, pool=pools[number - 1] if pools else ""),
            by=SYSTEM_ACTOR,
        )
    return event


@prebuilt
def drawn(event: Event, public: str = "7H QS") -> PartnerDraw:
    seal_partner_draw(event, by=SYSTEM_ACTOR)
    return make_partner_draw(event, public, by=SYSTEM_ACTOR)


@prebuilt
def posted(event: Event, public: str = "7H QS") -> list[Entrant]:
    drawn(event, public)
    return post_partner_draw(event, by=SYSTEM_ACTOR)


@prebuilt
def second_chance(first: Event, **fields: object) -> Event:
    return an_event(first.tournament, second_chance_of=first, **{"fee_cents": 0, "name": "Second Chance", **fields})
