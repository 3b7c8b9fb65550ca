"""Run processes and restart each one that ends, without affecting the others.

Their output is printed as honcho prints it. A process that ends again and again is restarted with growing pauses.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

from honcho.colour import get_colours
from honcho.printer import Message, Printer

from config.process import die_with_parent

LOOK_EVERY: Final = 0.1
STABLE_AFTER: Final = 10.0
"""Seconds after which a start counts as successful. A process that ends later is restarted right away."""
LONGEST_PAUSE: Final = 30.0
LONGEST_PAUSE_KILLED: Final = 1.0
"""Seconds before a killed process is restarted. It did not fail by itself, so it must be back within five seconds."""
LONGEST_WAIT: Final = 120.0
"""Seconds that the remaining processes wait for the site to answer."""
MOST_TRIES: Final = 3
"""The most failures in a row of a task that runs once. The next start tries it again."""
PATIENCE: Final = 5.0
"""Seconds that processes have to end by themselves."""


@dataclass
class _Watched:
    """A watched process. While it is not running, `start_at` is the time of its next start.

    `failures` counts how often in a row it ended soon. With `waits` it starts when the site answers. With `once` it has
    a single task and is not restarted after a success.
    """

    name: str
    command: str
    environment: Mapping[str, str]
    colour: str
    waits: bool = False
    once: bool = False
    popen: subprocess.Popen[bytes] | None = None
    began: float = 0.0
    start_at: float = 0.0
    failures: int = 0
    half_line: bytes = b""


class Supervisor:
    """Runs the processes. `answers` returns whether the site does, and processes with `waits` start after that."""

    def __init__(self, folder: Path, *, answers: Callable[[], bool] = lambda: True) -> None:
        self._folder = folder
        self._answers = answers
        self._watched: list[_Watched] = []
        self._outputs = selectors.DefaultSelector()
        self._printer = Printer()
        self._colours = get_colours()
        self._ended_by = ""

    def add(
        self, name: str, command: str, environment: Mapping[str, str], *, waits: bool = False, once: bool = False
    ) -> None:
        self._watched.append(_Watched(name, command, environment, next(self._colours), waits, once))

    def run(self) -> None:
        """Run until a signal: Ctrl-C, SIGTERM, or a closed terminal (SIGHUP)."""
        self._printer.width = max(len(name) for name in ("system", *(one.name for one in self._watched)))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._end)
        until = time.monotonic() + LONGEST_WAIT
        while not self._ended_by:
            for one in self._watched:
                if one.popen is None and one.start_at <= time.monotonic() and not one.waits:
                    self._start(one)
            self._look()
            if any(one.waits for one in self._watched) and (self._answers() or time.monotonic() > until):
                for one in self._watched:
                    one.waits = False
        self._say(f"{self._ended_by} received")
        self._stop_all()

    def _end(self, signum: int, frame: FrameType | None) -> None:
        self._ended_by = signal.Signals(signum).name

    def _start(self, one: _Watched) -> None:
        one.popen = subprocess.Popen(
            one.command,
            shell=True,
            cwd=self._folder,
            env=one.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=partial(die_with_parent, signal.SIGKILL, os.getpid()),
        )
        one.began = time.monotonic()
        assert one.popen.stdout is not None
        os.set_blocking(one.popen.stdout.fileno(), False)
        self._outputs.register(one.popen.stdout, selectors.EVENT_READ, one)
        self._say(f"{one.name} started (pid={one.popen.pid})")

    def _look(self) -> None:
        """Print new output, and handle processes that have ended."""
        for ready, _ in self._outputs.select(LOOK_EVERY):
            self._pass_on(ready.data)
        for one in self._running():
            assert one.popen is not None
            if one.popen.poll() is not None:
                self._bury(one, one.popen)

    def _running(self) -> list[_Watched]:
        return [one for one in self._watched if one.popen is not None]

    def _pass_on(self, one: _Watched) -> None:
        assert one.popen is not None and one.popen.stdout is not None
        written = b""
        with suppress(BlockingIOError):
            written = os.read(one.popen.stdout.fileno(), 65536)
            if not written and one.popen.stdout in self._outputs.get_map():  # the process closed its output
                self._outputs.unregister(one.popen.stdout)
        lines = (one.half_line + written).split(b"\n")
        one.half_line = lines.pop()
        for line in lines:
            self._print(one.name, line, one.colour)

    def _bury(self, one: _Watched, ended: subprocess.Popen[bytes]) -> None:
        """Clean up after a process: print its last output, and kill its children, which might hold its port."""
        _signal_group(ended, signal.SIGKILL)
        self._pass_on(one)
        assert ended.stdout is not None
        if ended.stdout in self._outputs.get_map():
            self._outputs.unregister(ended.stdout)
        ended.stdout.close()
        if one.half_line:
            self._print(one.name, one.half_line, one.colour)
        self._say(f"{one.name} stopped (rc={ended.returncode})")
        one.popen, one.half_line = None, b""
        one.failures = 1 if time.monotonic() - one.began > STABLE_AFTER and not one.once else one.failures + 1
        if one.once and (ended.returncode == 0 or one.failures == MOST_TRIES):
            self._watched.remove(one)
            return
        longest = LONGEST_PAUSE_KILLED if ended.returncode == -signal.SIGKILL else LONGEST_PAUSE
        pause = min(2.0 ** (one.failures - 1) - 1, longest)
        one.start_at = time.monotonic() + pause
        if pause and not self._ended_by:
            self._say(
                f"{one.name} ended {one.failures} times in a row. What it wrote last may say why. "
                f"It is started again in {pause:.0f} s."
            )

    def _stop_all(self) -> None:
        for one in self._running():
            assert one.popen is not None
            self._say(f"sending SIGTERM to {one.name} (pid {one.popen.pid})")
            _signal_group(one.popen, signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE
        while self._running() and time.monotonic() < deadline:
            self._look()
        for one in self._running():
            assert one.popen is not None
            self._say(f"sending SIGKILL to {one.name} (pid {one.popen.pid})")
            _signal_group(one.popen, signal.SIGKILL)
            one.popen.wait()

    def _say(self, text: str) -> None:
        self._print("system", text)

    def _print(self, name: str, data: bytes | str, colour: str | None = None) -> None:
        with suppress(OSError):  # the terminal was closed
            self._printer.write(Message("line", data, datetime.now(), name, colour))  # noqa: DTZ005 - local time


def _signal_group(leader: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader.pid, number)
