"""Test every page of the site on screens of four widths, light and dark, in English and in a longer pseudo-language.

`make test-long` and `make sheets` run this file. Its name keeps it out of ordinary test runs. The pictures are saved
in var/screenshots/pages/<page>/, and `python -m tests.devtools.contact_sheets` combines them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page

from tests.browser import SCREENSHOTS, MakePage, axe_faults, photograph, still
from tests.config.hall import Hall, routes
from tests.journeys.every_page import ELSEWHERE, Place, half_played, pages_of
from tests.processes import Site, site_of
from tests.screens import WALL, WIDTHS, set_screen, unfit
from tournament.models import User

pytestmark = pytest.mark.browser

ANSWERS: Final = (200, 403, 404)
ACCOUNT: Final = ("email", "password/change", "2fa", "2fa/totp/activate", "logout", "reauthenticate")
ENTRANCE: Final = ("login", "password/reset")
THEMES: Final = ("light", "dark")
CONTRAST_AT: Final = {(360, "light"), (1366, "light"), (360, "dark")}
"""Screens with a contrast check, which takes four times as long as all other checks."""
ONLY: Final = tuple(os.environ.get("ONLY", "").split(","))
"""Parts of page names to check (`make sheets ONLY=prints,draw`)."""
PARTS: Final = 6 if ONLY == ("",) else 1
LANGUAGES: Final = ("english", "pseudo")


@pytest.fixture(scope="session")
def pseudo_site(broker: str, django_db_setup: None) -> Iterator[Site]:
    """Run a second site with the same database in a pseudo-language."""
    with site_of(broker, "pseudo", {"TEST_LANGUAGE": "pseudo", "CACHE_PREFIX": "pseudo"}) as site:
        yield site


def places_of_the_hall(hall: Hall) -> list[Place]:
    """Return the pages that the half-played event cannot show.

    Their URLs belong to other events, those of `hall`.
    """
    found = []
    for name, wanted, at in routes():
        space, _, short = name.partition(":")
        if space in ("tournament", "pairing", "scoring") and short in ELSEWHERE:
            found.append(Place(name.replace(":", "-"), hall.address("director", name, wanted, at)))
    return found


def places_of_accounts() -> list[Place]:
    return [Place(f"account-{name.replace('/', '-')}", f"/accounts/{name}/") for name in ACCOUNT]


def places_of_strangers(tournament: str) -> list[Place]:
    """Return the pages for users who are not signed in, and the error pages."""
    found = [Place(f"account-{name.replace('/', '-')}", f"/accounts/{name}/") for name in ENTRANCE]
    return [*found, Place("error-404", "/nowhere/"), Place("error-no-event", f"/t/{tournament}/nothing/")]


Walk = tuple[User | None, list[Place]]


def walks() -> list[Walk]:
    made, hall = half_played(), Hall()
    director = made.director
    places = [*pages_of(made), *places_of_accounts()]
    refused = [Place("error-403", f"{made.desk}today/")]
    return [
        (director, places),
        (hall.users["director"], places_of_the_hall(hall)),
        (None, places_of_strangers(made.event.tournament.slug)),
        (hall.users["elsewhere"], refused),
    ]


def carry_in(page: Page, user: User | None, site: Site) -> None:
    """Sign the user in with a session cookie, because the sign-in page may be in any language."""
    if user is None:
        return
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    name = settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": site.url}])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_on_every_screen(
    live_site: Site, pseudo_site: Site, make_page: MakePage, part: int, language: str
) -> None:
    site = live_site if language == "english" else pseudo_site
    faults, seen = [], 0
    for user, places in walks():
        page = make_page("desktop", base_url=site.url)
        carry_in(page, user, site)
        for place in [place for place in places if any(some in place.name for some in ONLY)][part::PARTS]:
            answer = page.goto(place.path)
            assert answer is not None
            if answer.status not in ANSWERS:
                continue
            seen += 1
            faults += [f"{place.name} {place.path}, {fault}" for fault in faults_in_both_lights(page, place, language)]
    assert seen > 5 or PARTS == 1
    assert not faults, "\n\n".join(faults)


def faults_in_both_lights(page: Page, place: Place, language: str) -> Iterator[str]:
    wall = page.locator("body.wall").count() > 0
    screens: dict[Any, Any] = {WALL[0]: WALL[1]} if wall else WIDTHS
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for width, height in screens.items():
            set_screen(page, width, height)
            at = f"{width} {theme} {language}"
            if theme == "light":
                yield from (f"{at}: {fault}" for fault in unfit(page))
            with still(page):
                if language == "english" and (wall or (width, theme) in CONTRAST_AT):
                    faults = axe_faults(page)
                else:
                    faults = axe_faults(page, contrast=False) if theme == "light" else []
                keep_picture(page, place, f"{width}-{theme}-{language}")
            yield from (f"{at}: {fault}" for fault in faults)


def keep_picture(page: Page, place: Place, screen: str) -> None:
    (SCREENSHOTS / "pages" / place.name).mkdir(parents=True, exist_ok=True)
    photograph(page, f"pages/{place.name}/{screen}", full_page=page.locator("body.wall").count() == 0)
