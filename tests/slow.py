"""The site on a slow evening: every answer, script and piece of news comes late by chance.

SLOW=6 make browser-tests       each browser has a sixth of its processor, and each request waits a little

How long a request waits follows from the run's seed, its address and how often that address was asked for, so that a
run can be repeated. The delay is on the site's side of the line: a browser goes on waiting while its test does
something else, which a request held by the test itself could not.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from typing import TYPE_CHECKING, Final

from tests.chance import SEED

if TYPE_CHECKING:
    from tournament.core.live import Message, Receive, Send

SLOW: Final = float(os.environ.get("SLOW") or 1)
USUAL_DELAY: Final = 0.015
LONGEST_DELAY: Final = 0.1
"""Seconds for each part of `SLOW`: with SLOW=6 a request waits 90 milliseconds on average and 600 at most."""

_asked: Counter[str] = Counter()


def delay_of(address: str) -> float:
    """Seconds that the next request for this address waits."""
    _asked[address] += 1
    dice = random.Random(f"{SEED}|{address}|{_asked[address]}")
    return SLOW * min(dice.expovariate(1 / USUAL_DELAY), LONGEST_DELAY)


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """The site of `config.asgi` behind a slow line: answers begin late, their second half later, and so does news."""
    from config.asgi import application as site  # the settings are read when the process has started

    if scope["type"] != "http":
        return await site(scope, receive, send)
    address = f"{scope['method']} {scope['path']}?{scope['query_string'].decode()}"
    pieces = 0

    async def send_late(message: Message) -> None:
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
