"""What players do on their phones at the table: a gin is written down, and somebody signs with a finger."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.journeys.person import Person
from tests.journeys.steps import sign_on

POINTS = 90
"""What the loser of each gin holds: two of them end a game to 150."""


def a_gin(keeper: Person, hand: int, suit: str, *, by: str = "") -> None:
    """`by`: who went gin, as their key says; the first of the two without."""
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
    """With a finger: a stroke is enough of a name."""
    one.clicks_on("link", "Check and sign")
    sign_on(one.page)
    one.clicks_on("button", "Sign")
    # Where the site takes more than five seconds the phone shows the page that it has kept, and that one follows.
    itself = one.page.locator(".match-act").get_by_text(re.compile("Posted|Waiting for the signature"))
    expect(one.page.get_by_text(said).or_(itself).first).to_be_visible()
