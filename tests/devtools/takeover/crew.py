"""Simulate users who switch to the second laptop, and note every response that they get."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from tests.devtools.hall.book import Book, Expected
from tests.devtools.hall.browser import Answer, Browser
from tests.devtools.hall.phones import Phone
from tests.devtools.hall.writers import Cashier, Decider, Desk, Hall, Roles, Scorekeeper, Writer
from tests.devtools.takeover.facts import Fact, make_fact

PAUSE: Final = 1.5
"""The longest time in seconds between two writes of a writer."""
TWICE: Final = 0.1
"""The share of writes that are sent twice at the same time."""
AGAIN: Final = 0.5
"""The number of seconds until a writer repeats a request that got no answer."""
NOT_RECORDED_YET: Final = (0, 502, 503, 504)
VERSION_STEP: Final = 1_000_000
"""A takeover raises all versions of pages by at least this number."""


@dataclass(frozen=True, slots=True)
class Note:
    """A write that a laptop acknowledged. The times are values of `time.monotonic`."""

    fact: Fact
    site: str
    sent_at: float
    acknowledged_at: float

    @property
    def seconds(self) -> float:
        return self.acknowledged_at - self.sent_at


class Notebook(Book):
    """A record of every acknowledged write (`notes`).

    Failed requests do not count as errors, because the runs break laptops on purpose.
    """

    def __init__(self) -> None:
        super().__init__(is_excused=True)
        self.notes: list[Note] = []
        self.unanswered: dict[Fact, tuple[str, float]] = {}
        self.sent_to: dict[str, set[Fact]] = {}
        self.after_note: Callable[[], None] = lambda: None
        self.answered_by: dict[float, str] = {}
        """The URL of the laptop that acknowledged a write, keyed by the time of the answer."""
        self.followed_site = ""

    def note(self, note: Note) -> None:
        self.notes.append(note)
        self.after_note()

    def must_be_seen(self, subject: str, is_seen: Callable[[bytes], bool], since: float) -> None:
        """Expect the phones to show a write, if the laptop that they currently use recorded it."""
        if self.answered_by.get(since) == self.followed_site:
            super().must_be_seen(subject, is_seen, since)


@dataclass
class Crew(Hall):
    """The state that all simulated users of a run share. `leader` is the URL of the laptop that they currently use.

    `cookies` contains the staff's cookies, keyed by sign-in link. They are kept for later runs, because each link works
    only once.
    """

    leader: str = ""
    cookies: dict[str, dict[str, str]] = field(default_factory=dict)
    is_over: bool = False
    stays_at: str = ""
    """The address of the first laptop, for writers who stay there because they know nothing of the takeover."""
    pauses: random.Random = field(default_factory=random.Random)

    @property
    def site(self) -> str:
        return self.leader

    @property
    def notebook(self) -> Notebook:
        assert isinstance(self.book, Notebook)
        return self.book


class Traveler(Writer):
    """A simulated user who submits the same form again until a laptop responds.

    The user first uses the first laptop, and the second one after the takeover.
    """

    hall: Crew
    stays = False

    @property
    def site(self) -> str:
        return self.hall.stays_at if self.stays and self.hall.stays_at else self.hall.leader

    async def work(self) -> None:
        here = self.site
        while not self.hall.is_over:
            if self.site != here:
                here = self.site
                self.forget()
            self.move()
            await self.turn()
            await asyncio.sleep(self.hall.pauses.uniform(0, PAUSE))

    def move(self) -> None:
        """Switch all browsers of this user to the laptop that the user should use now."""
        raise NotImplementedError

    def forget(self) -> None:
        """Forget the pages of the other laptop, because the new one may lack some of their data."""

    async def send(self, browser: Browser, kind: str, path: str, fields: dict[str, str]) -> tuple[Answer, float]:
        book, fact = self.hall.notebook, make_fact(kind, path, fields)
        while True:
            site = self.site
            browser.move_to(site)
            if fact is not None:
                book.sent_to.setdefault(site, set()).add(fact)
            sent_at = time.monotonic()
            copies = 2 if self.hall.pauses.random() < TWICE else 1
            answers = await asyncio.gather(*(browser.post(f"write {kind}", path, fields) for _copy in range(copies)))
            now = time.monotonic()
            for answer in answers:
                if answer.goes_to and not _is_sign_in(answer.goes_to):
                    book.answered_by[now] = site
                    if fact is not None:
                        book.note(Note(fact, site, sent_at, now))
                    return answer, now
            if fact is not None:
                book.unanswered[fact] = (site, sent_at)
            if answers[0].status not in NOT_RECORDED_YET or self.hall.is_over:
                book.remarks[f"write {kind} refused: {answers[0].status} {answers[0].goes_to}"] += 1
                return answers[0], now
            await asyncio.sleep(AGAIN)
            if self.site != site and site == self.hall.stays_at:
                return answers[0], now  # it belongs to a card that is another one at the other laptop
            if self.site != site:
                self.forget()  # the new laptop may lack the first of two signatures


def _is_sign_in(path: str) -> bool:
    return "/sign-in/" in path or "/accounts/" in path


class TravelingKeeper(Traveler, Scorekeeper):
    def move(self) -> None:
        for table in self.tables:
            table.browser.move_to(self.site)

    def forget(self) -> None:
        for table in self.tables:
            table.page, table.signed = b"", 0


class TravelingDesk(Traveler, Desk):
    """A staff member's browser. It stays signed in after the takeover, because both laptops have the same sessions."""

    signed_in: dict[str, str]

    async def open(self) -> None:
        """Sign in, or use the cookies of an earlier run.

        Raises:
            RuntimeError: The laptop does not accept the user as staff, so that no writes could be recorded.
        """
        cookies = self.hall.cookies
        if self.sign_in in cookies:
            self.browser.cookies = dict(cookies[self.sign_in])
        else:
            await Desk.open(self)
        page = await self.browser.get("page desk", f"{self.hall.desk}/")
        if page.status != HTTPStatus.OK:
            raise RuntimeError(f"The desk is not signed in: {page.status} {page.goes_to}")
        self.signed_in = cookies[self.sign_in] = dict(self.browser.cookies)

    def move(self) -> None:
        self.browser.move_to(self.site)
        self.browser.cookies = dict(self.signed_in)


class TravelingDecider(TravelingDesk, Decider):
    pass


class TravelingCashier(TravelingDesk, Cashier):
    pass


TRAVELERS: Final = Roles(TravelingKeeper, TravelingDecider, TravelingCashier)


class Pocket:
    """A phone with an open page. After the takeover, it opens the page on the second laptop."""

    def __init__(self, crew: Crew, kind: str, path: str) -> None:
        self.crew, self.kind, self.path = crew, kind, path
        self.phone = Phone(crew.leader, crew.book, kind, path)

    def expect(self, expected: Expected) -> None:
        self.phone.expect(expected)

    async def open(self) -> None:
        while not self.crew.is_over:
            await self.phone.open()
            if self.phone.body:
                return
            await asyncio.sleep(AGAIN)

    async def move(self, broken_at: float) -> None:
        """Open the page on the current laptop.

        The page has to show the expected writes that were acknowledged before the first laptop broke.
        """
        expected = [one for one in self.phone.expected if one.since < broken_at]
        await self.phone.close()
        self.phone = Phone(self.crew.leader, self.crew.book, self.kind, self.path)
        await self.open()
        for one in expected:
            self.phone.expect(one)

    @property
    def version(self) -> int:
        return int(self.phone.page.version or 0)

    def is_current(self, before: int) -> bool:
        """Return whether the page was loaded after the takeover, and shows all expected writes."""
        return self.version >= before + VERSION_STEP // 2 and bool(self.phone.body) and not self.phone.expected

    async def close(self) -> None:
        await self.phone.close()


def make_pockets(crew: Crew, known: dict[str, Any], count: int) -> list[Pocket]:
    """Return phones that show the bracket, the pairings, and the players' own matches."""
    public = f"/t/{known['tournament']}/{known['event']}"
    players = [f"/my/{one['token']}/match/" for one in known["entrants"]]
    shown = [("bracket", f"{public}/bracket/"), ("pairings", f"{public}/pairings/")]
    pages = [*shown, *(("my match", path) for path in players)]
    return [Pocket(crew, *pages[turn % len(pages)]) for turn in range(count)]
