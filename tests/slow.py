"""Simulate a slow network and slow devices in browser tests: responses, scripts, and updates arrive late.

    SLOW=6 make browser-tests       each browser gets a sixth of its processor, and each request waits a little

A request's delay depends on the seed, its URL, and how often that URL was requested, so that a run can be repeated. The
site delays its responses itself, so that a test can do something else while the browser waits.

A browser's own throttling keeps a core busy for each page. This module stops and continues the processes of pages
instead, which also slows down their web workers.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

from tests.chance import SEED
from tests.devtools.hall.site import descendants

if TYPE_CHECKING:
    from tournament.core.live import AsgiMessage, AsgiReceive, AsgiSend

SLOW: Final = float(os.environ.get("SLOW") or 1)
USUAL_DELAY: Final = 0.015
LONGEST_DELAY: Final = 0.1
"""The longest delay in seconds for each unit of `SLOW`.

With SLOW=6, a request waits 90 ms on average, and 600 ms at most.
"""

_asked: Counter[str] = Counter()


def delay_of(address: str) -> float:
    _asked[address] += 1
    dice = random.Random(f"{SEED}|{address}|{_asked[address]}")
    return SLOW * min(dice.expovariate(1 / USUAL_DELAY), LONGEST_DELAY)


async def application(scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
    """Run the ASGI application of `config.asgi` with delayed responses and updates."""
    from config.asgi import application as site  # the settings are read when the process has started

    if scope["type"] != "http":
        return await site(scope, receive, send)
    address = f"{scope['method']} {scope['path']}?{scope['query_string'].decode()}"
    pieces = 0

    async def send_late(message: AsgiMessage) -> None:
        nonlocal pieces
        body = message.get("body", b"")
        if message["type"] != "http.response.body" or not body:
            return await send(message)
        pieces += 1
        half = len(body) // 2
        if not scope["path"].startswith("/live/"):
            await send({**message, "body": body[:half], "more_body": True})
            body = body[half:]
        await asyncio.sleep(delay_of(f"{address} {pieces}"))
        await send({**message, "body": body})

    await asyncio.sleep(delay_of(address))
    return await site(scope, receive, send_late)


# --- A part of the processor -----------------------------------------------------------------------------------------

TURN: Final = 0.01
"""How long a page's process runs each time, in seconds."""
TURNS: Final = max(1, round(SLOW))
LOOKED_FOR: Final = 25
"""The number of turns after which to look for new processes."""

_at_full_speed: list[None] = []
"""Contains one item for each active `full_speed` block."""


@contextmanager
def slow_browsers() -> Iterator[None]:
    """Limit each page in this process's browsers to a part of the processor's time within the block."""
    if TURNS == 1:
        yield
        return
    over = Event()
    turns = Thread(target=_take_turns, args=[over], daemon=True)
    turns.start()
    try:
        yield
    finally:
        over.set()
        turns.join()


@contextmanager
def full_speed() -> Iterator[None]:
    """Let all pages use the whole processor within the block."""
    _at_full_speed.append(None)
    try:
        yield
    finally:
        _at_full_speed.pop()


def _take_turns(over: Event) -> None:
    pages: list[int] = []
    turn = 0
    while not over.wait(TURN):
        if turn % LOOKED_FOR == 0:
            _send(signal.SIGCONT, pages)  # a page whose browser has ended must not stay stopped
            pages = _page_processes()
        turn += 1
        running = pages if _at_full_speed else pages[turn % TURNS :: TURNS]
        _send(signal.SIGCONT, running)
        _send(signal.SIGSTOP, [page for page in pages if page not in running])
    _send(signal.SIGCONT, pages)


def _send(what: signal.Signals, processes: list[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, what)


def _page_processes() -> list[int]:
    """Return the process IDs of the renderers in all browsers that this process started."""
    return [process for process in descendants(os.getpid()) if _is_page(process)]


def _is_page(process: int) -> bool:
    with suppress(OSError):
        return b"--type=renderer" in Path(f"/proc/{process}/cmdline").read_bytes()
    return False
