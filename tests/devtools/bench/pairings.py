from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from pairing.draws.forecast.forecast import SiteDeskSetup, make_stage_forecast
from pairing.draws.knockout.bracket import BracketMatch, BracketPart, DrawnSide, make_double_elimination_bracket
from pairing.draws.pairs.record import (
    EntryWithRecord,
    OptimalityProof,
    PairingCandidates,
    _pair_by_matching,
    pair_by_record,
)
from pairing.draws.separation.draw import place_drawn_order
from pairing.draws.stages.qualifier import GRA_PARTNERSHIP_TERMS, make_qualifying_stage
from tests.devtools.bench.timing import Figure, NotMeasured, best

try:
    import swisspair
except ImportError:
    swisspair = None

ENTRANTS, ROUNDS = 4000, 5
SIZES = (500, 1000, 2000, 4000, 8000)
BY_MATCHING = 500
TRIES = 30
TIMES_GREEDY = 3
MOST_MEGABYTES = 20.0
STATUS = Path("/proc/self/status")
LARGEST_EXPONENT = 1.3
FORECAST = 128
BRACKET = 4096
TIMES_FLAT = 5
"""The time limit for a double elimination, as a multiple of the time for a flat list of as many matches."""

Field = list[EntryWithRecord]


def played(count: int, rounds: int) -> Field:
    """Return a field of entrants after some rounds paired by record.

    In each game, the entrant with the lower number wins with a probability of 0.67.
    """
    chance = Random(count)
    field = [EntryWithRecord(number, 0) for number in range(1, count + 1)]
    for turn in range(rounds):
        opponents: dict[int, int] = {}
        winners: set[int] = set()
        for low, high in pair_by_record(field, seed=f"round {turn}").pairs:
            opponents |= {low: high, high: low}
            winners.add(low if chance.random() < 0.67 else high)
        field = [
            replace(
                entry,
                wins=entry.wins + (entry.number in winners),
                losses=entry.losses + (entry.number not in winners),
                met=entry.met | {opponents[entry.number]},
            )
            for entry in field
        ]
    return field


def taking_the_next(field: Field) -> list[tuple[int, int]]:
    """Pair greedily: from the most wins down, each entrant gets the first waiting opponent they have not met."""
    waiting = sorted(field, key=lambda entry: -entry.wins)
    pairs = []
    while waiting:
        one = waiting.pop(0)
        for index, other in enumerate(waiting):
            if other.number not in one.met:
                pairs.append((one.number, other.number))
                del waiting[index]
                break
    return pairs


def of_the_processor(work: Callable[[], object], tries: int = TRIES) -> float:
    return best(work, tries, clock=time.process_time)


def _in_turns(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Measure two functions alternately, and return the shortest time of each in milliseconds.

    Disturbances then affect both functions equally.
    """
    both = [(of_the_processor(one, 1), of_the_processor(other, 1)) for _turn in range(2 * TRIES)]
    return min(first for first, _ in both), min(second for _, second in both)


def measure_pairings() -> list[Figure | NotMeasured]:
    fields = {count: played(count, ROUNDS) for count in SIZES}
    took = {count: of_the_processor(lambda f=field: pair_by_record(f, seed="next")) for count, field in fields.items()}
    field = fields[ENTRANTS]
    if pair_by_record(field, seed="next").proof is not OptimalityProof.BOUND:
        raise RuntimeError("this field is not paired at the lower bound")
    took[ENTRANTS], greedy = _in_turns(lambda: pair_by_record(field, seed="next"), lambda: taking_the_next(field))
    name = f"pairing {ENTRANTS:,} entrants after {ROUNDS} rounds"
    times = f"{TIMES_GREEDY} times a simple greedy pairing, which takes {greedy:.2f} ms"
    return [
        Figure(f"{name}, with proof", took[ENTRANTS], TIMES_GREEDY * greedy, against=times),
        _memory_above_idle(field),
        Figure(
            f"growth of the pairing time from {SIZES[0]:,} to {SIZES[-1]:,} entrants (exponent)",
            _exponent(SIZES, [took[count] for count in SIZES]),
            LARGEST_EXPONENT,
            unit="",
        ),
        _against_matching(fields[BY_MATCHING], took[BY_MATCHING]),
        _against_swisspair(field, took[ENTRANTS]),
        _double_elimination(),
        _forecast(),
    ]


def _exponent(sizes: Sequence[int], took: Sequence[float]) -> float:
    """Return the exponent with which the time grows.

    It is the slope of the line through the logarithms of the sizes and the times.
    """
    xs, ys = [math.log(size) for size in sizes], [math.log(time_) for time_ in took]
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - middle_x) ** 2 for x in xs)


IN_A_PROCESS = """
import json, re, sys
from pathlib import Path
from pairing.draws.cases.pair import run_pair_case

def kilobytes(name):
    return int(re.search(name + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

run_pair_case({"format": "record", "seed": "", "entries": []})
idle = kilobytes("VmRSS")
run_pair_case(json.loads(sys.stdin.readline()))
print((kilobytes("VmHWM") - idle) / 1024)
"""


def _memory_above_idle(field: Field) -> Figure | NotMeasured:
    """Measure the memory that a process needs from reading a line of JSON to returning the pairs."""
    name = f"pairing {len(field):,} entrants: memory above the idle process"
    if not STATUS.exists():
        return NotMeasured(name, f"the system has no {STATUS}")
    entries = [
        {
            "number": entry.number,
            "wins": entry.wins,
            "losses": entry.losses,
            "byes": entry.byes,
            "met": sorted(entry.met),
        }
        for entry in field
    ]
    line = json.dumps({"format": "record", "seed": "next", "entries": entries})
    done = subprocess.run([sys.executable, "-c", IN_A_PROCESS], input=line, capture_output=True, text=True, check=True)
    return Figure(name, float(done.stdout), MOST_MEGABYTES, unit="MB")


def _against_matching(field: Field, ours: float) -> Figure:
    """Compare the time with that of a matching over all pairs.

    For 4,000 entrants, such a matching takes seconds and over a gigabyte.
    """
    full = of_the_processor(lambda: _pair_by_matching(PairingCandidates(field, "next"), unique=False), 1)
    name = f"pairing {len(field)} entrants"
    return Figure(
        name, ours, full, against="rustworkx, with all pairs, including the time to add the edges", asked=False
    )


def _against_swisspair(field: Field, ours: float) -> Figure | NotMeasured:
    name = f"pairing {len(field):,} entrants"
    if swisspair is None:
        return NotMeasured(name, "swisspair is not installed")
    players = [
        swisspair.Player(
            id=str(entry.number),
            points=entry.wins,
            rank=rank,
            cannot_be_paired_against_ids={str(other) for other in entry.met},
        )
        for rank, entry in enumerate(sorted(field, key=lambda entry: -entry.wins), start=1)
    ]
    theirs = of_the_processor(lambda: swisspair.create_matches(players), 3)
    return Figure(name, ours, theirs, against="swisspair", asked=False)


def _forecast() -> Figure:
    """Measure a forecast made before the first pair is sent to a table.

    A forecast takes longest at that time, because nearly all games are still to come.
    """
    noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    now = make_qualifying_stage(GRA_PARTNERSHIP_TERMS, range(1, FORECAST + 1), [])
    took = of_the_processor(
        lambda: make_stage_forecast(now, [], [SiteDeskSetup("", tuple(now.entrants), 40)], now=noon), 5
    )
    return Figure(
        f"forecasting the end of a qualifying stage of {FORECAST} entrants before it begins", took, 100.0, asked=False
    )


def _double_elimination() -> Figure:
    places = place_drawn_order(range(1, BRACKET + 1)).places
    bracket = of_the_processor(lambda: make_double_elimination_bracket(places), 5)

    def flat() -> list[BracketMatch]:
        return [
            BracketMatch(1, turn, (DrawnSide(turn), DrawnSide(turn + 1)), BracketPart.WINNERS)
            for turn in range(1, 2 * BRACKET)
        ]

    name = f"computing a double elimination of {BRACKET:,} entrants"
    against = f"{TIMES_FLAT} times as long as a flat list of as many matches"
    return Figure(name, bracket, TIMES_FLAT * of_the_processor(flat, 5), against=against)
