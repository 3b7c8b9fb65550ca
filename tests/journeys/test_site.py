"""Test pages of the whole site: the first page, the menu, rule sets, and signing in."""

from __future__ import annotations

import re
import time

import pytest
from allauth.mfa.totp.internal import auth
from playwright.sync_api import Page, expect

from scoring.rehearsal.services.demo import begin_demo_if_no_tournaments
from tests.browser import MakePage, look
from tests.factories import a_tournament, a_user, an_event
from tests.fonts import FONTS
from tests.journeys.steps import look_on_screens, sign_in
from tests.kit import desk_url
from tests.processes import Site
from tests.scoring.helpers.playing import a_drawn_event
from tests.screens import SIDEWAYS
from tournament.models import Tournament, User

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_the_first_page(make_page: MakePage, size: str) -> None:
    page = make_page(size)
    page.goto("/")
    expect(page.get_by_role("heading").first).to_be_visible()
    look(page, f"home-{size}")


def test_the_hall_address_is_no_secure_context(live_site: Site, make_page: MakePage) -> None:
    page = make_page("phone", base_url=live_site.hall)
    page.goto("/")
    assert page.evaluate("window.isSecureContext") is False
    assert page.evaluate("typeof crypto.subtle") == "undefined"


def test_the_policy_keeps_foreign_scripts_and_styles_out(make_page: MakePage) -> None:
    page = make_page("desktop")
    answer = page.goto("/")
    assert answer is not None
    policy = answer.header_value("content-security-policy") or ""
    parts = {part.strip() for part in policy.split(";")}
    assert {"script-src 'self'", "style-src 'self'", "default-src 'none'"} <= parts
    assert "unsafe" not in policy


@pytest.mark.parametrize("fonts", list(FONTS))
def test_pages_are_measured_with_the_widest_and_the_narrowest_font(make_page: MakePage, fonts: str) -> None:
    if not FONTS[fonts].found():
        pytest.skip("the fonts are not installed; on Debian:  apt-get install fonts-dejavu-core fonts-liberation")
    page, chosen = make_page("desktop", fonts=fonts), FONTS[fonts]
    page.goto("/")
    widths = {name: page.evaluate(WIDTH_OF, name) for name in ("sans-serif", "serif", chosen.sans, chosen.serif)}
    assert widths["sans-serif"] == widths[chosen.sans]
    assert widths["serif"] == widths[chosen.serif]
    assert (widths["sans-serif"] > LIKE_ARIAL) == (fonts == "wide")


LIKE_ARIAL = 930.0
"""The width in pixels of the text in `WIDTH_OF` in an ordinary font. The wide test fonts need more space."""
WIDTH_OF = """name => {
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = `100px ${name.includes(' ') ? `"${name}"` : name}`;
    return pen.measureText('Gentlemen 1234567890').width;
}"""


HEADER = 80
BOTTOM = "document.querySelector('#desk-nav .desk-nav-up').getBoundingClientRect().bottom"


def test_the_menu_fits_a_laptop_and_a_phone(make_page: MakePage) -> None:
    event = an_event(a_tournament(name="Palm Desert Gin Rummy Classic of the Coachella Valley", is_demo=True))
    director = a_user("director", event.tournament)
    desk = desk_url(event)
    page = make_page("desktop", viewport={"width": 1366, "height": 768})
    sign_in(page, director, to=f"{desk}format/")
    expect(page.locator("#desk-nav [open] > summary")).to_have_text("Setup")
    assert page.evaluate(BOTTOM) <= 768
    look(page, "menu-laptop", full_page=False)
    page.locator("#desk-nav summary", has_text="Players").click()
    expect(page.locator("#desk-nav [open]")).to_have_count(1)
    page.get_by_role("link", name="Check-in").click()
    expect(page.locator("#desk-nav [aria-current=true]")).to_have_text("Players")
    expect(page.locator("#desk-nav [aria-current=page]")).to_have_text("Check-in")
    page.set_viewport_size({"width": 768, "height": 1024})
    fits_the_phone(page)
    page.get_by_role("button", name="Menu").click()
    look(page, "menu-tablet", full_page=False)
    phone = make_page("phone")
    sign_in(phone, director, to=f"{desk}format/")
    fits_the_phone(phone)
    phone.get_by_role("button", name="Menu").click()
    expect(phone.get_by_role("link", name="Sign out")).to_be_visible()
    assert phone.evaluate(SIDEWAYS) == 0
    look(phone, "menu-phone")
    phone.goto("/desk/")
    fits_the_phone(phone)
    look(phone, "menu-phone-without")


def fits_the_phone(phone: Page) -> None:
    box = phone.locator(".site-head").bounding_box()
    assert box is not None
    assert box["height"] <= HEADER
    assert phone.evaluate(SIDEWAYS) == 0


ARIZONA = [*(f"{n}s" for n in range(3, 11)), "Jacks", "Queens", "Kings"]


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_a_director_picks_a_game_of_the_book_and_everybody_reads_its_rounds(make_page: MakePage, size: str) -> None:
    event = a_drawn_event(format="tables", format_options={"size": 4})
    path = f"{event.tournament.slug}/{event.slug}/rules/"
    page = make_page(size)
    sign_in(page, a_user("director", event.tournament))
    page.goto(f"/desk/{path}")
    look(page, f"rule-sets-{size}")
    page.get_by_role("link", name="Score pad").first.click()
    page.get_by_label("Use a game from the book").select_option("arizona-rummy")
    expect(page.get_by_label("Rounds").first).to_have_value("\n".join(ARIZONA))
    page.get_by_label("Remarks").fill("A new deck every round")
    page.get_by_label("Rounds").first.fill("x" * 61)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("This is too long: 60 characters at most.", exact=True)).to_be_visible()
    expect(page.get_by_label("Remarks")).to_have_value("A new deck every round")
    look(page, f"rule-sheet-refused-{size}")
    page.get_by_label("Rounds").first.fill("\n".join(["3s", "4s", "5s"]))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Rule sheet version 1 is saved.")).to_be_visible()
    page.goto(f"/t/{path}")
    expect(page.get_by_role("heading", name="Score pad")).to_be_visible()
    expect(page.get_by_text("A new deck every round")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == 0
    look(page, f"rules-pad-{size}")
    page.get_by_role("contentinfo").get_by_role("link", name="Rule sets").click()
    page.get_by_role("link", name="Fort Worth Gin").click()
    expect(page.get_by_role("heading", name="Wild rank of each hand")).to_be_visible()
    look(page, f"rule-set-fort-worth-{size}")


PASSWORD = "brass-felt-ivory-1"


def see(page: Page, name: str) -> None:
    look_on_screens(page, f"access-{name}", contrast_at=360)


def a_member(**more: object) -> User:
    user = a_user(**more)
    user.set_unusable_password()
    user.save()
    return user


def test_a_link_is_made_and_handed_over(make_page: MakePage, live_site: Site) -> None:
    tournament = a_tournament()
    desk, phone = make_page("desktop"), make_page("phone", base_url=live_site.hall)
    sign_in(desk, a_user("director", tournament), to=f"/desk/{tournament.slug}/staff/")
    expect(desk.get_by_role("radio", name="Hotel")).to_be_checked()
    see(desk, "staff")
    desk.get_by_label("Name").fill("Annamaria Hollingsworth-Featherstone")
    desk.get_by_label("Email").fill("annamaria.hollingsworth-featherstone@association.example.org")
    desk.get_by_role("radio", name=re.compile("^Desk")).check()
    desk.get_by_role("button", name="Add to the staff").click()
    expect(desk.get_by_role("heading", level=1)).to_contain_text("Sign-in link for Annamaria")
    see(desk, "link")
    link = desk.locator("[data-link]").inner_text().strip()
    phone.goto(link)
    see(phone, "sign-in")
    phone.get_by_role("button", name="Sign me in").click()
    expect(phone.get_by_role("heading", name="All events")).to_be_visible()
    desk.get_by_role("link", name="Back to the staff").click()
    see(desk, "staff-two")
    desk.get_by_role("button", name="New sign-in link for Annamaria").click()
    assert desk.locator("[data-link]").inner_text().strip() != link


def test_a_password_and_a_second_step_are_set_before_signing_out(make_page: MakePage) -> None:
    user = a_member(is_superuser=True)
    page = make_page("desktop")
    sign_in(page, user)
    see(page, "desk-empty")
    page.get_by_role("link", name="Sign out").click()
    see(page, "sign-out-without-password")
    page.get_by_role("link", name="Set a password first").click()
    see(page, "set-password")
    for field in ("password1", "password2"):
        page.locator(f"[name={field}]").fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    expect(page.get_by_role("heading", name="Sign out?")).to_be_visible()
    see(page, "sign-out")
    page.goto("/accounts/email/")
    see(page, "email")
    _second_step(page)
    page.goto("/accounts/logout/")
    page.get_by_role("main").get_by_role("button", name="Sign out").click()
    page.goto("/accounts/login/?next=/desk/")
    see(page, "login")
    page.locator("[name=login]").fill(user.email)
    page.locator("[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    see(page, "code")


def _second_step(page: Page) -> None:
    page.get_by_role("link", name="Two-factor").click()
    see(page, "two-factor")
    page.get_by_role("link", name="Set up the app").click()
    page.locator("[name=password]").fill(PASSWORD)
    see(page, "confirm")
    page.get_by_role("button", name="Confirm").click()
    see(page, "two-factor-app")
    secret = page.locator("strong.breaks").inner_text().strip()
    page.locator("[name=code]").fill(auth.format_hotp_value(auth.hotp_value(secret, int(time.time() // 30))))
    page.get_by_role("button", name="Turn on two-factor sign-in").click()
    expect(page.locator(".recovery-codes li")).to_have_count(10)
    see(page, "codes")
    page.emulate_media(media="print")
    look(page, "access-codes-paper", contrast=False)
    page.emulate_media(media="screen")


def test_pages_say_that_the_demo_is_loading(make_page: MakePage) -> None:
    begin_demo_if_no_tournaments()
    page = make_page("phone")
    for path, name in (("/", "home"), (f"/t/{Tournament.objects.get().slug}/", "tournament")):
        page.goto(path)
        expect(page.get_by_text(re.compile("The demo is loading"))).to_be_visible()
        see(page, f"loading-{name}")


def test_a_refused_form_is_as_it_was_typed_after_going_back(make_page: MakePage) -> None:
    tournament = a_tournament()
    page = make_page("desktop")
    sign_in(page, a_user("director", tournament), to=f"/desk/{tournament.slug}/staff/")
    page.get_by_label("Name").fill("Dora Quist")
    page.get_by_label("Email").fill("no address")
    page.get_by_role("button", name="Add to the staff").click()
    expect(page.get_by_role("link", name="Email: Enter a valid email address.")).to_be_visible()
    page.goto("/desk/")
    page.go_back()
    expect(page.get_by_label("Name")).to_have_value("Dora Quist")
