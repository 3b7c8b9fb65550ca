"""Open pages follow an event that is played by chance: whatever was done, each says what it would say if opened now.

A page under *Live* promises that. The pages lie open in a real browser while the services of the site play the event.
After some acts each of them is compared with the same address fetched anew, text by text and link by link.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import pytest
from playwright.sync_api import Page

from scoring.rehearsal.services.play import ActDone
from scoring.rehearsal.services.random_event import RandomEvent
from tests.browser import settle
from tests.chance import QUICK, SEED
from tests.journeys.steps import sign_in
from tests.processes import Site
from tests.slow import SLOW
from tournament.models import User

pytestmark = pytest.mark.browser

KINDS: Final = [("knockout", "gra-singles")] if QUICK else [("knockout", "gra-singles"), ("swiss-pairs", "hollywood")]
MOST_ACTS: Final = 45 if QUICK else 10_000
COMPARED: Final = 0.15 if QUICK else 0.5
"""How many of the acts are followed by a look at every page."""
PUBLIC: Final = ("", "bracket/", "pairings/", "standings/", "draw/", "wall/")
DESK: Final = ("today/", "pairing/", "tables/", "cards/", "results/")
OWN: Final = ("", "match/")
PLAYERS: Final = 2
LONGEST: Final = 15.0 * SLOW
"""Seconds after which a page must have heard: it asks every ten where it has no stream."""
DIFFERENCES: Final = """
async (path) => {
    const follows = (page) => page.querySelector('[data-live-panel], [hx-trigger~="live"]');
    if (!document.querySelector("[data-live-word]") || !follows(document)) return [];
    // What scripts say by themselves, and what the clock changes: neither is told by the server.
    // A wall shows a screenful at a time: what it hides counts.
    const own = "template, script, [hidden]:not([data-wall-pager] *), [data-live-word], [data-outbox], [data-clock], "
        + "[data-until], #messages";
    const told = (page) => {
        const main = page.querySelector("main").cloneNode(true);
        main.querySelectorAll(own).forEach((part) => part.remove());
        const said = [], walk = page.createTreeWalker(main, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
        while (walk.nextNode()) {
            const { nodeType, data } = walk.currentNode;
            const text = nodeType === Node.TEXT_NODE ? data : walk.currentNode.getAttribute("href");
            if (text?.trim()) said.push(text.replace(/\\s+/g, " ").trim().replace(/\\b\\d+ min\\b/g, "some min"));
        }
        return said;
    };
    const answer = await fetch(path, { cache: "no-store" });
    const fresh = told(new DOMParser().parseFromString(await answer.text(), "text/html")), open = told(document);
    let start = 0, end = 0;
    while (start < Math.min(fresh.length, open.length) && fresh[start] === open[start]) start += 1;
    if (start === fresh.length && start === open.length) return [];
    while (end < Math.min(fresh.length, open.length) - start && fresh.at(-1 - end) === open.at(-1 - end)) end += 1;
    const middle = (said) => said.slice(start, said.length - end).slice(0, 6).join(" | ") || "nothing";
    return [`it says: ${middle(open)}`, `it should say: ${middle(fresh)}`];
}
"""


@dataclass
class Hall:
    """The pages of one event, open from the first entries on, and what they said that was old."""

    make_page: Callable[..., Page]
    dice: random.Random
    pages: dict[str, Page] = field(default_factory=dict)
    stale: list[str] = field(default_factory=list)
    opened: bool = False
    compared: int = 0

    def after(self, done: ActDone) -> bool:
        """Open the pages when there are players; then compare them after some acts. Stops when enough was seen."""
        if not self.opened and done.event.entrants.count() >= PLAYERS:
            self._open(done)
        elif self.opened and done.refused is None and self.dice.random() < COMPARED:
            self._compare(done)
        return (self.opened and not self.pages) or done.number >= MOST_ACTS

    def _open(self, done: ActDone) -> None:
        """Open each page in its own browser. A browser has six connections to a site, and a page holds one."""
        self.opened = True
        event = done.event
        where = f"{event.tournament.slug}/{event.slug}/"
        director = self.make_page("desktop")
        sign_in(director, User.objects.get(email="director@example.org"))
        signed_in = {"storage_state": director.context.storage_state()}
        own = [f"/my/{entrant.token}/{part}" for entrant in event.entrants.order_by("number")[:PLAYERS] for part in OWN]
        for path in [*(f"/desk/{where}{part}" for part in DESK), *(f"/t/{where}{part}" for part in PUBLIC), *own]:
            person = signed_in if path.startswith("/desk/") else {}
            self.pages[path] = self.make_page("desktop" if person else "phone", **person)
        for path, page in self.pages.items():
            page.goto(path)

    def _compare(self, done: ActDone) -> None:
        self.compared += 1
        waiting = dict(self.pages)
        differences: dict[str, list[str]] = {}
        deadline = time.monotonic() + LONGEST
        while waiting and time.monotonic() < deadline:
            for path, page in waiting.items():
                settle(page)
                differences[path] = page.evaluate(DIFFERENCES, path)
            waiting = {path: page for path, page in waiting.items() if differences[path]}
        for path in waiting:
            self.stale.append("\n    ".join([f"act {done.number}, {done.act}: {path}", *differences[path]]))
            self.pages.pop(path)  # what is wrong once is wrong for a while: the others are worth more time


@pytest.mark.long
@pytest.mark.parametrize(("kind", "rules"), KINDS)
def test_an_open_page_equals_a_fresh_one_after_every_act(
    live_site: Site, make_page: Callable[..., Page], kind: str, rules: str
) -> None:
    hall = Hall(make_page, random.Random(SEED))
    RandomEvent(kind, rules, seed=SEED, after_act=hall.after).play()
    assert not hall.stale, "\n\n".join(hall.stale)
    assert hall.compared
