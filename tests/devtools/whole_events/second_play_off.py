"""A play-off read a second time: who plays off, who is still in, and who lost in which round.

The program draws the pairs, and `verify_event` draws them again. Here they are read from the matches on record.
"""

from __future__ import annotations

from dataclasses import dataclass

from pairing.models import Stage
from tests.devtools.whole_events.facts import Facts, MatchRow
from tests.devtools.whole_events.second_standings import ended_by


@dataclass(frozen=True)
class PlayOffReading:
    """`lost`: entry → the round in which it lost; `over`: so many are left as there are places."""

    through: tuple[int, ...]
    contenders: tuple[int, ...]
    lost: dict[int, int]
    standing: frozenset[int]
    """The primary keys of the matches that count; others were made before a correction sent others on."""
    over: bool
    places_are_open: bool

    @property
    def left(self) -> list[int]:
        return [entry for entry in self.contenders if entry not in self.lost]

    @property
    def finish(self) -> dict[int, int]:
        """Who is left level, who lost later before; nothing while it is played."""
        if not self.over or not self.standing:
            return dict.fromkeys(self.contenders, 1) if self.over and self.places_are_open else {}
        return {entry: place for place, level in enumerate(self.levels, start=1) for entry in level}

    @property
    def levels(self) -> list[list[int]]:
        """Of those who play off, the best first; who is still in shares the first."""
        rounds = sorted(set(self.lost.values()), reverse=True)
        found = [self.left, *([entry for entry, at in self.lost.items() if at == number] for number in rounds)]
        return [sorted(level) for level in found if level]


def read_play_off(facts: Facts, stage: Stage) -> PlayOffReading:
    record = stage.record
    places, contenders = int(record["open_places"]), tuple(record["play_off"])
    rows = [one for one in facts.matches.values() if one.stage == stage.pk and one.counts and one.seats]
    kept = {match for match, _at, sides in facts.kept if all(sides)}
    lost: dict[int, int] = {}
    standing: set[int] = set()
    for number in sorted({one.round for one in rows}):
        here = _of_round([one for one in rows if one.round == number], lost, kept)
        standing |= {one.pk for one in here}
        for one in here:
            for entry in one.seats:
                lost.pop(entry, None)
            credits, _score = ended_by(facts, one)
            out = [entry for entry in one.seats if credits and not _won(one, entry, credits)]
            lost.update((entry, number) for entry in out)
    undecided = [pk for pk in standing if not ended_by(facts, facts.matches[pk])[0]]
    left = len(contenders) - len(lost)
    over = not contenders or places < 1 or (left <= places and not undecided)
    through = tuple(record["through"])
    return PlayOffReading(through, contenders, lost, frozenset(standing), over, bool(contenders) and places > 0)


def _of_round(rows: list[MatchRow], lost: dict[int, int], kept: set[int]) -> list[MatchRow]:
    """Those that are kept, then those between two who are still in, the one made last first."""
    found: list[MatchRow] = []
    taken: set[int] = set()
    for one in sorted(rows, key=lambda row: (row.pk in kept, row.pk), reverse=True):
        if taken & set(one.seats) or (one.pk not in kept and any(entry in lost for entry in one.seats)):
            continue
        found.append(one)
        taken |= set(one.seats)
    return found


def _won(match: MatchRow, entry: int, credits: dict[int, tuple[str, str]]) -> bool:
    last = match.last
    if last is not None and last.credits:
        return last.winner == entry
    return credits[entry][0] == "win"
