"""The desk's own work: a paper card by keyboard alone, prints by a real worker, an entry sent twice by a thumb."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from scoring.card_state.selectors.players import load_ready_meetings
from tests.browser import look, press, write
from tests.chance import examples
from tests.journeys.steps import card_of, played, sign_in
from tests.processes import Process, Site

pytestmark = pytest.mark.browser
Maker = Callable[..., Page]


def focused(page: Page, name: str) -> None:
    expect(page.locator(f"[name={name}]").first).to_be_focused()


def type_on(page: Page, *words: str) -> None:
    """Each word into the field that has the focus, then on by Tab."""
    for word in words:
        if word:
            write(page, word)
        press(page, "Tab")


def test_a_paper_card_by_keyboard_alone(live_site: Site, make_page: Maker) -> None:
    made = played(4, "semifinals")
    meeting = load_ready_meetings(made.event)[-1]
    table = meeting.match.calls.latest("pk").table
    page = make_page("desktop")
    sign_in(page, made.director)
    page.goto(f"{made.desk}cards/enter/")
    focused(page, "table")
    write(page, str(table))
    press(page, "Enter")
    focused(page, "total_A")
    type_on(page, "40")
    write(page, "30")
    press(page, "F2")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator("[name=signed]:checked")).to_have_count(2)
    look(page, "desk-card-totals-refused")
    page.goto(f"{made.desk}cards/enter/?table={table}&by=hands")
    enter_hands(page, second_total="90")
    expect(page.locator(".row-mark")).to_have_count(1)
    look(page, "desk-card-wrong-sum")
    assert not card_of(meeting).postings.exists()
    page.locator("[name=row-1-run_A]").focus()
    press(page, "Control+a")
    write(page, "170")
    press(page, "F2")
    expect(page.get_by_role("region", name="Last")).to_contain_text("170")
    assert card_of(meeting).postings.exists()
    look(page, "desk-card-posted")


def enter_hands(page: Page, *, second_total: str) -> None:
    """Two gins by the first player: 60 + 25, then again; the second running total is as told."""
    focused(page, "row-0-by")
    for up, running in (("8h", "85"), ("kd", second_total)):
        choose(page, 1)
        choose(page, 2)
        type_on(page, "0", "60", "", up, running, "0")
    press(page, "F2")


def choose(page: Page, down: int) -> None:
    """The entry so far down a list, by the arrow keys."""
    for _step in range(down):
        press(page, "ArrowDown")
    press(page, "Tab")


def test_the_cards_of_the_round_come_out_as_a_file(live_site: Site, worker: Process, make_page: Maker) -> None:
    made = played(9, "round-1")
    page = make_page("desktop")
    sign_in(page, made.director, to=f"{made.desk}prints/")
    page.get_by_label("What").select_option("round-cards")
    page.get_by_role("button", name="Print", exact=True).click()
    link = page.get_by_role("link", name="Download")
    expect(link).to_be_visible()
    look(page, "print-is-done")
    with page.expect_download() as coming:
        link.click()
    content = Path(coming.value.path()).read_bytes()
    pages = PdfReader(BytesIO(content)).pages
    playing = len(load_ready_meetings(made.event))
    assert len(pages) == -(-playing // 2)
    text = "".join(one.extract_text() for one in pages)
    assert all(meeting.entrants[0].name.split()[-1] in text for meeting in load_ready_meetings(made.event))


def test_a_registration_on_a_phone_is_one_entry_however_often_it_is_sent(live_site: Site, make_page: Maker) -> None:
    made = played(4, "registration")
    phone = make_page("phone")
    phone.goto(made.page)
    phone.get_by_role("main").get_by_role("link", name=re.compile("Enter|Register")).first.click()
    look(phone, "register")
    send = phone.get_by_role("button", name="Enter", exact=True)
    send.click()
    expect(phone.locator(".is-invalid").first).to_be_visible()
    fields = {"name": "Caroline Herschel", "phone": "555-0100", "club": "Tampa"}
    for name, value in fields.items():
        phone.locator(f"[name={name}]").fill(value)
    phone.get_by_label("may be shown in public").check()
    send.dblclick()
    expect(phone.get_by_role("heading", name="Caroline Herschel, you have entered")).to_be_visible()
    look(phone, "registered")
    entrant = made.event.entrants.get(name="Caroline Herschel")
    assert made.event.entrants.count() == 5
    phone.goto(f"/my/{entrant.token}/")
    expect(phone.get_by_alt_text("Your private link as a QR code")).to_be_visible()
    expect(phone.get_by_text(entrant.sign_code)).to_be_visible()
    look(phone, "my-entry")


MOST_KEYSTROKES = 11
"""A card from paper: the table's number, both totals, signed by both; fewer than twelve strokes."""


class Keys:
    """A keyboard that counts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.strokes = 0

    def type(self, text: str) -> None:
        self.strokes += len(text)
        write(self.page, text)

    def press(self, key: str) -> None:
        self.strokes += 1
        press(self.page, key)


CARDS = min(60, examples(48))
"""Of a round of sixty-four: a dozen in a usual run, sixty in `make test-long`. Each is counted alone."""


def test_a_round_of_paper_cards_by_keyboard_alone(live_site: Site, make_page: Maker) -> None:
    made = played(128, "round-1")
    untouched = [meeting for meeting in load_ready_meetings(made.event) if not card_of(meeting).lines.exists()]
    meetings = {meeting.match.calls.latest("pk").table: meeting for meeting in untouched}
    page = make_page("desktop")
    sign_in(page, made.director)
    page.goto(f"{made.desk}cards/enter/")
    counts = []
    for turn, table in enumerate(sorted(meetings)[:CARDS]):
        keys, meeting = Keys(page), meetings[table]
        focused(page, "table")
        keys.type(str(table))
        keys.press("Enter")
        focused(page, "total_A")
        for entrant in meeting.entrants:
            expect(page.locator("form.desk-card h2")).to_contain_text(entrant.name)
        first, second = ("160", str(60 + turn)) if turn % 2 else (str(60 + turn), "160")
        keys.type(first)
        keys.press("Tab")
        keys.type(second)
        keys.press("F2")
        expect(page.get_by_role("region", name="Last")).to_contain_text(f"T{table}")
        counts.append(keys.strokes)
    assert len(counts) == CARDS
    assert max(counts) <= MOST_KEYSTROKES
    decided = made.event.matches.filter(cards__postings__isnull=False, results__winner__isnull=False)
    assert decided.distinct().count() == CARDS
