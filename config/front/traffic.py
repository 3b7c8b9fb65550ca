"""Count the connected devices, summarize how fast pages are, and compare clocks, for the page *This computer*.

Only the front process sees all clients. It adds a header with its statistics to each request for that page.
"""

import json
import statistics
from collections.abc import Collection, Mapping
from dataclasses import asdict
from time import monotonic, time
from typing import Final

from config.front.guard import make_rate_limit_key
from tournament.core.live import AsgiMessage
from tournament.core.selectors.addresses import is_local_machine_address
from tournament.this_computer.selectors.state import TRAFFIC_STATS_HEADER, TrafficStats

Headers = list[tuple[bytes, bytes]]

RECENT_S: Final = 300.0
"""The age, in seconds, up to which a duration or a clock is included in the statistics."""
CLOCK_HEADER: Final = b"x-clock"
"""The header in which a page sends its device's time, in seconds since 1970 (`static/js/app.js`)."""
CLOCK_INTERVAL_S: Final = 0.2
"""The shortest time, in seconds, between two recorded clocks."""
MAX_CLOCKS: Final = 500
_HEADER: Final = TRAFFIC_STATS_HEADER.lower().encode()


class TrafficMonitor:
    """Computes the statistics of this process, and records the clocks of clients.

    `streams` maps each client's address to the number of its open pages. Each item of `durations` is the time at which
    a response began, as in `time.monotonic`, and the number of seconds that the page took.
    """

    def __init__(self, streams: Mapping[str, int], durations: Collection[tuple[float, float]]) -> None:
        self._streams = streams
        self._durations = durations
        self._clocks: dict[str, tuple[float, float]] = {}
        self._next_clock = 0.0

    def record_clock(self, scope: AsgiMessage) -> None:
        """Record how far the client's clock is ahead of this computer's. Only a sample of requests is used."""
        if monotonic() < self._next_clock:
            return
        sent = next((value for name, value in scope["headers"] if name == CLOCK_HEADER), b"")
        if sent.isdigit() and len(sent) < 12:
            self._next_clock = monotonic() + CLOCK_INTERVAL_S
            self._clocks[make_rate_limit_key(scope)] = monotonic(), int(sent) - time()
            if len(self._clocks) > MAX_CLOCKS:
                del self._clocks[next(iter(self._clocks))]

    def add_header(self, headers: Headers) -> Headers:
        """Return the request's headers with the statistics. If the client sent a header of this name, drop it."""
        content = json.dumps(asdict(self._compute())).encode()
        return [*(pair for pair in headers if pair[0] != _HEADER), (_HEADER, content)]

    def _compute(self) -> TrafficStats:
        others = {client: pages for client, pages in self._streams.items() if not is_local_machine_address(client)}
        recent = [seconds for at, seconds in self._durations if monotonic() - at < RECENT_S]
        # The 19 cut points between 20 equal parts. A single value has none.
        points = statistics.quantiles(recent, n=20) if len(recent) > 1 else recent * 19 or [0.0] * 19
        median, slow = (max(0.01, round(points[index], 2)) if recent else 0.0 for index in (9, 18))
        clocks = [
            offset
            for client, (at, offset) in self._clocks.items()
            if monotonic() - at < RECENT_S and not is_local_machine_address(client)
        ]
        ahead = round(statistics.median(clocks)) if clocks else 0
        return TrafficStats(len(others), sum(others.values()), len(recent), median, slow, len(clocks), ahead)
