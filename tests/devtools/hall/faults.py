"""Break parts of the site under load: kill each process, stop the broker, fill the disk, and set back the clock.

Probes keep requesting a page, a write, and a stream. The longest gap between two successes is the downtime. The
processes come from the supervisor's log, so that every process is tested.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

import aiohttp

from tests.devtools.hall.browser import Answer, Browser
from tests.devtools.hall.servers import Postgres, restart
from tests.devtools.hall.site import Site, command_of, descendants
from tests.devtools.hall.writers import Cashier, Hall

LIMIT: Final = 5.0
"""The maximum downtime in seconds."""
CALM: Final = 8.0
"""The number of seconds without a fault before each fault."""
BACK: Final = 60.0
EVERY: Final = 0.1
PROBE_PATIENCE: Final = 15.0
FULL_FOR: Final = 10.0
DATABASE_AWAY: Final = 20.0
EVERYTHING: Final = frozenset({"pages", "writes", "streams"})
DISK: Final = 256
STARTED: Final = re.compile(r"\| (\S+) started \(pid=(\d+)\)")
CLOCK_BACK: Final = 3600
"""The clock is set back by this number of seconds. After CLOCK_FOR seconds, it is set right again."""
CLOCK_FOR: Final = 20.0
DISK_LEFT_OUT: Final = "disk full: a small disk can be mounted by root only"


@dataclass
class Away:
    """The downtime of pages, writes, and streams, and the number of writes that were rejected with a message."""

    fault: str
    seconds: dict[str, float]
    refused: int = 0
    limit: float = LIMIT

    @property
    def is_good(self) -> bool:
        return all(is_ <= self.limit for is_ in self.seconds.values())

    def line(self) -> str:
        said = "".join(f"{is_:>9.1f}" for is_ in self.seconds.values())
        return f"{self.fault:<40}{said}{self.refused:>9}  {'' if self.is_good else 'MISSED'}".rstrip()


@dataclass
class Probe:
    name: str
    ask: Callable[[], Awaitable[bool]]
    well: list[float] = field(default_factory=list)
    is_over: bool = False

    async def run(self) -> None:
        """Repeat the request until the test is over.

        In Python 3.11, a task may survive its cancellation if `wait_for` receives its result at that moment.
        """
        while not self.is_over:
            with suppress(aiohttp.ClientError, OSError, TimeoutError):
                if await asyncio.wait_for(self.ask(), PROBE_PATIENCE):
                    self.well.append(time.monotonic())
            await asyncio.sleep(EVERY)

    def away(self, since: float, until: float) -> float:
        times = [since, *(at for at in self.well if since < at < until), until]
        return max(later - before for before, later in pairwise(times))

    async def is_back(self, since: float) -> None:
        while not any(at > since for at in reversed(self.well[-3:])):
            await asyncio.sleep(EVERY)


class Payments(Cashier):
    """A probe that sends a new payment each time. It never sends a payment again if there was no response."""

    refused, went_well = 0, False

    async def send(self, browser: Browser, kind: str, path: str, fields: dict[str, str]) -> tuple[Answer, float]:
        answer = await browser.post(f"write {kind}", path, fields)
        self.went_well = bool(answer.goes_to)
        self.refused += answer.status == 507 and b"disk of this site is full" in answer.body
        self.refused += answer.status == 503 and b"site is back in a moment" in answer.body
        return answer, time.monotonic()

    async def ask(self) -> bool:
        self.went_well = False
        await self.turn()
        return self.went_well


class Faults:
    def __init__(
        self, site: Site, hall: Hall, *, broker_away: float, postgres: Postgres | None = None, only: str = ""
    ) -> None:
        self.site, self.hall, self.broker_away, self.only = site, hall, broker_away, only
        self.postgres = postgres
        self.found: list[Away] = []
        self.left_out: list[str] = []
        self._payments = Payments(hall, hall.known["sign_in"][-1])
        self._browser = Browser(hall.site, hall.book)
        self._public = f"/t/{hall.known['tournament']}/{hall.known['event']}"
        self._stream: aiohttp.ClientResponse | None = None
        self._probes = [Probe("pages", self._look), Probe("writes", self._payments.ask), Probe("streams", self._follow)]

    async def run(self) -> None:
        await self._payments.open()
        probing = [asyncio.ensure_future(probe.run()) for probe in self._probes]
        for name in self._names():
            await self._suffer(f"kill -9 {name}", lambda name=name: self._kill(name))
            if self._children(name) and "granian" in command_of(self._pid(name)):
                await self._suffer(f"kill -9 {name}'s worker", lambda name=name: self._kill_children(name))
        if "broker" in self._names():
            await self._suffer(f"broker away for {self.broker_away:.0f} s", self._stop_broker)
        if self.postgres is not None:
            await self._suffer("PostgreSQL restarted", lambda: self._restart(0), only_after=EVERYTHING)
            away = f"PostgreSQL away for {DATABASE_AWAY:.0f} s"
            await self._suffer(away, lambda: self._restart(DATABASE_AWAY), only_after=EVERYTHING)
        if self.site.folder.is_mount():
            await self._suffer(f"disk full for {FULL_FOR:.0f} s", self._fill, only_after={"writes"})
        elif self.only in DISK_LEFT_OUT:
            self.left_out.append(DISK_LEFT_OUT)
        await self._suffer(f"clock back an hour for {CLOCK_FOR:.0f} s", self._set_clock_back)
        for probe, task in zip(self._probes, probing, strict=True):
            probe.is_over = True
            task.cancel()
        await asyncio.gather(*probing, return_exceptions=True)
        await self._end_stream()
        await asyncio.gather(self._browser.close(), self._payments.close())

    async def _suffer(
        self, name: str, fault: Callable[[], Awaitable[None]], only_after: frozenset[str] | set[str] = frozenset()
    ) -> None:
        """Cause a fault, and measure the downtime until all probes succeed again.

        Failed requests do not count as errors meanwhile, but lost or duplicate writes do. For the probes in
        `only_after`, the measurement begins at the end of the fault.
        """
        if self.only not in name:
            return
        await asyncio.sleep(CALM)
        self._payments.refused, self.hall.book.is_excused, began = 0, True, time.monotonic()
        await fault()
        over = time.monotonic()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*(probe.is_back(over) for probe in self._probes)), BACK)
        await asyncio.sleep(LIMIT)
        until = time.monotonic()
        seconds = {probe.name: probe.away(over if probe.name in only_after else began, until) for probe in self._probes}
        self.found.append(Away(name, seconds, self._payments.refused))
        print(self.found[-1].line(), file=sys.stderr, flush=True)
        self.hall.book.is_excused = False

    # --- Probes ---

    async def _look(self) -> bool:
        return (await self._browser.get("probe page", f"{self._public}/bracket/")).status in (200, 304)

    async def _follow(self) -> bool:
        """Return whether the stream is open. If it is broken, the next call opens it again."""
        if self._stream is None:
            self._stream = await self._browser.stream(f"{self._public.replace('/t/', '/live/', 1)}/")
        try:
            with suppress(TimeoutError):
                read = await asyncio.wait_for(self._stream.content.readline(), EVERY)
                if not read:
                    raise ConnectionError
        except (aiohttp.ClientError, OSError):
            await self._end_stream()
            return False
        return self._stream.status == 200

    async def _end_stream(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._stream = None

    # --- Faults ---

    def _pids(self) -> dict[str, int]:
        """Return the process IDs, keyed by name, from the supervisor's latest log messages."""
        return {name: int(pid) for name, pid in STARTED.findall(self.site.log())}

    def _names(self) -> list[str]:
        return list(self._pids())

    def _pid(self, name: str) -> int:
        """Return a process ID. Raise an error if the process has ended, because the system reuses IDs."""
        pid = self._pids()[name]
        if pid not in descendants(self.site.process.pid):
            raise RuntimeError(f"{name} does not run.\n{self.site.log()[-2000:]}")
        return pid

    def _children(self, name: str) -> list[int]:
        return [pid for pid in descendants(self._pid(name)) if pid != self._pid(name)]

    async def _kill(self, name: str) -> None:
        os.kill(self._pid(name), signal.SIGKILL)

    async def _kill_children(self, name: str) -> None:
        for pid in self._children(name):
            os.kill(pid, signal.SIGKILL)

    async def _stop_broker(self) -> None:
        """Suspend the broker for a while. If it were killed, the supervisor would restart it."""
        broker = self._pid("broker")
        os.kill(broker, signal.SIGSTOP)
        try:
            await asyncio.sleep(self.broker_away)
        finally:
            os.kill(broker, signal.SIGCONT)

    async def _restart(self, away: float) -> None:
        assert self.postgres is not None
        await asyncio.to_thread(restart, self.postgres, away)

    async def _set_clock_back(self) -> None:
        assert self.site.clock is not None
        with self.site.clock.set_back(CLOCK_BACK):
            await asyncio.sleep(CLOCK_FOR)

    async def _fill(self) -> None:
        filler = self.site.folder / "filler"
        try:
            with filler.open("wb", buffering=0) as file, suppress(OSError):
                while True:
                    file.write(b"\0" * 65536)
            await asyncio.sleep(FULL_FOR)
        finally:
            filler.unlink()


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Mount a small disk at `folder` if this user is allowed to."""
    image = folder.with_suffix(".img")
    folder.mkdir()
    is_mounted = os.geteuid() == 0 and shutil.which("mkfs.ext4") is not None and _mount(image, folder)
    try:
        yield
    finally:
        if is_mounted:
            subprocess.run(["umount", folder], check=True)


def _mount(image: Path, folder: Path) -> bool:
    with image.open("wb") as file:
        file.truncate(DISK * 1024 * 1024)
    made = subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], capture_output=True, check=False).returncode == 0
    return made and subprocess.run(["mount", "-o", "loop", image, folder], check=False).returncode == 0
