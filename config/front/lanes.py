"""Requests go on to the page processes of this machine, in lanes: who reads, writes or sends files shares no queue.

The process before them (`config.asgi`) holds the phones' streams and what is told from memory, and makes no page. A
page process listens at a socket of its own; how many there are, and when they come and go, needs no setting here.
"""

import asyncio
import string
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final
from urllib.parse import quote_from_bytes

import aiohttp
from django.urls import Resolver404, resolve
from django.utils.translation import gettext_lazy as _
from yarl import URL

from config.broker import socket_path
from config.front.guard import BACK_SOON, MB, TOO_MANY, Refusal, Refused, counted_for, refused_where_full
from config.front.turns import Askers, Line
from tournament.core.live import Message, Receive, Send
from tournament.core.pages.caching import KEPT

READER, WRITER = "reader", "writer"
READ_BY_POST: Final = {"scoring:my_preview", "scoring:table_preview"}
LARGE_FORM: Final = 128 * 1024
"""Bytes from which a form waits in the lane of files."""
LOOK_EVERY: Final = 1.0
AWAY: Final = 0.1
"""Seconds after which a process that did not answer is tried again."""
PATIENCE: Final = 30.0
"""Seconds that a page waits for its turn; a panel that fetches itself again is told to come back after FRESH."""
FRESH: Final = 8.0
PAGES_IN_A_ROW: Final = 5
"""Pages that come before a panel that waits: then it is the panel's turn, or a flood of pages would stop all panels."""
ALONE: Final = 0.5
"""Seconds that a page for a whole hall has its process to itself."""
FILES_OF_ONE: Final = 8
"""Files of one client that may wait for their turn, each of them in memory; FILES_IN_ALL of all clients."""
FILES_IN_ALL: Final = 32
ANSWERED_WITHIN: Final = 300.0
TRIES: Final = 3
PART: Final = 256 * 1024
ASK: Final = KEPT.lower().encode()

BUSY: Final = Refusal(503, "busy", _("The site is busy. Try again in a moment."), again=3)
CUT_OFF: Final = Refusal(
    503,
    "interrupted",
    _("The site was interrupted. Check whether your entry was saved. If it was not, send it again."),
    again=2,
)

CLIENT, SCHEME = "x-before-client", "x-before-scheme"
"""What a page process is told of the connection; it believes anyone who opens its socket."""
_ONE_HOP: Final = {b"connection", b"keep-alive", b"te", b"trailer", b"transfer-encoding", b"upgrade", b"expect"}
_NOT_ASKED: Final = _ONE_HOP | {CLIENT.encode(), SCHEME.encode()}
_NOT_TOLD: Final = _ONE_HOP | {b"server", b"date"}
_ADDED: Final = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
_IN_A_PATH: Final = "".join(set(string.printable) - set("#? \t\r\n\x0b\x0c"))


@dataclass(eq=False)
class PageProcess:
    """One socket; `away_until`: it did not answer, and is left alone for a moment.

    `for_all`: so many of what it is busy with are pages that a hall waits for. It is given nothing else meanwhile, or
    until `alone_until`, where one of them takes longer than that.
    """

    client: aiohttp.ClientSession
    busy: int = 0
    for_all: int = 0
    alone_until: float = 0.0
    away_until: float = 0.0

    def is_alone(self, now: float) -> bool:
        return bool(self.for_all) and now < self.alone_until

    def leave_alone(self) -> None:
        self.away_until = time.monotonic() + AWAY


Headers = list[tuple[bytes, bytes]]


@dataclass(eq=False)
class Lane:
    """The processes of a kind, `at_once` requests in each, and who waits for a turn.

    Clients have their turns one after the other (`config.front.turns`). Pages that somebody waits for come before
    panels that fetch themselves again, a few at a time. While none of the kind answers, those of the other kind stand
    in: they run the same program. A lane that does not give up refuses nobody as long as its processes are at work.
    """

    kind: str
    at_once: int
    gives_up: bool = True
    processes: dict[Path, PageProcess] = field(default_factory=dict)
    pages: Line = field(default_factory=Line)
    panels: Line = field(default_factory=Line)
    _in_a_row: int = 0
    _looked: float = 0.0
    _is_ticking: bool = False

    @asynccontextmanager
    async def turn(
        self, askers: Askers, until: float, *, is_panel: bool = False, is_for_all: bool = False
    ) -> AsyncIterator[PageProcess]:
        process = await self._wait(askers, until, is_panel=is_panel)
        if is_for_all:
            process.for_all, process.alone_until = process.for_all + 1, time.monotonic() + ALONE
        try:
            yield process
        finally:
            process.for_all -= is_for_all
            self._release(process)

    async def _wait(self, askers: Askers, until: float, *, is_panel: bool) -> PageProcess:
        turn: asyncio.Future[PageProcess] = asyncio.get_running_loop().create_future()
        askers.stand_in(self.panels if is_panel else self.pages, turn)
        self._give_turns()
        if not turn.done() and not self._is_ticking:
            self._tick()
        try:
            while not (await asyncio.wait({turn}, timeout=until - time.monotonic()))[0]:
                is_busy = any(one.busy for one in self.processes.values())
                if self.gives_up or not is_busy:
                    turn.cancel()
                    raise Refused(BUSY if is_busy else BACK_SOON)
                until = time.monotonic() + PATIENCE
            return turn.result()
        except asyncio.CancelledError:
            turn.cancel()
            if turn.done() and not turn.cancelled():
                self._release(turn.result())
            raise

    def _release(self, process: PageProcess) -> None:
        process.busy -= 1
        self._give_turns()

    def _give_turns(self) -> None:
        while (line := self._next_line()) is not None:
            process = self._free()
            if process is None:
                return
            self._in_a_row = self._in_a_row + 1 if line is self.pages and self.panels else 0
            process.busy += 1
            line.take().set_result(process)

    def _next_line(self) -> Line | None:
        if self.panels and (self._in_a_row >= PAGES_IN_A_ROW or not self.pages):
            return self.panels
        return self.pages if self.pages else None

    def _free(self) -> PageProcess | None:
        now = time.monotonic()
        if now - self._looked > LOOK_EVERY or not self.processes:
            self._looked = now
            self._look()
        there = {path.name: one for path, one in self.processes.items() if one.away_until < now}
        own = [one for name, one in there.items() if name.startswith(self.kind)]
        free = [one for one in own or there.values() if one.busy < self.at_once and not one.is_alone(now)]
        return min(free, key=lambda one: one.busy, default=None)

    def _look(self) -> None:
        """Which processes there are; what listens at none of the sockets is noticed when it is asked."""
        there = {path for kind in (READER, WRITER) for path in socket_path("").glob(f"{kind}-*.sock")}
        for path in there - self.processes.keys():
            self.processes[path] = PageProcess(_client(path))
        for path in self.processes.keys() - there:
            if not self.processes[path].busy:
                self.processes.pop(path).client.detach()

    def _tick(self) -> None:
        """While somebody waits: a process may have come, or come back."""
        self._give_turns()
        self._is_ticking = bool(self.pages or self.panels)
        if self._is_ticking:
            asyncio.get_running_loop().call_later(AWAY, self._tick)


def _client(path: Path) -> aiohttp.ClientSession:
    """A connection a request: one that is kept may be closed just when a form is sent on it."""
    return aiohttp.ClientSession(
        connector=aiohttp.UnixConnector(path=str(path), limit=0, force_close=True),
        timeout=aiohttp.ClientTimeout(total=ANSWERED_WITHIN),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=_ADDED,
        max_line_size=65536,
        max_field_size=65536,
    )


class Lanes:
    """The ASGI callable behind `config.front.guard`: whole requests, each answered by a page process."""

    def __init__(self) -> None:
        self.reading = Lane(READER, 4)
        self.writing, self.files = Lane(WRITER, 4, gives_up=False), Lane(READER, 2, gives_up=False)
        resolve("/")  # reads all addresses, which takes a second, now

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        reads = scope["method"] in ("GET", "HEAD", "OPTIONS")
        lane = self.reading if reads else self._lane_of(scope)
        if lane is self.files:
            _refuse_too_many(lane.pages, counted_for(scope))
        body = b"" if reads else await _whole(receive)
        with refused_where_full(), tempfile.SpooledTemporaryFile(MB) as content:
            status, headers = await self._ask(lane, scope, body, content)
            # The turn is over: a slow reader keeps nobody waiting.
            content.seek(0)
            await _tell(status, headers, content, send)

    def _lane_of(self, scope: Message) -> Lane:
        if int(dict(scope["headers"]).get(b"content-length", 0)) > LARGE_FORM:  # counted by `config.front.guard`
            return self.files
        try:
            return self.reading if resolve(scope["path"]).view_name in READ_BY_POST else self.writing
        except Resolver404:
            return self.reading

    async def _ask(self, lane: Lane, scope: Message, body: bytes, content: IO[bytes]) -> tuple[int, Headers]:
        """Asked again where the process had heard nothing yet, or where asking twice changes nothing."""
        names = {name for name, _value in scope["headers"]}
        is_for_all = lane is self.reading and ASK in names
        is_panel = lane is self.reading and b"hx-request" in names and not is_for_all
        askers = scope.get("askers") or Askers(counted_for(scope))
        until, tries = time.monotonic() + (FRESH if is_panel else PATIENCE), TRIES
        while True:
            async with lane.turn(askers, until, is_panel=is_panel, is_for_all=is_for_all) as process:
                try:
                    return await _asked(process.client, scope, body, content)
                except aiohttp.ClientConnectorError:
                    process.leave_alone()
                except (aiohttp.ClientError, TimeoutError, ConnectionError):
                    process.leave_alone()
                    tries -= 1
                    if lane is not self.reading or not tries:
                        raise Refused(CUT_OFF) from None
                    content.seek(0)
                    content.truncate()


async def _asked(client: aiohttp.ClientSession, scope: Message, body: bytes, content: IO[bytes]) -> tuple[int, Headers]:
    path = quote_from_bytes(scope["raw_path"], safe=_IN_A_PATH)
    query = scope["query_string"].decode("ascii")
    address = URL.build(scheme="http", host="page", path=path, query_string=query, encoded=True)
    asked = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"] if _goes_on(name)]
    asked += [(CLIENT, (scope.get("client") or ("",))[0]), (SCHEME, scope.get("scheme", "http"))]
    async with client.request(
        scope["method"], address, headers=asked, data=body or None, allow_redirects=False
    ) as answer:
        async for part in answer.content.iter_any():
            content.write(part)
        return answer.status, [pair for pair in answer.raw_headers if pair[0].lower() not in _NOT_TOLD]


def _goes_on(name: bytes) -> bool:
    """Not what is for one hop, or could be taken for our own: a page process reads `_` as `-`."""
    return name not in _NOT_ASKED and b"_" not in name


def _refuse_too_many(waiting: Line, client: str) -> None:
    if waiting.waiting_of(client) >= FILES_OF_ONE or len(waiting) >= FILES_IN_ALL:
        raise Refused(TOO_MANY)


async def _whole(receive: Receive) -> bytes:
    parts, more = [], True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


async def _tell(status: int, headers: Headers, content: IO[bytes], send: Send) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    part, more = content.read(PART), True
    while more:
        following = content.read(PART)
        more = bool(following)
        await send({"type": "http.response.body", "body": part, "more_body": more})
        part = following
