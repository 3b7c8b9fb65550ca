"""Test that a match can be scored while the network comes and goes, and that no hand is lost or doubled.

The site's host name is not localhost, so browsers do not trust it over plain http. Over https with the site's own
certificate, a card opens again without a network. Over http, only an open page stores hands and sends them later.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, BrowserType, Page, expect

from laptop.reach import Certificates, ensure_certificates, make_tls_environment
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, add_line
from scoring.models import Card, SheetLine
from tests.browser import FLAGS, Browsers, chromium_path, look, open_context
from tests.codes import codes_in
from tests.journeys.steps import leave_network, record_hand
from tests.processes import APPLICATION, Site, answers_by_tls, free_port, running, until
from tests.scoring.helpers.playing import an_event_in_play, cut_for, gin, the_card, the_director
from tournament.models import Entrant

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Phone:
    """A phone's browser, which opens a score card with a private link."""

    context: BrowserContext
    page: Page
    card: str

    def open(self) -> None:
        self.page.goto(self.card)

    def start_hand(self) -> None:
        self.page.get_by_role("link", name=re.compile("Enter hand")).click()

    def enter(self, rank: str, count: int) -> None:
        record_hand(self.page, f"{rank}H", "gin", "0", str(count))


def counts(card: Card) -> list[int]:
    return [line.line["counts"]["B"] for line in load_card_state_by_pk(card.pk).lines]


@contextmanager
def safe_site(files: Certificates, broker: str) -> Iterator[int]:
    """Run a second server of the site over https, and yield its port."""
    port = free_port()
    command = [APPLICATION, "--interface", "asgi", "--no-ws", "--port", str(port)]
    told = {"REDIS_URL": broker, **make_tls_environment(files)}
    rest = ["--workers-kill-timeout", "1", "--log-level", "warning"]
    with running("safe-site", "granian", told, *command, *rest) as process:
        until(lambda: answers_by_tls(port, files.authority), process)
        yield port


@contextmanager
def trusting(browser_type: BrowserType, files: Certificates) -> Iterator[Browser]:
    """Start a browser that trusts certificates from the site's own authority."""
    key = x509.load_pem_x509_certificate(files.authority.read_bytes()).public_key()
    digest = hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    trusted = f"--ignore-certificate-errors-spki-list={base64.b64encode(digest).decode()}"
    browser = browser_type.launch(executable_path=chromium_path(), headless=True, args=[*FLAGS, trusted])
    yield browser
    browser.close()


def a_phone(browser: Browser, site: str, entrant: Entrant, card: Card) -> Phone:
    context = open_context(browser, "phone", base_url=site)
    phone = Phone(context, context.new_page(), f"/my/{entrant.token}/card/{card.token}/")
    phone.open()
    return phone


def test_a_match_is_scored_while_the_network_comes_and_goes(
    live_site: Site, chromium: Browsers, broker: str, tmp_path: Path
) -> None:
    event = an_event_in_play(("Maximiliane Featherstonehaugh", "Alan"), target=900)
    card = the_card(event)
    ada, alan = card.entrants
    cut_for(card)
    files = ensure_certificates(tmp_path / "https", ["hall.test"], now=datetime.now(UTC))
    with safe_site(files, broker) as port, trusting(chromium("wide").browser_type, files) as browser:
        opponent = a_phone(browser, live_site.hall, alan, card)
        phone = a_phone(browser, f"https://hall.test:{port}", ada, card)
        reload_and_second_tab(phone, opponent, card)
        two_keepers_differ(phone, opponent)
        what_the_desk_wrote_meanwhile(phone, card, event)
        phone.context.close()
        plain = a_phone(browser, live_site.hall, ada, card)
        by_plain_http_and_qr(plain, browser, card)
        expect(opponent.page.locator(".match-score")).to_contain_text("Maximiliane Featherstonehaugh")
        plain.context.close()
        opponent.context.close()
    assert counts(card) == [11, 12, 13, 14, 15, 16, 17]
    assert SheetLine.objects.count() == 7


def test_a_hand_waits_for_a_laptop_that_does_not_have_the_card_yet(live_site: Site, chromium: Browsers) -> None:
    """A new laptop can get the old laptop's address before it gets its tournament."""
    card = the_card(an_event_in_play(("Ada", "Alan"), target=900))
    cut_for(card)
    phone = a_phone(chromium("wide"), live_site.hall, card.entrants[0], card)
    page = phone.page
    leave_network(page)
    phone.start_hand()
    phone.enter("A", 11)
    expect(page.get_by_text("Hand 1 is kept on this phone, not sent yet")).to_be_visible()
    missing = {"ok": False, "code": "no-card", "message": "There is no score card at this address."}
    page.route("**/kept", lambda route: route.fulfill(status=404, json=missing))
    phone.context.set_offline(False)
    expect(page.get_by_text("This laptop does not have the score card yet.")).to_be_visible()
    expect(page.get_by_text("Hand 1 is kept on this phone, not sent yet")).to_be_visible()
    page.unroute("**/kept")
    until(lambda: counts(card) == [11])
    expect(page.locator("[data-outbox-kept]")).to_be_hidden()
    phone.context.close()


def reload_and_second_tab(phone: Phone, opponent: Phone, card: Card) -> None:
    """Check that over https, the card opens again offline in two tabs, and that both add to the same list of hands."""
    page = phone.page
    assert page.evaluate("isSecureContext")
    assert page.evaluate("navigator.serviceWorker.ready.then((ready) => ready.scope)").endswith("/")
    phone.start_hand()
    phone.enter("A", 11)
    expect(page.get_by_text("Hand 1 is recorded.")).to_be_visible()
    opponent.page.get_by_role("button", name="That is right").click()
    leave_network(phone.page)
    page.reload()
    expect(page.get_by_text("This page shows the card as it was at")).to_be_visible()
    phone.start_hand()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 2")
    phone.enter("2", 12)
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 3")
    look(page, "offline-next-hand")
    phone.enter("3", 13)
    expect(page.get_by_text("Kept on this phone: 2")).to_be_visible()
    second = phone.context.new_page()
    second.goto(phone.card)
    expect(second.get_by_text("Hand 3 is kept on this phone, not sent yet")).to_be_visible()
    look(second, "offline-card")
    second.get_by_role("link", name="Enter hand 4").click()
    record_hand(second, "4H", "gin", "0", "14")
    expect(page.get_by_text("Kept on this phone: 3")).to_be_visible()
    assert counts(card) == [11]
    phone.context.set_offline(False)
    until(lambda: counts(card) == [11, 12, 13, 14])
    for tab in (page, second):
        expect(tab.locator("[data-outbox-kept]")).to_be_hidden()
    second.close()


def two_keepers_differ(phone: Phone, opponent: Phone) -> None:
    """Report different figures for hand 2 on the opponent's phone.

    Both phones must show the difference until it is settled.
    """
    theirs = opponent.page
    phone.open()
    theirs.get_by_role("link", name="My figures are different").click()
    theirs.locator('input[name="counts_B"]').fill("99")
    theirs.get_by_role("button", name="These are my figures").click()
    for page in (theirs, phone.page):
        expect(page.get_by_text("Hand 2: your figures differ.")).to_be_visible()
    look(phone.page, "two-keepers-differ")
    theirs.get_by_role("button", name="The card is right").click()
    for page in (theirs, phone.page):
        expect(page.get_by_text("your figures differ.")).to_have_count(0)


def what_the_desk_wrote_meanwhile(phone: Phone, card: Card, event: object) -> None:
    """Enter different figures for hand 5 on the phone and at the desk, and let the player decide which are right."""
    page = phone.page
    phone.open()
    expect(page.get_by_role("link", name="Enter hand 5")).to_be_visible()
    leave_network(phone.page)
    phone.start_hand()
    phone.enter("5", 25)
    expect(page.get_by_text("Kept on this phone: 1")).to_be_visible()
    add_line(card, LineEntry(gin("A", 15, "5H"), via=SheetLine.Via.DESK), by=the_director(event))
    phone.context.set_offline(False)
    phone.open()
    kept = page.locator(".outbox-hand")
    expect(kept.get_by_text("On the card", exact=True)).to_be_visible()
    expect(kept).to_contain_text("15")
    expect(kept).to_contain_text("25")
    look(page, "offline-conflict")
    kept.get_by_role("button", name="The card is right: drop my figures").click()
    page.get_by_role("button", name="Yes, continue").click()
    expect(kept).to_have_count(0)
    assert counts(card) == [11, 12, 13, 14, 15]


def by_plain_http_and_qr(phone: Phone, browser: Browser, card: Card) -> None:
    """Check that the open page stores hands even over http.

    Another phone can scan a QR code to send a stored hand, but only once.
    """
    page = phone.page
    assert not page.evaluate("isSecureContext || 'serviceWorker' in navigator")
    expect(page.get_by_role("link", name="Enter hand 6")).to_be_visible()
    leave_network(phone.page)
    phone.start_hand()
    phone.enter("6", 16)
    expect(page.get_by_text("Leave this page open")).to_be_visible()
    page.get_by_role("heading", name="Hand 7").wait_for()
    phone.enter("7", 71)
    expect(page.get_by_text("Kept on this phone: 2")).to_be_visible()
    page.get_by_role("button", name="Back to the card").click()
    page.locator(".outbox-hand").last.get_by_role("link", name="Correct").click()
    page.get_by_role("heading", name="Hand 7").wait_for()
    assert page.locator('input[name="counts_B"]').input_value() == "71"
    page.locator('input[name="counts_B"]').fill("17")
    page.get_by_role("button", name="Record").click()
    page.get_by_role("heading", name="Hand 8").wait_for()
    page.get_by_role("button", name="Back to the card").click()
    page.get_by_role("link", name="Rules", exact=True).click()
    expect(page.get_by_text("That needs the network.")).to_be_visible()
    page.get_by_role("button", name="Hand over by QR").click()
    look(page, "offline-qr")
    link = page.locator("#outbox-qr").get_attribute("data-link")
    assert link is not None and link.startswith("http://hall.test:")
    picture = Image.open(io.BytesIO(page.locator("#outbox-qr canvas").screenshot()))
    assert codes_in(picture) == [link]
    other = open_context(browser, "phone").new_page()
    other.goto(link)
    expect(other.get_by_text("Entered by Maximiliane Featherstonehaugh")).to_be_visible()
    other.get_by_label("Who are you?").fill("Alan")
    look(other, "handover")
    other.get_by_role("button", name="Put these hands on the card").click()
    expect(other.get_by_text("Everything is on the card.")).to_be_visible()
    assert counts(card) == [11, 12, 13, 14, 15, 16, 17]
    other.context.close()
    page.close()
    phone.context.set_offline(False)
    again = phone.context.new_page()
    again.goto(phone.card)
    expect(again.locator("main").get_by_text("All hands have been sent")).to_be_visible()
    expect(again.locator("[data-outbox-kept]")).to_be_hidden()
