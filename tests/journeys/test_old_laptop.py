"""Test two laptops with real processes after the second one has taken over.

A director adds actions that only the old laptop recorded, or leaves them out.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from laptop.prepare import make_migrated_database
from tests.browser import Browsers, look, open_context
from tests.journeys.steps import record_hand
from tests.laptop.runs import manage, page, pids, serve, starting
from tests.processes import free_port, until
from tests.screens import unfit

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.sample("two laptops", 2)]

START = "from tournament.core.services.secrets import exit_on_wrong_secrets; exit_on_wrong_secrets()"
EVENT = """
import json
from tests.factories import a_user, an_event
from tests.scoring.helpers.playing import an_event_in_play, cut_for, the_card
from tournament.setup.services.sign_in import make_sign_in_link
event = an_event_in_play()
card = the_card(event)
cut_for(card)
desk = f"/desk/{event.tournament.slug}/{event.slug}/"
print(json.dumps({
    "tournament": f"/desk/{event.tournament.slug}/",
    "desk": desk,
    "card": f"/my/{card.entrants[0].token}/card/{card.token}/",
    "register": f"/t/{event.tournament.slug}/{an_event(event.tournament).slug}/register/",
    "sign_in": make_sign_in_link(a_user("desk", event.tournament, name="Dora Desk"), goes_to=f"{desk}entrants/1/pay/"),
}))
"""
SIGN_IN = """
from tests.factories import a_user
from tournament.models import Tournament
from tournament.setup.services.sign_in import make_sign_in_link
print(make_sign_in_link(a_user("director", Tournament.objects.get(), name="Rosa Director"), goes_to="/desk/"))
"""


def shell(folder: Path, code: str) -> str:
    return manage(folder, "shell", "--no-imports", "-c", code).splitlines()[-1]


def an_installation(folder: Path) -> Path:
    folder.mkdir()
    make_migrated_database(Path(sys.executable)).copy_to(folder / "db.sqlite3")
    (folder / "secrets.env").write_text("SECRET_KEY=first\nSEAL_SECRET=first\n")
    manage(folder, "shell", "--no-imports", "-c", START)
    return folder


def link_of(folder: Path) -> dict[str, Any]:
    file = folder / "second-laptop" / "link.json"
    return json.loads(file.read_text()) if file.exists() else {}


def sign_in(page: Page, token: str) -> None:
    page.goto(f"/sign-in/{token}/")
    page.get_by_role("button", name="Sign me in").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def record_hand_and_payments(phone: Page, desk: Page, event: dict[str, str]) -> None:
    phone.goto(event["card"])
    phone.get_by_role("link", name=re.compile("Enter hand")).click()
    record_hand(phone, "8H", "gin", "0", "20")
    expect(phone.get_by_role("link", name="Enter hand 2")).to_be_visible()
    sign_in(desk, event["sign_in"])
    for dollars in ("75", "5"):
        desk.goto(f"{event['desk']}entrants/1/pay/")
        desk.locator('input[name="cents"]').fill(dollars)
        desk.get_by_role("button", name="Take payment", exact=True).click()
        expect(desk.locator("#messages")).to_contain_text(f"${dollars}.00")


def register(phone: Page, event: dict[str, str]) -> str:
    """Enter a player, and return the path of the private link that the phone shows."""
    phone.goto(event["register"])
    phone.locator('input[name="name"]').fill("Alan Turing")
    phone.get_by_role("button", name="Enter", exact=True).click()
    link = phone.locator("#my-link").locator("..").get_by_role("link")
    return urlsplit(link.get_attribute("href") or "").path


def decide_about_each_action(director: Page) -> None:
    hand = director.get_by_role("listitem").filter(has_text="Hand recorded")
    payments = director.get_by_role("listitem").filter(has_text="Payment recorded")
    entry = director.get_by_role("listitem").filter(has_text="Entry added")
    for width in (390, 1366):
        director.set_viewport_size({"width": width, "height": 800})
        look(director, f"old-laptop-{width}")
        assert unfit(director) == []
    expect(hand).to_contain_text("Hand 1: Ada went gin with 0 against 20")
    hand.get_by_role("button", name="Add").click()
    expect(director.get_by_text(re.compile("^Added: Hand recorded"))).to_be_visible()
    expect(payments.first).to_contain_text("signed in only on the old laptop")
    payments.first.get_by_role("button", name="Add").click()  # by Dora, who signed in only there
    expect(director.get_by_text(re.compile("^Added: Payment recorded"))).to_be_visible()
    payments.get_by_role("button", name="Leave out").click()
    entry.get_by_role("button", name="Add").click()
    expect(director.get_by_text(re.compile("^Added: Entry added"))).to_be_visible()
    expect(director.get_by_text("Nothing left to decide")).to_be_visible()


def test_what_only_the_old_laptop_has_is_added_or_left_out(chromium: Browsers, tmp_path: Path) -> None:
    first, second = an_installation(tmp_path / "first"), an_installation(tmp_path / "second")
    event = json.loads(shell(first, EVENT))
    link_port = free_port()
    words = manage(first, "second_laptop", "add")

    def open_page(port: int, size: str = "desktop") -> Page:
        return open_context(chromium("wide"), size, base_url=f"http://127.0.0.1:{port}").new_page()

    with starting(first, first) as start_first, starting(second, second) as start_second:
        first_port, first_run = serve(start_first, LINK_PORT=str(link_port), BACKUPS="0")
        until(lambda: "link" in pids(first_run), first_run)
        until(lambda: "second" in str(joined(second, link_port, words)), first_run)
        second_port, second_run = serve(start_second, LINK_PORT=str(free_port()), BACKUPS="0")
        until(lambda: "has everything" in page(second_port, "/second-laptop/"), second_run)

        link = pids(second_run)["link"]
        os.kill(link, signal.SIGSTOP)
        record_hand_and_payments(open_page(first_port, "phone"), open_page(first_port), event)
        photographed_link = register(open_page(first_port, "phone"), event)

        manage(second, "second_laptop", "take-over")
        with suppress(ProcessLookupError):  # the supervisor starts everything again after a takeover
            os.kill(link, signal.SIGKILL)
        until(lambda: link_of(first).get("role") == "shut-out", first_run)
        until(lambda: (second / "second-laptop" / "missing-acts.json").exists(), second_run)
        until(lambda: "Recorded only here" in page(first_port, "/second-laptop/"), first_run)
        old_screen = open_page(first_port)
        old_screen.goto("/second-laptop/")
        look(old_screen, "shut-out-laptop")

        director = open_page(second_port)
        sign_in(director, shell(second, SIGN_IN))
        director.goto(event["desk"])
        director.get_by_role("link", name="4 actions were recorded only on the old laptop").click()
        decide_about_each_action(director)

        phone = open_page(second_port, "phone")
        phone.goto(event["card"])
        expect(phone.get_by_role("link", name="Enter hand 2")).to_be_visible()
        phone.goto(photographed_link)
        expect(phone.get_by_role("heading", level=1)).to_contain_text("Alan Turing")
        director.goto(f"{event['tournament']}log/")
        expect(director.get_by_text("Action from the old laptop added").first).to_be_visible()
        expect(director.get_by_text("Dora Desk signed in only on the old laptop.")).to_be_visible()
        expect(director.get_by_text("Action from the old laptop left out")).to_be_visible()


def joined(second: Path, port: int, words: str) -> str:
    """Let the second laptop follow the first one, and return the second laptop's role.

    Return an empty string if the first laptop does not accept connections yet.
    """
    try:
        manage(second, "second_laptop", "join", f"127.0.0.1:{port}", words, "--yes")
    except CalledProcessError:
        return ""
    return str(link_of(second).get("role", ""))
