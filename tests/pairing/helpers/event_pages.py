from __future__ import annotations

from django.test import Client

from tests.kit import public_url
from tournament.models import Event


def shown(event: Event, query: str = "") -> str:
    answer = Client().get(public_url(event, query))
    assert answer.status_code == 200
    page = answer.content.decode()
    assert not any(who.token in page or "/my/" in page for who in event.entrants.all())
    return page
