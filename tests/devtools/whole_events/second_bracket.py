"""A knockout read a second time: from the places, the results and who went out, asked from the final down.

`docs/draw.md`, parts 3 to 5. Each match asks the two before it who comes up and since when; nothing is folded in the
order of time.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.devtools.whole_events.facts import REMOVALS, Facts, MatchRow, ResultRow

NOBODY = 0
"""Nobody comes up on this side, ever."""


@dataclass(frozen=True)
class Node:
    """Who comes up: an entry at once, or the winner of a match, or its loser."""

    entry: int | None = None
    match: str | None = None
    loses: bool = False


@dataclass(frozen=True)
class Standing:
    """A match as it stands. `sides`: a number, `NOBODY`, or None while it is open who comes up."""

    ident: str
    round: int
    sides: tuple[int | None, int | None]
    winner: int | None = None
    decided: bool = False
    at: dt.datetime | None = None
    result: ResultRow | None = None
    needed: bool = True
    """False of the reset of a double elimination that nobody has to play."""

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(side for side in self.sides if side)

    @property
    def by_itself(self) -> bool:
        return self.decided and self.result is None


@dataclass
class Knockout:
    """All matches of one bracket, by their names."""

    rounds: int
    stage: int
    matches: dict[str, Standing] = field(default_factory=dict)
    pairs: dict[str, tuple[Node, Node]] = field(default_factory=dict)


def read_knockout(facts: Facts, stage: int) -> Knockout:
    """Of the stage with that primary key."""
    places, since = places_of(facts, stage)
    return Reader(facts, stage, places, since).read()


def places_of(facts: Facts, stage: int) -> tuple[list[int | None], dt.datetime]:
    """As they were drawn, or as the stage was opened with them; and since when."""
    row = next(one for one in facts.stages if one.pk == stage)
    assert facts.draw is not None
    return list(facts.draw.places if row.number == 1 else row.record["places"]), row.at


class Reader:
    def __init__(self, facts: Facts, stage: int, places: list[int | None], since: dt.datetime) -> None:
        self.since = since
        late = {bye: (entry, ident) for where, bye, entry, ident in facts.late_byes if where == stage}
        self.stage = stage
        self.pairs = dict(self.pairs_of(places, late))
        self.rounds = max(int(ident[1:].partition("M")[0]) for ident in self.pairs)
        rows = [match for match in facts.matches.values() if match.counts and match.stage == stage]
        self.rows = {match.ident: match for match in rows if not match.seats}
        kept = {match: sides for match, _at, sides in facts.kept}
        self.kept = {match.ident: kept[match.pk] for match in rows if match.pk in kept}
        self.gone = _removals(facts, since)
        self.found: dict[str, Standing] = {}

    def pairs_of(
        self, places: Sequence[int | None], late: dict[int, tuple[int, str]]
    ) -> Iterator[tuple[str, tuple[Node, Node]]]:
        """Every match with who comes up into it."""
        return named(places, late)

    def read(self) -> Knockout:
        for ident in self.pairs:
            self._standing(ident)
        return Knockout(self.rounds, self.stage, self.found, self.pairs)

    def _standing(self, ident: str) -> Standing:
        if ident not in self.found:
            ups = [self._up(node) for node in self.pairs[ident]]
            kept = self.kept.get(ident, (None, None))
            sides = tuple(keep if keep is not None else side for keep, (side, _at) in zip(kept, ups, strict=True))
            known = max(at for _side, at in ups)
            round_ = int(ident[1:].partition("M")[0])
            self.found[ident] = self._decide(Standing(ident, round_, (sides[0], sides[1])), known)
        return self.found[ident]

    def _up(self, node: Node) -> tuple[int | None, dt.datetime]:
        if node.match is None:
            return node.entry, self.since
        before = self._standing(node.match)
        if not before.decided:
            return None, self.since
        return before.winner or NOBODY, before.at or self.since

    def _decide(self, open_: Standing, known: dt.datetime) -> Standing:
        if None in open_.sides:
            return open_
        result, moment = _recorded(self.rows.get(open_.ident), frozenset(open_.entries))
        since = max(known, moment or known)
        if result is not None:
            return self._with(open_, result.winner, since, result)
        return self._walkover(open_, since)

    def _walkover(self, open_: Standing, known: dt.datetime) -> Standing:
        """One side never comes, or has gone: at the first moment at which that is so."""
        entries = open_.entries
        times = [self.gone[entry] for entry in entries if entry in self.gone]
        if len(entries) == 2 and not times:
            return open_
        moment = max(known, min(times)) if len(entries) == 2 else known
        here = [entry for entry in entries if entry not in self.gone or self.gone[entry] > moment]
        return self._with(open_, here[0] if here else None, moment, None)

    def _with(self, open_: Standing, winner: int | None, at: dt.datetime, result: ResultRow | None) -> Standing:
        return Standing(open_.ident, open_.round, open_.sides, winner, True, at, result)


def _recorded(row: MatchRow | None, pair: frozenset[int]) -> tuple[ResultRow | None, dt.datetime | None]:
    """The last result about these two with the moment of the first since it was void, or when it was last void."""
    last: ResultRow | None = None
    moment: dt.datetime | None = None
    for result in row.results if row else ():
        if frozenset(result.credits) != pair:
            continue
        if result.is_void or last is None:
            moment = result.at
        last = None if result.is_void else result
    return last, moment


def _removals(facts: Facts, since: dt.datetime) -> dict[int, dt.datetime]:
    """Who is out since the bracket began, from the first time on; a removal taken back is left out."""
    found: dict[int, dt.datetime] = {}
    for number, kind, at in facts.entrant_facts:
        if kind == "reinstated":
            found.pop(number, None)
        elif kind in REMOVALS and at >= since:
            found.setdefault(number, at)
    return found


def named(places: Sequence[int | None], late: dict[int, tuple[int, str]]) -> Iterator[tuple[str, tuple[Node, Node]]]:
    """Every match with who comes up into it; matches only are counted, a late entry's has a name of its own."""
    row = [None if entry is None else Node(entry=entry) for entry in places]
    number = 0
    while len(row) > 1:
        number += 1
        following: list[Node | None] = []
        count = 0
        for upper, lower in zip(row[::2], row[1::2], strict=True):
            alone = upper or lower
            if upper is not None and lower is not None:
                count += 1
                ident = f"R{number}M{count}"
                yield ident, (upper, lower)
                following.append(Node(match=ident))
            elif alone is not None and number == 1 and alone.entry in late:
                entry, ident = late[alone.entry]
                newcomer = Node(entry=entry)
                yield ident, ((alone, newcomer) if upper is not None else (newcomer, alone))
                following.append(Node(match=ident))
            else:
                following.append(alone)
        row = following
