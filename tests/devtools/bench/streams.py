"""Thousands of streams held by one loop of our own, which is faster than the servers it measures."""

from __future__ import annotations

import select
import socket
import time
from dataclasses import dataclass, field
from typing import Final

AT_ONCE: Final = 64
"""Streams that connect at the same time."""
PATIENCE: Final = 30.0


@dataclass
class Streams:
    port: int
    path: str
    sockets: dict[int, socket.socket] = field(default_factory=dict)
    _poll: select.epoll = field(default_factory=select.epoll)

    def open(self, count: int) -> float:
        """Until each was told something; the seconds it took."""
        request = (
            f"GET {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAccept: text/event-stream\r\n\r\n".encode()
        )
        began, opened, waiting = time.perf_counter(), 0, dict[int, bytes]()
        while opened < count or waiting:
            while opened < count and len(waiting) < AT_ONCE:
                waiting[self._connect(request)] = b""
                opened += 1
            for number in self._ready(began):
                waiting[number] = waiting.get(number, b"") + self._read(number)
                if b"data:" in waiting[number]:
                    del waiting[number]
        return time.perf_counter() - began

    def tell(self, request: bytes) -> float:
        """Seconds until the last was told what this writes, after it was acknowledged (or, sooner, the first told)."""
        writer = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self._poll.register(writer, select.EPOLLIN)
        writer.sendall(request)
        asked, waiting, began = time.perf_counter(), set(self.sockets), 0.0
        while waiting or not began:
            for number in self._ready(asked):
                if number == writer.fileno():
                    answer = writer.recv(65536)
                    if not answer.startswith(b"HTTP/1.1 303") and not answer.startswith(b"HTTP/1.1 302"):
                        raise RuntimeError(f"the write was not taken: {answer[:500]!r}")
                    self._poll.unregister(writer)
                elif number not in waiting or b"data:" not in self._read(number):
                    continue
                began = began or time.perf_counter()
                waiting.discard(number)
        took = time.perf_counter() - began
        writer.close()
        return took

    def close(self) -> None:
        for one in self.sockets.values():
            one.close()
        self._poll.close()

    def _connect(self, request: bytes) -> int:
        one = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        one.setblocking(False)
        one.send(request)
        self.sockets[one.fileno()] = one
        self._poll.register(one, select.EPOLLIN)
        return one.fileno()

    def _ready(self, since: float) -> list[int]:
        if time.perf_counter() > since + PATIENCE:
            raise TimeoutError("the streams were not told in time")
        return [number for number, _event in self._poll.poll(1.0, 4096)]

    def _read(self, number: int) -> bytes:
        read = self.sockets[number].recv(4096)
        if not read:
            raise ConnectionError("a stream ended")
        return read
