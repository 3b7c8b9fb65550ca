"""The pages of a drawn event need a constant number of queries, can be searched by name, and show nothing private."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client

from pairing.desk.services.sending import call_ready_matches
from pairing.stages.selectors.course import load_event_stages
from tests.kit import client_as, fresh
from tests.pairing.helpers.events import a_posted_event, an_event_in_play, play_all, the_match, win
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db

PUBLIC = {
    "bracket/": 10,
    "pairings/": 10,
    "standings/": 12,
    "wall/": 11,
    "match/R1M1/": 14,
    "draw/": 5,
    "draw/check/": 3,
}
NOON = datetime(2026, 6, 6, 12, tzinfo=UTC)
DESK = {"draw/": 0, "tables/": 0, "results/": 0, "results/R1M1/": 0}


def path(event: Event, page: str, at: str = "t") -> str:
    return f"/{at}/{event.tournament.slug}/{event.slug}/{page}"


@prebuilt
def half_played(entrants: int) -> Event:
    event = an_event_in_play(entrants)
    win(event, "R1M1")
    call_ready_matches(event, 1, entrants, by=SYSTEM_ACTOR)
    return fresh(event)


@pytest.mark.parametrize("entrants", [4, 32])
@pytest.mark.parametrize(("page", "count"), PUBLIC.items())
def test_public_pages_have_a_constant_number_of_queries(
    page: str, count: int, entrants: int, django_assert_num_queries: Any
) -> None:
    event = half_played(entrants)
    cache.clear()
    with django_assert_num_queries(count):
        assert Client().get(path(event, page)).status_code == 200


@time_machine.travel(NOON, tick=False)
@pytest.mark.parametrize("page", DESK)
def test_desk_pages_have_a_constant_number_of_queries(page: str) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    counts = []
    for entrants in (4, 32):
        event = half_played(entrants)
        client = client_as("director", event)
        client.get(path(event, page, "desk"))
        with CaptureQueriesContext(connection) as asked:
            assert client.get(path(event, page, "desk")).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 22


def test_my_path_is_found_by_name_and_by_number() -> None:
    event = half_played(8)
    by_number = Client().get(path(event, "bracket/?me=3")).content.decode()
    by_name = Client().get(path(event, "bracket/?me=player 3")).content.decode()
    picture = by_number.partition('class="bracket-picture path-picture"')[2].partition("</svg>")[0]
    assert "Player 3" in picture
    assert picture == by_name.partition('class="bracket-picture path-picture"')[2].partition("</svg>")[0]
    assert "No player in the draw" in Client().get(path(event, "bracket/?me=Zenobia")).content.decode()


def test_the_private_link_leads_to_my_path_without_telling_it() -> None:
    event = half_played(4)
    entrant = event.entrants.get(number=2)
    answer = Client().get(f"/my/{entrant.token}/path/")
    assert answer.headers["Location"] == path(event, "bracket/?me=2")


def test_the_pairings_search_finds_a_name_with_its_table() -> None:
    event = an_event_in_play(8)
    call_ready_matches(event, 11, 14, by=SYSTEM_ACTOR)
    event = fresh(event)
    page = Client().get(path(event, "pairings/?q=Player 5")).content.decode()
    assert "Player 5" in page
    rows = page.split("<tbody>")[1].count("<tr")
    assert rows == 1
    assert any(f'<strong class="big-figure">{table}</strong>' in page for table in range(11, 15))


def test_a_name_with_markup_is_text() -> None:
    event = a_posted_event(2)
    event.entrants.filter(number=1).update(name="<b>Bold</b> & Co")
    for page in ("bracket/", "pairings/", "standings/", "wall/", "draw/"):
        cache.clear()
        shown = Client().get(path(event, page)).content.decode()
        assert "<b>Bold" not in shown


def test_the_export_has_the_final_places() -> None:
    event = an_event_in_play(4)
    play_all(event)
    export = Client().get(path(event, "standings/?_export=csv")).content.decode("utf-8-sig").splitlines()
    assert [row[0] for row in csv.reader(export[1:])] == ["1", "2", "3–4", "3–4"]


def test_a_refused_decision_keeps_the_typed_values() -> None:
    event = half_played(4)
    client = client_as("desk", event)
    page = path(event, "results/R1M2/", "desk")
    sides = client.get(page).context["form"].sides
    number = next(iter(sides))
    facts = {"ending": f"no-show:{number}", "reason": "", "key": "k"}
    refused = client.post(page, facts)
    assert refused.status_code == 422
    assert "checked" in refused.content.decode()
    assert client.post(page, {**facts, "reason": "called twice"}).status_code == 302
    assert the_match(event, "R1M2").results.get().winner.number == int(number)


def test_the_desk_sends_all_ready_matches_out() -> None:
    event = an_event_in_play(8)
    client = client_as("desk", event)
    page = path(event, "tables/", "desk")
    client.post(page, {"act": "all", "first": "1", "last": "3"})
    shown = client.get(page).content.decode()
    assert "3 matches have tables now." in shown
    assert "1 match needs a table" in shown
    client.post(page, {"act": "release", "match": "R1M1"})
    assert "2 matches need a table" in client.get(page).content.decode()


def test_a_long_list_of_tables_is_searched_by_name_number_and_table() -> None:
    event = half_played(32)
    desk = client_as("director", event)
    where = path(event, "tables/", "desk")

    def shown(query: str = "") -> list[str]:
        return re.findall(r'name="match" value="(\w+)"', desk.get(where + query).content.decode())

    match = load_event_stages(event).current_stage.match_states["R1M5"]
    name = event.entrants.get(number=match.entries[0]).name
    everything = shown()
    assert len(everything) > 10
    assert "R1M5" in shown(f"?q={name.upper()}") and "R1M5" in shown(f"?q={match.entries[1]}")
    assert len(shown("?q=3")) in (1, 2)
    assert shown("?q=nobody-of-this-name") == []
    form = {"act": "release", "match": everything[0]}
    assert desk.post(where + "?q=3", form).headers["location"].endswith("?q=3")
