"""Notify systemd that the site is up and still answers, so that systemd restarts a site that hangs.

The program sends nothing unless systemd started it. The messages are described in `man sd_notify`.
"""

import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

RETRY_S: Final = 1.0
"""Seconds until the next check if the site did not answer."""
CHECKS_PER_TIMEOUT: Final = 6
PAUSE_S: Final = 3600
"""The longest time, in seconds, that the site may be stopped, for example during a restore."""


class Watchdog:
    """Checks the site with `answers`, and notifies systemd of each success."""

    def __init__(self, answers: Callable[[], bool]) -> None:
        self._answers = answers
        # Child processes must not inherit these variables.
        self._address = os.environ.pop("NOTIFY_SOCKET", "")
        self._timeout_us = int(os.environ.pop("WATCHDOG_USEC", "0"))
        self._next_check = 0.0
        self._is_up = False

    def check(self) -> None:
        """Notify systemd if the site answers. The supervisor calls this method in each turn of its loop."""
        if not self._address or time.monotonic() < self._next_check:
            return
        if not self._answers():
            self._next_check = time.monotonic() + RETRY_S
            return
        if not self._is_up:
            self._is_up = True
            self._notify("READY=1", "STATUS=The site answers.")
            self._set_timeout(self._timeout_us)
        if self._timeout_us:
            self._notify("WATCHDOG=1")
            self._next_check = time.monotonic() + self._timeout_us / 1_000_000 / CHECKS_PER_TIMEOUT
        else:
            self._next_check = float("inf")

    def pause(self) -> None:
        """Keep systemd from restarting the program while the site is stopped, for example during a restore."""
        self._is_up, self._next_check = False, 0.0
        self._notify("STATUS=The site is stopped.")
        self._set_timeout(PAUSE_S * 1_000_000)

    def _set_timeout(self, microseconds: int) -> None:
        if self._timeout_us:
            self._notify(f"WATCHDOG_USEC={microseconds}")

    def _notify(self, *messages: str) -> None:
        if not self._address:
            return
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, suppress(OSError):
            notify.sendto("\n".join(messages).encode(), address)
