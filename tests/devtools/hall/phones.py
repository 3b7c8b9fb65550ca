"""Simulated phones that show the bracket, the pairings, or their own match.

A *herd* of phones waits for the start of play.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import re
import time
from collections.abc import Sequence
from typing import Any, Final

from tests.devtools.hall.book import Book, Expected, Spread, spread_of
from tests.devtools.hall.browser import Browser
from tests.devtools.hall.live import LivePage
from tests.devtools.hall.writers import Desk, Hall

TRIES: Final = 20
AGAIN: Final = 3.0
"""The number of seconds until a user retries a page that asked them to try again."""
SHARES: Final = (("bracket", 0.3), ("pairings", 0.1), ("my match", 0.6))
CARD: Final = re.compile(rb"/card/([\w-]+)/")
GOES_ON: Final = re.compile(rb'class="btn btn-primary btn-lg" href="(/my/[\w-]+/match/)"')


class Phone:
    """A phone with an open page. Like a player, it opens the page of the next score card when there is one."""

    def __init__(self, site: str, book: Book, kind: str, path: str) -> None:
        self.book, self.kind, self.path = book, kind, path
        self.browser = Browser(site, book)
        self.page = LivePage(self.browser, kind, self._show)
        self.body = b""
        self.subject = ""
        self.expected: list[Expected] = []
        self._moving: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open the page. Retry while the site responds with status 503."""
        for _try in range(TRIES):
            if (await self.page.open(self.path)).status != 503:
                return
            await asyncio.sleep(AGAIN)

    async def close(self) -> None:
        if self._moving:
            self._moving.cancel()
        await self.page.close()
        await self.browser.close()

    def expect(self, expected: Expected) -> None:
        if expected.subject != (self.subject if self.kind == "my match" else self.kind):
            return
        if not expected.is_seen(self.body):
            self.expected.append(expected)
        elif self.kind != "pairings":  # there nobody knows whether it is gone already, or was on another page
            self.book.fresh[self.kind].append(0.0)  # it can stand there before the writer has its answer

    def _show(self, body: bytes) -> None:
        self.body, now = body, time.monotonic()
        found = CARD.search(body) if self.kind == "my match" else None
        subject = f"card {found[1].decode()}" if found else ""
        if subject != self.subject:
            self.subject, self.expected = subject, []
        waiting = []
        for one in self.expected:
            if one.is_seen(body):
                self.book.fresh[self.kind].append(max(0.0, now - one.since))
            else:
                waiting.append(one)
        self.expected = waiting
        self._go_on(body)

    def _go_on(self, body: bytes) -> None:
        """Follow the link to the next score card after some seconds. Reload a blank page."""
        if self.kind != "my match" or (self._moving and not self._moving.done()):
            return
        if not body or GOES_ON.search(body):
            self._moving = asyncio.ensure_future(self._move(after=0 if self.page.is_over else random.uniform(3, 8)))

    async def _move(self, after: float) -> None:
        await asyncio.sleep(after)
        await self.page.close()
        self.page = LivePage(self.browser, self.kind, self._show)
        await self.open()


def make_phones(sites: Sequence[str], book: Book, count: int, known: dict[str, Any]) -> list[Phone]:
    """Return the phones in random order.

    If there are fewer phones than players, the players at the first tables get them.
    """
    turns = itertools.cycle(sites)
    public = f"/t/{known['tournament']}/{known['event']}"
    phones = []
    for kind, share in SHARES[:2]:
        path = f"{public}/{kind}/"
        phones += [Phone(next(turns), book, kind, path) for _one in range(round(count * share))]
    players = _players(known)
    for turn in range(count - len(phones)):
        phones.append(Phone(next(turns), book, "my match", f"/my/{players[turn % len(players)]}/match/"))
    random.Random(1).shuffle(phones)
    return phones


def _players(known: dict[str, Any]) -> list[str]:
    tokens = {one["number"]: str(one["token"]) for one in known["entrants"]}
    seated = [number for table in known["tables"] for number in table["numbers"]]
    return [tokens[number] for number in [*seated, *(set(tokens) - set(seated))]]


HERD_PATIENCE: Final = 60.0
SHOWN: Final = b"match-opponent"


class Herd:
    def __init__(self, hall: Hall, phones: list[Phone]) -> None:
        self.hall, self.book = hall, hall.book
        self.phones = [phone for phone in phones if phone.kind == "my match"]

    async def start_play(self) -> dict[str, Spread]:
        """Start play, and return two measurements.

        The first is the time from the staff's response until each player sees the opponent. The second is the response
        time of all requests meanwhile.
        """
        desk = Desk(self.hall, self.hall.known["sign_in"][0])
        await desk.open()
        page = await desk.browser.get("page rules", f"{self.hall.desk}/rules/")
        self.book.times.clear()
        fields = {"csrfmiddlewaretoken": page.csrf}
        answer = await desk.browser.post("write start of play", f"{self.hall.desk}/start-play/", fields)
        began = time.monotonic()
        if not answer.goes_to:
            self.book.fail("write start of play", f"{answer.status} and no way on")
        shown = await self._wait(began)
        await desk.close()
        asked = [
            time for kind, times in self.book.times.items() if kind.startswith(("panel", "page")) for time in times
        ]
        return {"herd: match shown": spread_of(shown), "herd: every answer": spread_of(asked)}

    async def _wait(self, began: float) -> list[float]:
        waiting, shown = set(self.phones), []
        while waiting and time.monotonic() < began + HERD_PATIENCE:
            await asyncio.sleep(0.02)
            done = {phone for phone in waiting if SHOWN in phone.body}
            waiting -= done
            shown += [time.monotonic() - began] * len(done)
        if waiting:
            self.book.fail("herd", f"{len(waiting)} phones never showed their match")
        return shown
