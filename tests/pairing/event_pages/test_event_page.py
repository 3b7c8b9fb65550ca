from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pairing.results.services.finish import finish_event
from tests.kit import fresh, public_url
from tests.pairing.helpers.event_pages import shown
from tests.pairing.helpers.events import an_event_in_play, an_open_event, play_all, win
from tests.pairing.helpers.stages import staged
from tests.scoring.helpers import turning
from tests.scoring.helpers.table_events import a_table_event_in_play
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db


def test_before_the_draw_it_says_how_to_enter() -> None:
    assert "Enter this event" in shown(an_open_event(4))


def test_a_knockout_shows_the_round_and_the_latest_result() -> None:
    event = an_event_in_play(8)
    win(event, "R1M1")
    page = shown(event)
    assert "Now: Quarterfinals" in page
    assert "Latest results" in page
    assert "7 still in" in page


def test_a_name_is_found_without_its_accents() -> None:
    event = an_event_in_play(4)
    event.entrants.filter(number=1).update(name="Zoë Łukasz")
    assert "Zoë Łukasz" in shown(fresh(event), "?q=zoe+lukasz")
    assert "No player called" in shown(fresh(event), "?q=nobody")


def test_every_kind_of_event_has_its_page() -> None:
    pools = [
        {"kind": "swiss", "rounds": 3},
        {"kind": "round-robin"},
        {"kind": "ladder", "games": 6},
        {"kind": "record", "games": 5, "losses": 2, "wins": 4},
    ]
    for pool in pools:
        event = staged(6, pool)
        assert "Now:" in shown(event)
        assert "found-row" in shown(event, "?q=player")
    tables = a_table_event_in_play(8, "fort-worth", {"size": 4, "rounds": 2})
    assert "Now: Round 1 of 2" in shown(tables)
    assert "found-row" in shown(tables, "?q=ada")
    for kind in ("rotation", "court-whist"):
        assert "Round 1" in shown(turning.an_event_in_play(format=kind), "?q=tom")


def test_the_wall_shows_the_winners_once_the_event_is_over() -> None:
    event = an_event_in_play(4)
    play_all(event)
    wall = public_url(event, "wall/")
    assert "wall-winners" not in Client().get(wall).content.decode()
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    page = Client().get(wall).content.decode()
    first = page.split('<li class="is-first">')[1].split("</li>")[0]
    assert "1st" in first and "Player" in first
    assert "wall-bracket" in page and "Tie for" in page
    assert "<html" not in Client().get(wall, headers={"hx-request": "true"}).content.decode()


def test_the_wall_of_turning_sides_shows_the_winners_too() -> None:
    event = turning.an_event_in_play(format="rotation")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    answer = Client().get(public_url(event, "rounds/wall/"), follow=True)
    assert answer.redirect_chain and "The event is over." in answer.content.decode()


def test_it_stays_cheap() -> None:
    event = an_event_in_play(64)
    with CaptureQueriesContext(connection) as asked:
        shown(event)
    assert len(asked) <= 20
