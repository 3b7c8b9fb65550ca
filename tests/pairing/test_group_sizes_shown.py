"""On the pages: groups of different size with their reason in words, and rounds that cannot do without a rematch."""

from __future__ import annotations

import html
import random
import re

import pytest
from django.test import Client

from pairing.selectors.rematches import load_too_many_rounds
from tests.factories import a_user
from tests.pairing.events import an_open_event, fresh
from tests.pairing.test_stages import course_of, decide_ready, staged
from tournament.models import Event

pytestmark = pytest.mark.django_db


def text_of(client: Client, path: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", client.get(path).content.decode())).split())


def desk(event: Event, page: str) -> tuple[Client, str]:
    client = Client()
    client.force_login(a_user("director", event.tournament))
    return client, f"/desk/{event.tournament.slug}/{event.slug}/{page}/"


def played_out(entrants: int) -> Event:
    event = staged(
        entrants,
        {"kind": "round-robin", "groups": 2},
        {"kind": "play-off", "places": 2},
        {"kind": "single-elimination"},
    )
    while not course_of(event).current.pool.is_complete:  # type: ignore[union-attr]
        decide_ready(event, random.Random(14))
    return fresh(event)


def test_groups_of_different_size_say_that_they_are_compared_by_the_match() -> None:
    event = played_out(7)
    pool = course_of(event).current.pool
    assert pool is not None and sorted(len(part.entries) for part in pool.parts) == [3, 4]
    text = text_of(Client(), f"/t/{event.tournament.slug}/{event.slug}/stages/")
    assert "compared by the share of matches won" in text
    assert re.search(r"Group \d, \d–\d\. Before .* by (share of wins, \d of \d \(\d+%\)|opponents’ wins a match)", text)


def test_groups_of_one_size_are_compared_by_plain_wins() -> None:
    event = played_out(6)
    text = text_of(Client(), f"/t/{event.tournament.slug}/{event.slug}/stages/")
    assert "share of" not in text
    assert re.search(
        r"Group \d, \d–\d\. Before .* by (wins|fewest losses|head to head|opponents’ wins|point spread)", text
    )


def an_event_of(entrants: int, rounds: int, **more: object) -> Event:
    stages = [{"kind": "swiss", "rounds": rounds, **more}]
    return an_open_event(entrants, format="stages", format_options={"stages": stages})


def test_the_form_of_the_plan_warns_of_more_rounds_than_go_without_a_rematch() -> None:
    event = an_event_of(4, 5)
    said = "5 rounds are planned. The 4 in the field can play 3 without a rematch."
    assert said in text_of(*desk(event, "format"))
    assert "without a rematch" not in text_of(*desk(an_event_of(4, 3), "format"))
    assert "without a rematch" not in text_of(*desk(an_event_of(5, 5), "format"))
    assert "without a rematch" not in text_of(*desk(an_event_of(0, 5), "format"))


def test_the_desk_warns_of_it_and_counts_who_is_still_in() -> None:
    event = staged(4, {"kind": "swiss", "rounds": 5})
    assert "5 rounds are planned. The 4 in the field can play 3 without a rematch." in text_of(*desk(event, "pairing"))
    assert "without a rematch" not in text_of(*desk(staged(4, {"kind": "swiss", "rounds": 3}), "pairing"))


def test_a_stage_to_come_is_warned_of_by_how_many_go_on_to_it() -> None:
    event = an_open_event(
        12,
        format="stages",
        format_options={"stages": [{"kind": "fixed", "games": 3, "best": 4}, {"kind": "swiss", "rounds": 6}]},
    )
    (found,) = load_too_many_rounds(event)
    assert (found.stage, found.rounds, found.field, found.most) == ("Swiss rounds", 6, 4, 3)
