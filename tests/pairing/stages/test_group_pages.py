from __future__ import annotations

import io
import random
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from pypdf import PdfReader

from pairing.stages.pdf.games import write_group_crosstables
from pairing.stages.pictures.groups import PAGE_GROUP_DIMENSIONS, describe_group_row, draw_group, load_group_board
from pairing.stages.services.stages import open_next_stage
from tests.kit import fresh, public_url
from tests.pairing.helpers.events import an_event_in_play
from tests.pairing.helpers.stages import begun, course_of, decide_ready, in_groups
from tournament.core.permissions import SYSTEM_ACTOR

pytestmark = pytest.mark.django_db

LONG = "Maximiliane Featherstonehaugh"


def test_a_row_says_every_game_in_words_and_in_its_cell() -> None:
    event = begun()
    groups = load_group_board(event)
    assert groups is not None and [len(table.rows) for table in groups.groups] == [4, 4]
    table = next(table for table in groups.groups if any(row.wins for row in table.rows))
    first, loser = table.rows[0], next(row for row in table.rows if row.losses)
    assert f"beat {groups.name(loser.entry)} 250 to 180" in describe_group_row(table, groups, first)
    assert f"lost to {groups.name(first.entry)} 180 to 250" in describe_group_row(table, groups, loser)
    shown = draw_group(table, groups, PAGE_GROUP_DIMENSIONS)
    assert [shown.count(text) for text in (">✓ 250</text>", ">✗ 180</text>", ">1–0</text>", ">+70</text>")] == [1] * 4
    assert sum(draw_group(each, groups, PAGE_GROUP_DIMENSIONS).count(">T 7</text>") for each in groups.groups) == 2


@pytest.mark.parametrize(("entrants", "groups"), [(6, 2), (12, 3)])
@pytest.mark.parametrize(("page", "count"), [("groups/", 16), ("wall/", 17)])
def test_the_pages_ask_the_same_number_of_questions(
    page: str, count: int, entrants: int, groups: int, django_assert_num_queries: Any
) -> None:
    event = begun(entrants, groups)
    cache.clear()
    with django_assert_num_queries(count):
        assert Client().get(public_url(event, page)).status_code == 200


def test_my_group_is_found_and_a_long_name_is_text() -> None:
    event = begun()
    event.entrants.filter(number=3).update(name=f"<i>{LONG}")
    page = Client().get(public_url(event, "groups/?me=featherstone")).content.decode()
    assert page.count('<section class="group"') == 1
    assert "group-mine" in page and "<i>Max" not in page and f"&lt;i&gt;{LONG}" in page
    assert "No entrant in the groups" in Client().get(public_url(event, "groups/?me=Zenobia")).content.decode()


def test_the_wall_shows_the_groups_while_they_are_played_and_then_the_bracket() -> None:
    event = begun()
    wall = Client().get(public_url(event, "wall/")).content.decode()
    assert "wall-groups" in wall and "group-picture" in wall
    assert '<span class="visually-hidden">Table </span>7</span>' in wall
    dice = random.Random(1)
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, dice)
    open_next_stage(event, by=SYSTEM_ACTOR)
    later = Client().get(public_url(event, "wall/")).content.decode()
    assert "wall-groups" not in later and "wall-bracket" in later
    assert Client().get(public_url(event, "groups/")).status_code == 200


def test_the_groups_are_printed_as_many_on_a_sheet_as_fit() -> None:
    event = begun(8, 2)
    event.entrants.filter(number=3).update(name=LONG)
    groups = load_group_board(fresh(event))
    assert groups is not None
    target = io.BytesIO()
    assert write_group_crosstables(target, "Desert Classic", groups) == 1
    text = PdfReader(target).pages[0].extract_text()
    assert all(name in text for name in (LONG, "Player 1", "Player 8", "✓ 250", "T 7"))
    large = load_group_board(in_groups(40, 1))
    assert large is not None
    target = io.BytesIO()
    assert write_group_crosstables(target, "Desert Classic", large) == 1
    text = PdfReader(target).pages[0].extract_text()
    assert all(f"Player {number}" in text for number in range(1, 41))


def test_an_event_without_groups_has_no_such_page() -> None:
    event = an_event_in_play(4)
    assert Client().get(public_url(event, "groups/")).headers["Location"] == public_url(event, "bracket/")


def test_the_private_link_leads_to_the_group_and_later_to_the_path() -> None:
    event, dice = in_groups(8, 2), random.Random(1)

    def leads(number: int) -> str:
        token = event.entrants.get(number=number).token
        page = Client().get(f"/my/{token}/").content.decode()
        assert f"/my/{token}/path/" in page
        return str(Client().get(f"/my/{token}/path/").headers["Location"])

    assert leads(1) == public_url(event, "groups/?me=1")
    while not course_of(event).current_stage.is_complete:
        decide_ready(event, dice)
    entries = open_next_stage(event, by=SYSTEM_ACTOR).entries
    out = next(number for number in range(1, 9) if number not in entries)
    assert leads(entries[0]) == public_url(event, f"bracket/?me={entries[0]}")
    assert leads(out) == public_url(event, f"groups/?me={out}")
