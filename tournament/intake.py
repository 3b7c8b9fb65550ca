"""Limit uploaded files before they are received, and read them outside the web process.

    @accepts_files(LIST_LIMITS)                                  on a view: larger requests are rejected unread
    read_in_subprocess(LIST_LIMITS, parse_spreadsheet, content)  reads the file with limited time and memory

The caller always gets the result or a `DomainError`. A page never hangs and never responds with 500.
"""

import logging
import multiprocessing
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from threading import BoundedSemaphore, Lock
from typing import Any, Final, TypeVar

from django.conf import settings

from tournament.errors import DomainError
from tournament.lazy_text import lazy_text

try:
    import resource
except ImportError:  # Windows cannot limit a process
    resource = None  # type: ignore[assignment]

MB: Final = 1024 * 1024
MAX_FORM_FIELDS_BYTES: Final = MB
"""Bytes allowed for the other form fields that are sent with the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLimits:
    """Limits for reading one kind of uploaded file.

    `seconds` is CPU time, and `memory` is in bytes and includes the program itself. A web process reads at most
    `at_once` files of this kind at the same time.
    """

    name: str
    most_bytes: int
    seconds: int = 2
    memory: int = 512 * MB
    at_once: int = 2

    @property
    def max_elapsed_seconds(self) -> int:
        """The limit on elapsed time, in seconds.

        It is longer than the limit on CPU time, because the machine may be busy.
        """
        return 5 * self.seconds + 5

    @property
    def max_body_bytes(self) -> int:
        return self.most_bytes + MAX_FORM_FIELDS_BYTES


LIST_FILE_LIMITS: Final = FileLimits(name="lists", most_bytes=5_000_000)
PHOTO_FILE_LIMITS: Final = FileLimits(name="photos", most_bytes=12 * MB, seconds=3, memory=768 * MB)
CERTIFICATE_FILE_LIMITS: Final = FileLimits(name="certificates", most_bytes=200_000)
SEALED_PRINT_FILE_LIMITS: Final = FileLimits(name="prints", most_bytes=20 * MB, seconds=10)
"""Limits for PDFs that carry this installation's seal over all of their bytes."""
UNSEALED_PRINT_FILE_LIMITS: Final = FileLimits(name="other prints", most_bytes=20 * MB)
TOURNAMENT_FILE_LIMITS: Final = FileLimits(name="tournaments", most_bytes=50 * MB)
"""Limits for a tournament file. The worker reads such a file without limits on time and memory."""
LOG_FILE_LIMITS: Final = FileLimits(name="logs", most_bytes=20 * MB, seconds=4)


# --- Pages that accept files -----------------------------------------------------------------------------------------
# `BodySizeLimitMiddleware` enforces these limits before it receives anything.

View = TypeVar("View", bound=Callable[..., Any])


def accepts_files(limits: FileLimits) -> Callable[[View], View]:
    """Decorate a view that accepts an uploaded file within these limits.

    Views without this decorator accept only form fields.
    """

    def marked(view: View) -> View:
        view.max_body_bytes = limits.max_body_bytes  # type: ignore[attr-defined]
        return view

    return marked


def get_max_body_bytes(view: Any) -> int:
    return int(getattr(view, "max_body_bytes", settings.DATA_UPLOAD_MAX_MEMORY_SIZE))


# --- Reading in another process --------------------------------------------------------------------------------------
# Each file gets its own process, forked from a prepared process without threads or a database connection. On Windows,
# each process is spawned, which takes a tenth of a second longer.

_T = TypeVar("_T")
MAX_WAIT_FOR_PROCESS_S: Final = 2.0
"""Seconds that a file waits for a free process before it is rejected."""
MAX_RESULT_BYTES: Final = 32 * MB
"""The maximum size, in bytes, of a reading process's result. No real file needs as much."""
LIMIT_CHECK_INTERVAL_S: Final = 0.05
"""Seconds between two checks of a process's CPU time and memory on a system that cannot limit them."""

_START_METHOD: Final = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
_process_context: Final[Any] = multiprocessing.get_context(_START_METHOD)
_start_lock: Final = Lock()
_slots_by_limits: Final[dict[FileLimits, BoundedSemaphore]] = {}


TOO_BUSY_MESSAGE: Final = lazy_text(
    "This file could not be read: the site is too busy. Wait a minute, then send it again."
)


class FileRefused(DomainError):
    """Raised if the file cannot be read."""


class DamagedFile(FileRefused):
    """Raised if reading the file failed with an unexpected error."""


def read_in_subprocess(limits: FileLimits, read: Callable[..., _T], content: bytes, *more: Any) -> _T:
    """Return `read(content, *more)`, computed in another process. Arguments and result are pickled.

    Raises:
        FileRefused: `file-too-large`, `too-many-files`, `file-too-much`, or `no-room` if the machine is too busy.
        DamagedFile: `file-unreadable`.
        DomainError: any that `read` raises.
    """
    if len(content) > limits.most_bytes:
        most = f"{limits.most_bytes / 1_000_000:g} MB"
        raise FileRefused(
            "file-too-large", lazy_text("This file is too large: %(most)s at most. Choose a smaller one.", most=most)
        )
    with _start_lock:
        place = _slots_by_limits.setdefault(limits, BoundedSemaphore(limits.at_once))
    if not place.acquire(timeout=MAX_WAIT_FOR_PROCESS_S):
        raise FileRefused(
            "too-many-files", lazy_text("Other files are being read now. Wait a minute, then send yours again.")
        )
    try:
        answer = _read_in_process(limits, (read, content, *more))
    finally:
        place.release()
    if isinstance(answer, DomainError):
        raise answer
    result: _T = answer[0]
    return result


def _read_in_process(limits: FileLimits, question: tuple[Any, ...]) -> Any:
    """Call a function in a new process. Return a one-element tuple with its result, or an error object.

    `question` contains the function and its arguments.
    """
    ours, theirs = _process_context.Pipe()
    process = _process_context.Process(target=_handle_request, args=(theirs, limits), daemon=True)
    try:
        with _start_lock:  # starting a process also checks the processes of other threads
            if _START_METHOD == "forkserver":
                _process_context.set_forkserver_preload(settings.INTAKE_PRELOAD)
            process.start()
    except (OSError, EOFError, AssertionError) as fault:  # not the file's fault
        ours.close()
        raise FileRefused("no-room", TOO_BUSY_MESSAGE) from fault
    finally:
        theirs.close()
    try:
        ours.send(question)
        # A file that takes too much work reaches its own limit long before this one.
        if not _wait_for_result(ours, process.pid, limits):
            return FileRefused("no-room", TOO_BUSY_MESSAGE)
        return ForkingPickler.loads(ours.recv_bytes(MAX_RESULT_BYTES))
    except (EOFError, OSError):
        return FileRefused(
            "file-too-much", lazy_text("This file is too large to read. Check that it is the right file.")
        )
    finally:
        ours.close()
        process.kill()
        process.join()
        with _start_lock:
            process.close()


def _wait_for_result(ours: Connection, pid: int, limits: FileLimits) -> bool:
    """Wait until the process has a result or has ended. Return False if it takes too long.

    Where the system cannot limit the process, check here how much CPU time and memory it has used.

    Raises:
        EOFError: the process has exceeded its limit.
    """
    if resource is not None:
        return ours.poll(limits.max_elapsed_seconds)
    import psutil

    until = time.monotonic() + limits.max_elapsed_seconds
    while not ours.poll(LIMIT_CHECK_INTERVAL_S):
        with suppress(psutil.Error):  # it has just ended
            process = psutil.Process(pid)
            spent = process.cpu_times()
            if spent.user + spent.system > limits.seconds or process.memory_info().vms > limits.memory:
                raise EOFError
        if time.monotonic() > until:
            return False
    return True


def _handle_request(asks: Connection, limits: FileLimits) -> None:
    """Handle one request in the subprocess, and then exit.

    Exit silently if a limit is reached, or if the web process no longer waits for the result.
    """
    _limit_resources(limits)
    with suppress(EOFError, ConnectionError):
        asks.send_bytes(_read_and_pickle(*asks.recv()))


def _read_and_pickle(read: Callable[..., Any], *arguments: Any) -> memoryview:
    """Call `read`, and return its pickled result or a pickled error.

    Pickling can also fail, for example if the result is nested too deeply.
    """
    try:
        return ForkingPickler.dumps((read(*arguments),))
    except DomainError as refusal:
        return ForkingPickler.dumps(refusal)
    except MemoryError:
        os._exit(1)
    except Exception:  # whatever went wrong, the user reads the same message
        message = lazy_text(
            "This file is damaged, or its name does not fit its contents. Save it again, or choose another."
        )
        return ForkingPickler.dumps(DamagedFile("file-unreadable", message))


def _limit_resources(limits: FileLimits) -> None:
    import psutil  # only the reading process needs it

    process = psutil.Process()
    process.nice(getattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS", process.nice() + 5))
    logging.disable()  # readers log every odd byte
    if resource is None:
        return
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, limits.seconds),
        (resource.RLIMIT_AS, limits.memory),
    ):
        with suppress(ValueError, OSError):  # not every system knows every limit
            resource.setrlimit(what, (most, most))
