"""From a closed registration to open score cards, by what the screens offer and nothing else, in twelve clicks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pairing.blind_draw.services import close_event
from pairing.models import TableCall
from scoring.models import Card
from tests.browser import look
from tests.factories import a_tournament, a_user, an_entrant, an_event
from tests.journeys import limits
from tests.journeys.person import Person
from tests.journeys.steps import sign_in
from tests.kit import desk_url
from tests.processes import Site
from tournament.core.permissions import SYSTEM
from tournament.models import Event

pytestmark = pytest.mark.browser

NAMES = ("Ada Lovelace", "Alan Turing", "Barbara Liskov", "Claude Shannon", "Edsger Dijkstra", "Grace Hopper")
CUT = ("seven of hearts", "queen of spades", "two of diamonds")
FITS = "document.documentElement.scrollWidth <= innerWidth"
SCREENS = ((1366, 768), (768, 1024), (360, 740))


class Director(Person):
    def sees(self, name: str) -> None:
        for width, height in SCREENS:
            self.page.set_viewport_size({"width": width, "height": height})
            look(self.page, f"{name}-{width}", contrast=width == 360)
            assert self.page.evaluate(FITS), f"{name}: wider than {width}"
        self.page.set_viewport_size({"width": 1366, "height": 768})


def test_score_cards_are_open_in_twelve_clicks(make_page: Callable[..., Page], live_site: Site) -> None:
    event = a_closed_event()
    page = make_page("desktop")
    sign_in(page, a_user("director", event.tournament))
    page.goto(desk_url(event, "today/"))
    director = Director(page)
    director.sees("today-closed")
    director.follows("Check in players")
    check_in(director, event)
    draw(director)
    director.follows("Start play and assign tables")
    director.sees("start-play")
    director.follows("Start play and assign tables")
    expect(page.get_by_text("Play has started, and the score cards are open.")).to_be_visible()
    director.sees("today-in-play")
    assert Event.objects.get(pk=event.pk).state == Event.State.IN_PLAY
    assert Card.objects.filter(match__event=event).count() == TableCall.objects.count() == 2
    limits.TO_OPEN_CARDS.holds_for(director)


def a_closed_event() -> Event:
    """Six have entered a free event, and one of them has not checked in."""
    event = an_event(a_tournament(), name="Spring Open", fee_cents=0)
    for turn, name in enumerate(NAMES):
        an_entrant(event, name, arrived=turn > 0)
    close_event(event, by=SYSTEM)
    return event


def check_in(director: Director, event: Event) -> None:
    director.clicks += 1
    director.page.locator("#arrived-1").click()
    expect(director.page.locator("#arrived-1")).to_contain_text("Undo")


def draw(director: Director) -> None:
    director.follows("Make the draw")
    for card in CUT:
        director.clicks += 1
        director.page.get_by_label(card).check(force=True)
    expect(director.page.locator("[data-cut-said]")).to_contain_text("7♥")
    director.sees("draw-cut")
    can_be_tapped(director.page)
    director.follows("Draw")
    director.sees("draw-preview")
    director.follows("Post the draw")


def can_be_tapped(page: Page) -> None:
    """On a phone each card has 44 pixels, and 8 to the next one."""
    page.set_viewport_size({"width": 360, "height": 740})
    boxes = [card.bounding_box() for card in page.locator(".suit-cards").first.locator(".pick").all()]
    first, second = boxes[0], boxes[1]
    assert first is not None and second is not None
    assert min(box["width"] for box in boxes if box) >= 44 and min(box["height"] for box in boxes if box) >= 44
    assert second["x"] - first["x"] - first["width"] >= 8
    page.set_viewport_size({"width": 1366, "height": 768})
