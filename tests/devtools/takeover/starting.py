"""Start the program's processes, each with its own interpreter or as cheaper forks of a zygote."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Any, Final, Protocol

from tests.devtools.hall.site import ROOT
from tests.devtools.takeover.zygote import Order, send_order

ZYGOTE_PATIENCE: Final = 120.0


class Started(Protocol):
    """A running process. `subprocess.Popen` implements this protocol."""

    pid: int

    def send_signal(self, sig: int) -> None: ...

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...


class Starter(Protocol):
    """Starts Python processes in the program's folder.

    `arguments` are the arguments for Python. A process reads from `given`, and writes its output and errors to `log`.
    """

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes], given: IO[bytes] | None = None
    ) -> Started: ...

    def run(self, arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]: ...


class Interpreters:
    """Starts each process with its own interpreter, as `make run` does."""

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes], given: IO[bytes] | None = None
    ) -> Started:
        command, nothing = [sys.executable, *arguments], subprocess.DEVNULL
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdin=given or nothing, stdout=log, stderr=log)

    def run(self, arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


INTERPRETERS: Final = Interpreters()


class Zygote:
    """Forks each process from a process that has already imported the program (see the module `zygote`)."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="zygote-")
        self._socket = str(Path(self._folder.name, "socket"))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.devtools.takeover.zygote", self._socket], cwd=ROOT, stdin=subprocess.DEVNULL
        )

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes], given: IO[bytes] | None = None
    ) -> Started:
        with open(os.devnull, "rb") as nothing:
            return self._fork(arguments, environment, given or nothing, log, log)

    def run(self, arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        with open(os.devnull, "rb") as nothing, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            code = self._fork(arguments, environment, nothing, out, err).wait()
            for file in (out, err):
                file.seek(0)
            return subprocess.CompletedProcess(arguments, code, out.read().decode(), err.read().decode())

    def _fork(self, arguments: Sequence[str], environment: Mapping[str, str], *files: IO[Any]) -> Started:
        connection = self._connect()
        order = Order([*arguments], {**environment}, str(ROOT))
        return ForkedProcess(send_order(connection, order, [file.fileno() for file in files]), connection)

    def _connect(self) -> socket.socket:
        """Connect to the zygote. Retry this, because the zygote needs a few seconds before it listens."""
        deadline = time.monotonic() + ZYGOTE_PATIENCE
        while True:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                connection.connect(self._socket)
            except OSError as error:
                connection.close()
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("The zygote did not start.") from error
                time.sleep(0.05)
            else:
                return connection


class ForkedProcess:
    """A process that the zygote forked. When it ends, the zygote sends its return code."""

    def __init__(self, pid: int, connection: socket.socket) -> None:
        self.pid = pid
        self._connection = connection
        self._code: int | None = None

    def send_signal(self, sig: int) -> None:
        if self._code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, sig)

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        if self._code is None:
            if not select.select([self._connection], (), (), timeout)[0]:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            with closing(self._connection):
                self._code = int(self._connection.recv(100) or -signal.SIGKILL)
        return self._code
