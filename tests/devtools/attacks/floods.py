"""Send floods of slow, endless, or broken requests and files, and measure how long other users wait meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from tests.tournament.intake.spoiled import LOGS, PDFS

PAGE: Final = "/accounts/login/"
NO_EVENT: Final = "/none/none/"
TOKEN: Final = "a" * 32
FORM = f"POST {PAGE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
FORM += f"Cookie: csrftoken={TOKEN}\r\n"  # any will do: with one the form is read, without one it is refused unread
GET: Final = f"GET {PAGE} HTTP/1.1\r\nHost: localhost\r\n"

Deed = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _held(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, begun: str) -> None:
    writer.write(begun.encode())
    await reader.read()


async def unfinished_form(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _held(reader, writer, f"{FORM}Content-Length: 1000\r\n\r\nlogin=somebody")


async def one_byte_a_second(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _dripped(reader, writer, f"{FORM}Content-Length: 1000\r\n\r\n", "x")


async def endless_chunks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(f"{FORM}Transfer-Encoding: chunked\r\n\r\n".encode())
    await _poured(reader, writer, b"1000\r\n" + b"x" * 4096 + b"\r\n")


async def ten_gigabytes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(f"{FORM}Content-Length: 10000000000\r\n\r\n".encode())
    await _poured(reader, writer, b"x" * 65536)


async def slow_headers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _dripped(reader, writer, GET, "X-More: 1\r\n")


async def endless_header(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(f"{GET}X-More: ".encode())
    await _poured(reader, writer, b"x" * 65536)


async def large_header(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _held(reader, writer, f"{GET}Connection: close\r\nX-More: {'x' * 100_000}\r\n\r\n")


async def junk_after_a_page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _held(reader, writer, f"{GET}\r\n" + "\x01\x02 JUNK / HTTP/9.9\r\n\r\n" * 200)


async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _held(reader, writer, "")


async def _dripped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, begun: str, drop: str) -> None:
    ended = asyncio.ensure_future(reader.read())
    writer.write(begun.encode())
    while not ended.done():
        writer.write(drop.encode())
        await asyncio.wait([ended], timeout=1)
    await ended


async def _poured(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, part: bytes) -> None:
    ended = asyncio.ensure_future(reader.read())
    with contextlib.suppress(ConnectionError):
        while not ended.done():
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0.002)  # the attacker's own processor is not what is measured
    await ended


async def spoiled_file(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Upload a file that would take minutes or gigabytes to read, to a page that accepts files from anybody."""
    content = (PDFS | LOGS)[random.choice([*PDFS, *LOGS])]
    writer.write(upload_of("/verify/", await asyncio.to_thread(content)))
    with contextlib.suppress(ConnectionError):
        await writer.drain()
        await reader.read()


def upload_of(path: str, content: bytes, cookies: str = "", length: int = 0) -> bytes:
    """Return an HTTP request that uploads a file as a browser does.

    If `length` is given, it replaces the true Content-Length.
    """
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n' + content + b"\r\n--b--\r\n"
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-CSRFToken: {TOKEN}\r\n"
    head += f"Cookie: {cookies or f'csrftoken={TOKEN}'}\r\nContent-Type: multipart/form-data; boundary=b\r\n"
    return f"{head}Content-Length: {length or len(body)}\r\n\r\n".encode() + body


async def stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, event: str = NO_EVENT) -> None:
    await _held(reader, writer, f"GET /live{event} HTTP/1.1\r\nHost: localhost\r\n\r\n")


async def another_page_each_time(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Request a page whose URL is different each time, so that the site has to render it instead of using its cache."""
    await _held(
        reader, writer, f"GET /rules/?{random.random()} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )


async def kept_open(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _held(reader, writer, f"{GET}\r\n")


async def never_read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Request many pages on one connection without reading the responses."""
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    writer.write(f"{GET}\r\n".encode() * 200)
    await asyncio.sleep(60)


FLOODS: Final[dict[str, tuple[int, Deed]]] = {
    "forms_8": (8, unfinished_form),
    "forms_80": (80, unfinished_form),
    "forms_800": (800, unfinished_form),
    "one_byte_a_second": (20, one_byte_a_second),
    "endless_chunks": (8, endless_chunks),
    "ten_gigabytes": (8, ten_gigabytes),
    "slow_headers": (200, slow_headers),
    "endless_header": (8, endless_header),
    "large_header": (8, large_header),
    "junk_after_a_page": (8, junk_after_a_page),
    "silence": (800, silence),
    "spoiled_files": (6, spoiled_file),
    "streams": (400, stream),
    "pages": (400, another_page_each_time),
    "kept_open": (800, kept_open),
    "never_read": (100, never_read),
}
"""The number of connections of each flood, and the function that each connection runs, keyed by the flood's name."""


@dataclass
class Seen:
    """The measurements during a flood. Times are in seconds.

    `pages` and `forms` are the waiting times of other users, `answers` counts the statuses that they got, and `held` is
    how long the attackers kept their connections.
    """

    pages: list[float] = field(default_factory=list)
    forms: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    held: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        worst = [f"{max(waits, default=0):6.2f}" for waits in (self.pages, self.forms, self.held)]
        middle = sorted(self.pages)[len(self.pages) // 2] if self.pages else 0
        said = ", ".join(f"{status} × {count}" for status, count in sorted(self.answers.items()))
        return f"page {middle:6.3f} s, worst {worst[0]}; form, worst {worst[1]}; attacker held {worst[2]}; {said}"


async def attack(
    host: str, port: int, name: str, seconds: float = 8.0, patience: float = 10.0, *, event: str = NO_EVENT
) -> Seen:
    """Run a flood while other users request pages, and return the measurements.

    `event` is the path of the event whose stream the flood opens.
    """
    seen = Seen()
    count, deed = FLOODS[name]
    deed = partial(stream, event=event) if deed is stream else deed
    attackers = [asyncio.create_task(_again_and_again(host, port, deed, seen)) for _ in range(count)]
    await asyncio.sleep(1)
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        seen.pages.append(await _asked(host, port, f"{GET}Connection: close\r\n\r\n", seen, patience))
        form = f"{FORM}Connection: close\r\nContent-Length: 7\r\n\r\nlogin=a"
        seen.forms.append(await _asked(host, port, form, seen, patience))
        await asyncio.sleep(0.1)
    for each in attackers:
        each.cancel()
    await asyncio.gather(*attackers, return_exceptions=True)
    return seen


async def _asked(host: str, port: int, request: str, seen: Seen, patience: float) -> float:
    began = time.monotonic()
    try:
        async with asyncio.timeout(patience):
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(request.encode())
            answer = await reader.read()
            writer.close()
        seen.answers[answer[9:12].decode() or "nothing"] += 1
    except (TimeoutError, ConnectionError) as error:
        seen.answers[type(error).__name__] += 1
    return time.monotonic() - began


async def _again_and_again(host: str, port: int, deed: Deed, seen: Seen) -> None:
    while True:
        began = time.monotonic()
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection(host, port, local_addr=("127.0.0.2", 0))
            try:
                await deed(reader, writer)
            finally:
                seen.held.append(time.monotonic() - began)
                _drop(writer)
        await asyncio.sleep(0.2)


def _drop(writer: asyncio.StreamWriter) -> None:
    raw = writer.get_extra_info("socket")
    if raw is not None:
        with contextlib.suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    writer.transport.abort()
