"""The front process, which serves streams, static files and cached pages on the event loop.

If LANES is set, all other requests go to page processes (`config.front.lanes`). Otherwise, threads of this process
handle them.
"""

import asyncio
import multiprocessing
import string
from typing import Any
from urllib.parse import quote_from_bytes

from a2wsgi import WSGIMiddleware
from django.conf import settings
from servestatic import ServeStaticASGI

from config.front.guard import RequestGuard, StreamLimiter
from config.front.monitoring import MONITORING_PATHS, MonitoringApp, RequestMonitor
from config.process import KILL_SIGNAL, call_on_stop_signal, die_with_parent, raise_open_file_limit
from config.wsgi import SERVESTATIC_OPTIONS, django_app

# isort: split
from config.front.lanes import MARKS_HEADER, PageProcessRouter
from config.front.memory import PageCacheMiddleware
from config.front.traffic import TrafficMonitor
from tournament.core.live import AsgiMessage, AsgiReceive, AsgiSend, live_app
from tournament.second_laptop.live import LaptopInfo
from tournament.this_computer.selectors.state import PATH_PREFIX

if multiprocessing.parent_process() is not None:
    die_with_parent(KILL_SIGNAL)  # granian may be killed without this worker
    multiprocessing.current_process().name = "web"  # in log lines
raise_open_file_limit()

_pages: Any = PageProcessRouter() if settings.LANES else WSGIMiddleware(django_app, workers=8)  # type: ignore[arg-type]
_monitor = RequestMonitor()
_measured_pages = _monitor.measure_durations(_pages)
_guarded_pages = RequestGuard(
    ServeStaticASGI(_measured_pages, **SERVESTATIC_OPTIONS) if settings.STATIC_IS_COLLECTED else _measured_pages
)
_memory = PageCacheMiddleware(_monitor.count_requests(_guarded_pages))
_streams = StreamLimiter(live_app.stream)
_traffic = TrafficMonitor(_streams.of_client, _monitor.recent_durations)
_monitoring = MonitoringApp(_pages, _monitor, _memory, _streams, live_app)
_laptops = LaptopInfo()
live_app.read_laptop_news = _laptops.make_stream_message


async def application(scope: AsgiMessage, receive: AsgiReceive, send: AsgiSend) -> None:
    if scope["type"] == "lifespan":
        # The server waits until all responses have ended, and streams would never end.
        loop = asyncio.get_running_loop()
        call_on_stop_signal(lambda: loop.call_soon_threadsafe(live_app.end_streams))
        await live_app.lifespan(receive, send)
        return
    if scope["type"] == "http":
        await _laptops.check_takeover_proof(scope["headers"])
    if scope["type"] == "http" and scope["path"].startswith("/live/"):
        await _streams(scope, receive, send)
    elif scope["path"] in MONITORING_PATHS:
        await _monitoring(scope, receive, send)
    else:
        # Some phones send raw non-ASCII letters, but WSGI accepts only ASCII.
        query = quote_from_bytes(scope["query_string"], safe=string.printable)
        # Only the memory may set the header that asks for marks.
        headers = [pair for pair in _join_cookie_headers(scope["headers"]) if pair[0] != MARKS_HEADER]
        if scope["path"].startswith(PATH_PREFIX):
            headers = _traffic.add_header(headers)
        plain = {**scope, "query_string": query.encode(), "headers": headers}
        await _memory(plain, receive, send)
        _traffic.record_clock(scope)


def _join_cookie_headers(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Join several Cookie headers into one, with semicolons between them.

    Over HTTP/2, a browser may send several (RFC 9113, 8.2.3), and WSGI would join them with commas.
    """
    cookies = [value for name, value in headers if name == b"cookie"]
    if len(cookies) < 2:
        return headers
    return [*(pair for pair in headers if pair[0] != b"cookie"), (b"cookie", b"; ".join(cookies))]
