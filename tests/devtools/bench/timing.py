from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A measurement and its limit in the same unit. Lower values are better."""

    name: str
    measured: float
    limit: float
    unit: str = "ms"
    against: str = ""
    asked: bool = True

    @property
    def ratio(self) -> float:
        return self.measured / self.limit

    def line(self) -> str:
        asked = " *(asked)*" if self.asked else ""
        against = f" ({self.against})" if self.against else ""
        limit = f"{self.limit:,.4g} {self.unit}{against}"
        return f"| {self.name}{asked} | {self.measured:,.4g} {self.unit} | {limit} | {self.ratio:.2f} |"


@dataclass(frozen=True, slots=True)
class NotMeasured:
    name: str
    why: str
    asked: bool = False
    ratio: float = 0.0

    def line(self) -> str:
        return f"| {self.name} | left out: {self.why} | | |"


def best(work: Callable[[], object], tries: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the shortest time of several tries, in milliseconds. Other work on the machine can only add time."""
    shortest = float("inf")
    for _turn in range(tries):
        began = clock()
        work()
        shortest = min(shortest, clock() - began)
    return shortest * 1000


def best_in_turn(*works: Callable[[], object], tries: int) -> list[float]:
    """Return the shortest time of each function in milliseconds.

    The functions are measured in rotation, so that disturbances affect all of them equally.
    """
    shortest = [float("inf")] * len(works)
    for _turn in range(tries):
        for place, work in enumerate(works):
            shortest[place] = min(shortest[place], best(work))
    return shortest
