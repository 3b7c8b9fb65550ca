"""A message is for the page somebody sees: a part that is fetched again behind it does not take it away."""

from __future__ import annotations

import pytest

from tests.factories import a_tournament, an_event
from tests.kit import client_as, desk_url
from tournament.models import Event

pytestmark = pytest.mark.django_db


def test_a_live_fetch_leaves_the_message_for_the_next_page() -> None:
    event = an_event(a_tournament(), state=Event.State.DRAFT)
    client = client_as("director", event)
    desk = desk_url(event)
    assert client.post(f"{desk}open/").status_code == 302
    client.get(f"{desk}today/", headers={"HX-Request": "true"})
    assert "Registration is open" in client.get(f"{desk}today/").content.decode()
