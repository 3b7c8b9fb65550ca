"""The desk by keyboard only: Enter sends, two by numbers, a hold, the settings; every page of it fits both sizes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from pairing.models import Pairing
from tests.browser import press, write
from tests.factories import a_user
from tests.journeys.every_page import LONG_NAME
from tests.journeys.steps import faults_of, sign_in
from tests.kit import desk_url, public_url
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged, won
from tests.processes import Site, until

pytestmark = pytest.mark.browser


def test_a_desk_by_keyboard(live_site: Site, make_page: Callable[..., Page]) -> None:
    event = staged(8, QUALIFIER, FINALS)
    event.entrants.filter(number=3).update(name=LONG_NAME)
    director = a_user("director", event.tournament)
    page = make_page("desktop")
    desk = desk_url(event, "pairing/")
    public = public_url(event, "pairings/why/")
    sign_in(page, director, to=desk)
    expect(page.get_by_role("button", name="Start these 4 matches")).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_text("Sent to tables: ")).to_be_visible()
    assert Pairing.objects.count() == 4
    first, second = (course_of(event).current.matches[ident].meeting.sides for ident in ("G1", "G2"))
    for ident, (one, other) in (("G1", first), ("G2", second)):
        won(event, ident, one, other)
    expect(page.get_by_role("button", name="Start these 2 matches")).to_be_focused()
    press(page, "F2")
    write(page, str(first[0]))
    press(page, "Tab")
    write(page, str(first[1]))
    press(page, "Enter")
    expect(page.get_by_text("have met before")).to_be_visible()
    expect(page.get_by_label("Reason")).to_be_focused()
    write(page, "they asked for it")
    faults = faults_of(page, "desk-by-hand")
    press(page, "Enter")
    expect(page.get_by_text("Paired by hand: ")).to_be_visible()
    made = Pairing.objects.latest("pk")
    faults += faults_of(page, "desk-sent")
    paths = (desk, f"{desk}by-hand/?one={second[0]}", f"{desk}settings/", f"{desk}{made.pk}/take-back/", public)
    for number, path in enumerate((*paths, f"{public}{made.pk}/", f"{public}{Pairing.objects.earliest('pk').pk}/")):
        page.goto(path)
        faults += faults_of(page, f"desk-{number}")
    assert not faults, "\n\n".join(faults)


def test_news_that_was_on_its_way_leaves_what_was_typed_meanwhile(
    live_site: Site, make_page: Callable[..., Page]
) -> None:
    event = staged(8, QUALIFIER, FINALS)
    page, held = make_page("desktop"), list[Route]()
    sign_in(page, a_user("director", event.tournament), to=desk_url(event, "pairing/"))
    press(page, "Enter")
    expect(page.get_by_text("Sent to tables: ")).to_be_visible()
    page.route("**/pairing/", lambda route: held.append(route) if len(held) < 2 else route.continue_())
    for ident in ("G1", "G2"):
        won(event, ident, *course_of(event).current.matches[ident].meeting.sides)
    until(lambda: page.wait_for_timeout(50) or len(held) == 2)
    press(page, "F2")
    write(page, "1")
    for route in held:
        route.continue_()
    expect(page.get_by_role("button", name="Start these 2 matches")).to_be_visible()
    expect(page.get_by_role("textbox", name="Number")).to_have_value("1")
