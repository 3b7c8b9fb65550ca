"""Print the results of a load test as tables with a verdict."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tests.devtools.hall.book import Book, Spread, spread_of
from tests.devtools.hall.faults import Faults
from tests.devtools.hall.site import Meter, Usage
from tests.devtools.hall.writers import EVERY

WRITES: Final = {f"write {kind}" for kind in ("cut", "hand", "signature", "result", "payment")}
IDLE: Final = 0.05
"""Processes with less processor time (in seconds) are combined in one line."""


def tracebacks_in(log: str) -> list[str]:
    r"""Return the location and last line of each traceback in a log.

    >>> head = "Traceback (most recent call last):"
    >>> tracebacks_in(f'{head}\n  File "a.py", line 1\n    f()\nOSError: No room\nmore')
    ['File "a.py", line 1: OSError: No room']
    """
    found = []
    for block in log.split("Traceback (most recent call last):")[1:]:
        where = ""
        for line in (one.partition(" | ")[2] or one for one in block.splitlines()[1:]):  # after which process says it
            if line.strip().startswith("File "):
                where = line.strip()
            elif line and not line.startswith(" "):
                found.append(f"{where}: {line}")
                break
    return found


@dataclass
class Outcome:
    order: dict[str, Any]
    book: Book
    meter: Meter
    counted: dict[str, Any]
    load_before: float
    never_shown: int = 0
    log: str = ""
    herd: dict[str, Spread] = field(default_factory=dict)
    faults: Faults | None = None

    @property
    def errors(self) -> int:
        return sum(self.book.errors.values())

    @property
    def is_good(self) -> bool:
        wrong = (self.errors, self.never_shown, *(self.counted[name] for name in ("lost", "doubled", "problems")))
        if (
            self.faults is not None
        ):  # what a process writes while its disk is full or its broker away is no fault of ours
            return not any(wrong) and all(away.is_good for away in self.faults.found)
        return not any(wrong) and "Traceback" not in self.log

    def usages(self) -> list[Usage]:
        return sorted(self.meter.found.values(), key=lambda usage: -usage.seconds)

    def as_json(self) -> dict[str, Any]:
        return {
            **self.order,
            "good": self.is_good,
            **self.book.as_json(),
            "herd": {name: asdict(spread) for name, spread in self.herd.items()},
            "faults": [asdict(away) for away in self.faults.found] if self.faults else [],
            "never_shown": self.never_shown,
            **self.counted,
            "elapsed": self.meter.elapsed,
            "processes": [asdict(usage) for usage in self.usages()],
            "load": {"before": self.load_before, "after": os.getloadavg()[0], "cores": os.cpu_count()},
            "tracebacks": self.log.count("Traceback"),
        }

    def lines(self) -> list[str]:
        said = ", ".join(f"{value} {name}" for name, value in self.order.items() if not isinstance(value, bool))
        head = f"The hall: {said}, {os.cpu_count()} cores. Load before {self.load_before:.1f}."
        return [
            head,
            "",
            *self._times(),
            "",
            *self._fresh(),
            "",
            *self._processes(),
            "",
            *self._away(),
            *self._wrong(),
            *self._verdict(),
        ]

    def _times(self) -> list[str]:
        return _table("seconds until answered", self.book.spreads())

    def _fresh(self) -> list[str]:
        shown = {f"shown on {kind}": spread_of(times) for kind, times in sorted(self.book.fresh.items())}
        everywhere = [time for times in self.book.fresh.values() for time in times]
        return _table("seconds after acknowledged", {**shown, "shown anywhere": spread_of(everywhere), **self.herd})

    def _processes(self) -> list[str]:
        head = f"{'process':<28}{'processor s':>12}{'of a core':>11}{'RSS MB':>9}{'PSS MB':>9}"
        rows = [
            f"{usage.name:<28}{usage.seconds:>12.1f}{usage.seconds / self.meter.elapsed:>10.0%} "
            f"{usage.peak:>9.0f}{usage.shared:>9.0f}"
            for usage in self.usages()
            if usage.seconds >= IDLE
        ]
        idle = [usage for usage in self.usages() if usage.seconds < IDLE]
        return [head, *rows, f"{f'{len(idle)} idle':<60}{sum(usage.shared for usage in idle):>9.0f}"]

    def _away(self) -> list[str]:
        if self.faults is None:
            return []
        head = f"{'seconds away, 5 at most':<40}{'pages':>9}{'writes':>9}{'streams':>9}{'refused':>9}"
        left_out = [f"left out {one}" for one in self.faults.left_out]
        return [head, *(away.line() for away in self.faults.found), *left_out, ""]

    def _wrong(self) -> list[str]:
        errors = [f"error    {kind}: {what}, {count} times" for (kind, what), count in sorted(self.book.errors.items())]
        words = {"lost": "lost", "doubled": "doubled", "problems": "verify_event"}
        wrong = [f"{word:<9}{one}" for name, word in words.items() for one in self.counted[name][:20]]
        remarks = [f"note     {what}: {count}" for what, count in sorted(self.book.remarks.items())]
        return [*errors, *wrong, *(f"log      {one}" for one in tracebacks_in(self.log)[:20]), *remarks]

    def _verdict(self) -> list[str]:
        sure = sum(one.sure for one in self.book.written)
        wanted = self.order.get("writers", 0) * self.order.get("minutes", 0) * 60 / EVERY
        counts = [
            f"{self.book.turns} of {wanted:.0f} turns of writers",
            f"{sure} writes acknowledged, {self.book.sent_twice} of all sent twice on purpose",
            f"{self.errors} errors, {len(self.counted['lost'])} lost, {len(self.counted['doubled'])} doubled",
            f"{self.never_shown} never shown, {len(self.counted['problems'])} problems by verify_event",
            f"{self.log.count('Traceback')} tracebacks in the site's log",
        ]
        end = "Nothing was lost or doubled, and nothing failed." if self.is_good else "NOT GOOD."
        return [*self._goals(), "; ".join(counts) + ".", end]

    def _goals(self) -> list[str]:
        """Return lines that compare the results with the goals for a full hall.

        A missed goal does not fail the run, because a run can have any size.
        """
        writes = spread_of([time for kind, times in self.book.times.items() if kind in WRITES for time in times])
        shown = spread_of([time for times in self.book.fresh.values() for time in times])
        slowest = 0.5 if "second laptop" in self.order else 0.3  # a write waits until it is on both laptops
        reached = [("writes p95", writes.p95, slowest), ("writes p99", writes.p99, 1.0), ("shown p95", shown.p95, 1.0)]
        if self.herd:
            reached = [(f"{name} p99", spread.p99, 1.0) for name, spread in self.herd.items()]
        verdict = {True: "reached", False: "MISSED"}
        return [f"goal     {name} {goal:.1f} s: {is_:.3f} s, {verdict[is_ <= goal]}" for name, is_, goal in reached]


def _table(unit: str, spreads: dict[str, Spread]) -> list[str]:
    head = f"{unit:<28}{'count':>8}{'p50':>9}{'p95':>9}{'p99':>9}{'max':>9}"
    rows = [
        f"{kind:<28}{one.count:>8}{one.p50:>9.3f}{one.p95:>9.3f}{one.p99:>9.3f}{one.most:>9.3f}"
        for kind, one in spreads.items()
    ]
    return [head, *rows]
