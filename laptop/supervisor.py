"""Run processes, and restart any process that ends, while the others keep running.

All output is printed line by line, with the time and the name of the process. A process that keeps failing is restarted
with growing pauses.
"""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from io import TextIOWrapper
from itertools import cycle
from pathlib import Path
from types import FrameType
from typing import IO, Final

import psutil

from config.process import SUPERVISOR_VARIABLE
from laptop.watchdog import Watchdog

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
CHILDREN_CHECK_INTERVAL_S: Final = 5.0
"""Seconds between two checks of which child processes each process has."""
OUTPUT_END_TIMEOUT_S: Final = 1.0
"""Seconds to wait for the last lines of a process that has ended."""
KILLED: Final = -9
"""The return code of a process that was killed on Linux or macOS."""
STOP_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""The names of the signals that stop the program. No system has all of them.

They are sent by Ctrl-C, by a request to stop, and by closing the terminal or window.
"""
COLORS: Final = ("36", "33", "32", "35", "31", "34", "36;1", "33;1", "32;1", "35;1", "31;1", "34;1")
"""ANSI codes of the colors of process names."""
NEW_GROUP: Final = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""On Windows, the flag that gives a process its own group, to which Ctrl-Break can be sent."""


@dataclass(eq=False)
class _Process:
    """A supervised process.

    `failures` counts how many times in a row the process ended too soon. `waits` is true while the process has to wait
    for the site to be up. `is_deferred` is true if it has to wait again whenever all processes are restarted. A process
    with `once` runs a single task and is not restarted after a success. `is_needed` receives the process's environment,
    and returns whether the process has anything to do. `children` contains its direct and indirect child processes.
    `output` is the thread that reads its output.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    color: str
    waits: bool
    once: bool
    is_needed: Callable[[Mapping[str, str]], bool]
    is_deferred: bool
    popen: subprocess.Popen[bytes] | None = None
    output: threading.Thread | None = None
    children: list[psutil.Process] = field(default_factory=list)
    last_start: float = 0.0
    next_start: float = 0.0
    failures: int = 0


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
    """Starts processes, and restarts any that ends.

    Processes with `waits` start once `answers` returns True. The processes in `stops_last` are stopped last, because
    the others need them to shut down. `find_stop_reason` is called ten times a second, and the supervisor stops as soon
    as it returns a reason. `on_line` is called with each line that is printed. `on_exit` is called with the name and
    return code of each process that ends unexpectedly.
    """

    def __init__(
        self,
        folder: Path,
        *,
        answers: Callable[[], bool] = lambda: True,
        interruptions: Sequence[Interruption] = (),
        stops_last: Collection[str] = (),
        find_stop_reason: Callable[[], str] = str,
        on_line: Callable[[str, str], None] = lambda name, line: None,
        on_exit: Callable[[str, int], None] = lambda name, code: None,
    ) -> None:
        self._folder = folder
        self._answers = answers
        self._watchdog = Watchdog(answers)
        self._interruptions = interruptions
        self._stops_last = stops_last
        self._find_stop_reason = find_stop_reason
        self._on_line = on_line
        self._on_exit = on_exit
        self._processes: list[_Process] = []
        self._lines: queue.Queue[tuple[_Process, bytes]] = queue.Queue()
        self._colors = cycle(COLORS)
        self._is_colored = sys.stdout.isatty() and hasattr(os, "killpg")  # some terminals on Windows show no colors
        self._width = len("system")
        self._children_checked_at = 0.0
        self._ended_by = ""
        self._is_stopping = False

    def add(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        waits: bool = False,
        once: bool = False,
        is_needed: Callable[[Mapping[str, str]], bool] = lambda environment: True,
    ) -> None:
        """Add a process. `command` is a program and its arguments."""
        color = next(self._colors)
        self._processes.append(_Process(name, command, environment, color, waits, once, is_needed, waits))
        self._width = max(self._width, len(name))

    def run(self) -> None:
        """Run until a signal: Ctrl-C, SIGTERM, or a closed terminal (SIGHUP)."""
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # some terminals on Windows cannot show all letters
        for name in STOP_SIGNALS:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._request_stop)
        until = time.monotonic() + MAX_WAIT_FOR_SITE_S
        while not self._ended_by:
            for process in self._processes:
                is_due = process.popen is None and process.next_start <= time.monotonic() and not process.waits
                if is_due and process.is_needed(process.environment):
                    self._start(process)
            self._poll_processes()
            if any(process.waits for process in self._processes) and (self._answers() or time.monotonic() > until):
                for process in self._processes:
                    process.waits = False
            self._watchdog.check()
            for interruption in self._interruptions:
                if not self._ended_by and interruption.is_due():
                    self._interrupt(interruption)
                    until = time.monotonic() + MAX_WAIT_FOR_SITE_S
            self._ended_by = self._ended_by or self._find_stop_reason()
        self._watchdog.pause()
        self._print_own_line(f"{self._ended_by} received")
        self._stop_all()

    def _interrupt(self, interruption: Interruption) -> None:
        """Stop all processes, run the task, and let the processes start again. Ctrl-C waits until the task is done."""
        self._watchdog.pause()
        self._stop([process for process in self._list_running() if process.name in interruption.stops_first])
        self._stop_all()
        for process in self._processes:
            process.next_start, process.failures, process.waits = 0.0, 0, process.is_deferred
        changed = interruption.finish(self._run_task(interruption.command) if interruption.command else 0)
        for process in self._processes:
            process.environment = {**process.environment, **changed}

    def _run_task(self, command: Sequence[str]) -> int:
        environment = {**os.environ, SUPERVISOR_VARIABLE: str(os.getpid())}
        return subprocess.run(
            command, cwd=self._folder, env=environment, check=False, start_new_session=True, creationflags=NEW_GROUP
        ).returncode

    def _request_stop(self, signum: int, frame: FrameType | None) -> None:
        self._ended_by = signal.Signals(signum).name

    def _start(self, process: _Process) -> None:
        process.popen = subprocess.Popen(
            process.command,
            cwd=self._folder,
            env={**process.environment, SUPERVISOR_VARIABLE: str(os.getpid())},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C in the terminal reaches only the supervisor
            creationflags=NEW_GROUP,
        )
        process.last_start, process.children = time.monotonic(), []
        assert process.popen.stdout is not None
        process.output = threading.Thread(target=self._read_output, args=(process, process.popen.stdout), daemon=True)
        process.output.start()
        self._print_own_line(f"{process.name} started (pid={process.popen.pid})")

    def _read_output(self, process: _Process, output: IO[bytes]) -> None:
        """Put each line that a process prints into the queue. A thread runs this, as Windows cannot poll pipes."""
        with output:
            for line in output:
                self._lines.put((process, line))

    def _poll_processes(self) -> None:
        """Print new output, and handle processes that have ended."""
        self._print_output(POLL_INTERVAL_S)
        if time.monotonic() - self._children_checked_at > CHILDREN_CHECK_INTERVAL_S:
            self._record_children(self._list_running())
        for process in self._list_running():
            assert process.popen is not None
            if process.popen.poll() is not None:
                self._clean_up(process, process.popen)

    def _list_running(self) -> list[_Process]:
        return [process for process in self._processes if process.popen is not None]

    def _record_children(self, processes: Iterable[_Process]) -> None:
        """Record the children of each process. After a process has ended, the system no longer knows them."""
        for process in processes:
            if process.popen is not None:
                with suppress(psutil.Error):
                    process.children = psutil.Process(process.popen.pid).children(recursive=True)
        self._children_checked_at = time.monotonic()

    def _print_output(self, timeout: float) -> None:
        """Wait up to `timeout` seconds for output, and print all lines that have arrived."""
        with suppress(queue.Empty):
            for index in range(self._lines.qsize() + 1):
                process, line = self._lines.get(timeout=0 if index else timeout)
                self._print_line(process.name, line.decode(errors="replace"), process.color)

    def _clean_up(self, process: _Process, ended: subprocess.Popen[bytes]) -> None:
        """Clean up after a process: kill its children, which might still use its port, and print its last output."""
        for child in process.children:
            with suppress(psutil.Error):
                child.kill()
        if process.output is not None:
            process.output.join(OUTPUT_END_TIMEOUT_S)
        self._print_output(0)
        self._print_own_line(f"{process.name} stopped (rc={ended.returncode})")
        if not self._is_stopping and not (process.once and ended.returncode == 0):
            self._on_exit(process.name, ended.returncode)
        process.popen, process.output, process.children = None, None, []
        was_stable = time.monotonic() - process.last_start > STABLE_AFTER_S and not process.once
        process.failures = 1 if was_stable else process.failures + 1
        if process.once and (ended.returncode == 0 or process.failures == MAX_TASK_TRIES):
            self._processes.remove(process)
            return
        longest = MAX_PAUSE_AFTER_KILL_S if ended.returncode == KILLED else MAX_RESTART_PAUSE_S
        pause = min(2.0 ** (process.failures - 1) - 1, longest)
        process.next_start = time.monotonic() + pause
        if pause and not self._is_stopping:
            self._print_own_line(
                f"{process.name} ended {process.failures} times in a row. What it wrote last may say why. "
                f"It is started again in {pause:.0f} s."
            )

    def _stop_all(self) -> None:
        self._stop([process for process in self._list_running() if process.name not in self._stops_last])
        self._stop(self._list_running())

    def _stop(self, processes: Sequence[_Process]) -> None:
        self._is_stopping = True
        self._record_children(processes)
        for process in processes:
            if process.popen is not None:
                self._print_own_line(f"stopping {process.name} (pid {process.popen.pid})")
                _terminate(process.popen, process.children)
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while any(process.popen for process in processes) and time.monotonic() < deadline:
            self._poll_processes()
        for process in processes:
            if process.popen is not None:
                self._print_own_line(f"killing {process.name} (pid {process.popen.pid})")
                self._record_children([process])
                process.popen.kill()
                process.popen.wait()
                self._clean_up(process, process.popen)
        self._is_stopping = False

    def _print_own_line(self, text: str) -> None:
        self._print_line("system", text)

    def _print_line(self, name: str, text: str, color: str = "") -> None:
        for line in text.splitlines():
            self._on_line(name, line)
        prefix = f"{datetime.now():%H:%M:%S} {name:<{self._width}} | "  # noqa: DTZ005 - local time
        if color and self._is_colored:
            prefix = f"\033[{color}m{prefix}\033[0m"
        with suppress(OSError):  # the terminal was closed
            for line in text.splitlines():
                print(prefix + line, flush=True)


def _terminate(leader: subprocess.Popen[bytes], children: Iterable[psutil.Process]) -> None:
    """Ask a process and its children to end. On Windows, send Ctrl-Break, which reaches the whole process group."""
    if hasattr(signal, "CTRL_BREAK_EVENT"):
        leader.send_signal(signal.CTRL_BREAK_EVENT)
        return
    leader.terminate()
    for child in children:
        with suppress(psutil.Error):
            child.terminate()
