from __future__ import annotations

import html
import random
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from pairing.results.services.finish import finish_event
from tests.factories import a_tournament, an_entrant, an_event
from tests.kit import fresh, public_url
from tests.pairing.helpers.event_pages import shown
from tests.pairing.helpers.events import a_closed_event, a_posted_event, an_event_in_play, an_open_event, play_all, win
from tests.pairing.helpers.stages import course_of, play_pool, staged
from tests.prebuilt import prebuilt
from tests.scoring.helpers import turning
from tests.scoring.helpers.table_events import a_posted_table_event, an_open_table_event
from tournament.core.pages.following import PAGE_MARKS_HEADER
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db


@prebuilt
def a_paid_event(**fields: object) -> Event:
    event = an_event(a_tournament(), fee_cents=6000, early_fee_cents=5000, **fields)
    an_entrant(event, "Ada", number=1)
    return event


def test_an_early_fee_is_shown_until_its_day_is_over() -> None:
    today = timezone.now().date()
    to_come = shown(a_paid_event(early_until=today + timedelta(days=3), closes_at=timezone.now() + timedelta(days=5)))
    assert "Early-bird" in to_come
    assert "$50" in to_come
    assert "Registration closes" in to_come
    passed = shown(a_paid_event(early_until=today - timedelta(days=3), closes_at=timezone.now() + timedelta(days=5)))
    assert "Early-bird" not in passed
    assert "$50" not in passed
    assert "$60" in passed


def test_a_registration_that_is_over_has_no_fee_and_no_way_in() -> None:
    page = shown(
        a_paid_event(early_until=timezone.now().date() - timedelta(9), closes_at=timezone.now() - timedelta(1))
    )
    assert "Enter this event" not in page
    assert "Registration closes" not in page
    assert "Entry fee" not in page


def test_one_that_is_to_come_says_when() -> None:
    page = shown(a_paid_event(early_until=timezone.now().date() + timedelta(9), opens_at=timezone.now() + timedelta(1)))
    assert "Registration opens" in page
    assert "Enter this event" not in page


def test_it_opens_before_play_in_each_kind() -> None:
    assert "Registration is closed" in shown(a_closed_event(4))
    assert "First matches" in shown(a_posted_event(4))
    shown(an_open_table_event(8, "fort-worth", {"size": 4, "rounds": 2}))
    shown(a_posted_table_event(8, "fort-worth", {"size": 4, "rounds": 2}))
    for kind in ("rotation", "court-whist"):
        shown(turning.an_open_event(format=kind), "?q=tom")
        shown(turning.a_closed_event(format=kind), "?q=tom")
        shown(turning.a_posted_event(format=kind), "?q=tom")


def test_the_way_to_ones_own_page_is_there_in_every_state() -> None:
    over = an_event_in_play(4)
    play_all(over)
    finish_event(fresh(over), by=SYSTEM_ACTOR)
    for event in (an_open_event(4), a_closed_event(4), a_posted_event(4), an_event_in_play(4), over):
        assert f'href="/t/{event.tournament.slug}/{event.slug}/register/link/"' in shown(fresh(event))


def test_a_double_elimination_to_its_end() -> None:
    event = staged(6, {"kind": "double-elimination"})
    assert "Now:" in shown(event)
    win(event, "W1M1")
    page = shown(fresh(event))
    assert "6 still in" in page and "Unbeaten:" in page and "One loss:" in page
    assert "Next: Winners’ side, round 3" in page
    play_to_the_end(event)
    page = shown(fresh(event), "?q=player")
    assert "has won" in page


def play_to_the_end(event: Event) -> None:
    for _turn in range(40):
        ready = course_of(event).current_stage.ready_matches
        if not ready:
            return
        for ident in ready:
            win(fresh(event), ident)
            shown(fresh(event), "?q=player")


def test_a_pool_between_its_end_and_the_next_stage() -> None:
    event = staged(6, {"kind": "swiss", "rounds": 2})
    play_pool(event, random.Random(3))
    page = shown(fresh(event), "?q=player")
    assert "Latest results" in page


def test_the_winners_stand_on_it_when_it_is_over() -> None:
    event = an_event_in_play(4)
    play_all(event)
    assert "has won" in shown(fresh(event))
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    page = shown(fresh(event), "?q=player")
    assert "Winners" in page
    assert "Ready for a table" not in page
    assert "Last match: won against" in page


def test_what_is_typed_answers_with_the_list_alone() -> None:
    event = an_event_in_play(4)
    address = public_url(event, "?part=found&q=player+1")
    part = Client().get(address, headers={"HX-Request": "true"}).content.decode()
    assert "found-row" in part
    assert "<html" not in part
    assert "Now:" not in part
    assert (
        "found-row"
        not in Client().get(address.replace("player+1", ""), headers={"HX-Request": "true"}).content.decode()
    )


def test_a_search_is_kept_for_nobody() -> None:
    event = an_event_in_play(4)
    address, asks = public_url(event), {PAGE_MARKS_HEADER: "1"}
    assert Client().get(address, headers=asks).headers[PAGE_MARKS_HEADER]
    assert PAGE_MARKS_HEADER not in Client().get(f"{address}?q=player", headers=asks).headers


def test_a_free_event_says_free() -> None:
    page = shown(an_event(a_tournament(), fee_cents=0))
    assert "Free" in page
    assert "$0" not in page


def test_a_search_is_not_what_the_next_one_gets() -> None:
    event = an_event_in_play(4)
    assert "“nobody”" in shown(event, "?q=nobody")
    assert "“nobody”" not in shown(event)
    assert "“nobody”" not in shown(event, "?q=player")


def test_a_search_is_shown_as_typed_and_never_run() -> None:
    page = shown(an_event_in_play(4), "?q=%3Cscript%3Ealert(1)%3C/script%3E")
    assert "<script>alert" not in page


def test_every_link_on_it_leads_somewhere() -> None:
    finished = an_event_in_play(4)
    play_all(finished)
    finish_event(fresh(finished), by=SYSTEM_ACTOR)
    sides = [turning.an_event_in_play(format=kind) for kind in ("rotation", "court-whist")]
    for event in (finished, an_event_in_play(4), staged(6, {"kind": "ladder", "games": 6}), *sides):
        for link in set(re.findall(r'href="(/t/[^"]*)"', shown(fresh(event), "?q=1"))):
            answer = Client().get(html.unescape(link), follow=True)
            assert answer.status_code == 200, link
