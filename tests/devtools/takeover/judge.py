"""Compare the databases of two laptops after a takeover with the writes that they acknowledged."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tests.devtools.takeover.crew import Note
from tests.devtools.takeover.facts import Fact, LogRow, Recorded

WAIT_S: Final = 0.29
"""About the number of seconds that a write waits for the second laptop.

If a write took this long, the first laptop acknowledged it although the second laptop had not stored it.
"""
LISTED: Final = re.compile(r"<li>([^<]*)</li>")
LISTS: Final = "Recorded only here"
HAS_EVERYTHING: Final = "The other laptop has everything that was recorded here."
SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """The faults of a run. `alone` contains the actions that only the first laptop has.

    `apart` is the number of acknowledged writes that the second laptop lacks because its connection was too slow.
    """

    faults: list[str] = field(default_factory=list)
    alone: list[LogRow] = field(default_factory=list)
    apart: int = 0


@dataclass(frozen=True, slots=True)
class Sides:
    """The URLs of the two laptops, and the data that each of them has recorded at the end."""

    first: str
    second: str
    on_first: Recorded
    on_second: Recorded


@dataclass(frozen=True, slots=True)
class Correspondence:
    """All writes that were sent and acknowledged, and when the first laptop was killed or cut off.

    `unanswered` contains the URL and time of each write that was rejected or got no response. `sent_to` contains the
    facts sent to each URL.
    """

    notes: Sequence[Note]
    unanswered: Mapping[Fact, tuple[str, float]]
    sent_to: Mapping[str, Collection[Fact]]
    broken_at: float
    is_killed: bool

    def is_from_together(self, note: Note) -> bool:
        """Return whether the first laptop acknowledged the write while the two laptops were connected.

        This is always true if the first laptop was killed, because it then acknowledged nothing later.
        """
        return self.is_killed or note.acknowledged_at < self.broken_at


def judge(sides: Sides, letters: Correspondence, page: str) -> Verdict:
    """Return a verdict on the run, with everything that contradicts the promises of a takeover.

    `page` is the first laptop's page about itself at the end of the run.
    """
    alone = find_alone(sides.on_first, sides.on_second)
    only_first = frozenset[tuple[str, str]]().union(*(row.rows for row in alone))
    first, second = sides.on_first.facts, sides.on_second.facts
    faults: list[str] = []
    missing: list[Note] = []
    for note in letters.notes:
        there = second.get(note.fact, [])
        if note.site == sides.second:
            if len(there) != 1:
                faults.append(f"acknowledged by the second laptop, there {len(there)} times: {note.fact}")
            continue
        if letters.is_from_together(note) and not there:
            missing.append(note)
        rows = first.get(note.fact, [])
        if len(rows) != 1:
            faults.append(f"acknowledged by the first laptop, there {len(rows)} times: {note.fact}")
        elif not there and rows[0] not in only_first:
            faults.append(f"only on the first laptop, but in no act that only it has: {note.fact}")
        elif there and rows[0] in only_first and note.fact not in letters.sent_to.get(sides.second, ()):
            faults.append(f"recorded by the first laptop alone, but on the second one, too: {note.fact}")
    if missing and not _was_slow(missing, letters, second):
        faults += [f"acknowledged while both were together, but lost: {note.fact}" for note in missing]
    for name, side in (("first", sides.on_first), ("second", sides.on_second)):
        faults += [f"{len(rows)} times on the {name} laptop: {fact}" for fact, rows in side.facts.items() if rows[1:]]
        faults += [f"twice on the {name} laptop: {one}" for one in side.twice]
    return Verdict([*faults, *_compare_page(page, alone)], alone, len(missing))


def _was_slow(missing: Sequence[Note], letters: Correspondence, second: Mapping[Fact, object]) -> bool:
    """Return whether the first laptop acknowledged one of the lost writes after waiting in vain for the second laptop.

    After the first such write, the first laptop acknowledges later writes without waiting. If the
    first laptop was killed while a write waited, the write got no response. It then counts as waiting until that time.
    """
    waited = [note.seconds for note in missing]
    for fact, (_site, sent_at) in letters.unanswered.items():
        if fact not in second:
            waited.append(letters.broken_at - sent_at)
    return max(waited) >= WAIT_S


def find_alone(first: Recorded, second: Recorded) -> list[LogRow]:
    """Return the logged actions that only the first laptop has."""
    known = {row.digest for row in second.log.values()}
    return [row for _place, row in sorted(first.log.items()) if row.digest not in known]


def _compare_page(page: str, alone: Sequence[LogRow]) -> list[str]:
    """Check that the first laptop's page lists exactly the actions that only this laptop has."""
    listed = Counter(_read_listed(page))
    wanted = Counter((row.by, row.about) for row in alone)
    faults = [f"not on the page: {one}" for one in list(wanted - listed)[:SHOWN]]
    faults += [f"on the page, but not only there: {one}" for one in list(listed - wanted)[:SHOWN]]
    if not alone and HAS_EVERYTHING not in html.unescape(page):
        faults.append("the page does not say that the other laptop has everything")
    return faults


def _read_listed(page: str) -> list[tuple[str, str]]:
    """Return the author and the subject of each action that the page lists."""
    main = page.partition("<main")[2].partition("</main>")[0]
    found = []
    for item in LISTED.findall(main):
        _at, by, _act, *about = html.unescape(item).strip().split(" · ")
        found.append((by, " · ".join(about)))
    return found
