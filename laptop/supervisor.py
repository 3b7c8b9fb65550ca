"""Run processes, and restart any process that ends, while the others keep running.

The output of all processes is printed in honcho's format. A process that keeps failing is restarted with growing
pauses.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
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

POLL_INTERVAL_S: Final = 0.1
STABLE_AFTER_S: Final = 10.0
"""Seconds after which a start counts as successful. A process that ends later is restarted immediately."""
MAX_RESTART_PAUSE_S: Final = 30.0
MAX_PAUSE_AFTER_KILL_S: Final = 1.0
"""The longest pause, in seconds, before a killed process is restarted.

A killed process did not fail by itself, so it should be back within five seconds.
"""
MAX_WAIT_FOR_SITE_S: Final = 120.0
"""Seconds that a process with `waits` waits for the site to answer. After this time, it is started anyway."""
MAX_TASK_TRIES: Final = 3
"""How many times a one-time task may fail in a row. The next `make run` tries it again."""
STOP_TIMEOUT_S: Final = 5.0
"""Seconds that processes have to shut down before they are killed."""


@dataclass
class _Process:
    """A supervised process.

    `failures` counts how many times in a row the process ended too soon. `waits` is true while the process has to wait
    for the site to be up. `is_deferred` is true if it has to wait again whenever all processes are restarted. A process
    with `once` runs a single task and is not restarted after a success.
    """

    name: str
    command: str
    environment: Mapping[str, str]
    color: str
    waits: bool = False
    once: bool = False
    is_deferred: bool = False
    popen: subprocess.Popen[bytes] | None = None
    last_start: float = 0.0
    next_start: float = 0.0
    failures: int = 0
    partial_line: bytes = b""


@dataclass(frozen=True, slots=True)
class Interruption:
    """A task that runs while all other processes are stopped. Afterward, the processes are started again.

    `is_due` is called ten times a second. The processes in `stops_first` are stopped before the others. `command` runs
    the task. If it is empty, the processes are only restarted with other environment variables. `finish` receives the
    task's return code, and returns the environment variables for the restarted processes.
    """

    is_due: Callable[[], bool]
    stops_first: Collection[str]
    command: Sequence[str]
    finish: Callable[[int], Mapping[str, str]]


class Supervisor:
    """Starts processes, and restarts any that ends. Processes with `waits` start once `answers` returns True."""

    def __init__(
        self, folder: Path, *, answers: Callable[[], bool] = lambda: True, interruptions: Sequence[Interruption] = ()
    ) -> None:
        self._folder = folder
        self._answers = answers
        self._interruptions = interruptions
        self._processes: list[_Process] = []
        self._outputs = selectors.DefaultSelector()
        self._printer = Printer()
        self._colours = get_colours()
        self._ended_by = ""
        self._is_stopping = False

    def add(
        self, name: str, command: str, environment: Mapping[str, str], *, waits: bool = False, once: bool = False
    ) -> None:
        self._processes.append(_Process(name, command, environment, next(self._colours), waits, once, waits))

    def run(self) -> None:
        """Run until a signal: Ctrl-C, SIGTERM, or a closed terminal (SIGHUP)."""
        self._printer.width = max(len(name) for name in ("system", *(process.name for process in self._processes)))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._request_stop)
        until = time.monotonic() + MAX_WAIT_FOR_SITE_S
        while not self._ended_by:
            for process in self._processes:
                if process.popen is None and process.next_start <= time.monotonic() and not process.waits:
                    self._start(process)
            self._poll_processes()
            if any(process.waits for process in self._processes) and (self._answers() or time.monotonic() > until):
                for process in self._processes:
                    process.waits = False
            for interruption in self._interruptions:
                if not self._ended_by and interruption.is_due():
                    self._interrupt(interruption)
                    until = time.monotonic() + MAX_WAIT_FOR_SITE_S
        self._print_own_line(f"{self._ended_by} received")
        self._stop(self._list_running())

    def _interrupt(self, interruption: Interruption) -> None:
        """Stop all processes, run the task, and let the processes start again. Ctrl-C waits until the task is done."""
        self._stop([process for process in self._list_running() if process.name in interruption.stops_first])
        self._stop(self._list_running())
        for process in self._processes:
            process.next_start, process.failures, process.waits = 0.0, 0, process.is_deferred
        changed = interruption.finish(self._run_task(interruption.command) if interruption.command else 0)
        for process in self._processes:
            process.environment = {**process.environment, **changed}

    def _run_task(self, command: Sequence[str]) -> int:
        die = partial(die_with_parent, signal.SIGKILL, os.getpid())
        return subprocess.run(command, cwd=self._folder, check=False, start_new_session=True, preexec_fn=die).returncode

    def _request_stop(self, signum: int, frame: FrameType | None) -> None:
        self._ended_by = signal.Signals(signum).name

    def _start(self, process: _Process) -> None:
        process.popen = subprocess.Popen(
            process.command,
            shell=True,
            cwd=self._folder,
            env=process.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=partial(die_with_parent, signal.SIGKILL, os.getpid()),
        )
        process.last_start = time.monotonic()
        assert process.popen.stdout is not None
        os.set_blocking(process.popen.stdout.fileno(), False)
        self._outputs.register(process.popen.stdout, selectors.EVENT_READ, process)
        self._print_own_line(f"{process.name} started (pid={process.popen.pid})")

    def _poll_processes(self) -> None:
        """Print new output, and handle processes that have ended."""
        for ready, _ in self._outputs.select(POLL_INTERVAL_S):
            self._print_output(ready.data)
        for process in self._list_running():
            assert process.popen is not None
            if process.popen.poll() is not None:
                self._clean_up(process, process.popen)

    def _list_running(self) -> list[_Process]:
        return [process for process in self._processes if process.popen is not None]

    def _print_output(self, process: _Process) -> None:
        assert process.popen is not None and process.popen.stdout is not None
        written = b""
        with suppress(BlockingIOError):
            written = os.read(process.popen.stdout.fileno(), 65536)
            if not written and process.popen.stdout in self._outputs.get_map():  # the process closed its output
                self._outputs.unregister(process.popen.stdout)
        lines = (process.partial_line + written).split(b"\n")
        process.partial_line = lines.pop()
        for line in lines:
            self._print_line(process.name, line, process.color)

    def _clean_up(self, process: _Process, ended: subprocess.Popen[bytes]) -> None:
        """Clean up after a process: print its last output, and kill its children, which might still use its port."""
        _signal_group(ended, signal.SIGKILL)
        self._print_output(process)
        assert ended.stdout is not None
        if ended.stdout in self._outputs.get_map():
            self._outputs.unregister(ended.stdout)
        ended.stdout.close()
        if process.partial_line:
            self._print_line(process.name, process.partial_line, process.color)
        self._print_own_line(f"{process.name} stopped (rc={ended.returncode})")
        process.popen, process.partial_line = None, b""
        was_stable = time.monotonic() - process.last_start > STABLE_AFTER_S and not process.once
        process.failures = 1 if was_stable else process.failures + 1
        if process.once and (ended.returncode == 0 or process.failures == MAX_TASK_TRIES):
            self._processes.remove(process)
            return
        longest = MAX_PAUSE_AFTER_KILL_S if ended.returncode == -signal.SIGKILL else MAX_RESTART_PAUSE_S
        pause = min(2.0 ** (process.failures - 1) - 1, longest)
        process.next_start = time.monotonic() + pause
        if pause and not self._is_stopping:
            self._print_own_line(
                f"{process.name} ended {process.failures} times in a row. What it wrote last may say why. "
                f"It is started again in {pause:.0f} s."
            )

    def _stop(self, processes: Sequence[_Process]) -> None:
        self._is_stopping = True
        for process in processes:
            if process.popen is not None:
                self._print_own_line(f"sending SIGTERM to {process.name} (pid {process.popen.pid})")
                _signal_group(process.popen, signal.SIGTERM)
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while any(process.popen for process in processes) and time.monotonic() < deadline:
            self._poll_processes()
        for process in processes:
            if process.popen is not None:
                self._print_own_line(f"sending SIGKILL to {process.name} (pid {process.popen.pid})")
                _signal_group(process.popen, signal.SIGKILL)
                process.popen.wait()
                self._clean_up(process, process.popen)
        self._is_stopping = False

    def _print_own_line(self, text: str) -> None:
        self._print_line("system", text)

    def _print_line(self, name: str, data: bytes | str, color: str | None = None) -> None:
        with suppress(OSError):  # the terminal was closed
            self._printer.write(Message("line", data, datetime.now(), name, color))  # noqa: DTZ005 - local time


def _signal_group(leader: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader.pid, number)
