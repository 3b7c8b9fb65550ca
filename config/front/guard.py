"""Receive request bodies on the event loop, before they take one of the few page threads, and limit the streams.

A body has a minimum rate and a maximum size. Until it is complete it takes a task, not a thread. If too many are
incomplete, the oldest body of the client with the most is cut off, so that usual clients get through.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
import resource
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import IO, TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

from django.db import DatabaseError, InterfaceError
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.utils.translation import gettext_lazy as _

from config.front.clients import client_address
from config.outages import is_database_away, is_disk_full

if TYPE_CHECKING:
    from tournament.core.live import Message, Receive, Send

MB: Final = 1024 * 1024
MAX_FORM_BYTES: Final = 1 * MB
"""The most bytes of an ordinary request. A form of the desk for 256 entrants has a tenth of it."""
UPLOADS: Final = {
    "scoring:verify_any": 21 * MB,
    "scoring:verify": 21 * MB,
    "tournament:desk_import": 6 * MB,
    "tournament:desk_transfers": 6 * MB,
    **dict.fromkeys(["scoring:my_what", "scoring:table_what", "scoring:desk_card_dispute"], 13 * MB),
    **dict.fromkeys(["scoring:my_dispute", "scoring:table_dispute", "scoring:desk_add_evidence"], 13 * MB),
}
"""The most bytes for pages that accept larger files: a little more than the file itself."""
IN_MEMORY: Final = 64 * 1024
"""The most bytes of a body held in memory. A larger body goes to a file."""
GRACE_S: Final = 10.0
"""Seconds that a body may take beyond its time at `MIN_RATE` bytes a second. `MAX_SECONDS` limits the total."""
MIN_RATE: Final = 8_000
MAX_SECONDS: Final = 300.0
MAX_PER_CLIENT: Final = 32
"""The most incomplete bodies of one client. `MAX_TOTAL` is the limit for all clients."""
MAX_TOTAL: Final = 512


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    code: str
    message: Any
    retry_after_s: int = 60
    """Seconds after which to try again, if that helps."""


METHODS: Final = ("GET", "HEAD", "POST", "OPTIONS")
"""The methods that pages accept. Any other, such as TRACE, is refused before it reaches a page."""
ALLOW: Final = (b"allow", ", ".join(METHODS).encode())
OTHER_METHOD: Final = Refusal(
    405, "other-method", _("This site does not accept such a request. Open the page in a browser.")
)
TOO_LARGE: Final = Refusal(413, "too-large", _("This is more than the page can take. Send less, or a smaller file."))
TOO_SLOW: Final = Refusal(408, "too-slow", _("This did not arrive in time. Check the Wi-Fi and send it again."))
TOO_MANY: Final = Refusal(503, "too-many", _("Too much is sent from here at once. Wait a minute and send it again."))
NO_ROOM: Final = Refusal(507, "disk-full", _("The disk of this site is full. Pages still show; tell the desk."))
BACK_SOON: Final = Refusal(503, "away", _("The site is back in a moment. Try again then."), retry_after_s=2)


Fields = tuple[tuple[str, str], ...]
"""The names and values of a form's fields, in the order in which a browser sends them."""


class Refused(Exception):
    """A request that is refused before it reaches a page."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


@contextlib.contextmanager
def refuse_on_full_disk() -> Iterator[None]:
    """Refuse the request if the disk is full.

    Use it around a temporary file, because closing the file writes once more what did not fit.
    """
    try:
        yield
    except OSError as error:
        if not is_disk_full(error):
            raise
        raise Refused(NO_ROOM) from None


def refusal_for_outage(error: BaseException | None) -> Refusal | None:
    """Return the refusal for an outage, or None if the error is a bug."""
    if is_disk_full(error):
        return NO_ROOM
    return BACK_SOON if is_database_away(error) else None


class _Disconnected(Exception):
    """The client is gone, so nobody waits for an answer."""


@dataclass(eq=False)
class _IncompleteBody:
    """A request body that is still arriving."""

    limit: asyncio.Timeout
    is_cut: bool = False

    def cut(self) -> None:
        self.is_cut = True
        self.limit.reschedule(asyncio.get_running_loop().time())


class Guard:
    """The ASGI callable in front of `app`, which gets only complete requests."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.incomplete: dict[str, list[_IncompleteBody]] = defaultdict(list)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        if scope["method"] == "OPTIONS":
            await send({"type": "http.response.start", "status": 204, "headers": [ALLOW]})
            await send({"type": "http.response.body", "body": b""})
            return
        if scope["method"] not in METHODS:
            await _send_refusal(OTHER_METHOD, headers, send)
            return
        has_body = scope["method"] not in ("GET", "HEAD") or headers.keys() & {b"content-length", b"transfer-encoding"}
        fields: Fields = ()
        try:
            if not has_body:
                await self.app(scope, _receive_nothing, send)
                return
            with refuse_on_full_disk(), tempfile.SpooledTemporaryFile(IN_MEMORY) as body:
                size = await self._receive_into(body, scope, headers, receive)
                fields = _parse_fields(body, size, headers)
                # Django reads no body that came in chunks.
                replaced = (b"content-length", b"transfer-encoding")
                kept = [pair for pair in scope["headers"] if pair[0] not in replaced]
                sized = {**scope, "headers": [*kept, (b"content-length", str(size).encode())]}
                await self.app(sized, _replay(body, size), send)
        except Refused as refused:
            await _send_refusal(refused.refusal, headers, send, fields, is_read=not has_body)
        except _Disconnected:
            return

    async def _receive_into(
        self, body: IO[bytes], scope: Message, headers: dict[bytes, bytes], receive: Receive
    ) -> int:
        most = _most_bytes(scope["path"], int(headers.get(b"content-length") or 0))
        started, size, more = asyncio.get_running_loop().time(), 0, True
        with self._make_room(rate_limit_key(scope)) as arriving:
            try:
                async with arriving.limit:
                    while more:
                        message = await receive()
                        if message["type"] == "http.disconnect":
                            raise _Disconnected
                        size += len(message.get("body", b""))
                        more = message.get("more_body", False)
                        if size > most:
                            most = _most_bytes(scope["path"], size)
                        body.write(message.get("body", b""))
                        if not arriving.is_cut:
                            arriving.limit.reschedule(started + min(GRACE_S + size / MIN_RATE, MAX_SECONDS))
            except TimeoutError:
                raise Refused(TOO_MANY if arriving.is_cut else TOO_SLOW) from None
        body.seek(0)
        return size

    @contextlib.contextmanager
    def _make_room(self, client: str) -> Iterator[_IncompleteBody]:
        """Make room for another body, by cutting off the oldest one if there are too many."""
        if len(self.incomplete[client]) >= MAX_PER_CLIENT:
            self.incomplete[client].pop(0).cut()
        elif sum(map(len, self.incomplete.values())) >= MAX_TOTAL:
            max(self.incomplete.values(), key=len).pop(0).cut()
        arriving = _IncompleteBody(asyncio.timeout(GRACE_S))
        self.incomplete[client].append(arriving)
        try:
            yield arriving
        finally:
            with contextlib.suppress(ValueError):  # it was cut off and removed
                self.incomplete[client].remove(arriving)
            if not self.incomplete[client]:
                del self.incomplete[client]


def _most_bytes(path: str, size: int) -> int:
    """Return the most bytes that this address accepts.

    Raises:
        Refused: `size` is larger.
    """
    if size <= MAX_FORM_BYTES:
        return MAX_FORM_BYTES
    try:
        most = UPLOADS.get(resolve(path).view_name, MAX_FORM_BYTES)
    except Resolver404:
        most = MAX_FORM_BYTES
    if size > most:
        raise Refused(TOO_LARGE)
    return most


def rate_limit_key(scope: Message) -> str:
    """Return the client that a request counts for: an IPv4 address, or an IPv6 network, which belongs to one client."""
    forwarded = ",".join(value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for")
    client = client_address((scope.get("client") or ("",))[0], forwarded)
    if ":" not in client:
        return client
    return str(ipaddress.ip_network(f"{client.partition('%')[0]}/64", strict=False))


def _replay(body: IO[bytes], size: int) -> Receive:
    """Return a `receive` that replays the body, because the page's thread cannot call the server's own."""

    async def receive() -> Message:
        part = body.read(4 * IN_MEMORY)
        return {"type": "http.request", "body": part, "more_body": body.tell() < size}

    return receive


async def _receive_nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


def render_refusal(
    refusal: Refusal, headers: Mapping[bytes, bytes], fields: Fields = (), *, is_read: bool = False
) -> tuple[str, bytes]:
    """Return the content type and the content of a refusal for a program, a part of a page, or a browser.

    A page holds the `fields` that were typed into a form, so that a button can send them again with the same key. It
    offers to open the page again after a request that only reads (`is_read`), if waiting helps.
    """
    if b"json" in headers.get(b"accept", b"") + headers.get(b"content-type", b""):
        problem = {"code": refusal.code, "path": "", "message": str(refusal.message)}
        return "application/json", json.dumps({"ok": False, "errors": [problem]}).encode()
    kind = "text/html; charset=utf-8"
    if b"hx-request" in headers:
        return kind, _render_notice(refusal)
    context = {"error": refusal, "fields": fields, "back": _find_form_page(headers)}
    context["looks_again"] = is_read and refusal.status == 503
    return kind, render_to_string("errors/alone.html", context).encode()


def fields_to_keep(fields: Iterable[tuple[str, str]]) -> Fields:
    """Return the fields that a page may hold for the next try, which are none if the form has a password."""
    kept = tuple(fields)
    return () if any("password" in name for name, _value in kept) else kept


async def _send_refusal(
    refusal: Refusal, headers: dict[bytes, bytes], send: Send, fields: Fields = (), *, is_read: bool = False
) -> None:
    kind, content = render_refusal(refusal, headers, fields, is_read=is_read)
    answer = [
        (b"content-type", kind.encode()),
        (b"cache-control", b"no-store"),
        *([(b"retry-after", str(refusal.retry_after_s).encode())] if refusal.status == 503 else []),
        *([ALLOW] if refusal is OTHER_METHOD else []),
        *([] if refusal.retry_after_s < 60 else [(b"connection", b"close")]),
    ]
    with contextlib.suppress(ConnectionError):
        await send({"type": "http.response.start", "status": refusal.status, "headers": answer})
        await send({"type": "http.response.body", "body": content})


def _parse_fields(body: IO[bytes], size: int, headers: Mapping[bytes, bytes]) -> Fields:
    """Return the fields of a complete form, or none if it has a file."""
    if size > MAX_FORM_BYTES or not headers.get(b"content-type", b"").startswith(b"application/x-www-form-urlencoded"):
        return ()
    typed = body.read().decode(errors="replace")
    body.seek(0)
    return fields_to_keep(parse_qsl(typed, keep_blank_values=True))


def _find_form_page(headers: Mapping[bytes, bytes]) -> str:
    """Return the page of this site that the form was sent from, or "" if the browser does not tell."""
    page = urlsplit(headers.get(b"referer", b"").decode("latin-1"))
    is_own = page.scheme in ("http", "https") and page.netloc.encode("latin-1") == headers.get(b"host")
    return page._replace(scheme="", netloc="", fragment="").geturl() if is_own else ""


@cache
def _render_notice(refusal: Refusal) -> bytes:
    return render_to_string("errors/refused_notice.html", {"error": refusal}).encode()


# --- Streams ---------------------------------------------------------------------------------------------------------
# Each open stream takes an open file and memory for as long as its page is open.

MAX_STREAMS: Final = 10_000
"""The most streams of one process, or half of the open files that the system allows if that is less."""
MAX_STREAMS_PER_CLIENT: Final = 1_000
"""The most streams of one client, enough for a hall behind one address.

This machine itself has no such limit, because a proxy or a test speaks for many.
"""
HERE: Final = ("127.0.0.1", "::/64")

FULL: Final = Refusal(
    503,
    "too-many-streams",
    _("Too many pages of this site are open. This page tries again by itself; look again in a minute."),
)

logger = logging.getLogger(__name__)


def most_streams() -> int:
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_STREAMS if soft == resource.RLIM_INFINITY else min(MAX_STREAMS, soft // 2)


class Streams:
    """The ASGI callable in front of `app` that refuses streams over the limits."""

    def __init__(self, app: Any) -> None:
        self.app, self.most = app, most_streams()
        self.of_client: Counter[str] = Counter()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        client = rate_limit_key(scope)
        most = self.most if client in HERE else MAX_STREAMS_PER_CLIENT
        if self.of_client.total() >= self.most or self.of_client[client] >= most:
            await _send_refusal(FULL, headers, send)
            return
        self.of_client[client] += 1
        try:
            await self.app(scope, receive, send)
        except (DatabaseError, InterfaceError) as error:  # before the stream begins
            refusal = refusal_for_outage(error)
            if refusal is None:
                raise
            logger.error("a stream could not begin", exc_info=error)
            await _send_refusal(refusal, headers, send)
        finally:
            self.of_client[client] -= 1
            if not self.of_client[client]:
                del self.of_client[client]
