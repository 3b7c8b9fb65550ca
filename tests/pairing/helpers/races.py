from __future__ import annotations

import threading
from collections.abc import Callable

from django.db import connection

from tournament.errors import DomainError


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Run the functions in threads that start together, and return each result or error code."""
    start, ends = threading.Barrier(len(acts)), []

    def run(act: Callable[[], object]) -> None:
        try:
            start.wait(20)
            ends.append(act())
        except DomainError as error:
            ends.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(ends) == len(acts), "a thread broke off"
    return ends


def refusals(ends: list[object]) -> list[object]:
    return sorted(end for end in ends if isinstance(end, str))
