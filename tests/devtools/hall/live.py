"""Simulate an open page that follows its event. Change this module together with static/js/live.js.

Everything is read from the page's attributes: the stream (`data-live-url`), the version, and the parts that are
reloaded for a new version (`data-live-panel`, `hx-trigger="live"`).
"""

from __future__ import annotations

import asyncio
import html
import json
import random
import re
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any, Final

import aiohttp

from tests.devtools.hall.browser import Answer, Browser

POLL_EVERY: Final = 10.0
STREAM_AGAIN: Final = 60.0
FETCH_AGAIN: Final = 3.0
SPREAD: Final = 300
"""The default delay in milliseconds if the stream does not send `within`.

Other times are in seconds, as in live.js.
"""
RECONNECT: Final = 3.0
"""The number of seconds that browsers wait before they reopen a closed stream."""

MAIN: Final = re.compile(rb"<main\b[^>]*>")
SAID: Final = re.compile(rb' data-live-url="')
PART: Final = re.compile(rb'\s(?:data-live-panel="|hx-trigger="live")')
ATTRIBUTE: Final = re.compile(r'([\w-]+)="([^"]*)"')


@dataclass(slots=True)
class Part:
    """A live part of a page.

    `select` is the ID or tag to extract from the response. It is empty to use the whole response.
    """

    path: str
    headers: dict[str, str]
    select: str = ""
    is_asking: bool = False
    asks_again: bool = False


class LivePage:
    """A simulated open page. It calls `shown` with its body, and with the body of each part that is loaded later."""

    def __init__(self, browser: Browser, kind: str, shown: Callable[[bytes], None]) -> None:
        self.browser, self.book, self.kind, self.shown = browser, browser.book, kind, shown
        self.main: dict[str, str] = {}
        self.parts: list[Part] = []
        self.version = ""
        self.heard_at = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._again: asyncio.TimerHandle | None = None
        self._following: asyncio.Task[None] | None = None
        self.is_over = False
        """Whether the site asked to reload the page."""

    async def open(self, path: str) -> Answer:
        answer = await self.browser.get(f"page {self.kind}", path)
        if answer.status == 200:
            self._read(answer)
            self.shown(answer.body)
            if "data-live-url" in self.main:
                self._following = self._start(self._follow(self.main["data-live-url"]))
        return answer

    def _read(self, answer: Answer) -> None:
        found = MAIN.search(answer.body)
        self.main = attributes(found[0]) if found else {}
        self.version = self.main.get("data-version", "")
        self.parts = [_part(attributes(tag), answer.address) for tag in _tags(PART, answer.body)]

    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._again:
            self._again.cancel()

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _follow_anew(self, body: bytes) -> None:
        """Follow another stream if the loaded part names a new one, for example after a player got a score card."""
        said = next(_tags(SAID, body), None)
        told = attributes(said) if said else {}
        if not told or "data-live-url" not in self.main:
            return
        self.version = max(self.version, told["data-version"], key=int)
        if told["data-live-url"] == self.main["data-live-url"]:
            return
        self.main.update(told)
        if self._following:
            self._following.cancel()
        self._following = self._start(self._follow(told["data-live-url"]))

    # --- The stream, and asking where it does not work ---

    async def _follow(self, path: str) -> None:
        while True:
            try:
                wait = await self._listen(path)
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                self.book.fail("stream", type(error).__name__)
                wait = RECONNECT
            await asyncio.sleep(wait) if wait < STREAM_AGAIN else await self._poll()

    async def _listen(self, path: str) -> float:
        """Listen until the stream ends, and return how long to wait before opening it again."""
        began = time.monotonic()
        stream = await self.browser.stream(path)
        try:
            if stream.status != 200:
                self.book.fail("stream", str(stream.status))
                return STREAM_AGAIN
            self.book.times["stream connects"].append(time.monotonic() - began)
            async for line in stream.content:
                if line.startswith(b"data:"):
                    self._hear(line[5:].decode())
        finally:
            stream.close()
        self.book.fail("stream", "ended")
        return RECONNECT

    async def _poll(self) -> None:
        until = time.monotonic() + STREAM_AGAIN
        while time.monotonic() < until:
            answer = await self.browser.get("version", self.main["data-version-url"])
            if answer.status == 200:
                self._hear(answer.body.decode())
            await asyncio.sleep(POLL_EVERY)

    def _hear(self, text: str) -> None:
        plain = text.strip()
        told = json.loads(plain) if plain.startswith("{") else {"version": plain}
        if "version" not in told:  # the news about the second laptop
            return
        now = str(told["version"])
        if not now or now == self.version:
            return
        self.version = now
        self.book.remarks["wake-ups"] += 1
        asyncio.get_running_loop().call_later(random.random() * told.get("within", SPREAD) / 1000, self._refresh)

    # --- Parts ---

    def _refresh(self) -> None:
        self._again = None
        for part in self.parts:
            if part.is_asking:
                part.asks_again = True  # htmx keeps one in line, the last
            else:
                part.is_asking = True
                self._start(self._fetch(part))

    async def _fetch(self, part: Part) -> None:
        try:
            while True:
                part.asks_again = False
                answer = await self.browser.get(f"panel {self.kind}", part.path, part.headers)
                self._take(part, answer)
                if not part.asks_again:
                    return
        finally:
            part.is_asking = False

    def _take(self, part: Part, answer: Answer) -> None:
        if answer.refreshes:
            self.book.remarks[f"{self.kind}: loaded again, as the site asks"] += 1
            self.is_over = True
            self.shown(b"")
        elif answer.status == 200 and part.select and not _has(answer.body, part.select):
            self.book.remarks[f"{self.kind}: the answer has no {part.select}, the page goes blank"] += 1
            self.shown(b"")
        elif answer.status == 200:
            if part.select == "main":  # the page is another one: a match, and no word of waiting
                self.parts = [_part(attributes(tag), answer.address) for tag in _tags(PART, answer.body)]
            self.shown(answer.body)
            self._follow_anew(answer.body)
        elif not 400 <= answer.status < 500 and answer.status != 304 and self._again is None:
            self._again = asyncio.get_running_loop().call_later(FETCH_AGAIN, self._refresh)


def _tags(holding: re.Pattern[bytes], body: bytes) -> Iterator[bytes]:
    """Yield the HTML tags with an attribute that matches `holding`.

    A regular expression that matches whole tags would take longer than the site needs to render the page.
    """
    for found in holding.finditer(body):
        yield body[body.rindex(b"<", 0, found.start()) : body.index(b">", found.end()) + 1]


def attributes(tag: bytes) -> dict[str, str]:
    return {name: html.unescape(value) for name, value in ATTRIBUTE.findall(tag.decode())}


def _part(tag: dict[str, str], address: str) -> Part:
    headers = {"HX-Request": "true", "HX-Current-URL": address}
    target = tag.get("hx-target", tag.get("id", ""))
    if target:
        headers["HX-Target"] = target.removeprefix("#")
    if "data-live-panel" in tag:
        return Part(tag["data-live-panel"], headers)
    return Part(tag["hx-get"], headers, tag.get("hx-select", ""))


def _has(body: bytes, select: str) -> bool:
    wanted = f'id="{select[1:]}"' if select.startswith("#") else f"<{select}"
    return wanted.encode() in body
