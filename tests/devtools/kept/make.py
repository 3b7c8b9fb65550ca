"""Play one event of every kind halfway, and save them all as one dump (`make keep-events`).

python -m tests.devtools.kept.make --out tests/devtools/kept/<name>.sql.gz
python -m tests.devtools.kept.make --release        one event only, in tests/devtools/kept/releases/<version>.sql.gz
"""

from __future__ import annotations

import argparse
import multiprocessing
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tests.devtools.kept.files import KEPT, work_on, write_dump
from tests.devtools.kept.half_way import Left, Order, play_and_leave
from tests.migrated import lay_migrated
from tournament import __version__

if TYPE_CHECKING:
    from scoring.rehearsal.selectors.playable import PlayableCombination

FIELDS: Final = (4, 3)
"""The numbers of entrants, used alternately. Some kinds of events need more."""
ENOUGH, SEEDS = 4, 4
"""Other seeds are tried until an event shows ENOUGH states, or until SEEDS seeds were tried."""
MOST_SEEDS: Final = 40
"""The maximum number of seeds to try if no event shows the required state."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.devtools.kept.make", description=__doc__)
    parser.add_argument(
        "--out", type=Path, help="tests/devtools/kept/<day>-<commit>.sql.gz, where nothing else is said"
    )
    parser.add_argument("--release", action="store_true", help="keep one event, for the tests of updates")
    options = parser.parse_args(arguments)
    kept = f"releases/{__version__}" if options.release else f"{datetime.now(UTC):%Y-%m-%d}-{_commit()}"
    out = options.out or KEPT / f"{kept}.sql.gz"
    with TemporaryDirectory(prefix="kept-events-") as folder:
        database = Path(folder) / "kept.sqlite3"
        work_on(database, "the list")
        lay_migrated(database)
        missing = _fill(database, one_event=options.release)
        write_dump(database, out)
    print(f"{out}: {out.stat().st_size:,} bytes")
    if not options.release:
        print(*(f"no event is left with {one}" for one in missing), sep="\n")
    return 1 if missing and not options.release else 0


def _commit() -> str:
    said = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], check=True, capture_output=True, text=True)
    return said.stdout.strip()


def _fill(database: Path, *, one_event: bool) -> list[str]:
    """Add all events to the database, or only one, and return the required states that no event shows."""
    import django

    django.setup()
    from tests.devtools.kept.stands import ALL

    shown: frozenset[str] = frozenset()
    for order in list(_orders())[:1] if one_event else _orders():
        order, left = _left(replace(order, shown=shown), database)
        shown |= left.stands
        print(f"{order}: {left.acts} of {left.of} acts; {', '.join(sorted(left.stands))}", flush=True)
    return sorted(ALL - shown)


def _orders() -> Iterator[Order]:
    """Yield a halfway event of every kind, and then events that are stopped at a specific point."""
    from scoring.rehearsal.selectors.playable import (
        KNOCKOUT_FORMAT_NAME,
        STAGES_FORMAT_NAME,
        list_playable_combinations,
    )
    from tests.devtools.kept.stands import BEFORE_DRAW, BETWEEN, PAID

    listed = list_playable_combinations()
    for turn, one in enumerate(one_of_each_kind(listed)):
        yield Order(one.kind.name, one.rules.name, 1, FIELDS[turn % len(FIELDS)])
    rules = {
        kind: next(one.rules.name for one in listed if one.kind.name == kind)
        for kind in (KNOCKOUT_FORMAT_NAME, STAGES_FORMAT_NAME)
    }
    yield Order(KNOCKOUT_FORMAT_NAME, rules[KNOCKOUT_FORMAT_NAME], 101, 5, BEFORE_DRAW)
    yield Order(STAGES_FORMAT_NAME, rules[STAGES_FORMAT_NAME], 201, 4, BETWEEN)
    yield Order(KNOCKOUT_FORMAT_NAME, rules[KNOCKOUT_FORMAT_NAME], 301, 4, PAID)


def one_of_each_kind(listed: list[PlayableCombination]) -> list[PlayableCombination]:
    """Choose a rule set for each kind of event.

    Rarely used rule sets come first, so that each is used at least once.
    """
    ways = Counter(one.rules.variant for one in listed)
    variants: Counter[str] = Counter()
    names: Counter[str] = Counter()

    def worth(one: PlayableCombination) -> tuple[bool, int, int]:
        again = one.rules.variant in variants
        return again, 0 if again else ways[one.rules.variant], names[one.rules.name] + variants[one.rules.variant]

    chosen = []
    for kind in dict.fromkeys(one.kind.name for one in listed):
        chosen.append(min((one for one in listed if one.kind.name == kind), key=worth))
        variants[chosen[-1].rules.variant] += 1
        names[chosen[-1].rules.name] += 1
    return chosen


def _left(order: Order, database: Path) -> tuple[Order, Left]:
    """Add an event to the database. Try several seeds until an event shows enough states.

    If no event shows enough states, use the event that shows the most.
    """
    before, best = database.read_bytes(), None
    for turn in range(MOST_SEEDS):
        if best is not None and (order.aim or turn >= SEEDS or len(best[1].stands) >= ENOUGH):
            break
        tried = replace(order, seed=order.seed + turn)
        database.write_bytes(before)
        left = _alone(partial(play_and_leave, tried, database))
        if left is not None and (best is None or len(left.stands) > len(best[1].stands)):
            best = tried, left, database.read_bytes()
    if best is None:
        sys.exit(f"{order}: by {MOST_SEEDS} seeds it never stood so that it could be kept")
    database.write_bytes(best[2])
    return best[:2]


def _alone(play: partial[Left | None]) -> Left | None:
    """Play an event in a new process, so that it uses no values that were cached for another event."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(play).result()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
