"""Compare the site's most frequent responses with the least work that the same server can do.

The site and the minimal server (`tests.devtools.bench.bare`) run during the whole measurement and are measured
alternately.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch
from urllib.parse import urlencode

from laptop.processes import PROCESS_KINDS
from tests.devtools.bench.timing import Figure, NotMeasured
from tests.devtools.hall.live import MAIN, attributes
from tests.devtools.hall.site import ROOT, Site, environment_of, free_port, memory_below, running_site, wait_for_port
from tests.devtools.hall.writers import ENDING, POINTS, hidden_fields, is_decided

ENTRANTS: Final = 256
STREAMS: Final = 5_000
TRIES: Final = 4
SECONDS: Final = 2
WRITES: Final = 24
"""The number of writes posted while somebody reads."""
AT_LEAST: Final = 0.7
"""The required rate, as a share of the minimal server's rate."""
RATE: Final = re.compile(r"Requests/sec:\s+([\d.]+)")
LAST: Final = re.compile(r"99%\s+([\d.]+)(us|ms|s)\b")
UNITS: Final = {"us": 0.001, "ms": 1.0, "s": 1000.0}
GZIP: Final = {"Accept-Encoding": "gzip"}
DROPPED: Final = {"date", "server", "transfer-encoding", "connection"}

Line = Figure | NotMeasured


@dataclass(frozen=True)
class Bare:
    port: int
    process: subprocess.Popen[bytes]


def measure_served() -> list[Line]:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        here = Path(folder)
        with running_site(here / "site", entrants=ENTRANTS, herd=False) as site:
            page = f"/t/{site.known['tournament']}/{site.known['event']}/bracket/"
            told, body = _ask(site.port, page, GZIP)
            _keep(here, told, body)
            with _bare(here) as bare:
                desk = Poster(site)
                pages = [*_measure_pages(site.port, page, bare.port, told["etag"]), _measure_behind(site, desk, page)]
                return [*pages, *_measure_streams(site, desk, page, bare)]


# --- Pages from memory ---------------------------------------------------------------------------------------------


def _measure_pages(port: int, page: str, bare: int, etag: str) -> Iterator[Line]:
    names = {
        "the bracket page of 256 entrants, from memory": (page, GZIP, page),
        "the bracket page of 256 entrants, not modified": (page, {**GZIP, "If-None-Match": etag}, "/unchanged/"),
    }
    if shutil.which("wrk") is None:
        why = "wrk is not installed (`apt-get install wrk`)"
        yield from (NotMeasured(f"{name}, compared with a constant response", why, asked=True) for name in names)
        return
    for name, (path, headers, constant) in names.items():
        tries = [(_wrk(port, path, headers), _wrk(bare, constant, headers)) for _turn in range(TRIES)]
        ours, least = max(one[0] for one, _other in tries), max(one[0] for _one, one in tries)
        late, least_late = min(one[1] for one, _other in tries), min(one[1] for _one, one in tries)
        against = f"{AT_LEAST} of the rate of a constant response of the same size, {least:,.0f} a second"
        yield Figure(f"{name} ({ours:,.0f} a second)", 1e6 / ours, 1e6 / least / AT_LEAST, "µs", against)
        yield Figure(f"{name}, 16 at once, p99", late, 2 * least_late, against="twice as long as the constant response")


def _wrk(port: int, path: str, headers: dict[str, str]) -> tuple[float, float]:
    """Request a page over 16 connections.

    Return the number of responses per second, and the 99th percentile of the response times in milliseconds.
    """
    asked = [word for name, value in headers.items() for word in ("-H", f"{name}: {value}")]
    command = ["wrk", "-t1", "-c16", f"-d{SECONDS}", "--latency", *asked, f"http://127.0.0.1:{port}{path}"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rate, last = RATE.search(said), LAST.search(said)
    if rate is None or last is None or "Non-2xx" in said or "Socket errors" in said:
        raise RuntimeError(f"wrk was not answered as it should be.\n{said}")
    return float(rate[1]), float(last[1]) * UNITS[last[2]]


def _measure_behind(site: Site, desk: Poster, page: str) -> Figure:
    """Read a page repeatedly during writes, and count the copies that lack a write that was already acknowledged."""
    decided: list[str] = []
    done = threading.Event()

    def write() -> None:
        try:
            for _turn in range(WRITES):
                ident, request = desk.prepare()
                desk.send(request)
                decided.append(ident)
        finally:
            done.set()

    writer = threading.Thread(target=write)
    line, read, behind = HTTPConnection("127.0.0.1", site.port), 0, 0
    writer.start()
    while not done.is_set():
        known = list(decided)
        line.request("GET", page)
        body = line.getresponse().read()
        read += 1
        behind += not all(is_decided(ident)(body) for ident in known)
    writer.join()
    line.close()
    if len(decided) < WRITES:
        raise RuntimeError("not all was written")
    name = f"pages from before a write, among {read:,} pages read during {WRITES} writes"
    return Figure(name, 2 * behind, 1, "", "none is allowed")


class Poster:
    """A simulated staff member who submits the result of one match after another with the form on the page."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.cookies: dict[str, str] = {}
        self.desk = f"/desk/{site.known['tournament']}/{site.known['event']}/results"
        seated = {table["ident"] for table in site.known["tables"] if table["kept"]}
        self.idents = (ident for ident in site.known["matches"] if ident not in seated)
        path = f"/sign-in/{site.known['sign_in'][0]}/"
        self.send(self._form(path, hidden_fields(self._get(path))))

    def prepare(self) -> tuple[str, bytes]:
        """Return the next match that can be decided, and the request that submits its result."""
        for ident in self.idents:
            path = f"{self.desk}/{ident}/"
            page = self._get(path)
            endings = ENDING.findall(page)
            if endings:
                ending = endings[0].decode()
                points = {f"points_{one.decode()}": "90" for one in POINTS.findall(page)}
                points[f"points_{ending.partition(':')[2]}"] = "155"
                said = {"ending": ending, "reason": "bench", "act": "record"}
                return ident, self._form(path, hidden_fields(page) | said | points)
        raise RuntimeError("there is no match left to decide")

    def send(self, request: bytes) -> None:
        with self._line() as line:
            line.connect()
            line.sock.sendall(request)
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += line.sock.recv(65536)
        head = answer.partition(b"\r\n\r\n")[0].decode()
        if " 302 " not in head.partition("\r\n")[0]:
            raise RuntimeError(f"the write was not taken: {head}")
        self.cookies |= dict(re.findall(r"(?i)^set-cookie: (\w+)=([^;\s]*)", head, re.MULTILINE))

    def _form(self, path: str, fields: dict[str, str]) -> bytes:
        body = urlencode(fields)
        head = {
            "Host": f"127.0.0.1:{self.site.port}",
            "Origin": self.site.url,
            "Cookie": self._cookie(),
            "Content-Type": "application/x-www-form-urlencoded",
            "Content-Length": str(len(body)),
        }
        lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", body]
        return "\r\n".join(lines).encode()

    def _get(self, path: str) -> bytes:
        with self._line() as line:
            line.request("GET", path, headers={"Cookie": self._cookie()})
            answer = line.getresponse()
            for value in answer.headers.get_all("Set-Cookie", []):
                name, _is, rest = value.partition("=")
                self.cookies[name] = rest.partition(";")[0]
            return answer.read()

    @contextmanager
    def _line(self) -> Iterator[HTTPConnection]:
        line = HTTPConnection("127.0.0.1", self.site.port, timeout=30)
        try:
            yield line
        finally:
            line.close()

    def _cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())


# --- Streams -------------------------------------------------------------------------------------------------------


def _measure_streams(site: Site, desk: Poster, page: str, bare: Bare) -> Iterator[Line]:
    main = MAIN.search(_ask(site.port, page, {})[1])
    path = attributes(main[0] if main else b"")["data-live-url"]
    took, memory, ours = _hold(site.process, site.port, path)
    least_took, least_memory, least = _hold(bare.process, bare.port, "/live/")
    least.close()
    told = [ours.tell(desk.prepare()[1]) for _turn in range(TRIES)]
    ours.close()
    for _turn in range(TRIES - 1):
        took = min(took, _connects(site.port, path))
        least_took = min(least_took, _connects(bare.port, "/live/"))
    name = f"{STREAMS:,} streams in one process"
    yield Figure(f"{name}: memory of each stream", memory, least_memory * 1.5, "kB", "1.5 times a bare ASGI stream")
    against = f"{AT_LEAST} of the rate of bare streams, {STREAMS / least_took:,.0f} a second"
    connects = f"{name}: opening a stream ({STREAMS / took:,.0f} a second)"
    yield Figure(connects, 1e6 * took / STREAMS, 1e6 * least_took / STREAMS / AT_LEAST, "µs", against)
    with _broadcast() as port:
        streams = Streams(port, "/")
        streams.open(STREAMS)
        plain = min(streams.tell(b"POST / HTTP/1.1\r\n\r\n") for _turn in range(TRIES))
        streams.close()
    limit = 2500 * plain
    yield Figure(
        f"{name}: last stream notified of a write",
        1000 * min(told),
        limit,
        against="2.5 times a bare asyncio broadcast",
    )


def _hold(process: subprocess.Popen[bytes], port: int, path: str) -> tuple[float, float, Streams]:
    """Open all streams. Return the time in seconds, the memory per stream in kilobytes, and the streams.

    The memory is correct only for the first streams of a process.
    """
    before = memory_below(process.pid)
    streams = Streams(port, path)
    took = streams.open(STREAMS)
    return took, (memory_below(process.pid) - before) * 1024 / STREAMS, streams


def _connects(port: int, path: str) -> float:
    streams = Streams(port, path)
    try:
        return streams.open(STREAMS)
    finally:
        streams.close()


# --- The bare servers ----------------------------------------------------------------------------------------------


def _ask(port: int, path: str, headers: dict[str, str]) -> tuple[dict[str, str], bytes]:
    line = HTTPConnection("127.0.0.1", port, timeout=30)
    line.request("GET", path, headers=headers)
    answer = line.getresponse()
    body = answer.read()
    line.close()
    if answer.status != 200:
        raise RuntimeError(f"{path} was answered by {answer.status}")
    return {name.lower(): value for name, value in answer.getheaders()}, body


def _keep(folder: Path, told: dict[str, str], body: bytes) -> None:
    pairs = [[name, value] for name, value in told.items() if name not in DROPPED]
    (folder / "headers").write_text(json.dumps(pairs))
    (folder / "body").write_bytes(body)


@contextmanager
def _bare(folder: Path) -> Iterator[Bare]:
    """Start the minimal server with the options of the site's web server."""
    port = free_port()
    environment: dict[str, Any] = {**environment_of(folder), "BARE_ANSWER": str(folder)}
    with patch.dict(os.environ, HOST="127.0.0.1", PORT=str(port)):
        module, _application, *options = PROCESS_KINDS["web"].make_command()
    command = [sys.executable, "-m", module, "tests.devtools.bench.bare:application", *options]
    with _process(command, environment, port) as process:
        yield Bare(port, process)


@contextmanager
def _broadcast() -> Iterator[int]:
    port = free_port()
    with _process([sys.executable, "-m", "tests.devtools.bench.bare", str(port)], None, port):
        yield port


@contextmanager
def _process(command: list[str], environment: dict[str, str] | None, port: int) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        wait_for_port(port)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=20)


AT_ONCE: Final = 64
STREAM_PATIENCE: Final = 30.0


@dataclass
class Streams:
    port: int
    path: str
    sockets: dict[int, socket.socket] = field(default_factory=dict)
    _poll: select.epoll = field(default_factory=select.epoll)

    def open(self, count: int) -> float:
        """Open streams until each has received data, and return the time in seconds."""
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
        """Send a write request, and return the time from its response until the last stream is notified, in seconds."""
        writer = socket.create_connection(("127.0.0.1", self.port), timeout=STREAM_PATIENCE)
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
        one = socket.create_connection(("127.0.0.1", self.port), timeout=STREAM_PATIENCE)
        one.setblocking(False)
        one.send(request)
        self.sockets[one.fileno()] = one
        self._poll.register(one, select.EPOLLIN)
        return one.fileno()

    def _ready(self, since: float) -> list[int]:
        if time.perf_counter() > since + STREAM_PATIENCE:
            raise TimeoutError("the streams were not told in time")
        return [number for number, _event in self._poll.poll(1.0, 4096)]

    def _read(self, number: int) -> bytes:
        read = self.sockets[number].recv(4096)
        if not read:
            raise ConnectionError("a stream ended")
        return read
