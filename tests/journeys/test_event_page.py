"""Somebody of 70 who has never heard of the site: two taps from the event page to table and opponent."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pairing.desk.services.sending import call_to_table
from pairing.results.services.finish import finish_event
from pairing.stages.selectors.course import load_course
from tests.browser import look, write
from tests.kit import fresh, public_url
from tests.pairing.helpers.events import an_event_in_play, an_open_event, play_all, the_match, win
from tests.processes import Site
from tests.screens import SIDEWAYS
from tournament.core.permissions import SYSTEM

pytestmark = pytest.mark.browser


def test_two_taps_to_table_and_opponent(make_page: Callable[..., Page], live_site: Site) -> None:
    event = an_event_in_play(16)
    event.entrants.filter(number=3).update(name="Zoë Łukasz")
    progress = load_course(event).progress
    assert progress is not None
    first = progress.way_of(3)[0]
    opponent = event.entrants.get(number=next(number for number in first.entries if number != 3)).name
    call_to_table(the_match(event, first.match.id), 30, by=SYSTEM)
    phone = make_page("phone")
    phone.goto(public_url(event))
    look(phone, "event-now")
    assert phone.evaluate(SIDEWAYS) == 0
    expect(phone.get_by_text("Next: Quarterfinals.")).to_be_visible()
    expect(phone.get_by_role("link", name="Open your own page")).to_be_visible()
    phone.get_by_label("Find a player").tap()
    write(phone, "zoe")
    row = phone.locator("#found .found-row")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Zoë Łukasz")
    expect(row).to_contain_text(f"Plays {opponent}")
    expect(row.locator(".table-ring")).to_have_text("Table 30")
    look(phone, "event-found")
    other = next(view.match.id for view in progress.ready if view.match.id != first.match.id)
    win(event, other)
    expect(phone.locator("#latest")).to_be_visible()
    expect(phone.get_by_label("Find a player")).to_have_value("zoe")
    expect(row).to_have_count(1)
    row.tap()
    main = phone.get_by_role("main")
    for said in ("Zoë Łukasz", opponent, "Table 30", "Next match", "Quarterfinal"):
        expect(main).to_contain_text(said)
    look(phone, "event-found-match")
    for size, name in (((768, 1024), "event-768"), ((1366, 768), "event-1366")):
        phone.set_viewport_size({"width": size[0], "height": size[1]})
        phone.goto(public_url(event))
        assert phone.evaluate(SIDEWAYS) == 0
        look(phone, name)


def test_before_and_after_play(make_page: Callable[..., Page], live_site: Site) -> None:
    before, over = an_open_event(4), an_event_in_play(8)
    play_all(over)
    finish_event(fresh(over), by=SYSTEM)
    for event, name in ((before, "event-before"), (over, "event-over")):
        phone = make_page("phone")
        phone.goto(public_url(event))
        assert phone.evaluate(SIDEWAYS) == 0
        look(phone, name)


def test_the_wall_explains_boxes_only_beside_boxes(make_page: Callable[..., Page], live_site: Site) -> None:
    event = an_event_in_play(4)
    play_all(event)
    wall = make_page("wall")
    wall.goto(public_url(event, "wall/"))
    legend = wall.get_by_role("list", name="What the boxes mean", include_hidden=True)
    expect(legend).to_be_visible()
    finish_event(fresh(event), by=SYSTEM)
    expect(wall.get_by_role("heading", name="Winners")).to_be_visible()
    expect(legend).to_be_hidden()
