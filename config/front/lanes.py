"""Forward requests to this machine's page processes, in separate lanes for reads, writes and files.

The front process (`config.asgi`) serves streams and cached pages, but renders no pages itself. Each page process
listens on its own socket, so processes can be added or removed without any setting here.
"""

from __future__ import annotations

import asyncio
import string
import tempfile
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, TypeAlias
from urllib.parse import quote_from_bytes

import aiohttp
from django.urls import Resolver404, resolve
from django.utils.translation import gettext_lazy as _
from yarl import URL

from config.broker import make_socket_path
from config.front.guard import (
    MB,
    SITE_UNAVAILABLE,
    TOO_MANY_REQUEST_BODIES,
    RequestRefusal,
    RequestRefused,
    make_rate_limit_key,
    refuse_on_full_disk,
)
from tournament.core.live import AsgiMessage, AsgiReceive, AsgiSend
from tournament.core.pages.following import PAGE_MARKS_HEADER

PageProcessFuture: TypeAlias = "asyncio.Future[_PageProcess]"
Headers = list[tuple[bytes, bytes]]

READER, WRITER = "reader", "writer"
READ_ONLY_POST_PAGES: Final = {"scoring:my_preview", "scoring:table_preview"}
MIN_LARGE_FORM_BYTES: Final = 128 * 1024
"""Forms larger than this, in bytes, are handled in the lane for file uploads."""
PROCESS_SEARCH_INTERVAL_S: Final = 1.0
PROCESS_RETRY_S: Final = 0.1
"""Seconds to wait before trying an unresponsive page process again."""
MAX_PAGE_WAIT_S: Final = 30.0
"""Seconds that a request for a page may wait for its turn. Requests for panels may wait only `MAX_PANEL_WAIT_S`."""
MAX_PANEL_WAIT_S: Final = 8.0
MAX_PAGES_IN_A_ROW: Final = 5
"""The maximum number of pages served in a row while a panel is waiting. With no limit, pages could block panels."""
EXCLUSIVE_RENDER_TIME_S: Final = 0.5
"""Seconds for which a process serves nothing else while it renders a page that is the same for all visitors."""
MAX_UPLOADS_PER_CLIENT: Final = 8
"""The maximum number of one client's file uploads that may wait in memory.

`MAX_WAITING_UPLOADS` is the limit for all clients.
"""
MAX_WAITING_UPLOADS: Final = 32
RESPONSE_TIMEOUT_S: Final = 300.0
MAX_FORWARDING_ATTEMPTS: Final = 3
CHUNK_BYTES: Final = 256 * 1024
MARKS_HEADER: Final = PAGE_MARKS_HEADER.lower().encode()
"""The request header with which the page cache asks for a page's marks (version stamps)."""

SITE_BUSY: Final = RequestRefusal(503, "busy", _("The site is busy. Try again in a moment."), retry_after_s=3)
REQUEST_INTERRUPTED: Final = RequestRefusal(
    503,
    "interrupted",
    _("The site was interrupted. Check whether your entry was saved. If it was not, send it again."),
    retry_after_s=2,
)

CLIENT_HEADER, SCHEME_HEADER = "x-before-client", "x-before-scheme"
"""Headers with the client's address and URL scheme.

A page process trusts them, because only processes of this user can open its socket.
"""
_HOP_BY_HOP_HEADERS: Final = {
    b"connection",
    b"keep-alive",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
    b"expect",
}
_DROPPED_REQUEST_HEADERS: Final = _HOP_BY_HOP_HEADERS | {CLIENT_HEADER.encode(), SCHEME_HEADER.encode()}
_DROPPED_RESPONSE_HEADERS: Final = _HOP_BY_HOP_HEADERS | {b"server", b"date"}
_HEADERS_ADDED_BY_AIOHTTP: Final = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
_SAFE_IN_PATHS: Final = "".join(set(string.printable) - set("#? \t\r\n\x0b\x0c"))


class PageProcessRouter:
    """The ASGI application behind `config.front.guard`. It forwards each complete request to a page process."""

    def __init__(self) -> None:
        self.reading = _Lane(READER, 4)
        self.writing, self.files = _Lane(WRITER, 4, gives_up=False), _Lane(READER, 2, gives_up=False)
        self.monitoring = _Lane(READER, 1)
        resolve("/")  # loads the URLconf at the start, because that takes a second

    async def __call__(self, scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
        reads = scope["method"] in ("GET", "HEAD", "OPTIONS")
        lane = self.reading if reads else self._choose_lane(scope)
        if scope.get("is_monitoring"):  # set by `config.front.monitoring`
            lane = self.monitoring
        if lane is self.files:
            waiting, client = lane.pages, make_rate_limit_key(scope)
            if waiting.count_waiting(client) >= MAX_UPLOADS_PER_CLIENT or len(waiting) >= MAX_WAITING_UPLOADS:
                raise RequestRefused(TOO_MANY_REQUEST_BODIES)
        body = b"" if reads else await _read_body(receive)
        with refuse_on_full_disk(), tempfile.SpooledTemporaryFile(MB) as content:
            status, headers = await self._request_from_lane(lane, scope, body, content)
            # The turn is over, so that a slow client does not block others.
            content.seek(0)
            await _send_response(status, headers, content, send)

    def _choose_lane(self, scope: AsgiMessage) -> _Lane:
        if int(dict(scope["headers"]).get(b"content-length", 0)) > MIN_LARGE_FORM_BYTES:  # set by `config.front.guard`
            return self.files
        try:
            return self.reading if resolve(scope["path"]).view_name in READ_ONLY_POST_PAGES else self.writing
        except Resolver404:
            return self.reading

    async def _request_from_lane(
        self, lane: _Lane, scope: AsgiMessage, body: bytes, content: IO[bytes]
    ) -> tuple[int, Headers]:
        """Forward the request to a page process.

        Retry with another process if the request never arrived, or if it is read-only.
        """
        names = {name for name, _value in scope["headers"]}
        is_hall_page = lane is self.reading and MARKS_HEADER in names
        is_panel = lane is self.reading and b"hx-request" in names and not is_hall_page
        waiters = scope.get("waiters") or CoalescedPageRequest(make_rate_limit_key(scope))
        until, tries = time.monotonic() + (MAX_PANEL_WAIT_S if is_panel else MAX_PAGE_WAIT_S), MAX_FORWARDING_ATTEMPTS
        while True:
            async with lane.use_process(waiters, until, is_panel=is_panel, is_hall_page=is_hall_page) as process:
                try:
                    return await _request_page(process.client, scope, body, content)
                except aiohttp.ClientConnectorError:
                    process.mark_away()
                except (aiohttp.ClientError, TimeoutError, ConnectionError):
                    process.mark_away()
                    tries -= 1
                    if lane not in (self.reading, self.monitoring) or not tries:
                        raise RequestRefused(REQUEST_INTERRUPTED) from None
                    content.seek(0)
                    content.truncate()


async def _request_page(
    client: aiohttp.ClientSession, scope: AsgiMessage, body: bytes, content: IO[bytes]
) -> tuple[int, Headers]:
    path = quote_from_bytes(scope["raw_path"], safe=_SAFE_IN_PATHS)
    query = scope["query_string"].decode("ascii")
    url = URL.build(scheme="http", host="page", path=path, query_string=query, encoded=True)
    passed_on = [pair for pair in scope["headers"] if _is_passed_on(pair[0])]
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in passed_on]
    headers += [(CLIENT_HEADER, (scope.get("client") or ("",))[0]), (SCHEME_HEADER, scope.get("scheme", "http"))]
    async with client.request(
        scope["method"], url, headers=headers, data=body or None, allow_redirects=False
    ) as answer:
        async for part in answer.content.iter_any():
            content.write(part)
        return answer.status, [pair for pair in answer.raw_headers if pair[0].lower() not in _DROPPED_RESPONSE_HEADERS]


def _is_passed_on(header: bytes) -> bool:
    """Return whether to forward a header to the page process.

    WSGI treats `_` like `-`, so a header with `_` could imitate one of our own.
    """
    return header not in _DROPPED_REQUEST_HEADERS and b"_" not in header


async def _read_body(receive: AsgiReceive) -> bytes:
    parts, more = [], True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


async def _send_response(status: int, headers: Headers, content: IO[bytes], send: AsgiSend) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    part, more = content.read(CHUNK_BYTES), True
    while more:
        following = content.read(CHUNK_BYTES)
        more = bool(following)
        await send({"type": "http.response.body", "body": part, "more_body": more})
        part = following


# --- Lanes and turns -------------------------------------------------------------------------------------------------
# Clients take turns, so it does not help to send many requests.


class FairQueue:
    """Queues of waiting requests, one for each client. Clients take turns.

    A request shared by several clients is in all their queues. It is served as soon as one of them has its turn.
    """

    def __init__(self) -> None:
        self._of_client: OrderedDict[str, deque[PageProcessFuture]] = OrderedDict()

    def add(self, turn: PageProcessFuture, client: str) -> None:
        self._of_client.setdefault(client, deque()).append(turn)

    def count_waiting(self, client: str) -> int:
        return sum(not turn.done() for turn in self._of_client.get(client, ()))

    def __len__(self) -> int:
        return sum(map(self.count_waiting, self._of_client))

    def __bool__(self) -> bool:
        """Return whether any request is still waiting.

        Requests that timed out or were already served are removed first.
        """
        while self._of_client:
            client, turns = next(iter(self._of_client.items()))
            while turns and turns[0].done():
                turns.popleft()
            if turns:
                return True
            del self._of_client[client]
        return False

    def take(self) -> PageProcessFuture:
        """Return the request whose turn it is, and move its client to the end of the line."""
        assert self
        client, turns = self._of_client.popitem(last=False)
        turn = turns.popleft()
        if turns:
            self._of_client[client] = turns
        return turn


class CoalescedPageRequest:
    """A request for a page, and the clients that are waiting for the response.

    More clients can join if the page is identical for everyone.
    """

    def __init__(self, client: str) -> None:
        self.first = client
        self._clients = {client}
        self._place: tuple[FairQueue, PageProcessFuture] | None = None

    def join(self, client: str) -> None:
        if client not in self._clients:
            self._clients.add(client)
            if self._place is not None:
                queue, turn = self._place
                queue.add(turn, client)

    def enqueue(self, queue: FairQueue, turn: PageProcessFuture) -> None:
        self._place = queue, turn
        for client in self._clients:
            queue.add(turn, client)


@dataclass(eq=False)
class _PageProcess:
    """A page process behind its socket. After it fails to respond, it gets no requests until `away_until`.

    `hall_pages` counts the pages that the process is rendering now and that are the same for all visitors. While there
    are any, it gets no new requests until `exclusive_until`.
    """

    client: aiohttp.ClientSession
    busy: int = 0
    hall_pages: int = 0
    exclusive_until: float = 0.0
    away_until: float = 0.0

    def is_exclusive(self, now: float) -> bool:
        return bool(self.hall_pages) and now < self.exclusive_until

    def mark_away(self) -> None:
        self.away_until = time.monotonic() + PROCESS_RETRY_S


@dataclass(eq=False)
class _Lane:
    """The page processes of one kind, and the queue of requests waiting for them.

    Each process handles up to `at_once` requests. Clients take turns. Whole pages come before panels (parts of a page),
    because panels refresh themselves later. If no process of this kind responds, processes of the other kind serve the
    lane's requests.

    A request that has waited too long is refused. If `gives_up` is false, the request continues to wait as long as any
    process is still busy with another request.
    """

    kind: str
    at_once: int
    gives_up: bool = True
    processes: dict[Path, _PageProcess] = field(default_factory=dict)
    pages: FairQueue = field(default_factory=FairQueue)
    panels: FairQueue = field(default_factory=FairQueue)
    _in_a_row: int = 0
    _searched_at: float = 0.0
    _is_ticking: bool = False

    @asynccontextmanager
    async def use_process(
        self, waiters: CoalescedPageRequest, until: float, *, is_panel: bool = False, is_hall_page: bool = False
    ) -> AsyncIterator[_PageProcess]:
        process = await self._wait_for_process(waiters, until, is_panel=is_panel)
        if is_hall_page:
            process.hall_pages, process.exclusive_until = (
                process.hall_pages + 1,
                time.monotonic() + EXCLUSIVE_RENDER_TIME_S,
            )
        try:
            yield process
        finally:
            process.hall_pages -= is_hall_page
            self._release_process(process)

    async def _wait_for_process(self, waiters: CoalescedPageRequest, until: float, *, is_panel: bool) -> _PageProcess:
        turn: asyncio.Future[_PageProcess] = asyncio.get_running_loop().create_future()
        waiters.enqueue(self.panels if is_panel else self.pages, turn)
        self._assign_waiting_requests()
        if not turn.done() and not self._is_ticking:
            self._assign_requests_regularly()
        try:
            while not (await asyncio.wait({turn}, timeout=until - time.monotonic()))[0]:
                is_busy = any(process.busy for process in self.processes.values())
                if self.gives_up or not is_busy:
                    turn.cancel()
                    raise RequestRefused(SITE_BUSY if is_busy else SITE_UNAVAILABLE)
                until = time.monotonic() + MAX_PAGE_WAIT_S
            return turn.result()
        except asyncio.CancelledError:
            turn.cancel()
            if turn.done() and not turn.cancelled():
                self._release_process(turn.result())
            raise

    def _release_process(self, process: _PageProcess) -> None:
        process.busy -= 1
        self._assign_waiting_requests()

    def _assign_waiting_requests(self) -> None:
        while (queue := self._choose_queue()) is not None:
            process = self._choose_free_process()
            if process is None:
                return
            self._in_a_row = self._in_a_row + 1 if queue is self.pages and self.panels else 0
            process.busy += 1
            queue.take().set_result(process)

    def _choose_queue(self) -> FairQueue | None:
        if self.panels and (self._in_a_row >= MAX_PAGES_IN_A_ROW or not self.pages):
            return self.panels
        return self.pages if self.pages else None

    def _choose_free_process(self) -> _PageProcess | None:
        now = time.monotonic()
        if now - self._searched_at > PROCESS_SEARCH_INTERVAL_S or not self.processes:
            self._searched_at = now
            self._find_processes()
        there = {path.name: process for path, process in self.processes.items() if process.away_until < now}
        own = [process for name, process in there.items() if name.startswith(self.kind)]
        free = [each for each in own or there.values() if each.busy < self.at_once and not each.is_exclusive(now)]
        return min(free, key=lambda process: process.busy, default=None)

    def _find_processes(self) -> None:
        """Update the list of processes from their socket files. A dead process is only noticed at the next request."""
        there = {path for kind in (READER, WRITER) for path in make_socket_path("").glob(f"{kind}-*.sock")}
        for path in there - self.processes.keys():
            self.processes[path] = _PageProcess(_make_http_client(path))
        for path in self.processes.keys() - there:
            if not self.processes[path].busy:
                self.processes.pop(path).client.detach()

    def _assign_requests_regularly(self) -> None:
        """Keep assigning waiting requests to processes, because a process may have started or recovered."""
        self._assign_waiting_requests()
        self._is_ticking = bool(self.pages or self.panels)
        if self._is_ticking:
            asyncio.get_running_loop().call_later(PROCESS_RETRY_S, self._assign_requests_regularly)


def _make_http_client(path: Path) -> aiohttp.ClientSession:
    """Return an HTTP client that opens a new connection for each request.

    A reused idle connection could be closed at the very moment when a form is sent.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.UnixConnector(path=str(path), limit=0, force_close=True),
        timeout=aiohttp.ClientTimeout(total=RESPONSE_TIMEOUT_S),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=_HEADERS_ADDED_BY_AIOHTTP,
        max_line_size=65536,
        max_field_size=65536,
    )
