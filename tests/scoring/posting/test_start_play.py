"""The page that starts play explains what can no longer be changed, and assigns tables to the first matches."""

from __future__ import annotations

from typing import Any

import pytest

from pairing.models import TableCall
from scoring.models import Card
from tests.kit import client_as, event_url, fresh
from tests.pairing.helpers.events import a_closed_event, a_posted_event
from tests.scoring.helpers.table_events import a_posted_table_event
from tournament.models import Event

pytestmark = pytest.mark.django_db

POOL = {"stages": [{"kind": "fixed", "name": "Pool", "games": 3}]}


def started(event: Event, **asked: Any) -> str:
    """Start play with the values shown on the page, and return the text of the next page."""
    director = client_as("director", event)
    said = " ".join(director.get(event_url("scoring:start_play", event)).content.decode().split())
    assert "What freezes" in said and "What happens next" in said
    answer = director.post(event_url("scoring:start_play", event), asked, follow=True)
    assert fresh(event).state == Event.State.IN_PLAY
    return " ".join(answer.content.decode().split())


def tables_of(event: Event) -> list[int | None]:
    return list(TableCall.objects.filter(match__event=event).order_by("table").values_list("table", flat=True))


def test_the_first_matches_of_a_bracket_get_the_tables_that_are_named() -> None:
    event = a_posted_event(8)
    said = started(event, first="11", last="14")
    assert tables_of(event) == [11, 12, 13, 14] and Card.objects.count() == 4
    assert "Play has started, and the score cards are open. 4 matches have tables." in said
    assert "Next: Follow the score cards" in said


def test_too_few_tables_leave_the_next_step_open() -> None:
    said = started(a_posted_event(8), first="1", last="3")
    assert "3 matches have tables." in said and "Next: Assign tables" in said and "1 match needs a table" in said


def test_the_first_pairings_of_a_pool_are_made() -> None:
    event = a_posted_event(4, format="stages", format_options=POOL)
    said = started(event, first="1", last="1")
    assert tables_of(event) == [1, 2] and "2 matches have tables." in said


def test_who_has_a_table_by_the_draw_keeps_it() -> None:
    event = a_posted_table_event(9, "fort-worth", {"size": 4, "rounds": 2})
    assert "Play has started, and the score cards are open." in started(event)
    assert tables_of(event) == [1, 2, 3]


def test_before_the_draw_is_posted_the_page_leads_back() -> None:
    event = a_closed_event()
    answer = client_as("director", event).get(event_url("scoring:start_play", event))
    assert answer["Location"] == event_url("scoring:desk_today", event)


def test_registration_is_opened_again_by_name_and_with_a_reason() -> None:
    event = a_closed_event()
    director, address = client_as("director", event), event_url("tournament:open_event", event)
    assert "Open registration for Singles again?" in director.get(address).content.decode()
    assert director.post(address).status_code == 422
    assert director.post(address, {"reason": "a late bus"}).status_code == 302
    assert fresh(event).state == Event.State.OPEN
