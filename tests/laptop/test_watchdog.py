"""Test the messages to systemd about the site, with a real socket in place of systemd's."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from laptop.watchdog import Watchdog


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "600")
        yield listener


def received(systemd: socket.socket) -> list[str]:
    lines: list[str] = []
    while True:
        try:
            lines += systemd.recv(4096).decode().split("\n")
        except BlockingIOError:
            return [line for line in lines if not line.startswith("STATUS=")]


def test_it_is_ready_only_when_the_site_answers(systemd: socket.socket) -> None:
    answers = iter([False, True])
    watchdog = Watchdog(lambda: next(answers))
    watchdog.check()
    assert received(systemd) == []
    watchdog._next_check = 0
    watchdog.check()
    assert received(systemd) == ["READY=1", "WATCHDOG_USEC=600", "WATCHDOG=1"]


def test_each_success_is_reported_but_no_failure(systemd: socket.socket) -> None:
    answers = iter([True, True, False])
    watchdog = Watchdog(lambda: next(answers))
    for _turn in range(3):
        watchdog._next_check = 0
        watchdog.check()
    assert received(systemd).count("WATCHDOG=1") == 2


def test_the_site_is_checked_only_a_few_times_for_each_timeout(
    systemd: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "600000000")
    checks: list[int] = []
    watchdog = Watchdog(lambda: bool(checks.append(1)) or True)
    for _turn in range(9):
        watchdog.check()
    assert len(checks) == 1


def test_a_restore_may_take_longer_than_the_timeout(systemd: socket.socket) -> None:
    watchdog = Watchdog(lambda: True)
    watchdog.check()
    received(systemd)
    watchdog.pause()
    assert received(systemd) == ["WATCHDOG_USEC=3600000000"]
    watchdog.check()
    assert received(systemd) == ["READY=1", "WATCHDOG_USEC=600", "WATCHDOG=1"]


def test_without_systemd_the_site_is_not_checked() -> None:
    watchdog = Watchdog(lambda: pytest.fail("checked"))
    watchdog.check()
    watchdog.pause()
