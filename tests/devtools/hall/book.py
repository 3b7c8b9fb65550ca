"""Record response times, errors, acknowledged writes, and the time until phones show those writes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Spread:
    count: int
    p50: float
    p95: float
    p99: float
    most: float


def spread_of(times: list[float]) -> Spread:
    """Return the length of the list, its 50th, 95th, and 99th percentiles (nearest rank), and its maximum.

    The percentiles and the maximum are in the unit of `times`. They are 0 for an empty list.
    """
    if not times:
        return Spread(0, 0.0, 0.0, 0.0, 0.0)
    ranked = sorted(times)
    at = lambda share: ranked[min(len(ranked) - 1, int(share * len(ranked)))]  # noqa: E731
    return Spread(len(ranked), at(0.5), at(0.95), at(0.99), ranked[-1])


@dataclass(frozen=True, slots=True)
class Written:
    """A write that has to be in the database exactly once.

    If `sure` is false, there was no response, and the write may also be missing.
    """

    kind: str
    where: str
    mark: str
    content: dict[str, Any] = field(default_factory=dict)
    sure: bool = True


@dataclass(slots=True)
class Expected:
    """A write that phones should show.

    `since` is the time when the write was acknowledged. `is_seen` returns whether a page shows the write.
    """

    subject: str
    is_seen: Callable[[bytes], bool]
    since: float


@dataclass
class Book:
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    remarks: Counter[str] = field(default_factory=Counter)
    written: list[Written] = field(default_factory=list)
    sent_twice: int = 0
    turns: int = 0
    """The number of writes attempted. It is lower than planned if the site was slow."""
    fresh: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    audience: list[Any] = field(default_factory=list)
    is_excused: bool = False
    """Whether a fault is in progress, so that failed requests do not count as errors. A 500 is always an error."""

    def fail(self, kind: str, what: str) -> None:
        if self.is_excused and what != "500":
            self.remarks[f"under a fault {kind}: {what}"] += 1
        else:
            self.errors[kind, what] += 1

    def acknowledged(self, written: Written) -> None:
        self.written.append(written)

    def must_be_seen(self, subject: str, is_seen: Callable[[bytes], bool], since: float) -> None:
        """Expect the phones whose page is about `subject` to show a write."""
        for phone in self.audience:
            phone.expect(Expected(subject, is_seen, since))

    def spreads(self) -> dict[str, Spread]:
        return {kind: spread_of(times) for kind, times in sorted(self.times.items())}

    def as_json(self) -> dict[str, Any]:
        return {
            "seconds": {kind: asdict(spread) for kind, spread in self.spreads().items()},
            "fresh": {kind: asdict(spread_of(times)) for kind, times in sorted(self.fresh.items())},
            "errors": {f"{kind}: {what}": count for (kind, what), count in sorted(self.errors.items())},
            "remarks": dict(self.remarks),
            "acknowledged": Counter(one.kind for one in self.written if one.sure),
            "sent_twice": self.sent_twice,
            "turns": self.turns,
        }
