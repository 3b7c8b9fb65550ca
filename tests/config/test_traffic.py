"""Test the statistics that the front process sends to the page *This computer*."""

from __future__ import annotations

import json
import time

import pytest

from config.front.traffic import RECENT_S, TrafficMonitor

FORGED = (b"x-before-figures", b'{"devices": 900}')


def stats(traffic: TrafficMonitor) -> dict[str, float]:
    [(name, content)] = traffic.add_header([FORGED])
    assert name == b"x-before-figures"
    return json.loads(content)


def test_this_computer_does_not_count_as_a_phone() -> None:
    sent = stats(TrafficMonitor({"127.0.0.1": 2, "192.0.2.7": 3, "192.0.2.8": 1}, []))
    assert (sent["devices"], sent["pages"]) == (2, 4)


def test_two_slow_pages_of_twenty_do_not_change_the_median() -> None:
    sent = stats(TrafficMonitor({}, [(time.monotonic(), seconds) for seconds in [0.02] * 18 + [3.0] * 2]))
    assert (sent["requests"], sent["median_s"], sent["slow_s"]) == (20, 0.02, 3.0)


@pytest.mark.parametrize("durations", [[], [0.5]])
def test_few_requests_have_statistics(durations: list[float]) -> None:
    traffic = TrafficMonitor({}, [(time.monotonic(), seconds) for seconds in durations])
    assert stats(traffic)["median_s"] == sum(durations)


def test_the_clocks_of_the_phones_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    traffic, now = TrafficMonitor({}, []), time.monotonic()
    for number, minutes in ((7, 3), (8, 3), (9, 90)):
        clock = str(round(time.time()) + 60 * minutes).encode()
        monkeypatch.setattr("config.front.traffic.monotonic", lambda at=now + number: at)
        traffic.record_clock({"headers": [(b"x-clock", clock)], "client": (f"192.0.2.{number}", 1)})
    sent = stats(traffic)
    assert sent["clocks"] == 3 and abs(sent["clock_offset_s"] - 180) <= 2  # one wrong phone does not matter


@pytest.mark.parametrize("sent", [b"", b"soon", b"9" * 40, b"-5"])
def test_an_invalid_clock_is_ignored(sent: bytes) -> None:
    traffic = TrafficMonitor({}, [])
    traffic.record_clock({"headers": [(b"x-clock", sent)], "client": ("192.0.2.7", 1)})
    assert stats(traffic)["clocks"] == 0


def test_old_durations_do_not_count() -> None:
    traffic = TrafficMonitor({}, [(time.monotonic() - RECENT_S - 1, 9.0)])
    assert stats(traffic)["requests"] == 0
