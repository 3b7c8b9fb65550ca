"""Test the figures that the front process sends to the page *This computer*."""

from __future__ import annotations

import json
import time

import pytest

from config.front.figures import RECENT_S, TrafficFigures

FORGED = (b"x-before-figures", b'{"devices": 900}')


def figures(of: TrafficFigures) -> dict[str, float]:
    [(name, content)] = of.add_header([FORGED])
    assert name == b"x-before-figures"
    return json.loads(content)


def test_this_computer_is_no_phone() -> None:
    found = figures(TrafficFigures({"127.0.0.1": 2, "192.0.2.7": 3, "192.0.2.8": 1}, []))
    assert (found["devices"], found["pages"]) == (2, 4)


def test_one_slow_page_of_twenty_is_seen_only_among_the_slow_ones() -> None:
    found = figures(TrafficFigures({}, [(time.monotonic(), seconds) for seconds in [0.02] * 18 + [3.0] * 2]))
    assert (found["requests"], found["median_s"], found["slow_s"]) == (20, 0.02, 3.0)


@pytest.mark.parametrize("durations", [[], [0.5]])
def test_few_requests_have_figures_too(durations: list[float]) -> None:
    traffic = TrafficFigures({}, [(time.monotonic(), seconds) for seconds in durations])
    assert figures(traffic)["median_s"] == sum(durations)


def test_the_clocks_of_the_phones_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    traffic, now = TrafficFigures({}, []), time.monotonic()
    for number, minutes in ((7, 3), (8, 3), (9, 90)):
        sent = str(round(time.time()) + 60 * minutes).encode()
        monkeypatch.setattr("config.front.figures.monotonic", lambda at=now + number: at)
        traffic.record_clock({"headers": [(b"x-clock", sent)], "client": (f"192.0.2.{number}", 1)})
    found = figures(traffic)
    assert found["clocks"] == 3 and abs(found["clock_offset_s"] - 180) <= 2  # one wrong phone does not matter


@pytest.mark.parametrize("sent", [b"", b"soon", b"9" * 40, b"-5"])
def test_a_clock_that_is_none_is_ignored(sent: bytes) -> None:
    traffic = TrafficFigures({}, [])
    traffic.record_clock({"headers": [(b"x-clock", sent)], "client": ("192.0.2.7", 1)})
    assert figures(traffic)["clocks"] == 0


def test_old_durations_do_not_count() -> None:
    traffic = TrafficFigures({}, [(time.monotonic() - RECENT_S - 1, 9.0)])
    assert figures(traffic)["requests"] == 0
