"""Test that a director can save a tournament as a file, and open this file as a copy, which can be removed.

All pages of the copy must be marked.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import MakePage, look
from tests.journeys.steps import look_on_screens, played, sign_in
from tests.kit import public_url
from tests.processes import Process
from tournament.models import Event, Tournament

pytestmark = pytest.mark.browser

SCREENS = {390: 844, 1366: 768}
COPY = ".demo-mark.is-copy"


def test_a_tournament_is_taken_home_and_opened_as_a_copy(make_page: MakePage, worker: Process, tmp_path: Path) -> None:
    event = played(4, "drawn").event
    page = make_page("desktop", viewport={"width": 1366, "height": 768})
    file = take_home(page, event, tmp_path)
    open_file(page, file)
    expect(page.get_by_role("heading", name="This tournament is on this computer already")).to_be_visible()
    look_on_screens(page, "tournament-file", SCREENS, contrast_at=390)
    page.get_by_role("button", name="Open as a copy").click()
    expect(page.get_by_text("This is a copy.")).to_be_visible()
    expect(page.locator(COPY)).to_have_text("COPY")
    look(page, "copy")
    copy = Tournament.objects.get(is_copy=True).events.get(slug=event.slug)
    look_at_the_marks(page, make_page("phone"), copy)
    remove(page, copy)
    assert list(Tournament.objects.all()) == [event.tournament]


def take_home(page: Page, event: Event, folder: Path) -> Path:
    director = event.tournament.roles.filter(role="director")[0].user
    sign_in(page, director, to=f"/desk/{event.tournament.slug}/")
    page.get_by_role("link", name="Tournament file", exact=True).click()
    look_on_screens(page, "take-home", SCREENS, contrast_at=390)
    with page.expect_download() as coming:
        page.get_by_role("button", name="Download this tournament as a file").click()
    file = folder / coming.value.suggested_filename
    coming.value.save_as(file)
    assert re.fullmatch(rf"{event.tournament.slug}-\d{{4}}-\d\d-\d\d-\d{{4}}\.tournament\.zip", file.name)
    return file


def open_file(page: Page, file: Path) -> None:
    page.goto("/desk/")
    page.get_by_role("link", name="Open a tournament file").click()
    look_on_screens(page, "open-file", SCREENS, contrast_at=390)
    page.get_by_label("The file of a tournament").set_input_files(file)
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("The file is whole.")).to_be_visible()


def look_at_the_marks(desk: Page, phone: Page, copy: Event) -> None:
    phone.goto("/")
    expect(phone.locator(COPY)).to_have_count(0)
    for address in (public_url(copy), public_url(copy, "wall/"), f"/my/{copy.entrants.all()[0].token}/"):
        phone.goto(address)
        expect(phone.locator(COPY)).to_be_visible()
    desk.goto("/desk/")
    expect(desk.locator(COPY)).to_have_count(1)


def remove(page: Page, copy: Event) -> None:
    page.goto(f"/desk/{copy.tournament.slug}/")
    page.get_by_role("link", name="Remove this copy").click()
    page.get_by_role("button", name="Remove the copy of").click()
    expect(page.get_by_text("The copy is removed.")).to_be_visible()
