"""Serve live updates at GET /live/<tournament>/<event>/?of=card-12,match-5 as a server-sent event stream.

    event: version
    data: {"version": 17, "within": 300}

The parameter `of` lists the page's topics, which name the data on the page. The stream sends the version of these
topics when it opens and whenever one of them is written. Without `of`, the page follows every write to the event. The
stream sends no other data. The page loads its panel again with the usual permission checks, after a random delay of up
to `within` milliseconds. The delay grows with the number of pages, so that a full hall does not send all its requests
at the same moment.

Every phone in the hall keeps a stream open. This plain ASGI callable uses a waiting task for each stream, whereas
Django would use a thread. All streams in a process share one query, which runs once a second and whenever a write
triggers it.

If there is a second laptop, the stream also sends that laptop's address. It does so when it opens, in place of each
heartbeat, and whenever the address changes:

    event: laptops
    data: {"role": "first", "second": "http://192.168.1.21:8000", …}
"""

import asyncio
import contextlib
import gc
import logging
import re
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs

import redis.asyncio
from django.conf import settings
from django.db import close_old_connections
from django.http import parse_cookie

from tournament.core.cached import (
    FollowedTopics,
    load_changed_topic_versions,
    load_event_versions,
    load_public_event_version,
)
from tournament.core.dispatch import LIVE_CHANNEL
from tournament.core.marks import repair_topic_marks
from tournament.core.permissions import load_visible_event_version
from tournament.core.topics import ANY_WRITE_TOPIC, EVERYBODY_TOPIC, parse_topics
from tournament.models.topic import DESK_TOPIC

AsgiMessage = MutableMapping[str, Any]
AsgiReceive = Callable[[], Awaitable[AsgiMessage]]
AsgiSend = Callable[[AsgiMessage], Awaitable[None]]
_T = TypeVar("_T")

STREAM_PATH_PATTERN: Final = re.compile(r"/live/(?P<tournament>[-\w]+)/(?P<event>[-\w]+)/")
POLL_INTERVAL_S: Final = 1.0
"""Seconds between two queries if no write triggers one earlier."""
MIN_POLL_PAUSE_S: Final = 0.05
WHOLE_EVENT_UPDATE_INTERVAL_S: Final = 2.0
"""The minimum time, in seconds, between two updates of a page that reads a whole event, such as a desk page."""
RELOAD_WINDOW_PER_STREAM_MS: Final = 2.0
MAX_RELOAD_WINDOW_MS: Final = 1000
"""The longest time, in milliseconds, over which pages spread their requests."""
NOT_FOUND_CACHE_LIFETIME_S: Final = 1.0
"""Seconds for which a URL without an event is remembered, so that it is not looked up again."""
NOT_FOUND_CACHE_SIZE: Final = 256
HEARTBEAT_INTERVAL_S: Final = 15.0
"""Seconds of silence after which the stream sends a comment, so that no phone or proxy closes it."""
STREAM_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]

logger = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Stream:
    """An open live stream, with the topics that it follows and the version that it sent last."""

    event: "WatchedEvent"
    topics: FollowedTopics
    send: AsgiSend
    within: int = 0
    is_over: bool = False
    _last_sent: int = -1
    _last_news: str = ""
    _is_woken: bool = True
    _is_sending: bool = False
    _task: asyncio.Task[None] | None = None
    _reader: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Send the version now. If a slow phone is still receiving a message, send it after that message."""
        self._is_woken = True
        if not self._is_sending:
            self._is_sending = True
            self._task = asyncio.create_task(self.send_versions())

    async def send_versions(self) -> None:
        """Send the latest version of the stream's topics, and repeat this if it changes in the meantime."""
        self._is_sending = True
        while self._is_woken and not self.is_over:
            self._is_woken = False  # cleared before sending, so that a change during the send is not missed
            await self._send_version(None if self.event.is_closing else self.event.get_stream_version(self))
        self._is_sending, self._task = False, None

    async def _send_version(self, version: int | None) -> None:
        if version is None:
            self.is_over = True
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})
            if self._reader is not None:
                self._reader.cancel()
            return
        news, text = self.event.laptop_news, ""
        if news != self._last_news or (news and version == self._last_sent):  # pages ignore comments
            self._last_news = news
            text = f"event: laptops\ndata: {news or '{}'}\n\n"
        if version != self._last_sent:
            self._last_sent = version
            text += f'event: version\ndata: {{"version": {version}, "within": {self.within}}}\n\n'
        text = text or ": still here\n\n"
        await self.send({"type": "http.response.body", "body": text.encode(), "more_body": True})

    async def listen(self, receive: AsgiReceive) -> None:
        """Wait until the phone disconnects or the stream ends."""
        self._reader = asyncio.current_task()
        try:
            while not self.is_over and (await receive())["type"] != "http.disconnect":
                pass
        except asyncio.CancelledError:
            if not self.is_over:
                raise
        finally:
            self.is_over, self._reader = True, None
            if self._task is not None:
                self._task.cancel()


@dataclass
class WatchedEvent:
    """An event and the streams of this process that watch it.

    `version` is None once the event is deleted. `laptop_news` is the message about the second laptop that was sent
    last.
    """

    event_id: int
    version: int | None
    topics: dict[str, int]
    is_draft: bool = False
    is_closing: bool = False
    laptop_news: str = ""
    streams: set[_Stream] = field(default_factory=set)
    by_topic: dict[str, set[_Stream]] = field(default_factory=lambda: defaultdict(set))
    _due: set[str] = field(default_factory=set)
    _next_large_wake: float = 0.0
    _timer: asyncio.TimerHandle | None = None

    @contextlib.contextmanager
    def register_stream(self, topics: FollowedTopics, send: AsgiSend) -> Iterator[_Stream]:
        stream = _Stream(self, topics, send)
        followed = (ANY_WRITE_TOPIC,) if topics is None else (EVERYBODY_TOPIC, *topics)
        groups = [self.streams, *(self.by_topic[topic] for topic in followed)]
        for group in groups:
            group.add(stream)
        try:
            yield stream
        finally:
            for group in groups:
                group.discard(stream)

    def announce(self, version: int | None, topics: Mapping[str, int]) -> None:
        """Notify the streams that follow one of these topics. If the event was deleted, notify all its streams."""
        if version is None:
            self._wake_streams(self.streams)
        elif version != self.version:
            self.topics.update(topics)
            repair_topic_marks(self.event_id, (*topics, ANY_WRITE_TOPIC))
            self._wake_streams(
                set().union(*(self.by_topic[name] for name in topics if name in self.by_topic and name != DESK_TOPIC))
            )
            self._due.update({ANY_WRITE_TOPIC, DESK_TOPIC}.intersection((ANY_WRITE_TOPIC, *topics)))
            self._schedule_whole_event_updates()
        self.version = version

    def announce_laptop_news(self, news: str) -> None:
        """Notify all streams if the message about the second laptop has changed."""
        if news != self.laptop_news:
            self.laptop_news = news
            self._wake_streams(self.streams)

    def _schedule_whole_event_updates(self) -> None:
        """Schedule the next update of pages that load a whole event.

        Such updates are sent at most once every `WHOLE_EVENT_UPDATE_INTERVAL_S` seconds.
        """
        clock = asyncio.get_running_loop()
        if any(self.by_topic.get(name) for name in self._due) and self._timer is None:
            wait = max(0.0, self._next_large_wake - clock.time())
            self._timer = clock.call_later(wait, self._send_due_updates)

    def _send_due_updates(self) -> None:
        self._timer = None
        self._next_large_wake = asyncio.get_running_loop().time() + WHOLE_EVENT_UPDATE_INTERVAL_S
        due, self._due = self._due, set()
        self._wake_streams(set().union(*(self.by_topic[name] for name in due if name in self.by_topic)))

    def _wake_streams(self, streams: Collection[_Stream]) -> None:
        within = min(MAX_RELOAD_WINDOW_MS, round(len(streams) * RELOAD_WINDOW_PER_STREAM_MS))
        for stream in streams:
            stream.within = within
            stream.wake()

    def get_stream_version(self, stream: _Stream) -> int | None:
        """Return the latest version of the stream's topics, or None once the event is deleted."""
        if self.version is None or stream.topics is None:
            return self.version
        return max(self.topics.get(name, 0) for name in (EVERYBODY_TOPIC, *stream.topics))


class _NotFoundCache:
    """Remembers URLs that recently had no event, so that repeated requests for them cause no queries.

    All lookups run in one thread, so simultaneous requests for the same URL cause only one query.
    """

    def __init__(self) -> None:
        self._until: dict[tuple[str, str, str | None], float] = {}

    def read(self, tournament: str, event: str, session: str | None) -> WatchedEvent | None:
        """Return the event at this URL, or None. A recent failed lookup is not repeated.

        The session is part of the cache key. Otherwise a stranger's request could hide a draft event from its staff.
        """
        key = (tournament, event, session)
        if time.monotonic() < self._until.get(key, 0.0):
            return None
        self._until.pop(key, None)
        watched = _load_watched_event(*key)
        if watched is None:
            self._until[key] = time.monotonic() + NOT_FOUND_CACHE_LIFETIME_S
        if len(self._until) > NOT_FOUND_CACHE_SIZE:
            del self._until[next(iter(self._until))]
        return watched


class EventWatcher:
    """Polls the database once a second for all live streams of a process.

    `read_laptop_news` returns the message about the second laptop for the streams, or "" if there is none.
    """

    def __init__(self, read_laptop_news: Callable[[], str] = str) -> None:
        self._read_laptop_news = read_laptop_news
        self._laptop_news = ""
        self._laptop_news_at = -POLL_INTERVAL_S
        self.events: dict[tuple[str, str], WatchedEvent] = {}
        self._not_found = _NotFoundCache()
        self._versions_read_at = time.monotonic()
        self._woken = asyncio.Event()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="live")
        self._tasks: list[asyncio.Task[None]] = []

    def open(self) -> None:
        self._tasks.append(asyncio.create_task(self._poll_forever()))
        self._tasks.append(asyncio.create_task(self._send_heartbeats_forever()))
        if settings.REDIS_URL:
            self._tasks.append(asyncio.create_task(self._listen_forever(settings.REDIS_URL)))

    def end_streams(self) -> None:
        for event in self.events.values():
            event.is_closing = True
        for stream in self._list_streams():
            stream.wake()

    async def close(self) -> None:
        """End every stream, and stop polling afterwards."""
        self.end_streams()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._thread.shutdown(wait=False)

    async def find_watched_event(self, tournament: str, event: str, scope: AsgiMessage) -> WatchedEvent | None:
        """Return the event at this URL, and start polling its version. Return None if there is no such event.

        Only staff can see a draft event. Each request (`scope`) for a draft is therefore checked for a staff session.
        """
        address = (tournament, event)
        known = self.events.get(address)
        if known is None or known.is_draft:
            read = await self._run_in_thread(self._not_found.read, tournament, event, _find_session_key(scope))
            if read is None:
                return None
            self.events.setdefault(address, read).laptop_news = self._laptop_news
        return self.events[address]

    def _list_streams(self) -> list[_Stream]:
        return [stream for event in self.events.values() for stream in event.streams]

    async def _poll_forever(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), POLL_INTERVAL_S)
            self._woken.clear()
            began = time.monotonic()
            if self.events:
                try:
                    await self._poll()
                    self._versions_read_at = began
                except Exception:  # without a next poll, all pages would silently stop updating
                    logger.exception("the versions could not be read; the streams wait for the next look")
                await asyncio.sleep(MIN_POLL_PAUSE_S)
            else:
                self._versions_read_at = began

    def compute_version_age(self) -> float:
        """Return the number of seconds since the versions of all watched events were last read.

        Every write that was committed before that has been announced to the streams.
        """
        return time.monotonic() - self._versions_read_at

    async def _poll(self) -> None:
        for address, event in list(self.events.items()):
            if not event.streams:
                del self.events[address]
        await self._announce_laptop_news()
        known = {event.event_id: event.version or 0 for event in self.events.values()}
        versions, topics = await self._run_in_thread(_load_changed_topics, known)
        for event in self.events.values():
            if event.event_id in known:
                event.announce(versions.get(event.event_id), topics.get(event.event_id, {}))

    async def _announce_laptop_news(self) -> None:
        if time.monotonic() - self._laptop_news_at >= POLL_INTERVAL_S:
            self._laptop_news_at = time.monotonic()
            self._laptop_news = await self._run_in_thread(self._read_laptop_news)
        for event in self.events.values():
            event.announce_laptop_news(self._laptop_news)

    async def _send_heartbeats_forever(self) -> None:
        """Keep sending heartbeats, each time to a tenth of the streams."""
        while True:
            streams = self._list_streams()
            for part in range(10):
                await asyncio.sleep(HEARTBEAT_INTERVAL_S / 10)
                for stream in streams[part::10]:
                    stream.wake()

    async def _listen_forever(self, url: str) -> None:
        while True:
            with contextlib.suppress(redis.RedisError, OSError):
                async with redis.asyncio.from_url(url) as client, client.pubsub() as channel:
                    await channel.subscribe(LIVE_CHANNEL)
                    async for _ in channel.listen():
                        self._woken.set()
            await asyncio.sleep(POLL_INTERVAL_S)

    async def _run_in_thread(self, read: Callable[..., _T], *arguments: object) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, _call_with_connection, read, arguments)


def _load_watched_event(tournament: str, event: str, session: str | None) -> WatchedEvent | None:
    visible = load_visible_event_version(tournament, event, session)
    if visible is None:
        return None
    event_id, version = visible
    is_draft = load_public_event_version(tournament, event) is None
    return WatchedEvent(event_id, version, load_changed_topic_versions({event_id: -1})[event_id], is_draft)


def _load_changed_topics(known: Mapping[int, int]) -> tuple[dict[int, int], dict[int, dict[str, int]]]:
    versions = load_event_versions(known)
    return versions, load_changed_topic_versions(
        {event: at for event, at in known.items() if versions.get(event, at) != at}
    )


def _call_with_connection(read: Callable[..., _T], arguments: Collection[object]) -> _T:
    close_old_connections()
    try:
        return read(*arguments)
    finally:
        close_old_connections()


class LiveApp:
    """The ASGI application for live streams. `stream` serves a request, and `lifespan` runs as long as the process."""

    def __init__(self) -> None:
        self.watch: EventWatcher | None = None
        self.read_laptop_news: Callable[[], str] = str

    async def lifespan(self, receive: AsgiReceive, send: AsgiSend) -> None:
        await receive()
        self._get_or_open_watcher()
        gc.freeze()  # thousands of streams come and go, and the collector need not scan permanent objects
        await send({"type": "lifespan.startup.complete"})
        await receive()
        if self.watch is not None:
            await self.watch.close()
        await send({"type": "lifespan.shutdown.complete"})

    def end_streams(self) -> None:
        """End all streams. Their pages connect again."""
        if self.watch is not None:
            self.watch.end_streams()

    async def stream(self, scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
        address = STREAM_PATH_PATTERN.fullmatch(scope["path"])
        if scope["method"] != "GET":
            await _send_refusal(send, 405, b"Only GET.")
            return
        watch = self._get_or_open_watcher()
        watched = await watch.find_watched_event(address["tournament"], address["event"], scope) if address else None
        if watched is None:
            await _send_refusal(send, 404, b"There is no event at this address.")
            return
        with watched.register_stream(_parse_followed_topics(scope["query_string"]), send) as stream:
            await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
            await stream.send_versions()
            await stream.listen(receive)

    def _get_or_open_watcher(self) -> EventWatcher:
        if self.watch is None:
            self.watch = EventWatcher(self.read_laptop_news)
            self.watch.open()
        return self.watch


@lru_cache(maxsize=1024)
def _parse_followed_topics(query: bytes) -> FollowedTopics:
    return parse_topics(parse_qs(query.decode("ascii", "replace")).get("of", [""])[0])


def _find_session_key(scope: AsgiMessage) -> str | None:
    # Over HTTP/2 each cookie has its own header.
    cookies = b"; ".join(value for name, value in scope["headers"] if name == b"cookie").decode("latin-1")
    return parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME)


async def _send_refusal(send: AsgiSend, status: int, text: bytes) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})


live_app = LiveApp()
