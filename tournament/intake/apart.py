"""Read a file in its own process, forked from a warm server process without threads and database."""

import logging
import multiprocessing
import os
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from threading import BoundedSemaphore, Lock
from typing import Any, Final, TypeVar

from django.conf import settings

from tournament.errors import DomainError
from tournament.intake.limits import MB, Limits
from tournament.said import worded

T = TypeVar("T")
WAITS: Final = 2.0
"""Seconds that a file waits for a free process before it is refused."""
MOST_READ: Final = 32 * MB
"""The most bytes that a reading process may return. No real file needs so many."""

_processes: Final = multiprocessing.get_context("forkserver")
_starting: Final = Lock()
_places: Final[dict[Limits, BoundedSemaphore]] = {}


NO_ROOM: Final = worded("This file could not be read: the site is too busy. Wait a minute, then send it again.")


class Refused(DomainError):
    """A file that was not read to its end."""


class Damaged(Refused):
    """A file on which its reader raised an unexpected error."""


def read_apart(limits: Limits, read: Callable[..., T], content: bytes, *more: Any) -> T:
    """Return `read(content, *more)`, computed in another process. The arguments and the result are pickled.

    Raises:
        Refused: `file-too-large`, `too-many-files`, `file-too-much`, or `no-room` if no process could be started or the
            machine is too busy to read the file in time.
        Damaged: `file-unreadable`.
        DomainError: everything that `read` raises.
    """
    if len(content) > limits.most_bytes:
        raise _too_large(limits)
    with _starting:
        place = _places.setdefault(limits, BoundedSemaphore(limits.at_once))
    if not place.acquire(timeout=WAITS):
        raise Refused("too-many-files", worded("Other files are being read now. Wait a minute, then send yours again."))
    try:
        answer = _asked(limits, (read, content, *more))
    finally:
        place.release()
    if isinstance(answer, DomainError):
        raise answer
    found: T = answer[0]
    return found


def _too_large(limits: Limits) -> Refused:
    most = f"{limits.most_bytes / 1_000_000:g} MB"
    return Refused(
        "file-too-large", worded("This file is too large: %(most)s at most. Choose a smaller one.", most=most)
    )


def _asked(limits: Limits, question: tuple[Any, ...]) -> Any:
    """Return what was read, in a tuple of one element, or a refusal."""
    ours, theirs = _processes.Pipe()
    process = _processes.Process(target=_answer, args=(theirs, limits), daemon=True)
    try:
        with _starting:  # starting a process looks through those of other threads
            _processes.set_forkserver_preload(settings.READ_AHEAD)
            process.start()
    except (OSError, EOFError, AssertionError) as fault:  # not the file's fault
        ours.close()
        raise Refused("no-room", NO_ROOM) from fault
    finally:
        theirs.close()
    try:
        ours.send(question)
        if not ours.poll(limits.patience):  # a file that takes too much work reaches its own limit long before
            return Refused("no-room", NO_ROOM)
        return ForkingPickler.loads(ours.recv_bytes(MOST_READ))
    except (EOFError, OSError):
        return _too_much()
    finally:
        ours.close()
        process.kill()
        process.join()
        with _starting:
            process.close()


def _too_much() -> Refused:
    said = worded("This file is too large to read. Check that it is the right file.")
    return Refused("file-too-much", said)


def _answer(asks: Connection, limits: Limits) -> None:
    """Answer one question in the other process. It ends silently at a limit, or if nobody waits for it."""
    _bound(limits)
    with suppress(EOFError, ConnectionError):
        asks.send_bytes(_read(*asks.recv()))


def _read(read: Callable[..., Any], *arguments: Any) -> memoryview:
    """Return the pickled answer. Pickling is part of the reading, because it fails for a result nested too deeply."""
    try:
        return ForkingPickler.dumps((read(*arguments),))
    except DomainError as refusal:
        return ForkingPickler.dumps(refusal)
    except MemoryError:
        os._exit(1)
    except Exception:  # an error that the reader did not expect
        said = worded("This file is damaged, or its name does not fit its contents. Save it again, or choose another.")
        return ForkingPickler.dumps(Damaged("file-unreadable", said))


def _bound(limits: Limits) -> None:
    os.nice(5)
    logging.disable()  # readers log every odd byte
    signal.alarm(limits.patience)
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, limits.seconds),
        (resource.RLIMIT_AS, limits.memory),
    ):
        with suppress(ValueError, OSError):  # not every system knows every limit
            resource.setrlimit(what, (most, most))
