"""Simulate the network between two laptops with a TCP proxy that can be cut and mended."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

HOST: Final = "127.0.0.1"


class Wire:
    """Forwards connections to a port, unless the network is cut.

    A silent cut loses no bytes: as with TCP, delayed bytes arrive when the network works again, and both ends notice
    nothing until their timeouts. Any other cut closes all connections immediately.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._passes = asyncio.Event()
        self._passes.set()
        self._is_silent = False
        self._is_closed = False

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, HOST, self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        self._is_closed = True
        self._passes.set()
        for writer in self._open:
            writer.transport.abort()
        if self._serving:
            await asyncio.wait(self._serving)

    def cut(self, *, silent: bool) -> None:
        self._passes.clear()
        self._is_silent = silent
        if not silent:
            for writer in self._open:
                writer.transport.abort()

    def mend(self) -> None:
        self._passes.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        self._open.add(writer)
        try:
            if not self._passes.is_set() and not self._is_silent:
                return
            await self._passes.wait()
            if self._is_closed:
                return
            there, back = await asyncio.open_connection(HOST, self.target)
            self._open.add(back)
            pumps = [asyncio.ensure_future(self._pump(reader, back)), asyncio.ensure_future(self._pump(there, writer))]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pump in pumps:
                    pump.cancel()
                self._open.discard(back)
                back.transport.abort()
        except OSError:
            pass
        finally:
            self._open.discard(writer)
            writer.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                await self._passes.wait()
                writer.write(data)
                await writer.drain()
