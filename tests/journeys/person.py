"""Simulate a person who uses the site in a browser, and count the clicks, keys, and screens."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from playwright.sync_api import Frame, Locator, Page, expect

from tests.browser import press, write
from tests.journeys.steps import sign_on, tap_key

SECONDS_A_SCREEN: Final = 2.0
"""How long a newcomer looks at a screen before doing anything."""
CUT: Final = ("seven of hearts", "queen of spades", "two of diamonds")


@dataclass
class Person:
    page: Page
    clicks: int = 0
    keys: int = 0
    screens: int = 0
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.page.on("framenavigated", self._sees_a_screen)

    def _sees_a_screen(self, frame: Frame) -> None:
        self.screens += frame == self.page.main_frame

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    @property
    def seconds(self) -> float:
        """Return the seconds spent so far, plus the time that a newcomer would need to look at each screen."""
        return time.monotonic() - self.began + self.screens * SECONDS_A_SCREEN

    def follows(self, offered: str) -> None:
        """Click the only big button of the page, which must have this text."""
        button = self.page.locator("main .btn-lg.btn-primary:visible")
        expect(button).to_have_count(1)
        expect(button).to_have_text(offered)
        self.clicks += 1
        button.click()

    def follows_twice(self, offered: str) -> None:
        """Click the big button with this text, and then the button with the same text on the next page."""
        self.follows(offered)
        self.follows(offered)

    def clicks_on(self, role: str, name: str) -> None:
        self.clicks += 1
        self.main.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]

    def goes_to(self, entry: str) -> None:
        self.clicks += 1
        self.page.get_by_role("navigation").get_by_role("link", name=entry, exact=True).first.click()

    def opens(self, group: str, entry: str) -> None:
        self.clicks += 1
        self.page.get_by_role("navigation").locator("summary", has_text=group).click()
        self.goes_to(entry)

    def chooses_file(self, label: str, path: Path) -> None:
        """Choose a file, and count three clicks: on the field, the file, and the button of the system's dialog."""
        self.clicks += 3
        self.main.get_by_label(label).set_input_files(path)

    def presses(self, *keys: str) -> None:
        self.keys += len(keys)
        press(self.page, *keys)

    def writes(self, text: str) -> None:
        self.keys += len(text)
        write(self.page, text)

    def unchecks(self, label: str) -> None:
        self.clicks += 1
        self.main.get_by_label(label, exact=True).uncheck()

    def types(self, label: str, text: str) -> None:
        self.keys += len(text)
        field = self.main.get_by_label(re.compile(rf"^\s*{re.escape(label)}\s*\*?\s*$"))
        field.first.fill(text)

    def taps(self, question: str, answer: str) -> None:
        """Tap the button that gives this answer to a question on a form."""
        self.clicks += 1
        tap_key(self.page.get_by_role("group", name=question), answer)

    def draws(self) -> None:
        """Make the draw on the event's pages: cut three cards, draw, and post the draw."""
        self.follows("Make the draw")
        self.cuts()
        self.follows("Draw")
        self.follows("Post the draw")

    def cuts(self) -> None:
        for card in CUT:
            self.clicks += 1
            self.page.get_by_label(card).check(force=True)

    def opens_paper_cards(self) -> None:
        self.follows("Follow the score cards")
        self.clicks_on("link", "Enter a paper score card")

    def enters_card(self, table: int, first: str, second: str) -> None:
        """Enter the totals of a paper score card by keyboard."""
        expect(self.page.locator("[name=table]")).to_be_focused()
        self.writes(str(table))
        self.presses("Enter")
        expect(self.page.locator("[name=total_A]")).to_be_focused()
        self.writes(first)
        self.presses("Tab")
        self.writes(second)
        self.presses("F2")
        expect(self.page.get_by_role("region", name="Last").get_by_text(f"T{table}", exact=True).first).to_be_visible()

    def finishes(self) -> None:
        """Finish the event before its correction period has ended."""
        self.follows("Finish the event")
        self.types("Reason to finish anyway", "both agree")
        self.clicks_on("button", "Finish the event")
        expect(self.page.get_by_role("heading", name="Prizes", level=1)).to_be_visible()


def set_up_a_tournament(volunteer: Person) -> None:
    """Set up a tournament on an empty site, and open the page with ready-made events."""
    volunteer.clicks_on("link", "Set up a tournament")
    for label, text in {"Name": "Desert Classic", "Venue": "Palm Desert"}.items():
        volunteer.types(label, text)
    for label, day in {"First day": "2099-11-27", "Last day": "2099-11-29"}.items():
        volunteer.types(label, day)
    volunteer.clicks_on("button", "Save")
    volunteer.clicks_on("link", "Add the first event")


@dataclass(frozen=True, slots=True)
class Most:
    clicks: int
    keys: int

    def holds_for(self, *people: Person) -> None:
        took = Most(sum(one.clicks for one in people), sum(one.keys for one in people))
        assert took.clicks <= self.clicks and took.keys <= self.keys, f"{took} of {self}"


OPEN_AN_EVENT = Most(clicks=12, keys=55)
TO_OPEN_CARDS = Most(clicks=11, keys=0)
FROM_A_LIST_TO_THE_DRAW = Most(clicks=17, keys=10)
TWO_ROUNDS = Most(clicks=20, keys=60)
FINISH_AND_PAY = Most(clicks=10, keys=20)
AN_EVENING = Most(clicks=35, keys=10)


POINTS = 90
"""The loser's count in each hand that ends with gin. Two such hands end a game to 150 points."""


def a_gin(keeper: Person, hand: int, suit: str, *, by: str = "") -> None:
    """Enter a hand with gin for the player whose button contains the text `by`, or for the first player."""
    keeper.clicks_on("link", f"Enter hand {hand}")
    keeper.taps("Up card: rank", "K")
    keeper.taps("Up card: suit", suit)
    keeper.taps("How did it end?", "gin")
    keeper.clicks += 1
    keys = keeper.page.get_by_role("group", name="Who ended it?").locator(".key")
    side = next(turn for turn, words in enumerate(keys.all_inner_texts()) if by in words)
    keys.nth(side).click()
    keeper.keys += 2
    keeper.page.locator(f"[name=counts_{'BA'[side]}]").fill(str(POINTS))
    keeper.clicks_on("button", "Record")
    expect(keeper.page.get_by_text(f"Hand {hand} is recorded")).to_be_visible()


def sign(one: Person, said: str) -> None:
    """Sign the score card by drawing a signature, and check that the page shows the text `said`."""
    one.clicks_on("link", "Check and sign")
    sign_on(one.page)
    one.clicks_on("button", "Sign")
    # Where the site takes more than five seconds the phone shows the page that it has kept, and that one follows.
    itself = one.page.locator(".match-act").get_by_text(re.compile("Posted|Waiting for the signature"))
    expect(one.page.get_by_text(said).or_(itself).first).to_be_visible()
