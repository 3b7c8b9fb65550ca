"""The command line: `python -m tests.devtools.takeover --runs 20 --seed 1`."""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.devtools.hall.book import spread_of
from tests.devtools.hall.site import descendants, measure_processor_seconds
from tests.devtools.takeover.pair import Pair, make_event
from tests.devtools.takeover.run import Choices, Outcome, Run

RUNS_OF_A_PAIR: Final = 10
"""After so many runs the event has few matches left, and two new laptops begin."""
PHONES_GOAL: Final = 30.0
LOOK_EVERY: Final = 0.5


def main(arguments: list[str]) -> int:
    wanted = _parser().parse_args(arguments)
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the laptops are stopped all the same
    with tempfile.TemporaryDirectory(prefix="takeover-") as folder:
        outcomes: list[Outcome] = []
        try:
            asyncio.run(_play(wanted, Path(folder), outcomes))
        finally:
            print("\n".join(_table(outcomes, wanted)))
    return 0 if outcomes and not any(outcome.faults for outcome in outcomes) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.devtools.takeover", description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="the number of the first run")
    parser.add_argument("--kind", choices=("kill", "cut"), default="", help="only such runs")
    parser.add_argument("--writers", type=int, default=20)
    parser.add_argument("--phones", type=int, default=20)
    parser.add_argument("--entrants", type=int, default=64)
    parser.add_argument("--event", type=Path, help="a folder that keeps the event for the next time")
    return parser


async def _play(wanted: argparse.Namespace, folder: Path, outcomes: list[Outcome]) -> None:
    """Play all runs, and add each outcome to the list when its run is over."""
    event = await asyncio.to_thread(make_event, wanted.event or folder / "event", wanted.entrants)
    meter = ProcessorMeter()
    metering = asyncio.ensure_future(meter.run())
    pair: Pair | None = None
    left = 0
    try:
        for number in range(wanted.first, wanted.first + wanted.runs):
            outcome = Outcome(number, Choices.make(wanted.seed, number, wanted.kind))
            used, began = meter.look(), time.monotonic()
            try:
                if pair is None:
                    pair, left = await Pair.begin(folder / f"pair-{number}", event), RUNS_OF_A_PAIR
                else:
                    await pair.turn_around()
                await Run(pair, outcome, writers=wanted.writers, phones=wanted.phones).play()
            except Exception as error:
                outcome.faults.append(f"{type(error).__name__}: {error}")
                left = 0
            outcome.processor, outcome.seconds = meter.look() - used, time.monotonic() - began
            outcomes.append(outcome)
            print(outcome.line(), *(f"         {fault}" for fault in outcome.faults), sep="\n", flush=True)
            left -= 1
            if pair is not None and left <= 0:
                await pair.close()
                pair = None
    finally:
        metering.cancel()
        if pair is not None:
            await pair.close()


class ProcessorMeter:
    """Adds up the processor time of this process and of all that it started, also of those that have ended."""

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}

    def look(self) -> float:
        for pid in [os.getpid(), *descendants(os.getpid())]:
            with suppress(OSError, ValueError):
                self._seconds[pid] = measure_processor_seconds(pid)
        return sum(self._seconds.values())

    async def run(self) -> None:
        while True:
            self.look()
            await asyncio.sleep(LOOK_EVERY)


def _table(outcomes: list[Outcome], wanted: argparse.Namespace) -> list[str]:
    phones = spread_of([seconds for outcome in outcomes for seconds in outcome.phones])
    writes = spread_of([outcome.writes_again for outcome in outcomes if outcome.writes_again])
    faulty = [outcome for outcome in outcomes if outcome.faults]
    kinds = sorted({outcome.choices.name for outcome in outcomes})
    head = f"{'':<18}{'runs':>6}{'faulty':>8}{'writes':>8}{'alone':>7}{'apart':>7}"
    rows = []
    for kind in kinds:
        those = [outcome for outcome in outcomes if outcome.choices.name == kind]
        sums = [sum(getattr(one, name) for one in those) for name in ("acknowledged", "alone", "apart")]
        rows.append(
            f"{kind:<18}{len(those):>6}{sum(bool(one.faults) for one in those):>8}{sums[0]:>8}{sums[1]:>7}{sums[2]:>7}"
        )
    per_run = spread_of([outcome.processor for outcome in outcomes])
    verdict = "reached" if phones.p95 <= PHONES_GOAL else "MISSED"
    again = ", ".join(str(outcome.number) for outcome in faulty)
    return [
        "",
        f"{len(outcomes)} takeovers, seed {wanted.seed}, {wanted.writers} writers, {wanted.phones} phones, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        head,
        *rows,
        f"seconds from the tap: phones up to date p50 {phones.p50:.1f}, p95 {phones.p95:.1f}, "
        f"writes again p50 {writes.p50:.1f}, p95 {writes.p95:.1f}",
        f"goal     phones p95 {PHONES_GOAL:.0f} s: {phones.p95:.1f} s, {verdict}",
        f"processor time a run: p50 {per_run.p50:.1f} s, p95 {per_run.p95:.1f} s",
        f"FAULTS in run {again}" if faulty else "Nothing was lost, doubled, or merged.",
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
