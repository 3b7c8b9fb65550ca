"""Run minimal servers to compare the site with: a constant response, an ASGI stream, and an asyncio broadcast.

`granian tests.devtools.bench.bare:application` answers every URL with the files `headers` and `body` in the folder
BARE_ANSWER, `/unchanged/` with 304, and URLs below `/live/` with a stream. `python -m tests.devtools.bench.bare PORT`
answers a POST, and then notifies every client that connected with GET.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from config.process import raise_open_file_limit

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

STREAM: Final = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
TOLD: Final = b'event: version\ndata: {"version": 17, "within": 0}\n\n'

raise_open_file_limit()
_folder = Path(os.environ.get("BARE_ANSWER", ""))
_kept = _folder / "headers"
_pairs = json.loads(_kept.read_text()) if _kept.exists() else []
_headers = [(name.encode(), value.encode()) for name, value in _pairs]
_body = (_folder / "body").read_bytes() if _kept.exists() else b""
_unchanged = [pair for pair in _headers if pair[0] not in (b"content-type", b"content-length", b"content-encoding")]


async def application(scope: Message, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    elif scope["path"].startswith("/live/"):
        await _stream(receive, send)
    elif scope["path"] == "/unchanged/":
        await send({"type": "http.response.start", "status": 304, "headers": _unchanged})
        await send({"type": "http.response.body", "body": b""})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": _headers})
        await send({"type": "http.response.body", "body": _body})


async def _lifespan(receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


async def _stream(receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": STREAM})
    await send({"type": "http.response.body", "body": TOLD, "more_body": True})
    while (await receive())["type"] != "http.disconnect":
        pass


class _Broadcast(asyncio.Protocol):
    everybody: Final[set[asyncio.Transport]] = set()
    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        self.everybody.discard(self.transport)

    def data_received(self, data: bytes) -> None:
        if data.startswith(b"GET"):
            self.everybody.add(self.transport)
            self.transport.write(b"HTTP/1.1 200 OK\r\n\r\n" + TOLD)
        else:
            self.transport.write(b"HTTP/1.1 303 See Other\r\n\r\n")
            for other in self.everybody:
                other.write(TOLD)


async def _broadcast(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(_Broadcast, "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_broadcast(int(sys.argv[1])))
