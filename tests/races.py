"""Run actions at the same time, each with its own database connection."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection

from tournament.errors import DomainError


def at_once(*acts: Callable[[], Any], told: str = "code") -> list[str]:
    """Run the actions in threads that start together, and return one outcome for each action.

    The outcome is “done” if the action succeeded. If it raised a `DomainError`, the outcome is one attribute of the
    error. `told` is the name of this attribute.
    """
    barrier, outcomes = threading.Barrier(len(acts)), ["" for _ in acts]

    def run(i: int, act: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            act()
            outcomes[i] = "done"
        except DomainError as error:
            outcomes[i] = getattr(error, told)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(i, act)) for i, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def codes_of(*acts: Callable[[], Any]) -> list[str]:
    """Run the actions at the same time, and return their outcomes sorted, because it is random which action wins."""
    return sorted(at_once(*acts))


class Act(threading.Thread):
    """A thread that runs an action with its own database connection. `failed` is the action's exception, if any."""

    failed: Exception | None = None

    def __init__(self, act: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._act = act

    def run(self) -> None:
        try:
            self._act()
        except Exception as error:
            self.failed = error
        finally:
            connection.close()


def thread_of(act: Callable[[], Any]) -> Act:
    thread = Act(act)
    thread.start()
    return thread
