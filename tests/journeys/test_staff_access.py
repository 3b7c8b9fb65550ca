"""How staff come in and stay able to: the first step on an empty desk, a link to hand over, a password, a code."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from allauth.mfa.totp.internal import auth
from playwright.sync_api import Page, expect

from scoring.rehearsal.services.demo import begin_if_empty
from tests.browser import look
from tests.factories import a_tournament, a_user
from tests.journeys.steps import sign_in
from tests.processes import Site
from tests.screens import SIDEWAYS
from tournament.models import Tournament, User

pytestmark = pytest.mark.browser

SIZES = ((360, 740), (768, 1024), (1366, 768))
PASSWORD = "brass-felt-ivory-1"


def see(page: Page, name: str) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(SIDEWAYS) == 0, f"{name} is wider than {width}"
        look(page, f"access-{name}-{width}", contrast=width == 360)


def a_member(**more: object) -> User:
    user = a_user(**more)
    user.set_unusable_password()
    user.save()
    return user


def test_a_link_is_made_and_handed_over(make_page: Callable[..., Page], live_site: Site) -> None:
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


def test_a_password_and_a_second_step_are_set_before_signing_out(
    make_page: Callable[..., Page], live_site: Site
) -> None:
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


def test_pages_say_that_the_demo_is_loading(make_page: Callable[..., Page], live_site: Site) -> None:
    begin_if_empty()
    page = make_page("phone")
    for path, name in (("/", "home"), (f"/t/{Tournament.objects.get().slug}/", "tournament")):
        page.goto(path)
        expect(page.get_by_text(re.compile("The demo is loading"))).to_be_visible()
        see(page, f"loading-{name}")


def test_a_refused_form_is_as_it_was_typed_after_going_back(make_page: Callable[..., Page], live_site: Site) -> None:
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
