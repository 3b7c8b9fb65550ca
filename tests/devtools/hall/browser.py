"""A simulated browser with cookies, keep-alive, conditional requests, and gzip, but without rendering."""

from __future__ import annotations

import gzip
import re
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

import aiohttp

from tests.devtools.hall.book import Book

MOST_CONNECTIONS: Final = 6
"""The maximum number of connections that browsers open to a host over HTTP/1.1."""
PATIENCE: Final = 60.0
"""The number of seconds after which a user gives up, which counts as an error."""
AGENT: Final = {"User-Agent": "hall", "Accept-Encoding": "gzip", "Accept-Language": "en"}
CSRF: Final = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')
_unpacked: OrderedDict[str, bytes] = OrderedDict()
"""Unpacked pages, keyed by ETag.

Hundreds of phones get the same page, and the time to unpack it should not be measured.
"""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes
    address: str
    etag: str = ""
    goes_to: str = ""
    refreshes: bool = False
    """Whether the site tells htmx to reload the page."""

    @property
    def is_good(self) -> bool:
        return self.status < 400

    @property
    def csrf(self) -> str:
        found = CSRF.search(self.body)
        return found[1].decode() if found else ""


NO_ANSWER: Final = 0


class Browser:
    """A simulated browser on a phone or on a staff member's laptop.

    Responses with a status of 400 or more, and missing responses, are recorded as errors.
    """

    def __init__(self, site: str, book: Book) -> None:
        self.site, self.book = site, book
        self.cookies: dict[str, str] = {}
        self._etags: dict[tuple[str, bool], str] = {}
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=MOST_CONNECTIONS, keepalive_timeout=60),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=PATIENCE),
            auto_decompress=False,
            headers=AGENT,
        )

    async def close(self) -> None:
        await self._session.close()

    def move_to(self, site: str) -> None:
        """Switch to another server of the site. Keep the cookies, but forget which pages were already loaded."""
        if site != self.site:
            self.site = site
            self._etags.clear()

    async def get(self, kind: str, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Send a GET request, follow redirects, and record the response times.

        A 304 response has an empty body.
        """
        name = (path, "HX-Request" in (headers or {}))
        known = {"If-None-Match": self._etags[name]} if name in self._etags else {}
        answer = await self._ask("GET", kind, path, {**(headers or {}), **known})
        if answer.etag and answer.status == 200:
            self._etags[name] = answer.etag
        if answer.goes_to:
            return await self.get(kind, answer.goes_to, headers)
        return answer

    async def post(
        self, kind: str, path: str, fields: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send a POST request, and return the response.

        A redirect is not followed. Its target is in `goes_to`.
        """
        whence = {"Referer": f"{self.site}{path}", "Origin": self.site, **(headers or {})}
        return await self._ask("POST", kind, path, whence, dict(fields))

    async def _ask(
        self, method: str, kind: str, path: str, headers: Mapping[str, str], fields: dict[str, str] | None = None
    ) -> Answer:
        began = time.monotonic()
        try:
            try:
                answer = await self._exchange(method, path, {**headers, **self.cookie()}, fields)
            except aiohttp.ClientConnectorError:
                raise
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                # A kept connection was closed just when it was used again: browsers ask once more, by a new one.
                self.book.remarks["asked once more: the kept connection was closed"] += 1
                answer = await self._exchange(method, path, {**headers, **self.cookie()}, fields)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            self.book.fail(kind, type(error).__name__)
            return Answer(NO_ANSWER, b"", path)
        self.book.times[kind].append(time.monotonic() - began)
        if answer.status >= 400:
            self.book.fail(kind, str(answer.status))
        return answer

    async def _exchange(self, method: str, path: str, headers: dict[str, str], fields: dict[str, str] | None) -> Answer:
        async with self._session.request(
            method, self.site + path, headers=headers, data=fields, allow_redirects=False
        ) as got:
            packed = await got.read()
            self.cookies |= {name: morsel.value for name, morsel in got.cookies.items()}
            etag = got.headers.get("ETag", "")
            body = _unpack(packed, etag) if got.headers.get("Content-Encoding") == "gzip" else packed
            goes_to = urljoin(path, got.headers.get("Location", "")) if got.status in (301, 302, 303) else ""
            refreshes = got.headers.get("HX-Refresh") == "true"
            return Answer(got.status, body, path, etag, goes_to.partition("#")[0].removeprefix(self.site), refreshes)

    def cookie(self) -> dict[str, str]:
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}

    async def stream(self, path: str) -> aiohttp.ClientResponse:
        """Open a stream of server-sent events. The caller has to close it."""
        endless = aiohttp.ClientTimeout(total=None, connect=PATIENCE, sock_read=60)
        return await self._session.get(
            self.site + path, headers={"Accept": "text/event-stream", **self.cookie()}, timeout=endless
        )


def _unpack(packed: bytes, etag: str) -> bytes:
    if not packed:
        return b""
    if not etag:
        return gzip.decompress(packed)
    if etag not in _unpacked:
        _unpacked[etag] = gzip.decompress(packed)
        while len(_unpacked) > 16:
            _unpacked.popitem(last=False)
    return _unpacked[etag]
