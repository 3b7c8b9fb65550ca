"""Public pages answered before Django: made once a version, kept with their compressed form, told from memory.

A view under `kept_by_version` that names its topics says with what marks its page is true (`tournament.core.marks`).
While they stand, everybody gets the same bytes; the first one to ask after a write has the page made, and whoever asks
meanwhile waits for it. Somebody who is signed in, or is still to be told something, gets a page of their own.
"""

import asyncio
import gzip
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

from django.conf import settings

from tournament.core.live import Message, Receive, Send
from tournament.core.marks import stand
from tournament.core.middleware import SIGNED_IN
from tournament.core.pages.caching import KEPT

App = Callable[[Message, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]
Address = tuple[bytes, ...]

LONGEST: Final = 10.0
"""Seconds: whoever wrote may have died between the commit and its marks."""
MOST_BYTES: Final = 64 * 1024 * 1024
LONGEST_ADDRESS: Final = 300
OWN: Final = (b"messages=", f"{SIGNED_IN}=".encode(), b"; messages=", f"; {SIGNED_IN}=".encode())
MOST_PASSING: Final = 4096
ASK: Final = KEPT.lower().encode()
DROPPED: Final = {b"if-none-match", b"if-modified-since", ASK}
REMADE: Final = {b"etag", b"content-length", b"content-encoding", ASK}


@dataclass(frozen=True, slots=True)
class Page:
    """One answer, true while its marks stand: as it is and compressed, with and without its body."""

    marks: tuple[tuple[int, int], ...]
    etag: bytes
    plain: tuple[Headers, bytes]
    zipped: tuple[Headers, bytes]
    unchanged: Headers
    until: float

    @property
    def stands(self) -> bool:
        return stand(self.marks) and monotonic() < self.until

    @property
    def size(self) -> int:
        return len(self.plain[1]) + len(self.zipped[1])


class Memory:
    """In front of `app`: answers what it keeps, lets through whatever else is asked."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.pages: OrderedDict[Address, Page] = OrderedDict()
        self.size = 0
        self._made: dict[Address, asyncio.Future[Page | None]] = {}
        self._passing: set[Address] = set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        address = (headers.get(b"host", b""), headers.get(b"hx-request", b""), scope["raw_path"], scope["query_string"])
        if address in self._passing or not _is_for_all(scope, headers):
            await self.app(scope, receive, send)
            return
        page = self.pages.get(address)
        while page is None or not page.stands:
            making = self._made.get(address)
            if making is None:
                await self._make(address, scope, receive, send)
                return
            page = await asyncio.shield(making)
            if page is None:
                await self.app(scope, receive, send)
                return
        await _tell(page, scope["method"], headers, send)

    async def _make(self, address: Address, scope: Message, receive: Receive, send: Send) -> None:
        """Whoever asks while it is made waits for the same page; where it cannot be kept, each asks for their own."""
        made = self._made[address] = asyncio.get_running_loop().create_future()
        answer, page = Answer(), None
        try:
            asked = [pair for pair in scope["headers"] if pair[0] not in DROPPED]
            await self.app({**scope, "method": "GET", "headers": [*asked, (ASK, b"1")]}, receive, answer)
            page = answer.page()
            self._keep(address, page)
            if page is None and answer.passes:
                self._pass(address)
        finally:
            del self._made[address]
            made.set_result(page)
        if page is not None:
            await _tell(page, scope["method"], dict(scope["headers"]), send)
        else:
            await answer.tell(scope["method"], send)

    def _pass(self, address: Address) -> None:
        """Nothing is ever kept there."""
        if len(self._passing) >= MOST_PASSING:
            self._passing.clear()
        self._passing.add(address)

    def _keep(self, address: Address, page: Page | None) -> None:
        old = self.pages.pop(address, None)
        self.size -= old.size if old else 0
        if page is not None:
            self.pages[address] = page
            self.size += page.size
        while self.size > MOST_BYTES:
            self.size -= self.pages.popitem(last=False)[1].size


class Answer:
    """What the pages behind answered, caught instead of sent."""

    def __init__(self) -> None:
        self.status, self.headers, self.body = 0, Headers(), bytearray()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message["headers"])
        else:
            self.body += message.get("body", b"")

    @property
    def passes(self) -> bool:
        return self.status == 200 and not any(name.lower() == ASK for name, _value in self.headers)

    def page(self) -> Page | None:
        told = {name.lower(): value for name, value in self.headers}
        if self.status != 200 or not told.get(ASK) or b"set-cookie" in told:
            return None
        body = gzip.decompress(self.body) if told.get(b"content-encoding") == b"gzip" else bytes(self.body)
        zipped, etag = gzip.compress(body, 6, mtime=0), told[b"etag"].removeprefix(b"W/")
        both = [*(pair for pair in self.headers if pair[0].lower() not in REMADE), (b"etag", b"W/" + etag)]
        return Page(
            marks=tuple((int(place), int(mark)) for place, mark in (one.split(b":") for one in told[ASK].split(b","))),
            etag=etag,
            plain=([*both, (b"content-length", b"%d" % len(body))], body),
            zipped=([*both, (b"content-encoding", b"gzip"), (b"content-length", b"%d" % len(zipped))], zipped),
            unchanged=[pair for pair in both if pair[0].lower() != b"content-type"],
            until=monotonic() + LONGEST,
        )

    async def tell(self, method: str, send: Send) -> None:
        headers = [pair for pair in self.headers if pair[0].lower() != ASK]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else bytes(self.body)})


def _is_for_all(scope: Message, headers: dict[bytes, bytes]) -> bool:
    if scope["method"] not in ("GET", "HEAD") or not scope["path"].startswith(("/t/", "/version/")):
        return False
    cookies = headers.get(b"cookie", b"")
    own = cookies.startswith(OWN[:2]) or any(name in cookies for name in OWN[2:])
    return settings.PAGES_FROM_MEMORY and not own and len(scope["query_string"]) < LONGEST_ADDRESS


async def _tell(page: Page, method: str, headers: dict[bytes, bytes], send: Send) -> None:
    if page.etag in headers.get(b"if-none-match", b""):
        await send({"type": "http.response.start", "status": 304, "headers": page.unchanged})
        await send({"type": "http.response.body", "body": b""})
        return
    told, body = page.zipped if b"gzip" in headers.get(b"accept-encoding", b"") else page.plain
    await send({"type": "http.response.start", "status": 200, "headers": told})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})
