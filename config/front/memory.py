"""Serve public pages from memory without calling Django. Each page is rendered once per version.

An event's data is divided into topics, such as its entrants. Each topic has a version stamp, called its mark
(`tournament.core.marks`). A view with `cached_by_version` sends the marks of its topics along with its page. While the
marks are unchanged, everyone gets the same bytes. After a write, the first request renders the page, and other requests
wait for it.

A page without marks is not stored. Pages have no marks during a write, or while Redis is unavailable. Users who are
signed in or have pending messages get their own page.

The cache key (`_make_page_key`) consists of the host, the path with its query string, and the language. It also records
whether htmx made the request, because htmx may need only a fragment of the page. A page that varies on anything else is
not stored (`SUPPORTED_VARY_HEADERS`).
"""

import asyncio
import gzip
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import Final

import brotli
import redis.asyncio
from django.conf import settings
from django.http import HttpRequest, parse_cookie
from django.utils.translation import get_language_from_request
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from config.cache import REDIS_RETRY_S
from config.front.guard import make_rate_limit_key
from config.front.lanes import MARKS_HEADER, CoalescedPageRequest
from config.front.monitoring import REQUEST_ID_HEADER_NAME
from tournament.core.live import AsgiMessage, AsgiReceive, AsgiSend
from tournament.core.marks import REDIS_TIMEOUT_S, SHARED_PAGE_LIFETIME_S, TopicMarks, are_topic_marks_current
from tournament.core.middleware import SIGNED_IN_COOKIE
from tournament.core.pages.following import POSSIBLY_OUTDATED_MARKER

AsgiApp = Callable[[AsgiMessage, AsgiReceive, AsgiSend], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]
PageKey = tuple[bytes, ...]

MAX_PAGE_AGE_S: Final = 10.0
"""The longest time, in seconds, to store a page.

A page expires even if its marks (version stamps) are unchanged, because a process may die between its commit and its
update of the marks.
"""
MAX_STORED_BYTES: Final = 64 * 1024 * 1024
MAX_QUERY_BYTES: Final = 300
PRIVATE_COOKIE_SUBSTRINGS: Final = (b"messages", SIGNED_IN_COOKIE.encode())
"""Substrings of cookie names that identify a private page.

They are searched in the raw header, so that parsing differences do not matter.
"""
MAX_UNCACHEABLE_KEYS: Final = 4096
DROPPED_HEADERS: Final = {b"if-none-match", b"if-modified-since", b"accept-encoding", MARKS_HEADER}
RECOMPUTED_HEADERS: Final = {b"etag", b"content-length", MARKS_HEADER, REQUEST_ID_HEADER_NAME}
SUPPORTED_VARY_HEADERS: Final = frozenset({b"accept-encoding", b"accept-language", b"cookie", b"hx-request"})
"""The headers that a page may vary on. `_make_page_key`, `_is_shareable` and the compression handle all of them."""


@dataclass(frozen=True, slots=True)
class _Page:
    """A stored page, compressed in several ways. It is valid until one of its marks (version stamps) changes."""

    marks: TopicMarks
    etag: bytes
    forms: dict[str, tuple[Headers, bytes]]
    headers_304: Headers
    until: float

    @property
    def size(self) -> int:
        return sum(len(body) for _headers, body in self.forms.values())


class PageCacheMiddleware:
    """ASGI middleware that serves stored pages and passes all other requests on to `app`."""

    def __init__(self, app: AsgiApp) -> None:
        self.app = app
        self.pages: OrderedDict[PageKey, _Page] = OrderedDict()
        self.size = 0
        self.hits = 0
        """The number of responses that were sent from memory."""
        self._making: dict[PageKey, tuple[asyncio.Future[_Page | None], CoalescedPageRequest]] = {}
        self._uncacheable: set[PageKey] = set()
        self._shared = _SharedMarks() if settings.MARKS_URL else None

    async def __call__(self, scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
        headers = dict(scope["headers"])
        key = _make_page_key(scope, headers)
        if key in self._uncacheable or not _is_shareable(scope, headers):
            await self.app(scope, receive, send)
            return
        page, waited = self.pages.get(key), 0
        while page is None or not (waited > 1 or await self._is_current(page)):
            making = self._making.get(key)
            if making is None:
                await self._render_and_store(key, scope, receive, send)
                return
            being_made, waiters = making
            waiters.join(make_rate_limit_key(scope))
            page, waited = await asyncio.shield(being_made), waited + 1
            if page is None:
                await self.app(scope, receive, send)
                return
        if key in self.pages:
            self.pages.move_to_end(key)  # pages that nobody requests are dropped first
        self.hits += 1
        # Rendering of the second page began after this request arrived, so that page is current.
        await _send_page(page, scope["method"], headers, send)

    async def _is_current(self, page: _Page) -> bool:
        if monotonic() >= page.until:
            return False
        if self._shared is None:
            return are_topic_marks_current(page.marks)
        is_current = await self._shared.are_current(page.marks)
        if is_current is None:
            self.pages.clear()
            self.size = 0
        return bool(is_current) and monotonic() < page.until

    async def _render_and_store(self, key: PageKey, scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
        """Render a page and store it, while other requests for the page wait.

        If the page turns out to be private, each of the waiting requests is processed separately.
        """
        made: asyncio.Future[_Page | None] = asyncio.get_running_loop().create_future()
        waiters = CoalescedPageRequest(make_rate_limit_key(scope))
        self._making[key] = made, waiters
        answer, page, began = _CollectedResponse(), None, monotonic()
        try:
            passed_on = [pair for pair in scope["headers"] if pair[0] not in DROPPED_HEADERS]
            request = {**scope, "method": "GET", "headers": [*passed_on, (MARKS_HEADER, b"1")], "waiters": waiters}
            await self.app(request, receive, answer)
            page = await answer.make_page(began + (SHARED_PAGE_LIFETIME_S if self._shared else MAX_PAGE_AGE_S))
            self._store(key, page)
            if page is None and answer.is_uncacheable:  # pages of this key are never stored
                if len(self._uncacheable) >= MAX_UNCACHEABLE_KEYS:
                    self._uncacheable.clear()
                self._uncacheable.add(key)
        finally:
            del self._making[key]
            made.set_result(page)
        if page is not None:
            await _send_page(page, scope["method"], dict(scope["headers"]), send)
        else:
            await answer.send_to(scope["method"], send)

    def _store(self, key: PageKey, page: _Page | None) -> None:
        old = self.pages.pop(key, None)
        self.size -= old.size if old else 0
        if page is not None:
            self.pages[key] = page
            self.size += page.size
        while self.size > MAX_STORED_BYTES:
            self.size -= self.pages.popitem(last=False)[1].size


class _CollectedResponse:
    """A response from `app` that is collected in memory before it is sent."""

    def __init__(self) -> None:
        self.status, self.headers, self.body = 0, Headers(), bytearray()

    async def __call__(self, message: AsgiMessage) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message["headers"])
        else:
            self.body += message.get("body", b"")

    @property
    def is_uncacheable(self) -> bool:
        return self.status == 200 and not any(name.lower() == MARKS_HEADER for name, _value in self.headers)

    async def make_page(self, until: float) -> _Page | None:
        headers = {name.lower(): value for name, value in self.headers}
        varies_by = {name.strip().lower() for name in headers.get(b"vary", b"").split(b",")} - {b""}
        if (
            self.status != 200
            or not headers.get(MARKS_HEADER)
            or b"set-cookie" in headers
            or not varies_by <= SUPPORTED_VARY_HEADERS
        ):
            return None
        etag = headers[b"etag"].removeprefix(b"W/")
        common = [
            *(pair for pair in self.headers if pair[0].lower() not in RECOMPUTED_HEADERS),
            (b"etag", b"W/" + etag),
        ]
        forms: dict[str, tuple[Headers, bytes]] = {}
        for coding, body in (await compress_body(bytes(self.body))).items():
            encoded = [] if coding == IDENTITY_CODING else [(b"content-encoding", coding.encode())]
            forms[coding] = [*common, *encoded, (b"content-length", b"%d" % len(body))], body
        marks = b"" if headers[MARKS_HEADER] == POSSIBLY_OUTDATED_MARKER.encode() else headers[MARKS_HEADER]
        return _Page(
            marks=tuple(
                (int(place), int(mark)) for place, mark in (one.split(b":") for one in marks.split(b",") if one)
            ),
            etag=etag,
            forms=forms,
            headers_304=[pair for pair in common if pair[0].lower() != b"content-type"],
            until=until if marks else 0.0,
        )

    async def send_to(self, method: str, send: AsgiSend) -> None:
        headers = [pair for pair in self.headers if pair[0].lower() != MARKS_HEADER]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else bytes(self.body)})


def _make_page_key(scope: AsgiMessage, headers: dict[bytes, bytes]) -> PageKey:
    language = b""
    if len(settings.LANGUAGES) > 1:
        language = _choose_language(headers.get(b"cookie", b""), headers.get(b"accept-language", b""))
    part = headers.get(b"hx-request", b"")
    return headers.get(b"host", b""), language, part, scope["raw_path"], scope["query_string"]


@lru_cache(maxsize=2048)
def _choose_language(cookies: bytes, accepted: bytes) -> bytes:
    """Return the language that Django would choose for this request."""
    request = HttpRequest()
    request.COOKIES = parse_cookie(cookies.decode("latin-1"))
    request.META["HTTP_ACCEPT_LANGUAGE"] = accepted.decode("latin-1")
    return get_language_from_request(request).encode()


def _is_shareable(scope: AsgiMessage, headers: dict[bytes, bytes]) -> bool:
    if scope["method"] not in ("GET", "HEAD") or not scope["path"].startswith(("/t/", "/version/")):
        return False
    cookies = headers.get(b"cookie", b"")
    own = any(name in cookies for name in PRIVATE_COOKIE_SUBSTRINGS)
    is_plain = headers.get(b"hx-request", b"true") == b"true" and len(scope["query_string"]) < MAX_QUERY_BYTES
    return settings.PAGES_FROM_MEMORY and is_plain and not own


async def _send_page(page: _Page, method: str, headers: dict[bytes, bytes], send: AsgiSend) -> None:
    if page.etag in headers.get(b"if-none-match", b""):
        await send({"type": "http.response.start", "status": 304, "headers": page.headers_304})
        await send({"type": "http.response.body", "body": b""})
        return
    own_headers, body = page.forms[choose_coding(tuple(page.forms), headers.get(b"accept-encoding", b""))]
    await send({"type": "http.response.start", "status": 200, "headers": own_headers})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})


# --- Marks in Redis --------------------------------------------------------------------------------------------------
# Requests that arrive during a query share the next one.

MarksBySlot = dict[int, bytes | str | None] | None


class _SharedMarks:
    """Reads the marks (version stamps) that several servers share in Redis, with one query at a time."""

    def __init__(self) -> None:
        # One connection and no retry, because an outage of Redis in between must be noticed here.
        self._redis = redis.asyncio.Redis.from_url(
            settings.MARKS_URL,
            single_connection_client=True,
            socket_connect_timeout=REDIS_TIMEOUT_S,
            socket_timeout=REDIS_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
        )
        self._turn = asyncio.Lock()
        self._next: tuple[set[int], asyncio.Task[MarksBySlot]] | None = None
        self._away_until = 0.0

    async def are_current(self, marks: TopicMarks) -> bool | None:
        """Return whether these marks (version stamps) are still the ones in Redis, or None if Redis is unavailable.

        If Redis is unavailable, the caller drops all pages, because Redis may come back with outdated marks.
        """
        if self._next is None:
            slots: set[int] = set()
            self._next = slots, asyncio.create_task(self._read_marks_together(slots))
        slots, question = self._next
        slots.update(slot for slot, _mark in marks)
        found = await asyncio.shield(question)
        return None if found is None else all(found[slot] == b"%d" % mark for slot, mark in marks)

    async def _read_marks_together(self, slots: Collection[int]) -> MarksBySlot:
        """Read several marks with one query, for all callers of `are_current` that are waiting for it.

        `slots` are the numbers of the marks (version stamps) to read. Each caller adds its own slots until the query
        starts. The query therefore includes all updates that were made before any of these calls.

        Return the mark in each slot, or None if Redis is unavailable.
        """
        async with self._turn:
            self._next = None
            asked_slots = list(slots)
            if monotonic() < self._away_until:
                return None
            try:
                found = await self._redis.hmget(settings.MARKS_KEY, [str(slot) for slot in asked_slots])
            except (redis.RedisError, OSError):
                self._away_until = monotonic() + REDIS_RETRY_S
                return None
        return dict(zip(asked_slots, found, strict=True))


# --- Compressed forms ------------------------------------------------------------------------------------------------
# The client accepts one of them (RFC 9110, 12.5.3).

IDENTITY_CODING: Final = "identity"
MIN_COMPRESSED_BYTES: Final = 200
"""Bodies smaller than this many bytes are not compressed, as in Django's GZipMiddleware."""
MAX_INLINE_BYTES: Final = 4096
"""Bodies of up to this many bytes are compressed directly, which takes less than a millisecond.

Larger ones are compressed in a thread.
"""
BROTLI_QUALITY: Final = 5


async def compress_body(body: bytes) -> dict[str, bytes]:
    """Return the body in three encodings, in order of preference: Brotli, gzip, and uncompressed."""
    if len(body) < MIN_COMPRESSED_BYTES:
        return {IDENTITY_CODING: body}
    return _compress_body(body) if len(body) <= MAX_INLINE_BYTES else await asyncio.to_thread(_compress_body, body)


def _compress_body(body: bytes) -> dict[str, bytes]:
    made = {"br": brotli.compress(body, quality=BROTLI_QUALITY), "gzip": gzip.compress(body, 6, mtime=0)}
    return {**made, IDENTITY_CODING: body}


@lru_cache(maxsize=512)
def choose_coding(codings: tuple[str, ...], accepted: bytes) -> str:
    """Return the content coding that the client prefers.

    If the client likes several codings equally, return the first of them. Return “identity” (uncompressed) if the
    client accepts no other coding.
    """
    weights = _parse_weights(accepted[:1000].decode("latin-1").lower())
    others = weights.get("*", 0.0)
    weight = {coding: weights.get(coding, others) for coding in codings if coding != IDENTITY_CODING}
    weight[IDENTITY_CODING] = weights.get(IDENTITY_CODING, 0.0)
    best = max(weight, key=weight.__getitem__)  # the first one if several are equal
    return best if weight[best] > 0 else IDENTITY_CODING


def _parse_weights(accepted: str) -> dict[str, float]:
    found = {}
    for each in accepted.split(","):
        coding, _, parameters = each.partition(";")
        found[coding.strip()] = _parse_quality(parameters)
    return found


def _parse_quality(parameters: str) -> float:
    for each in parameters.split(";"):
        name, _, value = each.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
