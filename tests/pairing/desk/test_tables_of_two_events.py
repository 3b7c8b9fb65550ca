"""Two events share the same tables. A table that one event uses is not suggested for the other event."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from pairing.desk.selectors.desk import load_pairing_desk
from pairing.desk.services.sending import call_match_to_table, call_ready_matches
from pairing.stages.selectors.course import load_busy_tables
from pairing.stages.services.tables import seat_next_round
from tests.kit import client_as, desk_url, fresh
from tests.pairing.helpers.desk import beside, other_of, put_beside
from tests.pairing.helpers.events import post_seating, the_match, win
from tests.pairing.helpers.seatings import in_play, play_round
from tests.pairing.helpers.stages import FINALS, QUALIFIER
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db
STAGES: dict[str, Any] = {"format": "stages", "format_options": {"stages": [QUALIFIER, FINALS]}}


def desk_page(event: Event, name: str) -> str:
    client = client_as("director", event)
    return client.get(desk_url(event, f"{name}/")).content.decode()


def test_pairs_are_suggested_for_tables_that_no_other_event_uses() -> None:
    desk = load_pairing_desk(beside(**STAGES))
    assert desk is not None
    assert [going.table for going in desk.next_pairs] == [3, 4, 5, 6]


def test_a_table_is_suggested_as_soon_as_the_other_event_has_left_it() -> None:
    event = beside(**STAGES)
    load_pairing_desk(event)
    win(other_of(event), "R1M1")
    desk = load_pairing_desk(event)
    assert desk is not None
    assert [going.table for going in desk.next_pairs] == [1, 3, 4, 5]


def test_all_matches_go_to_tables_that_no_other_event_uses() -> None:
    event = beside()
    assert call_ready_matches(event, 1, 5, by=SYSTEM_ACTOR) == 3
    assert sorted(load_busy_tables(event)) == [3, 4, 5]


def test_the_form_for_all_tables_begins_behind_the_other_event() -> None:
    page = desk_page(beside(), "tables")
    assert 'name="first" value="3"' in page and 'name="last" value="6"' in page


def test_a_round_at_tables_is_posted_beside_the_other_event() -> None:
    event = in_play()
    play_round(event)
    put_beside(event)
    seat_next_round(fresh(event), by=SYSTEM_ACTOR)
    post_seating(fresh(event), by=SYSTEM_ACTOR)
    assert sorted(load_busy_tables(fresh(event))) == [3, 4]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("page", "is_woken"), [("desk", True), ("today", True), ("player", False), ("public", False)])
def test_a_table_that_is_taken_wakes_the_other_desks_and_no_phone(page: str, is_woken: bool) -> None:
    event = beside()
    where = f"{event.tournament.slug}/{event.slug}/"
    token = event.entrants.get(number=1).token
    paths = {
        "desk": f"/desk/{where}tables/",
        "today": f"/desk/{where}today/",
        "player": f"/my/{token}/match/",
        "public": f"/t/{where}pairings/",
    }
    client = client_as("director", event)
    follows = re.search(r'data-version-url="([^"]*)"', client.get(paths[page], follow=True).content.decode())
    assert follows is not None
    version = html.unescape(follows[1])
    before = client.get(version).content
    call_match_to_table(the_match(other_of(event), "R1M1"), 5, by=SYSTEM_ACTOR)
    assert (client.get(version).content != before) is is_woken


def test_a_match_is_called_by_hand_to_any_table() -> None:
    event = beside()
    call_match_to_table(the_match(event, "R1M1"), 1, by=SYSTEM_ACTOR)
    assert list(load_busy_tables(event)) == [1]


@pytest.mark.parametrize("here", [True, False])
def test_an_event_with_several_sites_has_tables_of_its_own(here: bool) -> None:
    event = beside()
    Event.objects.filter(pk=(event if here else other_of(event)).pk).update(sites=["Austin", "Oslo"])
    assert call_ready_matches(fresh(event), 1, 4, by=SYSTEM_ACTOR) == 4
