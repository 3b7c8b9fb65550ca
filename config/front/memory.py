"""Answer public pages from memory, before Django. Each page is rendered once for each version.

A view under `kept_by_version` that names its topics sends the marks of its page (`tournament.core.marks`). While they
are valid, everybody gets the same bytes. After a write, the first request has the page rendered, and requests in the
meantime wait for it. A page without marks (somebody is just writing, or Redis is away) is rendered once as well, but
not stored. A user who is signed in or has pending messages gets an own page.

The key of a stored page has everything that the page depends on (`_address_of`): the host, the path with its query,
whether it is a part of a page, and the language. A page that varies by anything else is not stored (`VARIES_BY`).
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

from config.front.guard import counted_for
from config.front.lanes import Askers
from tournament.core.live import Message, Receive, Send
from tournament.core.marks import LONGEST_SHARED, SOON, Marks, stand
from tournament.core.middleware import SIGNED_IN
from tournament.core.pages.following import KEPT, ONLY_NOW

# --- Shared marks ----------------------------------------------------------------------------------------------------
# Ask Redis whether marks are unchanged, in one query at a time. Requests that come meanwhile share the next query.

NEXT_TRY: Final = 2.0
"""Seconds without another try after Redis did not answer."""

MarksAnswer = dict[int, bytes | str | None] | None


class _SharedMarks:
    def __init__(self) -> None:
        # One connection and no retry, because an outage of Redis in between must be noticed here.
        self._redis = redis.asyncio.Redis.from_url(
            settings.MARKS_URL,
            single_connection_client=True,
            socket_connect_timeout=SOON,
            socket_timeout=SOON,
            retry=Retry(NoBackoff(), 0),
        )
        self._turn = asyncio.Lock()
        self._next: tuple[set[int], asyncio.Task[MarksAnswer]] | None = None
        self._away_until = 0.0

    @property
    def are_away(self) -> bool:
        return monotonic() < self._away_until

    async def stand(self, marks: Marks) -> bool | None:
        """Return whether the marks are unchanged, or None if Redis is away and may come back with old marks."""
        if self._next is None:
            places: set[int] = set()
            self._next = places, asyncio.create_task(self._ask(places))
        places, question = self._next
        places.update(place for place, _mark in marks)
        found = await asyncio.shield(question)
        return None if found is None else all(found[place] == b"%d" % mark for place, mark in marks)

    async def _ask(self, places: Collection[int]) -> MarksAnswer:
        """Read the marks of the places, including those that are added before the query starts.

        An answer is therefore never older than its question.
        """
        async with self._turn:
            self._next = None
            asked = list(places)
            if self.are_away:
                return None
            try:
                found = await self._redis.hmget(settings.MARKS_KEY, [str(place) for place in asked])
            except (redis.RedisError, OSError):
                self._away_until = monotonic() + NEXT_TRY
                return None
        return dict(zip(asked, found, strict=True))


# --- Compressed ------------------------------------------------------------------------------------------------------
# Compressed forms of a page, and the choice of one that the client accepts (RFC 9110, 12.5.3).

PLAIN: Final = "identity"
SMALLEST: Final = 200
"""Bytes below which neither this module nor Django compresses."""
AT_ONCE: Final = 4096
"""Bytes that are compressed within a millisecond. Larger bodies are compressed in a thread."""
BROTLI_QUALITY: Final = 5


async def forms_of(body: bytes) -> dict[str, bytes]:
    """Return the body by its coding, in the order of preference: Brotli, gzip, plain."""
    if len(body) < SMALLEST:
        return {PLAIN: body}
    return _forms(body) if len(body) <= AT_ONCE else await asyncio.to_thread(_forms, body)


def _forms(body: bytes) -> dict[str, bytes]:
    made = {"br": brotli.compress(body, quality=BROTLI_QUALITY), "gzip": gzip.compress(body, 6, mtime=0)}
    return {**made, PLAIN: body}


@lru_cache(maxsize=512)
def best_of(codings: tuple[str, ...], accepted: bytes) -> str:
    """Return the coding that the client prefers, or plain if it accepts no other.

    If it likes several equally, the result is the first of them.
    """
    weights = _weights(accepted[:1000].decode("latin-1").lower())
    others = weights.get("*", 0.0)
    weight = {coding: weights.get(coding, others) for coding in codings if coding != PLAIN}
    weight[PLAIN] = weights.get(PLAIN, 0.0)
    best = max(weight, key=weight.__getitem__)  # the first one if several are equal
    return best if weight[best] > 0 else PLAIN


def _weights(accepted: str) -> dict[str, float]:
    found = {}
    for each in accepted.split(","):
        coding, _, parameters = each.partition(";")
        found[coding.strip()] = _quality(parameters)
    return found


def _quality(parameters: str) -> float:
    for each in parameters.split(";"):
        name, _, value = each.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0


App = Callable[[Message, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]
Address = tuple[bytes, ...]

LONGEST: Final = 10.0
"""Seconds that a page is stored. A writer may have died between its commit and its marks."""
MOST_BYTES: Final = 64 * 1024 * 1024
LONGEST_ADDRESS: Final = 300
OWN: Final = (b"messages", SIGNED_IN.encode())
"""Parts of cookie names that mark a private page. The raw header is searched, so a parser's view does not matter."""
MOST_PASSING: Final = 4096
ASK: Final = KEPT.lower().encode()
DROPPED: Final = {b"if-none-match", b"if-modified-since", b"accept-encoding", ASK}
REMADE: Final = {b"etag", b"content-length", ASK}
VARIES_BY: Final = frozenset({b"accept-encoding", b"accept-language", b"cookie", b"hx-request"})
"""The names in `Vary` that `_address_of`, `_is_for_all` and the compressed forms handle."""


@dataclass(frozen=True, slots=True)
class Page:
    """A stored response in all its compressed forms, valid while its marks are unchanged."""

    marks: Marks
    etag: bytes
    forms: dict[str, tuple[Headers, bytes]]
    unchanged: Headers
    until: float

    @property
    def size(self) -> int:
        return sum(len(body) for _headers, body in self.forms.values())


class Memory:
    """The ASGI callable in front of `app` that answers stored pages and passes everything else on."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.pages: OrderedDict[Address, Page] = OrderedDict()
        self.size = 0
        self._made: dict[Address, tuple[asyncio.Future[Page | None], Askers]] = {}
        self._passing: set[Address] = set()
        self._shared = _SharedMarks() if settings.MARKS_URL else None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        address = _address_of(scope, headers)
        if address in self._passing or not _is_for_all(scope, headers):
            await self.app(scope, receive, send)
            return
        page, waited = self.pages.get(address), 0
        while page is None or not (waited > 1 or await self._stands(page)):
            making = self._made.get(address)
            if making is None:
                await self._make(address, scope, receive, send)
                return
            being_made, askers = making
            askers.join(counted_for(scope))
            page, waited = await asyncio.shield(being_made), waited + 1
            if page is None:
                await self.app(scope, receive, send)
                return
        if address in self.pages:
            self.pages.move_to_end(address)  # pages that nobody requests are dropped first
        # Rendering of the second page began after this request came, so that page is current.
        await _tell(page, scope["method"], headers, send)

    async def _stands(self, page: Page) -> bool:
        if monotonic() >= page.until:
            return False
        if self._shared is None:
            return stand(page.marks)
        stands = await self._shared.stand(page.marks)
        if stands is None:
            self.pages.clear()
            self.size = 0
        return bool(stands) and monotonic() < page.until

    async def _make(self, address: Address, scope: Message, receive: Receive, send: Send) -> None:
        """Have the page rendered, while further requests for it wait.

        If the page turns out not to be shared, each of them asks for its own.
        """
        made: asyncio.Future[Page | None] = asyncio.get_running_loop().create_future()
        askers = Askers(counted_for(scope))
        self._made[address] = made, askers
        answer, page, began = Answer(), None, monotonic()
        try:
            asked = [pair for pair in scope["headers"] if pair[0] not in DROPPED]
            asking = {**scope, "method": "GET", "headers": [*asked, (ASK, b"1")], "askers": askers}
            await self.app(asking, receive, answer)
            page = await answer.page(began + (LONGEST_SHARED if self._shared else LONGEST))
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
        """Remember an address that never has stored pages."""
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
    """A response of `app`, collected instead of sent."""

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

    async def page(self, until: float) -> Page | None:
        told = {name.lower(): value for name, value in self.headers}
        varies_by = {name.strip().lower() for name in told.get(b"vary", b"").split(b",")} - {b""}
        if self.status != 200 or not told.get(ASK) or b"set-cookie" in told or not varies_by <= VARIES_BY:
            return None
        etag = told[b"etag"].removeprefix(b"W/")
        common = [*(pair for pair in self.headers if pair[0].lower() not in REMADE), (b"etag", b"W/" + etag)]
        forms = await forms_of(bytes(self.body))
        marks = b"" if told[ASK] == ONLY_NOW.encode() else told[ASK]
        return Page(
            marks=tuple(
                (int(place), int(mark)) for place, mark in (one.split(b":") for one in marks.split(b",") if one)
            ),
            etag=etag,
            forms={coding: (_headers_of(common, coding, body), body) for coding, body in forms.items()},
            unchanged=[pair for pair in common if pair[0].lower() != b"content-type"],
            until=until if marks else 0.0,
        )

    async def tell(self, method: str, send: Send) -> None:
        headers = [pair for pair in self.headers if pair[0].lower() != ASK]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else bytes(self.body)})


def _headers_of(common: Headers, coding: str, body: bytes) -> Headers:
    encoded = [] if coding == PLAIN else [(b"content-encoding", coding.encode())]
    return [*common, *encoded, (b"content-length", b"%d" % len(body))]


def _address_of(scope: Message, headers: dict[bytes, bytes]) -> Address:
    language = b""
    if len(settings.LANGUAGES) > 1:
        language = _language_of(headers.get(b"cookie", b""), headers.get(b"accept-language", b""))
    part = headers.get(b"hx-request", b"")
    return headers.get(b"host", b""), language, part, scope["raw_path"], scope["query_string"]


@lru_cache(maxsize=2048)
def _language_of(cookies: bytes, accepted: bytes) -> bytes:
    """Return the language in which Django would answer."""
    asking = HttpRequest()
    asking.COOKIES = parse_cookie(cookies.decode("latin-1"))
    asking.META["HTTP_ACCEPT_LANGUAGE"] = accepted.decode("latin-1")
    return get_language_from_request(asking).encode()


def _is_for_all(scope: Message, headers: dict[bytes, bytes]) -> bool:
    if scope["method"] not in ("GET", "HEAD") or not scope["path"].startswith(("/t/", "/version/")):
        return False
    cookies = headers.get(b"cookie", b"")
    own = any(name in cookies for name in OWN)
    is_plain = headers.get(b"hx-request", b"true") == b"true" and len(scope["query_string"]) < LONGEST_ADDRESS
    return settings.PAGES_FROM_MEMORY and is_plain and not own


async def _tell(page: Page, method: str, headers: dict[bytes, bytes], send: Send) -> None:
    if page.etag in headers.get(b"if-none-match", b""):
        await send({"type": "http.response.start", "status": 304, "headers": page.unchanged})
        await send({"type": "http.response.body", "body": b""})
        return
    told, body = page.forms[best_of(tuple(page.forms), headers.get(b"accept-encoding", b""))]
    await send({"type": "http.response.start", "status": 200, "headers": told})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})
