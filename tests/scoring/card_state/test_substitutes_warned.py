"""Staff are warned before they substitute a player whose score cards are all finished.

The substitute gets the place and the prize that the player has won.
"""

from __future__ import annotations

import pytest
from django.test import Client

from tests.kit import client_as, event_url
from tests.scoring.helpers.playing import an_event_in_play, play, post, the_card
from tests.scoring.helpers.playing import gin as a_gin
from tests.scoring.helpers.tables import a_table_card
from tests.scoring.helpers.whist import a_whist_event
from tournament.models import Event

pytestmark = pytest.mark.django_db

WARNING = "so far is finished. The results stay with number"


def page_of(event: Event, number: int) -> tuple[Client, str]:
    client = client_as("director", event)
    return client, event_url("tournament:desk_substitute", event, number=number)


def warned(event: Event, number: int) -> bool:
    client, url = page_of(event, number)
    return WARNING in client.get(url).content.decode()


def test_nothing_is_done_before_the_warning_was_read() -> None:
    event = an_event_in_play()
    post(the_card(event))
    client, url = page_of(event, 2)
    said = " ".join(client.get(url).content.decode().split())
    assert "Every score card of Alan so far is finished. The results stay with number 2. The substitute plays" in said
    sent = {"seat": "1", "name": "Sub Stitute", "consent": "on", "reason": "taken ill"}
    answer = client.post(url, sent)
    assert "Read the warning above, then check this box." in answer.content.decode()
    assert event.entrants.get(number=2).name == "Alan"
    assert client.post(url, {**sent, "sure": "on"}).status_code == 302
    assert event.entrants.get(number=2).name == "Sub Stitute"


def test_who_is_still_to_play_is_substituted_without_a_warning() -> None:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    assert not warned(event, 1)
    play(the_card(event), a_gin("A", 5))
    assert not warned(event, 1)
    post(the_card(event, "R1M2"))
    assert warned(event, 3) and warned(event, 4)
    client, url = page_of(event, 1)
    assert client.post(url, {"seat": "1", "name": "Sub Stitute", "reason": "ill"}).status_code == 302


def test_the_winner_of_both_matches_before_the_final_is_not_warned_of() -> None:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    for ident in ("R1M1", "R1M2"):
        post(the_card(event, ident))
    assert not warned(event, 1) and warned(event, 2)


def test_at_tables_and_in_court_whist_before_a_hand_nobody_is_warned_of() -> None:
    assert not warned(a_table_card(("Ada", "Alan", "Grace"), "fort-worth").match.event, 1)
    assert not warned(a_whist_event(), 1)
