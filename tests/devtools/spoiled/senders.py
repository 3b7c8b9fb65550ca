"""Send a request through Django's test client or over a socket."""

from __future__ import annotations

import contextlib
import faulthandler
import http.client
import io
import signal
import socket
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from urllib.parse import unquote_to_bytes

from config.wsgi import strip_content_type_params

PATIENCE: Final = 60.0
"""The number of seconds after which a missing response counts as a fault."""


@dataclass(slots=True)
class Request:
    """A request to send. `path` is sent unchanged and includes the query string."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def __str__(self) -> str:
        head = "\n".join(f"{name}: {value[:500]!r}" for name, value in self.headers.items())
        return f"{self.method} {self.path[:1000]!r}\n{head}\n\n{self.body[:3000]!r}"


@dataclass(frozen=True, slots=True)
class Answered:
    """A response. If there was no response, the status is 0."""

    status: int
    headers: dict[str, str]
    body: bytes
    why: str = ""


class Sender(Protocol):
    def send(self, request: Request, client: str) -> Answered:
        """Send a request that seems to come from this IP address."""


class ByClient:
    """Sends requests in this process. A failure includes its traceback."""

    def __init__(self, patience: float = PATIENCE) -> None:
        from django.test import Client  # in the mode over sockets nothing of Django is needed

        self.patience = patience
        self.client = Client(enforce_csrf_checks=True, raise_request_exception=False)

    def send(self, request: Request, client: str) -> Answered:
        path, _, query = request.path.partition("?")
        environ: dict[str, Any] = {
            "REQUEST_METHOD": request.method,
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "REMOTE_ADDR": client,
            "SERVER_NAME": "localhost",
            "wsgi.input": io.BytesIO(request.body),
            "CONTENT_LENGTH": str(len(request.body)),
        }
        for name, value in request.headers.items():
            key = name.upper().replace("-", "_")
            environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value
        try:
            with within(self.patience):
                answer = self.client.request(**strip_content_type_params(environ))
                body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        except TakesTooLong:
            return Answered(0, {}, b"", traceback.format_exc())
        except Exception:  # not even its page of errors could be shown
            return Answered(500, {}, b"", traceback.format_exc())
        finally:
            self.client.cookies.clear()
        why = "".join(traceback.format_exception(*answer.exc_info)) if answer.exc_info else ""
        return Answered(answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, body, why)


class TakesTooLong(BaseException):
    """Raised when a request takes too long.

    It is not an `Exception`, because Django would turn it into an error page.
    """


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Interrupt the block after this number of seconds. This works only in the main thread.

    If the block does not stop, end the whole run with a traceback.
    """

    def stop(_number: int, _frame: object) -> None:
        raise TakesTooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    faulthandler.dump_traceback_later(seconds * 5, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class BySocket:
    """Sends requests to a real server. Each request has its own connection and an address in 127.0.0.0/8."""

    def __init__(self, port: int) -> None:
        self.port = port

    def send(self, request: Request, client: str) -> Answered:
        lines = [f"{request.method} {request.path} HTTP/1.1"]
        headers = {
            "Host": "localhost",
            "Connection": "close",
            "Content-Length": str(len(request.body)),
            **request.headers,
        }
        lines += [f"{name}: {value}".replace("\r", "").replace("\n", "") for name, value in headers.items()]
        head = "\r\n".join(lines).encode("latin-1", "replace")
        try:
            source = (client, 0)
            with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE, source_address=source) as raw:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # answered before all was sent
                    raw.sendall(head + b"\r\n\r\n" + request.body)
                return self._read(raw, request.method)
        except (OSError, http.client.HTTPException) as error:
            return Answered(0, {}, b"", repr(error))

    def _read(self, raw: socket.socket, method: str) -> Answered:
        answer = http.client.HTTPResponse(raw, method=method)
        answer.begin()
        is_stream = "event-stream" in (answer.getheader("Content-Type") or "")
        body = answer.read1(400) if is_stream else answer.read()
        return Answered(answer.status, {name.lower(): value for name, value in answer.getheaders()}, body)
