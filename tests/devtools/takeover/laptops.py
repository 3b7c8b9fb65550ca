"""Run the real program on two simulated laptops, each with its own folder. Either can be killed at any time."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from laptop.prepare import make_migrated_database
from tests.devtools.hall.book import Book
from tests.devtools.hall.browser import Answer, Browser
from tests.devtools.hall.site import PATIENCE, descendants, environment_of, free_port
from tests.devtools.takeover import pairing
from tests.devtools.takeover.starting import INTERPRETERS, Started, Starter
from tests.devtools.takeover.wire import Wire

PROGRAM: Final = ("-m", "laptop.run")
LOOK_EVERY: Final = 0.1
KEPT_LOG: Final = 3000
"""How many characters of a laptop's log an error shows."""


@dataclass(eq=False)
class Laptop:
    """A simulated laptop, which runs the real program in its own folder.

    `wire` is the network through which the other laptop connects to this one. `readers` is the number of processes that
    only render pages. If it is 0, the writing process renders all pages.
    """

    name: str
    folder: Path
    readers: int = 1
    starter: Starter = INTERPRETERS
    port: int = field(default_factory=free_port)
    link_port: int = field(default_factory=free_port)
    wire: Wire = field(init=False)
    process: Started | None = None

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.wire = Wire(self.link_port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database(self) -> Path:
        return self.folder / "db.sqlite3"

    @property
    def role(self) -> str:
        return pairing.load_role(self.folder)

    def log(self) -> str:
        file = self.folder / "site.log"
        return file.read_text(errors="replace") if file.exists() else ""

    # --- The program ---

    def start(self, program: Sequence[str] = PROGRAM) -> None:
        """Start the program, or only the part of it that `program` names."""
        own = {"PORT": str(self.port), "LINK_PORT": str(self.link_port), "HOST": "127.0.0.1", "DEMO": "0"}
        fewer = {"READERS": str(self.readers), "WORKERS": "1"}
        with (self.folder / "site.log").open("ab") as log:
            self.process = self.starter.start(program, {**environment_of(self.folder), **fewer, **own}, log)

    def kill(self) -> None:
        """Kill all processes of the program at once, as if the battery had fallen out."""
        assert self.process is not None
        for pid in [self.process.pid, *descendants(self.process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self.process = None

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
            self.process = None
        except subprocess.TimeoutExpired:
            self.kill()

    # --- Its pages ---

    async def get(self, path: str) -> Answer:
        return await self._browse(path, None)

    async def tap(self, path: str, fields: dict[str, str]) -> Answer:
        """Open a page and submit its form, as somebody at this laptop does."""
        return await self._browse(path, fields)

    async def _browse(self, path: str, fields: dict[str, str] | None) -> Answer:
        browser = Browser(self.url, Book(is_excused=True))
        try:
            answer = await browser.get("page", path)
            if fields is not None:
                answer = await browser.post("form", path, {"csrfmiddlewaretoken": answer.csrf, **fields})
            return answer
        finally:
            await browser.close()

    async def wait_for(self, path: str, is_wanted: Callable[[Answer], bool] = lambda _answer: True) -> Answer:
        """Wait until the laptop shows a page that `is_wanted` accepts, and return the page."""
        found: list[Answer] = []

        async def look() -> bool:
            answer = await self.get(path)
            found[:] = [answer]
            return answer.status == 200 and is_wanted(answer)

        await until(look, f"{self.name} shows {path}", self)
        return found[0]

    # --- Its part in the pair ---

    async def take_over(self) -> None:
        """Tap *Take over now*. Repeat this while the program does not respond."""

        async def tap() -> bool:
            return bool((await self.tap(pairing.PAGE, pairing.TAKE_OVER)).goes_to)

        await until(tap, f"{self.name} takes over", self)

    async def has_role(self, *roles: str) -> None:
        async def look() -> bool:
            return self.role in roles

        await until(look, f"{self.name} is {' or '.join(roles)}", self)


def copy_installation(source: Path, target: Path) -> None:
    """Copy the database of an installation.

    The installation must never have been started, because its secrets are not copied.
    """
    target.mkdir(parents=True, exist_ok=True)
    with (
        closing(sqlite3.connect(source / "db.sqlite3")) as database,
        closing(sqlite3.connect(target / "db.sqlite3")) as copy,
    ):
        database.backup(copy)


async def follow(second: Laptop, first: Path, address: str) -> None:
    """Pair the stopped laptop `second` with the first one, start it, and wait until it has all data.

    `first` is the first laptop's folder. `address` is where the first laptop accepts the connection.
    """
    if not second.database.exists():
        make_migrated_database(Path(sys.executable)).copy_to(second.database)
    words = await asyncio.to_thread(pairing.add, first, second.starter)
    deadline = time.monotonic() + PATIENCE
    while problem := await asyncio.to_thread(pairing.join, second.folder, address, words, second.starter):
        if time.monotonic() > deadline:  # the first laptop listens a moment after it shows the words
            raise RuntimeError(f"{second.name} cannot follow the first laptop: {problem}")
    second.start()
    await second.wait_for("/rules/")
    await has_everything(second, first)


async def has_everything(second: Laptop, first: Path) -> None:
    """Wait until the second laptop has stored the first laptop's latest change.

    The first laptop must also have received the confirmation.
    """

    async def look() -> bool:
        newest = load_last_change(first)
        return pairing.load_acknowledged_change(first) >= newest and load_last_change(second.folder) >= newest

    await until(look, f"{second.name} has everything", second)


def load_last_change(folder: Path) -> int:
    file = folder / "db.sqlite3"
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=20)) as database:
        return int(database.execute("SELECT MAX(id) FROM tournament_rowchange").fetchone()[0] or 0)


async def until(happened: Callable[[], Awaitable[bool]], what: str, *laptops: Laptop) -> None:
    """Wait until `happened` returns true.

    Raises:
        RuntimeError: A laptop ended, or the time is up. The message contains the laptops' logs.
    """
    deadline = time.monotonic() + PATIENCE
    while not await happened():
        have_ended = any(laptop.process is not None and laptop.process.poll() is not None for laptop in laptops)
        if have_ended or time.monotonic() > deadline:
            logs = "\n".join(laptop.log()[-KEPT_LOG:] for laptop in laptops)
            raise RuntimeError(f"It never happened: {what}.\n{logs}")
        await asyncio.sleep(LOOK_EVERY)
