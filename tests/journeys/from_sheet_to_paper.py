"""Steps of browser tests for one rule set: the rule sheet, play on phones, signatures, and the printed card.

hall = Hall.of(a_draft("Side game"), "fort-worth", make_page)
hall.choose_rules("Fort Worth Gin", length="six hands")
hall.draw_and_start(NAMES)
hall.sit_down()
hall.record(by="Ada", counts_B="12")
hall.sign_everybody()
hall.check_paper("Six hands, even numbers wild")
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pypdfium2
from playwright.sync_api import Locator, Page, expect
from pypdf import PdfReader

from pairing.blind_draw.services import close_registration, make_draw, post_draw
from scoring.card_state.selectors.cards import load_card_state_by_pk, select_cards_with_facts
from scoring.card_state.selectors.state import CardState
from scoring.models import Card
from tests.browser import PICTURES, SCREENSHOTS, MakePage, look
from tests.codes import codes_in
from tests.factories import a_tournament, a_user, an_entrant, an_event
from tests.journeys.steps import sign_by_code, sign_by_drawing, sign_in, tap_key
from tests.kit import desk_url, fresh, public_url
from tests.screens import SIDEWAYS
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, Event
from tournament.registration.services.entries import keep_entrants_in_draw
from tournament.setup.services.tournaments import open_registration


def a_draft(name: str, **fields: object) -> Event:
    return an_event(a_tournament(), name=name, state=Event.State.DRAFT, fee_cents=0, added_cents=50_000, **fields)


@dataclass(frozen=True, slots=True)
class Paper:
    """The text of a printed file, and the contents of its QR codes."""

    text: str
    codes: tuple[str, ...]

    def has(self, *words: str) -> None:
        text = " ".join(self.text.split())
        missing = [each for each in words if each not in text]
        assert not missing, f"{missing} not in:\n{self.text}"


@dataclass
class Hall:
    """Three browser pages for one event: the desk, the scorekeeper's phone, and a phone for the other players."""

    event: Event
    rules: str
    desk: Page
    keeper: Page
    other: Page
    card: Card = field(init=False)

    @classmethod
    def of(cls, event: Event, rules: str, make_page: MakePage) -> Hall:
        desk = make_page("desktop", viewport={"width": 1280, "height": 900})
        sign_in(desk, a_user("director", event.tournament))
        return cls(event, rules, desk, make_page("phone"), make_page("phone"))

    @property
    def public(self) -> str:
        return public_url(self.event)

    @property
    def console(self) -> str:
        return desk_url(self.event)

    # --- The director ------------------------------------------------------------------------------------------------

    def choose_format(self, name: str, **fields: str) -> None:
        self.desk.goto(f"{self.console}format/")
        self.desk.locator(f"[name=format][value={name}]").check()
        for each, value in fields.items():
            answer(self.desk.locator(f"[name={name}-{each}]"), value)
        self.desk.get_by_role("button", name="Save").click()
        expect(self.desk.get_by_text("The format is saved.")).to_be_visible()
        self.see(self.desk, "format")

    def choose_rules(self, title: str, *, preset: str = "", **options: str) -> None:
        self.desk.goto(f"{self.console}rules/")
        self.desk.locator(".rule-set").filter(has=self.desk.locator("strong", has_text=title)).click()
        expect(self.desk.get_by_role("heading", name=title, level=2)).to_be_visible()
        if preset:
            self.desk.get_by_label("Use a game from the book").select_option(preset)
            expect(self.desk.get_by_text("Filled in below. Nothing is saved yet.")).to_be_visible()
        for name, value in options.items():
            answer(self.desk.locator(f"[name={name}]"), value)
        self.see(self.desk, "rule-sheet")
        self.desk.get_by_role("button", name="Save").click()
        expect(self.desk.get_by_text("Rule sheet version 1 is saved.")).to_be_visible()

    def draw_and_start(self, names: Sequence[str], sides: Sequence[str] = ()) -> None:
        """Enter and draw the players without a browser, and start play on the desk's page."""
        open_registration(self.event, by=SYSTEM_ACTOR)
        for place, name in enumerate(names):
            an_entrant(fresh(self.event), name, arrived=True, side=sides[place] if sides else "")
        close_registration(fresh(self.event), by=SYSTEM_ACTOR)
        keep_entrants_in_draw(
            fresh(self.event), list(self.event.entrants.values_list("number", flat=True)), by=SYSTEM_ACTOR
        )
        make_draw(fresh(self.event), "7H QS 2D", by=SYSTEM_ACTOR)
        post_draw(fresh(self.event), by=SYSTEM_ACTOR)
        self.desk.goto(f"{self.console}rules/")
        self.desk.get_by_role("link", name="Start play").click()
        self.desk.get_by_role("button", name="Start play").click()
        expect(self.desk.get_by_text("Play has started")).to_be_visible()

    def read_rules(self, *rows: tuple[str, str]) -> None:
        """Check on a phone that the rules page shows each option with its value.

        If a value is empty, the page only has to contain the label.
        """
        self.other.goto(f"{self.public}rules/")
        main = self.other.get_by_role("main")
        expect(main).to_contain_text("Fixed and published")
        for label, value in rows:
            row = main.get_by_role("row").filter(has=self.other.get_by_role("rowheader", name=label))
            expect(row if value else main).to_contain_text(value or label)
        self.see(self.other, "rules")

    def print_signed(self) -> Paper:
        """Print the signed cards on the desk's page, and return the text and the QR codes of the file."""
        self.desk.goto(f"{self.console}prints/")
        self.desk.get_by_label("What").select_option("signed-cards")
        self.desk.get_by_role("button", name="Print", exact=True).click()
        link = self.desk.get_by_role("link", name="Download")
        expect(link).to_be_visible()
        with self.desk.expect_download() as coming:
            link.click()
        return read_paper(Path(coming.value.path()).read_bytes(), f"{self.rules}-paper")

    # --- The players -------------------------------------------------------------------------------------------------

    def take_card(self) -> Card:
        self.card = select_cards_with_facts().filter(match__event=self.event).order_by("pk")[0]
        return self.card

    def sit_down(self, place: int = 0) -> CardState:
        """Open the card on the scorekeeper's phone, record the cut or draw, and begin to keep score.

        `place` is the scorekeeper's position on the card.
        """
        self.open_match(self.keeper, self.take_card().entrants[place])
        draw = self.state.draw.table_draw
        if draw.orders_sides:
            for turn, name in enumerate(self.state.names[:-1]):
                answer(self.keeper.locator(f"[name=place_{turn}]"), name)
            self.keeper.get_by_role("button", name="Record the draw").click()
        elif draw.places:
            self.keeper.get_by_role("button", name="I did").click()
        if not draw.keeps_score:
            self.keeper.get_by_role("button", name="I do").click()
        expect(self.keeper.get_by_text("You keep score")).to_be_visible()
        return self.state

    def open_match(self, phone: Page, entrant: Entrant) -> None:
        phone.goto(f"/my/{entrant.token}/")
        phone.get_by_role("link", name="My match").first.click()

    @property
    def state(self) -> CardState:
        return load_card_state_by_pk(self.card.pk)

    @property
    def names(self) -> tuple[str, ...]:
        return self.state.names

    def begin_line(self, **answers: str) -> None:
        """Fill in the form for the card's next line without sending it.

        `answers` maps each field's name to its value, or to the text on the key to tap.
        """
        self.keeper.get_by_role("link", name=re.compile(r"^Enter \w+ (\d+|with \S+ wild)$")).click()
        for name, value in answers.items():
            answer(self.keeper.locator(f"[name={name}]"), value)

    def refuse_line(self, sentence: str, **answers: str) -> None:
        """Send a line, and check that the page refuses it with this sentence and keeps the answers in the form."""
        self.begin_line(**answers)
        self.keeper.get_by_role("button", name="Record").click()
        expect(self.keeper.locator(".invalid-feedback, .notice.error").filter(has_text=sentence).first).to_be_visible()
        kept = {name: answer_of(self.keeper.locator(f"[name={name}]")) for name in answers}
        assert kept == answers
        assert not self.state.lines
        self.see(self.keeper, "refused")

    def mend_line(self, **answers: str) -> None:
        for name, value in answers.items():
            answer(self.keeper.locator(f"[name={name}]"), value)
        self._send(1)

    def record(self, *, worth: str = "", **answers: str) -> None:
        """Enter a line, check that the preview shows `worth`, and send the line."""
        number = len(self.state.lines) + 1
        self.begin_line(**answers)
        if worth:
            expect(self.keeper.locator(".preview-worth")).to_contain_text(worth)
        self._send(number)

    def _send(self, number: int) -> None:
        """Send the line, and check that the card now has this number of lines.

        The success message is not checked, because it disappears as soon as the page is updated.
        """
        self.keeper.get_by_role("button", name="Record").click()
        expect(self.keeper).not_to_have_url(re.compile("/hand/"))
        assert len(self.state.lines) == number

    def sign_everybody(self) -> None:
        """Draw the scorekeeper's signature, and type the codes of the others. The last signature posts the card."""
        self.see(self.keeper, "complete")
        keeper = self.state.keeper_id
        sign_by_drawing(self.keeper)
        waiting = [who for who in self.card.entrants if who.pk != keeper]
        for who in waiting:
            self.open_match(self.other, who)
            expect(self.other.locator(".match-score")).to_be_visible()
            is_last = who == waiting[-1]
            sign_by_code(self.other, who, "Signed. The card is posted." if is_last else "Signed. Still to sign")
        self.see_posted(self.other)

    def see_posted(self, phone: Page) -> None:
        expect(phone.locator(".match-act")).to_contain_text("Posted")
        self.see(phone, "posted")
        assert self.state.is_posted

    # --- The paper ---------------------------------------------------------------------------------------------------

    def check_paper(self, *words: str) -> None:
        """Check that the printed card has all names and totals, the digest, and a QR code that leads to the card."""
        paper, state = self.print_signed(), self.state
        digest = " ".join(state.digest[start : start + 8] for start in range(0, 64, 8))
        paper.has("posted: signed by everybody", digest, *state.names, *map(str, state.score.totals), *words)
        own = [code for code in paper.codes if code.endswith(f"/verify/{state.digest}/")]
        assert len(own) == 1, paper.codes
        self.other.goto(own[0])
        expect(self.other.get_by_role("main")).to_contain_text("Genuine.")

    def see(self, page: Page, name: str) -> None:
        look(page, f"{self.rules}-{name}")
        assert page.evaluate(SIDEWAYS) <= 0, f"{page.url} is wider than the screen"


# --- Fields, signatures, files ---------------------------------------------------------------------------------------


def answer(field: Locator, value: str) -> None:
    first = field.first
    kind = first.evaluate("e => e.tagName === 'INPUT' ? e.type : e.tagName")
    if kind == "radio":
        group = first.page.locator("fieldset", has=field).last
        tap_key(group, value)
    elif kind == "SELECT":
        first.select_option(label=first.locator("option", has_text=value).first.inner_text())
    elif kind == "checkbox":
        first.check()
    else:
        first.fill(value)


def answer_of(field: Locator) -> str:
    if field.first.get_attribute("type") != "radio":
        return field.first.input_value()
    key = field.first.page.locator(".key", has=field.and_(field.page.locator(":checked")))
    return re.sub(r"^\W+", "", key.inner_text())


def read_paper(content: bytes, name: str) -> Paper:
    """Read the text and the QR codes of a PDF file, and save a picture of each page."""
    text = "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    codes = []
    for number, page in enumerate(pypdfium2.PdfDocument(content), start=1):
        picture = page.render(scale=3).to_pil()
        if PICTURES:
            picture.save(SCREENSHOTS / f"{name}-{number}.png")
        codes += codes_in(picture)
    return Paper(text, tuple(dict.fromkeys(codes)))
