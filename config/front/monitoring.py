"""Health checks, metrics, and request ids in the front process, which receives all requests.

`/health/live` only shows that this process answers. `/health/ready` asks a page process whether this server can
handle requests. `/metrics` has the metrics of this process and those of a page process (`config.pages.monitoring`).
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from config.front.guard import ALLOWED_METHODS, RequestRefused
from config.logs import choose_request_id
from tournament.core.selectors.request_ids import request_id

if TYPE_CHECKING:
    from config.front.guard import StreamLimiter
    from config.front.memory import PageCacheMiddleware
    from tournament.core.live import AsgiMessage, AsgiReceive, AsgiSend, LiveApp

LIVE_PATHS: Final = frozenset({"/health/live", "/health/live/"})
READY_PATHS: Final = frozenset({"/health/ready", "/health/ready/"})
METRICS_PATH: Final = "/metrics"
MONITORING_PATHS: Final = LIVE_PATHS | READY_PATHS | {METRICS_PATH}
NAMESPACE: Final = "gin_rummy"
NO_STORE: Final = {"Cache-Control": "no-store"}
REQUEST_ID_HEADER: Final = "X-Request-ID"
REQUEST_ID_HEADER_NAME: Final = REQUEST_ID_HEADER.lower().encode()
PAGE_PROCESS_TIMEOUT_S: Final = 8.0
"""Seconds to wait for a page process, which may itself wait five seconds before it reports that PostgreSQL is down.

Without an answer, the server is not ready, and has fewer metrics.
"""
READINESS_LIFETIME_S: Final = 1.0
"""Seconds for which a result is reused, so that frequent checks do not slow down the database."""
MAX_RECENT_DURATIONS: Final = 2000
DURATION_BUCKETS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

disable_created_metrics()  # nothing reads these additional metrics


def has_metrics_token(authorization: str) -> bool:
    """Return whether this Authorization header contains METRICS_TOKEN. Without that setting, return False."""
    expected = f"Bearer {settings.METRICS_TOKEN}"
    return bool(settings.METRICS_TOKEN) and secrets.compare_digest(authorization.encode(), expected.encode())


# --- Requests --------------------------------------------------------------------------------------------------------


class RequestMonitor:
    """Counts requests and measures how long pages take. All metrics start at 0 when the process starts.

    Each item of `recent_durations` is the time at which a response began, as in `time.monotonic`, and its duration.
    """

    def __init__(self) -> None:
        self.recent_durations: deque[tuple[float, float]] = deque(maxlen=MAX_RECENT_DURATIONS)
        self.registry = CollectorRegistry()
        self.requests = Counter(
            f"{NAMESPACE}_http_requests",
            "Requests, except for streams and for pages from memory.",
            ["method", "status"],
            registry=self.registry,
        )
        self.durations = Histogram(
            f"{NAMESPACE}_page_duration_seconds",
            "Seconds from a complete request to the beginning of its response. POST requests are writes.",
            ["method"],
            buckets=DURATION_BUCKETS_S,
            registry=self.registry,
        )

    def count_requests(self, app: Any) -> Any:
        """Return an ASGI application that also counts requests, and gives each request an id."""

        async def counted(scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
            received = dict(scope["headers"]).get(REQUEST_ID_HEADER_NAME, b"").decode("latin-1")
            chosen = choose_request_id((scope.get("client") or ("",))[0], received)
            request_id.set(chosen)  # in the context of this request's task
            header = (REQUEST_ID_HEADER_NAME, chosen.encode())
            method = _get_method(scope)

            async def send_with_id(message: AsgiMessage) -> None:
                if message["type"] == "http.response.start":
                    self.requests.labels(method, message["status"]).inc()
                    message = {**message, "headers": [*message["headers"], header]}
                await send(message)

            headers = [pair for pair in scope["headers"] if pair[0] != REQUEST_ID_HEADER_NAME]
            await app({**scope, "headers": [*headers, header]}, receive, send_with_id)

        return counted

    def measure_durations(self, app: Any) -> Any:
        """Return an ASGI application that also measures how long responses take. Its requests must be complete."""

        async def measured(scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
            began = time.monotonic()
            method = _get_method(scope)

            async def send_and_measure(message: AsgiMessage) -> None:
                if message["type"] == "http.response.start":
                    now = time.monotonic()
                    self.durations.labels(method).observe(now - began)
                    self.recent_durations.append((now, now - began))
                await send(message)

            await app(scope, receive, send_and_measure)

        return measured


def _get_method(scope: AsgiMessage) -> str:
    """Return the request's method, or “other”, because a client can send any text as its method."""
    return scope["method"] if scope["method"] in ALLOWED_METHODS else "other"


# --- Health and metrics ----------------------------------------------------------------------------------------------


class MonitoringApp:
    """The ASGI application for `MONITORING_PATHS`. `pages` forwards a request to a page process."""

    def __init__(
        self, pages: Any, monitor: RequestMonitor, memory: PageCacheMiddleware, streams: StreamLimiter, live: LiveApp
    ) -> None:
        self.pages, self.registry = pages, monitor.registry
        self.registry.register(_FrontCollector(memory, streams, live))
        ProcessCollector(registry=self.registry)
        self._pages_up = Gauge(
            f"{NAMESPACE}_pages_up", "1 if a page process answers, and 0 otherwise.", registry=self.registry
        )
        self._memory = memory
        self._readiness: tuple[float, asyncio.Task[tuple[int, bytes]]] | None = None

    async def __call__(self, scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
        path, method = scope["path"], scope["method"]
        if method not in ("GET", "HEAD") or (path == METRICS_PATH and not settings.METRICS_TOKEN):
            await self._memory(scope, receive, send)
            return
        kind, challenge = "application/json", []
        if path in LIVE_PATHS:
            status, body = 200, b'{"status": "ok"}'
        elif path in READY_PATHS:
            status, body = await self._get_readiness()
        elif has_metrics_token(dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")):
            kind, status, body = CONTENT_TYPE_LATEST, 200, await self._make_metrics()
        else:
            status, body, challenge = 401, b'{"status": "wrong token"}', [(b"www-authenticate", b"Bearer")]
        headers = [(b"content-type", kind.encode()), (b"cache-control", b"no-store"), *challenge]
        headers.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})

    async def _get_readiness(self) -> tuple[int, bytes]:
        now = time.monotonic()
        if self._readiness is None or (self._readiness[1].done() and now > self._readiness[0]):
            self._readiness = now + READINESS_LIFETIME_S, asyncio.create_task(self._check_readiness())
        return await asyncio.shield(self._readiness[1])

    async def _check_readiness(self) -> tuple[int, bytes]:
        status, body = await self._ask_page_process("/health/ready")
        if body:
            return status, body
        return 503, json.dumps({"status": "not ready", "checks": {"pages": "unavailable"}}).encode()

    async def _make_metrics(self) -> bytes:
        status, body = await self._ask_page_process(METRICS_PATH)
        self._pages_up.set(status == 200)
        return generate_latest(self.registry) + (body if status == 200 else b"")

    async def _ask_page_process(self, path: str) -> tuple[int, bytes]:
        """Return the status and the body of a page process's response, or 503 and no body if none answers."""
        headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {settings.METRICS_TOKEN}".encode())]
        scope: dict[str, Any] = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "root_path": ""}
        scope |= {"method": "GET", "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b""}
        scope |= {"headers": headers, "client": ("127.0.0.1", 0), "server": ("127.0.0.1", 0), "is_monitoring": True}
        status, parts = 503, list[bytes]()

        async def receive() -> AsgiMessage:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def collect(message: AsgiMessage) -> None:
            nonlocal status
            status = message.get("status", status)
            parts.append(message.get("body", b""))

        try:
            async with asyncio.timeout(PAGE_PROCESS_TIMEOUT_S):
                await self.pages(scope, receive, collect)
        except (RequestRefused, TimeoutError):
            return 503, b""
        return status, b"".join(parts)


class _FrontCollector(Collector):
    """Computes metrics from values that other parts of this process already have."""

    def __init__(self, memory: PageCacheMiddleware, streams: StreamLimiter, live: LiveApp) -> None:
        self.memory, self.streams, self.live = memory, streams, live

    def collect(self) -> Iterator[Metric]:
        yield CounterMetricFamily(f"{NAMESPACE}_memory_pages", "Pages that were served from memory.", self.memory.hits)
        yield GaugeMetricFamily(f"{NAMESPACE}_streams", "Open live streams.", self.streams.of_client.total())
        yield GaugeMetricFamily(
            f"{NAMESPACE}_version_age_seconds",
            "Seconds since the versions of all events with open streams were last read.",
            self.live.watch.compute_version_age() if self.live.watch else 0.0,
        )
