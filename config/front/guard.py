"""Limit the server resources that clients can use with slow or large request bodies and open live streams.

Bodies are received on the event loop, before they occupy one of the few page threads. Each body must arrive at a
minimum rate and has a maximum size. If too many bodies are incomplete at the same time, the oldest body of the client
that has the most is cut off.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
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

from config.front.clients import find_client_address
from config.outages import is_database_unavailable
from config.process import get_open_file_limit
from tournament.core.selectors.disk import is_disk_full

if TYPE_CHECKING:
    from tournament.core.live import AsgiMessage, AsgiReceive, AsgiSend

MB: Final = 1024 * 1024
MAX_FORM_BYTES: Final = 1 * MB
"""The size limit of an ordinary request, in bytes. A desk form for 256 entrants needs about a tenth of it."""
UPLOAD_LIMITS: Final = {
    "scoring:verify_any": 21 * MB,
    "scoring:verify": 21 * MB,
    "scoring:open_file": 51 * MB,
    "tournament:desk_import": 6 * MB,
    "tournament:desk_transfers": 6 * MB,
    **dict.fromkeys(["scoring:my_what", "scoring:table_what", "scoring:desk_card_dispute"], 13 * MB),
    **dict.fromkeys(["scoring:my_dispute", "scoring:table_dispute", "scoring:desk_add_evidence"], 13 * MB),
}
"""Higher limits, in bytes, for views that accept file uploads. Each also leaves room for the other form fields."""
MAX_BODY_BYTES_IN_MEMORY: Final = 64 * 1024
"""Bodies up to this size, in bytes, stay in memory. Larger bodies are written to a temporary file."""
BODY_GRACE_PERIOD_S: Final = 10.0
"""Seconds that a body may take to arrive, in addition to the time that it needs at `MIN_BODY_BYTES_PER_S`."""
MIN_BODY_BYTES_PER_S: Final = 8_000
MAX_BODY_SECONDS: Final = 300.0
MAX_BODIES_PER_CLIENT: Final = 32
"""The maximum number of incomplete bodies from one client. `MAX_TOTAL_BODIES` is the limit for all clients together."""
MAX_TOTAL_BODIES: Final = 512


@dataclass(frozen=True, slots=True)
class RequestRefusal:
    status: int
    code: str
    message: Any
    retry_after_s: int = 60
    """The value of the Retry-After header, in seconds, if trying again can help."""


ALLOWED_METHODS: Final = ("GET", "HEAD", "POST", "OPTIONS")
"""The allowed HTTP methods. Any other method, such as TRACE, is rejected before it reaches a view."""
ALLOW_HEADER: Final = (b"allow", ", ".join(ALLOWED_METHODS).encode())
METHOD_NOT_ALLOWED: Final = RequestRefusal(
    405, "other-method", _("This site does not accept such a request. Open the page in a browser.")
)
BODY_TOO_LARGE: Final = RequestRefusal(
    413, "too-large", _("This is more than the page can take. Send less, or a smaller file.")
)
BODY_TOO_SLOW: Final = RequestRefusal(
    408, "too-slow", _("This did not arrive in time. Check the Wi-Fi and send it again.")
)
TOO_MANY_REQUEST_BODIES: Final = RequestRefusal(
    503, "too-many", _("Too much is sent from here at once. Wait a minute and send it again.")
)
DISK_FULL: Final = RequestRefusal(
    507, "disk-full", _("The disk of this site is full. Pages still show; tell the desk.")
)
SITE_UNAVAILABLE: Final = RequestRefusal(
    503, "away", _("The site is back in a moment. Try again then."), retry_after_s=2
)


FormFields = tuple[tuple[str, str], ...]
"""Names and values of form fields, in the order in which the browser sent them."""


class RequestRefused(Exception):
    """Raised to reject a request before it reaches a view."""

    def __init__(self, refusal: RequestRefusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


@contextlib.contextmanager
def refuse_on_full_disk() -> Iterator[None]:
    """Raise `RequestRefused` if the code in the block fails because the disk is full.

    Use this around all work with a temporary file, including its `close()`, which may still write buffered data.
    """
    try:
        yield
    except OSError as error:
        if not is_disk_full(error):
            raise
        raise RequestRefused(DISK_FULL) from None


def get_response_to_outage(error: BaseException | None) -> RequestRefusal | None:
    """If the error is an outage, return the error response to send. If it is a bug, return None."""
    if is_disk_full(error):
        return DISK_FULL
    return SITE_UNAVAILABLE if is_database_unavailable(error) else None


class _ClientDisconnected(Exception):
    """Raised when the client has disconnected, so no response is needed."""


@dataclass(eq=False)
class _IncompleteBody:
    limit: asyncio.Timeout
    is_cut: bool = False

    def cut_off(self) -> None:
        self.is_cut = True
        self.limit.reschedule(asyncio.get_running_loop().time())


class RequestGuard:
    """ASGI middleware that passes only complete requests on to `app`."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.incomplete: dict[str, list[_IncompleteBody]] = defaultdict(list)

    async def __call__(self, scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
        headers = dict(scope["headers"])
        if scope["method"] == "OPTIONS":
            await send({"type": "http.response.start", "status": 204, "headers": [ALLOW_HEADER]})
            await send({"type": "http.response.body", "body": b""})
            return
        if scope["method"] not in ALLOWED_METHODS:
            await _send_refusal(METHOD_NOT_ALLOWED, headers, send)
            return
        has_body = scope["method"] not in ("GET", "HEAD") or headers.keys() & {b"content-length", b"transfer-encoding"}
        fields: FormFields = ()
        try:
            if not has_body:
                await self.app(scope, _receive_nothing, send)
                return
            with refuse_on_full_disk(), tempfile.SpooledTemporaryFile(MAX_BODY_BYTES_IN_MEMORY) as body:
                size = await self._receive_into(body, scope, headers, receive)
                fields = _parse_fields(body, size, headers)
                # Django does not read chunked bodies.
                replaced = (b"content-length", b"transfer-encoding")
                kept = [pair for pair in scope["headers"] if pair[0] not in replaced]
                sized = {**scope, "headers": [*kept, (b"content-length", str(size).encode())]}
                await self.app(sized, _make_replaying_receive(body, size), send)
        except RequestRefused as refused:
            await _send_refusal(refused.refusal, headers, send, fields, is_read=not has_body)
        except _ClientDisconnected:
            return

    async def _receive_into(
        self, body: IO[bytes], scope: AsgiMessage, headers: dict[bytes, bytes], receive: AsgiReceive
    ) -> int:
        most = _check_body_size(scope["path"], int(headers.get(b"content-length") or 0))
        started, size, more = asyncio.get_running_loop().time(), 0, True
        with self._register_incomplete_body(make_rate_limit_key(scope)) as arriving:
            try:
                async with arriving.limit:
                    while more:
                        message = await receive()
                        if message["type"] == "http.disconnect":
                            raise _ClientDisconnected
                        size += len(message.get("body", b""))
                        more = message.get("more_body", False)
                        if size > most:
                            most = _check_body_size(scope["path"], size)
                        body.write(message.get("body", b""))
                        if not arriving.is_cut:
                            arriving.limit.reschedule(
                                started + min(BODY_GRACE_PERIOD_S + size / MIN_BODY_BYTES_PER_S, MAX_BODY_SECONDS)
                            )
            except TimeoutError:
                raise RequestRefused(TOO_MANY_REQUEST_BODIES if arriving.is_cut else BODY_TOO_SLOW) from None
        body.seek(0)
        return size

    @contextlib.contextmanager
    def _register_incomplete_body(self, client: str) -> Iterator[_IncompleteBody]:
        """Register a new incomplete body.

        If this client already has too many incomplete bodies, cut off its oldest one first. If all clients together
        have too many, cut off the oldest body of the client that has the most.
        """
        if len(self.incomplete[client]) >= MAX_BODIES_PER_CLIENT:
            self.incomplete[client].pop(0).cut_off()
        elif sum(map(len, self.incomplete.values())) >= MAX_TOTAL_BODIES:
            max(self.incomplete.values(), key=len).pop(0).cut_off()
        arriving = _IncompleteBody(asyncio.timeout(BODY_GRACE_PERIOD_S))
        self.incomplete[client].append(arriving)
        try:
            yield arriving
        finally:
            with contextlib.suppress(ValueError):  # it was cut off and removed
                self.incomplete[client].remove(arriving)
            if not self.incomplete[client]:
                del self.incomplete[client]


def _check_body_size(path: str, size: int) -> int:
    """Check the size of a request body, and return the limit, in bytes, that applies to it.

    The limit is `MAX_FORM_BYTES` for a body up to that size, and the upload limit of the path for a larger body.

    Raises:
        RequestRefused: `size` is larger than the limit.
    """
    if size <= MAX_FORM_BYTES:
        return MAX_FORM_BYTES
    try:
        most = UPLOAD_LIMITS.get(resolve(path).view_name, MAX_FORM_BYTES)
    except Resolver404:
        most = MAX_FORM_BYTES
    if size > most:
        raise RequestRefused(BODY_TOO_LARGE)
    return most


def make_rate_limit_key(scope: AsgiMessage) -> str:
    """Return the client's IPv4 address or IPv6 /64 network. A single client usually controls a whole /64 network."""
    forwarded = ",".join(value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for")
    client = find_client_address((scope.get("client") or ("",))[0], forwarded)
    if ":" not in client:
        return client
    return str(ipaddress.ip_network(f"{client.partition('%')[0]}/64", strict=False))


def _make_replaying_receive(body: IO[bytes], size: int) -> AsgiReceive:
    """Return a `receive` callable that replays the stored body. A page thread cannot call the server's `receive`."""

    async def receive() -> AsgiMessage:
        part = body.read(4 * MAX_BODY_BYTES_IN_MEMORY)
        return {"type": "http.request", "body": part, "more_body": body.tell() < size}

    return receive


async def _receive_nothing() -> AsgiMessage:
    return {"type": "http.request", "body": b"", "more_body": False}


def render_refusal(
    refusal: RequestRefusal, headers: Mapping[bytes, bytes], fields: FormFields = (), *, is_read: bool = False
) -> tuple[str, bytes]:
    """Return the content type and body of an error response, as JSON, an HTML fragment, or a full page.

    A full page contains the form's `fields`, so that a button can submit them again with the same idempotency key. If
    the request only read a page (`is_read`) and the status is 503, a full page offers a link to try again.
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


def list_fields_to_resubmit(fields: Iterable[tuple[str, str]]) -> FormFields:
    """Return the form fields that an error page may include, so that the user can submit the form again.

    If the form has a password field, return no fields.
    """
    kept = tuple(fields)
    return () if any("password" in name for name, _value in kept) else kept


async def _send_refusal(
    refusal: RequestRefusal,
    headers: dict[bytes, bytes],
    send: AsgiSend,
    fields: FormFields = (),
    *,
    is_read: bool = False,
) -> None:
    kind, content = render_refusal(refusal, headers, fields, is_read=is_read)
    answer = [
        (b"content-type", kind.encode()),
        (b"cache-control", b"no-store"),
        *([(b"retry-after", str(refusal.retry_after_s).encode())] if refusal.status == 503 else []),
        *([ALLOW_HEADER] if refusal is METHOD_NOT_ALLOWED else []),
        *([] if refusal.retry_after_s < 60 else [(b"connection", b"close")]),
    ]
    with contextlib.suppress(ConnectionError):
        await send({"type": "http.response.start", "status": refusal.status, "headers": answer})
        await send({"type": "http.response.body", "body": content})


def _parse_fields(body: IO[bytes], size: int, headers: Mapping[bytes, bytes]) -> FormFields:
    """Return the fields of a complete form, or none if the form contains a file."""
    if size > MAX_FORM_BYTES or not headers.get(b"content-type", b"").startswith(b"application/x-www-form-urlencoded"):
        return ()
    typed = body.read().decode(errors="replace")
    body.seek(0)
    return list_fields_to_resubmit(parse_qsl(typed, keep_blank_values=True))


def _find_form_page(headers: Mapping[bytes, bytes]) -> str:
    """Return the URL path of the page that the form was sent from, or "" if the browser does not send it."""
    page = urlsplit(headers.get(b"referer", b"").decode("latin-1"))
    is_own = page.scheme in ("http", "https") and page.netloc.encode("latin-1") == headers.get(b"host")
    return page._replace(scheme="", netloc="", fragment="").geturl() if is_own else ""


@cache
def _render_notice(refusal: RequestRefusal) -> bytes:
    return render_to_string("errors/refused_notice.html", {"error": refusal}).encode()


# --- Streams ---------------------------------------------------------------------------------------------------------
# Each open stream takes an open file and memory for as long as its page is open.

MAX_STREAMS: Final = 10_000
"""The maximum number of streams in this process, unless half of the system's limit on open files is lower."""
MAX_STREAMS_PER_CLIENT: Final = 1_000
"""The maximum number of streams from one client. All phones in a venue may share one IP address and be one client.

Loopback connections are exempt, because a proxy or a load test represents many clients.
"""
LOOPBACK_CLIENTS: Final = ("127.0.0.1", "::/64")

TOO_MANY_STREAMS: Final = RequestRefusal(
    503,
    "too-many-streams",
    _("Too many pages of this site are open. This page tries again by itself; look again in a minute."),
)

logger = logging.getLogger(__name__)


def compute_max_streams() -> int:
    open_files = get_open_file_limit()
    return MAX_STREAMS if open_files is None else min(MAX_STREAMS, open_files // 2)


class StreamLimiter:
    """ASGI middleware that rejects new streams once a limit is reached."""

    def __init__(self, app: Any) -> None:
        self.app, self.most = app, compute_max_streams()
        self.of_client: Counter[str] = Counter()

    async def __call__(self, scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
        headers = dict(scope["headers"])
        client = make_rate_limit_key(scope)
        most = self.most if client in LOOPBACK_CLIENTS else MAX_STREAMS_PER_CLIENT
        if self.of_client.total() >= self.most or self.of_client[client] >= most:
            await _send_refusal(TOO_MANY_STREAMS, headers, send)
            return
        self.of_client[client] += 1
        try:
            await self.app(scope, receive, send)
        except (DatabaseError, InterfaceError) as error:  # before the stream begins
            refusal = get_response_to_outage(error)
            if refusal is None:
                raise
            logger.error("a stream could not begin", exc_info=error)
            await _send_refusal(refusal, headers, send)
        finally:
            self.of_client[client] -= 1
            if not self.of_client[client]:
                del self.of_client[client]
