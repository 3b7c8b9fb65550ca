"""The command line for takeovers: `python -m tests.devtools.takeover --runs 20 --seed 1`."""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.devtools.hall.book import spread_of
from tests.devtools.hall.site import measure_tree_seconds
from tests.devtools.takeover.pair import Event, Pair, make_event
from tests.devtools.takeover.run import PHONES_GOAL, Choices, Outcome, Run
from tests.devtools.takeover.starting import INTERPRETERS, Starter, Zygote

RUNS_OF_A_PAIR: Final = 8
"""The number of runs with the same two laptops. Their event then has few matches left, so two new laptops start."""


class Size(NamedTuple):
    writers: int
    phones: int


WHOLE: Final = Size(20, 20)
CHEAP: Final = Size(6, 3)
"""The size of a run whose processes are forks.

Six writers still send often enough that the first laptop can break at any moment of a write.
"""


def main(arguments: list[str]) -> int:
    wanted = _parser().parse_args(arguments)
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="takeover-") as folder:
        outcomes: list[Outcome] = []
        try:
            asyncio.run(_play(wanted, Path(folder), outcomes))
        except asyncio.CancelledError:
            return 1
        finally:
            print("\n".join(_table(outcomes, wanted, began)))
    return 0 if outcomes and not any(outcome.faults for outcome in outcomes) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.devtools.takeover", description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="the number of the first run")
    parser.add_argument("--kind", choices=("kill", "cut"), default="", help="only such runs")
    parser.add_argument("--jobs", type=int, default=1, help="how many runs are played at the same time")
    parser.add_argument("--whole", type=int, default=10, help="each such run is a whole one (1: all of them, 0: none)")
    parser.add_argument("--writers", type=int, default=0, help="default: 20 in a whole run, 6 in another")
    parser.add_argument("--phones", type=int, default=0, help="default: 20 in a whole run, 3 in another")
    parser.add_argument("--entrants", type=int, default=32)
    parser.add_argument("--event", type=Path, help="a folder that keeps the event for the next time")
    return parser


async def _play(wanted: argparse.Namespace, folder: Path, outcomes: list[Outcome]) -> None:
    """Play all runs, and append the outcome of each run to `outcomes`."""
    playing = asyncio.current_task()
    assert playing is not None
    asyncio.get_running_loop().add_signal_handler(
        signal.SIGTERM, playing.cancel
    )  # the laptops are stopped all the same
    event = await asyncio.to_thread(make_event, wanted.event or folder / "event", wanted.entrants)
    numbers = iter(range(wanted.first, wanted.first + wanted.runs))
    zygote = Zygote()
    try:
        lanes = [Lane(wanted, folder, event, zygote) for _job in range(wanted.jobs)]
        await asyncio.gather(*(lane.play(numbers, outcomes) for lane in lanes))
    finally:
        zygote.close()


class Lane:
    """Plays runs one after another with a pair of laptops. Several lanes play at the same time."""

    def __init__(self, wanted: argparse.Namespace, folder: Path, event: Event, zygote: Zygote) -> None:
        self._wanted, self._folder, self._event, self._zygote = wanted, folder, event, zygote
        self._pair: Pair | None = None
        self._left = 0

    async def play(self, numbers: Iterator[int], outcomes: list[Outcome]) -> None:
        try:
            for number in numbers:
                is_whole = bool(self._wanted.whole) and number % self._wanted.whole == 0
                outcome = Outcome(number, Choices.make(self._wanted.seed, number, self._wanted.kind), is_whole)
                await self._play_one(outcome)
                outcomes.append(outcome)
                details = (f"         {one}" for one in (*outcome.faults, *outcome.remarks))
                print(outcome.line(), *details, sep="\n", flush=True)
        finally:
            await self._give_up_pair()

    async def _play_one(self, outcome: Outcome) -> None:
        began, size = time.monotonic(), WHOLE if outcome.is_whole else CHEAP
        try:
            pair = await self._prepare_pair(outcome)
            writers, phones = self._wanted.writers or size.writers, self._wanted.phones or size.phones
            await Run(pair, outcome, writers=writers, phones=phones).play()
        except Exception as error:
            outcome.faults.append(f"{type(error).__name__}: {error}")
            self._left = 0
        outcome.seconds = time.monotonic() - began
        self._left -= 1
        if self._left <= 0:
            await self._give_up_pair()

    async def _prepare_pair(self, outcome: Outcome) -> Pair:
        starter: Starter = INTERPRETERS if outcome.is_whole else self._zygote
        if self._pair is None:
            self._left = RUNS_OF_A_PAIR
            folder = self._folder / f"pair-{outcome.number}"
            self._pair = await Pair.begin(folder, self._event, self._zygote, starter)
        else:
            await self._pair.turn_around(starter)
        return self._pair

    async def _give_up_pair(self) -> None:
        if self._pair is not None:
            pair, self._pair = self._pair, None
            await pair.close()
            shutil.rmtree(pair.first.folder.parent, ignore_errors=True)


def _table(outcomes: list[Outcome], wanted: argparse.Namespace, began: float) -> list[str]:
    rows = []
    for sort, kind in sorted({(outcome.sort, outcome.choices.name) for outcome in outcomes}):
        group = [one for one in outcomes if (one.sort, one.choices.name) == (sort, kind)]
        sums = [sum(getattr(one, name) for one in group) for name in ("acknowledged", "alone", "apart")]
        faulty = sum(bool(one.faults) for one in group)
        rows.append(f"{f'{sort:<8}{kind}':<26}{len(group):>6}{faulty:>8}{sums[0]:>8}{sums[1]:>7}{sums[2]:>7}")
    again = ", ".join(str(outcome.number) for outcome in outcomes if outcome.faults)
    writes = spread_of([outcome.writes_again for outcome in outcomes if outcome.writes_again])
    count = max(len(outcomes), 1)
    return [
        "",
        f"{len(outcomes)} takeovers, seed {wanted.seed}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        f"{'':<26}{'runs':>6}{'faulty':>8}{'writes':>8}{'alone':>7}{'apart':>7}",
        *rows,
        f"seconds from the tap until writes are acknowledged again: p50 {writes.p50:.1f}, p95 {writes.p95:.1f}",
        *(_describe_phones(sort, outcomes) for sort in sorted({outcome.sort for outcome in outcomes})),
        f"a run takes {measure_tree_seconds(os.getpid()) / count:.1f} s of processor time, and "
        f"{(time.monotonic() - began) / count:.1f} s of the clock with {wanted.jobs} at once",
        f"FAULTS in run {again}" if again else "Nothing was lost, doubled, or merged.",
    ]


def _describe_phones(sort: str, outcomes: list[Outcome]) -> str:
    phones = spread_of([seconds for outcome in outcomes if outcome.sort == sort for seconds in outcome.phones])
    verdict = "reached" if phones.p95 <= PHONES_GOAL else "MISSED"
    return (
        f"seconds from the tap until phones are up to date, {sort} runs: p50 {phones.p50:.1f}, p95 {phones.p95:.1f}, "
        f"{verdict} (goal p95 {PHONES_GOAL:.0f})"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
