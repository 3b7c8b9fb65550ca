from __future__ import annotations

from django.test import Client

from tests.factories import a_user
from tests.kit import event_url
from tournament.models import Event, User

CAUGHT_UP = "All caught up"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def today(event: Event, role: str = "director", client: Client | None = None) -> str:
    client = client or signed_in(a_user(role, event.tournament))
    return " ".join(client.get(event_url("scoring:desk_today", event)).content.decode().split())
