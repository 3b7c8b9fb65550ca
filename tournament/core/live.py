"""GET /live/<tournament>/<event>/: a stream that says the event's version, at once and whenever it goes up.

    event: version
    data: 17

A version and never data: the page fetches its panel again, by the same door and with the same permissions as before.
A raw ASGI callable, because a hall's phones all hold one stream: each costs one waiting task here, and one thread of
Django there. All streams of a process share one look at the database, a second after the last or when it is woken.
"""

import asyncio
import contextlib
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import redis.asyncio
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import close_old_connections
from django.http import parse_cookie

from tournament.core.dispatch import LIVE_CHANNEL
from tournament.core.permissions import version_shown
from tournament.core.selectors.versions import event_versions

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
T = TypeVar("T")

PATH: Final = re.compile(r"/live/(?P<tournament>[-\w]+)/(?P<event>[-\w]+)/")
LOOK_EVERY: Final = 1.0
"""Seconds between two looks at the database when nobody wakes the watch."""
SHORTEST_PAUSE: Final = 0.05
HEARTBEAT: Final = 15.0
"""Seconds of silence after which a comment is sent, so that neither phone nor proxy gives the stream up."""
HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]

logger = logging.getLogger(__name__)


@dataclass
class Topic:
    """One event as the streams of this process see it; `version` is None once the event is gone."""

    version: int | None
    streams: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def announce(self, version: int | None) -> None:
        if version != self.version:
            self.version = version
            self.changed.set()
            self.changed = asyncio.Event()


class Watch:
    """The one look at the database that all streams of a process share."""

    def __init__(self) -> None:
        self.topics: dict[int, Topic] = {}
        self.closing = asyncio.Event()
        self._woken = asyncio.Event()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="live")
        self._tasks: list[asyncio.Task[None]] = []

    def open(self) -> None:
        self._tasks.append(asyncio.create_task(self._look_for_ever()))
        if settings.REDIS_URL:
            self._tasks.append(asyncio.create_task(self._listen_for_ever(settings.REDIS_URL)))

    async def close(self) -> None:
        """Let every stream end, then stop looking."""
        self.closing.set()
        for topic in self.topics.values():
            topic.changed.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._thread.shutdown(wait=False)

    async def find(self, tournament: str, event: str, session: str | None) -> tuple[int, int] | None:
        return await self._in_thread(version_shown, tournament, event, session)

    @contextlib.contextmanager
    def following(self, event_id: int, version: int) -> Iterator[Topic]:
        topic = self.topics.setdefault(event_id, Topic(version))
        topic.streams += 1
        try:
            yield topic
        finally:
            topic.streams -= 1
            if not topic.streams:
                self.topics.pop(event_id, None)

    async def _look_for_ever(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), LOOK_EVERY)
            self._woken.clear()
            if self.topics:
                await self._look()
                await asyncio.sleep(SHORTEST_PAUSE)

    async def _look(self) -> None:
        try:
            versions = await self._in_thread(event_versions, list(self.topics))
        except DatabaseError:
            logger.exception("the versions could not be read; the streams wait for the next look")
            return
        for event_id, topic in list(self.topics.items()):
            topic.announce(versions.get(event_id))

    async def _listen_for_ever(self, url: str) -> None:
        while True:
            with contextlib.suppress(redis.RedisError, OSError):
                async with redis.asyncio.from_url(url) as client, client.pubsub() as channel:
                    await channel.subscribe(LIVE_CHANNEL)
                    async for _ in channel.listen():
                        self._woken.set()
            await asyncio.sleep(LOOK_EVERY)

    async def _in_thread(self, read: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, _with_connection, read, arguments)


def _with_connection(read: Callable[..., T], arguments: Collection[object]) -> T:
    close_old_connections()
    try:
        return read(*arguments)
    finally:
        close_old_connections()


class Live:
    """The ASGI callable: `stream` for one request, `lifespan` for the life of the process."""

    def __init__(self) -> None:
        self.watch: Watch | None = None

    async def lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        self._open()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        if self.watch is not None:
            await self.watch.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def stream(self, scope: Message, receive: Receive, send: Send) -> None:
        address = PATH.fullmatch(scope["path"])
        if scope["method"] != "GET":
            await _refuse(send, 405, b"Only GET.")
            return
        watch = self._open()
        # Over HTTP/2 each cookie has a header of its own.
        cookies = b"; ".join(value for name, value in scope["headers"] if name == b"cookie").decode("latin-1")
        session = parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME)
        found = await watch.find(address["tournament"], address["event"], session) if address else None
        if found is None:
            await _refuse(send, 404, b"There is no event at this address.")
            return
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        with watch.following(*found) as topic:
            gone = asyncio.create_task(_until_gone(receive))
            try:
                await _tell(topic, watch.closing, gone, send)
            finally:
                gone.cancel()

    def _open(self) -> Watch:
        if self.watch is None:
            self.watch = Watch()
            self.watch.open()
        return self.watch


async def _tell(topic: Topic, closing: asyncio.Event, gone: asyncio.Task[None], send: Send) -> None:
    told: int | None = None
    while topic.version is not None and not closing.is_set() and not gone.done():
        changed = topic.changed  # before the version is told: a change while it is sent must not be missed
        if topic.version != told:
            told = topic.version
            await _write(send, f"event: version\ndata: {told}\n\n")
        if not await _news(changed, gone):
            await _write(send, ": still here\n\n")
    if not gone.done():
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _news(changed: asyncio.Event, gone: asyncio.Task[None]) -> bool:
    """Wait for a change, the end of the stream, or (False) too long a silence."""
    waiting = asyncio.create_task(changed.wait())
    try:
        done, _ = await asyncio.wait({waiting, gone}, timeout=HEARTBEAT, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
    return bool(done)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _write(send: Send, text: str) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


async def _refuse(send: Send, status: int, text: bytes) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})


live = Live()
