from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

from tests.processes import PATIENCE
from tournament.core.live import WatchedEvent


def test_a_change_during_a_send_is_sent_next() -> None:
    """A change that the stream misses would never be sent, because nothing else wakes the stream."""
    assert asyncio.run(asyncio.wait_for(told_to_a_slow_phone([1, 2, 5]), PATIENCE)) == [1, 2, 5]


async def told_to_a_slow_phone(versions: list[int]) -> list[int]:
    """Return the versions that a live stream sends to a slow phone.

    Each version is announced while the previous one is still being sent. The stream closes after the last one.
    """
    event, told = WatchedEvent(1, versions[0], {}), list[int]()

    async def send(message: MutableMapping[str, Any]) -> None:
        if not message["more_body"]:
            return
        told.append(json.loads(message["body"].decode().split("data: ")[1])["version"])
        await asyncio.sleep(0)
        if len(told) < len(versions):
            event.announce(versions[len(told)], {})
        else:
            event.is_closing = True
            stream.wake()
        await asyncio.sleep(0)

    with event.register_stream(None, send) as stream:
        await stream.send_versions()
        await stream.listen(never_gone)
    return told


async def never_gone() -> MutableMapping[str, Any]:
    await asyncio.Event().wait()
    return {}


def test_a_stream_tells_where_the_second_laptop_is() -> None:
    """The stream sends the laptop's address when it opens, in place of each heartbeat, and when the address changes."""
    assert asyncio.run(asyncio.wait_for(told_about_laptops(["", "A", "A", "B", ""]), PATIENCE)) == [
        "event: version",
        "event: laptops\ndata: A",
        "event: laptops\ndata: A",
        "event: laptops\ndata: B",
        "event: laptops\ndata: {}",
    ]


async def told_about_laptops(news: list[str]) -> list[str]:
    """Wake a live stream once for each address of a second laptop in `news`.

    Return the messages that the stream sends, the first of which has the version.
    """
    event, told = WatchedEvent(1, 7, {}), list[str]()

    async def send(message: MutableMapping[str, Any]) -> None:
        text = message["body"].decode()
        told.append(text.partition('\ndata: {"version')[0].strip())

    with event.register_stream(None, send) as stream:
        for each in news:
            event.laptop_news = each
            stream.wake()
            while stream._task is not None:
                await asyncio.sleep(0)
    return told
