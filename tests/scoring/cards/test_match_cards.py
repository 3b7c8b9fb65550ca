from __future__ import annotations

import pytest
from django.test import Client

from tests.scoring.helpers.playing import an_event_in_play, gin, play, the_card

pytestmark = pytest.mark.django_db


def test_a_match_leads_to_its_cards(client: Client) -> None:
    event = an_event_in_play()
    card = the_card(event)
    play(card, gin("A", 20))
    base = f"/t/{event.tournament.slug}/{event.slug}"
    assert f"{base}/match/R1M1/cards/" in client.get(f"{base}/match/R1M1/").content.decode()
    shown = client.get(f"{base}/match/R1M1/cards/").content.decode()
    assert f"{base}/card/{card.token}/" in shown
    assert "45\u00a0–\u00a00" in shown
