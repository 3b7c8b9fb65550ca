"""Events over rounds at tables, and of two sides, read a second time: the points of all rounds decide.

Over rounds: the total, a round where some have played fewer; who missed a round has nothing for it where high wins, and
comes behind where low wins. Of two sides: the points of the one result there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from tests.devtools.whole_events.facts import Facts, MatchRow, ResultRow


@dataclass(frozen=True)
class TableStanding:
    entry: int
    total: int
    played: int
    missed: int


def read_tables(facts: Facts) -> dict[int, TableStanding]:
    """Everybody who was drawn or sat at a table."""
    assert facts.draw is not None
    entries = list(facts.draw.order)
    for seating in facts.seatings:
        entries += [number for table in seating.tables for number in table if number not in entries]
    return {entry: _standing(facts, entry) for entry in entries}


def _standing(facts: Facts, entry: int) -> TableStanding:
    total = played = missed = 0
    for seating in facts.seatings:
        results = [_result(match) for match in facts.matches.values() if match.seating == seating.pk and match.counts]
        got = next((one.score[entry] for one in results if one is not None and entry in one.score), None)
        if got is not None:
            total, played = total + got, played + 1
        elif entry not in seating.sits_out and None not in results:
            missed += 1
    return TableStanding(entry, total, played, missed)


def _result(match: MatchRow) -> ResultRow | None:
    """The last result of a table; without points it was closed, and void it is open again."""
    last = match.results[-1] if match.results else None
    if last is None or any(cause == "void" for _result, cause in last.credits.values()):
        return None
    return last


def table_places(facts: Facts) -> list[list[int]]:
    """The best first, those who are equal together."""
    found = read_tables(facts)
    out = {number for number, why in facts.gone.items() if why == "disqualified"}
    placed = [one for one in found.values() if one.played and one.entry not in out]
    if facts.ended_early and not placed:
        return [sorted(entry for entry in found if entry not in out)]

    def worth(one: TableStanding) -> tuple[int, Fraction]:
        if facts.low_wins:
            return one.missed, Fraction(one.total, one.played)
        return 0, Fraction(-one.total, one.played + one.missed)

    ordered = sorted(placed, key=lambda one: (worth(one), one.entry))
    return [sorted(one.entry for one in level) for _worth, level in groupby(ordered, key=worth)]


def turning_points(facts: Facts) -> dict[int, int]:
    """Of the one match there is: everybody's points; nothing while there is no result."""
    results = [match.results[-1] for match in facts.matches.values() if match.counts and match.results]
    return dict(max(results, key=lambda one: one.pk).score) if results else {}


def turning_places(facts: Facts) -> list[list[int]]:
    out = {number for number, why in facts.gone.items() if why == "disqualified"}
    points = {number: total for number, total in turning_points(facts).items() if number not in out}
    ordered = sorted(points, key=lambda number: (-points[number], number))
    return [list(level) for _points, level in groupby(ordered, key=lambda number: points[number])]
