"""Recompute brackets from the places, the results, and the removals, beginning with the final.

The source is `docs/draw.md`, parts 3 to 6. Each match asks its two preceding matches for their winners and times, so
that nothing has to be replayed in chronological order.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tests.devtools.whole_events.facts import REMOVALS, Facts, MatchRow, ResultRow
from tests.devtools.whole_events.second_standings import read_play_off

NOBODY = 0
"""The value for a side that remains empty, in place of an entry number."""


@dataclass(frozen=True)
class Node:
    """The source of a side: an entry, or the winner or loser of an earlier match."""

    entry: int | None = None
    match: str | None = None
    loses: bool = False


@dataclass(frozen=True)
class Standing:
    """The state of a match.

    Each item in `sides` is an entry number, `NOBODY`, or None if the side is not known yet.
    """

    ident: str
    round: int
    sides: tuple[int | None, int | None]
    winner: int | None = None
    decided: bool = False
    at: dt.datetime | None = None
    result: ResultRow | None = None
    needed: bool = True
    """Whether the match has to be played. It is False for a second final that is not necessary."""

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(side for side in self.sides if side)

    @property
    def by_itself(self) -> bool:
        return self.decided and self.result is None


@dataclass
class Knockout:
    rounds: int
    stage: int
    matches: dict[str, Standing] = field(default_factory=dict)
    pairs: dict[str, tuple[Node, Node]] = field(default_factory=dict)


def read_knockout(facts: Facts, stage: int) -> Knockout:
    """Recompute the single elimination with this primary key."""
    places, since = places_of(facts, stage)
    return Reader(facts, stage, places, since).read()


def places_of(facts: Facts, stage: int) -> tuple[list[int | None], dt.datetime]:
    """Return the places of the draw or of a later stage, and when the stage was opened."""
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
        """Yield every match with the sources of its sides."""
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
        """Decide the match at the first time at which one side is empty or has left the event."""
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
    """Return the last result between these two entries, and the time since which the match has been decided.

    The time is that of the first result since the last voided one. A correction therefore does not change the time. If
    the last result was voided, return None and the time at which it was voided. Without any result, return None for
    both.
    """
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
    """Return when entrants were removed since the bracket began. A reinstatement cancels a removal."""
    found: dict[int, dt.datetime] = {}
    for number, kind, at in facts.entrant_facts:
        if kind == "reinstated":
            found.pop(number, None)
        elif kind in REMOVALS and at >= since:
            found.setdefault(number, at)
    return found


def named(places: Sequence[int | None], late: dict[int, tuple[int, str]]) -> Iterator[tuple[str, tuple[Node, Node]]]:
    """Yield each match's name, and where the entries on its two sides come from.

    A bye is not a match, so it gets no name. `late` contains each late entry that took the place of a bye, and the name
    of its match. The keys of `late` are the entries that had the byes.
    """
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


FINAL, RESET = "F1M1", "F2M1"
Row = list[Node | None]


def knockouts(facts: Facts) -> Iterator[Knockout]:
    """Yield the event's single and double eliminations, recomputed from its facts."""
    for stage in facts.stages:
        if stage.kind == "single-elimination":
            yield read_knockout(facts, stage.pk)
        elif stage.kind == "double-elimination":
            yield read_double(facts, stage.pk)


def who_meets(facts: Facts) -> dict[int, frozenset[int]]:
    """Return the entries that currently meet in each bracket and play-off match.

    A match that is no longer played has no entries.
    """
    if "who meets" not in facts.memo:
        found: dict[int, frozenset[int]] = {}
        for knockout in knockouts(facts):
            for match in facts.matches.values():
                if match.counts and match.stage == knockout.stage and match.ident in knockout.matches:
                    found[match.pk] = frozenset(knockout.matches[match.ident].entries)
        for stage in facts.stages:
            stands = read_play_off(facts, stage).standing if stage.kind == "play-off" else frozenset()
            for match in facts.matches.values() if stage.kind == "play-off" else ():
                if match.counts and match.stage == stage.pk and match.seats:
                    found[match.pk] = frozenset(match.seats if match.pk in stands else ())
        facts.memo["who meets"] = found
    meets: dict[int, frozenset[int]] = facts.memo["who meets"]
    return meets


def read_double(facts: Facts, stage: int) -> Knockout:
    """Recompute the double elimination with this primary key."""
    places, since = places_of(facts, stage)
    return _Double(facts, stage, places, since).read()


class _Double(Reader):
    def pairs_of(
        self, places: Sequence[int | None], late: dict[int, tuple[int, str]]
    ) -> Iterator[tuple[str, tuple[Node, Node]]]:
        winners = {f"W{ident[1:]}": pair for ident, pair in named(places, late)}
        for ident, (one, other) in winners.items():
            yield ident, (_in_winners(one), _in_winners(other))
        rounds = max(int(ident[1:].partition("M")[0]) for ident in winners)
        losers = list(_losers(list(_dropped(places, rounds))))
        yield from losers[:-1]
        survivor = losers[-1][1][0]
        yield FINAL, (Node(match=f"W{rounds}M1"), survivor)
        yield RESET, (Node(match=FINAL), Node(match=FINAL, loses=True))

    def _up(self, node: Node) -> tuple[int | None, dt.datetime]:
        if node.match is None or not node.loses:
            return super()._up(node)
        before = self._standing(node.match)
        if not before.decided:
            return None, self.since
        losers = [entry for entry in before.entries if entry != before.winner]
        return (losers[0] if before.winner and losers else NOBODY), before.at or self.since

    def _decide(self, open_: Standing, known: dt.datetime) -> Standing:
        if open_.ident == RESET and RESET not in self.kept and self._is_settled(self._standing(FINAL)):
            return replace(open_, decided=True, at=known, needed=False)
        return super()._decide(open_, known)

    def _is_settled(self, final: Standing) -> bool:
        """Return whether the second final is not needed.

        The second final is needed only if both entries appeared in the first final and the entry from the losers'
        bracket won.
        """
        return final.decided and (len(final.entries) < 2 or final.winner != final.sides[1])


def _in_winners(node: Node) -> Node:
    return node if node.match is None else Node(match=f"W{node.match[1:]}")


def _dropped(places: Sequence[int | None], rounds: int) -> Iterator[Row]:
    """Yield the losers of each round in the winners' bracket. A bye has no loser."""
    first: Row = []
    for upper, lower in zip(places[::2], places[1::2], strict=True):
        count = 1 + sum(node is not None for node in first)
        first.append(None if None in (upper, lower) else Node(match=f"W1M{count}", loses=True))
    yield first
    for number in range(2, rounds + 1):
        parts = len(places) >> number
        yield [Node(match=f"W{number}M{at}", loses=True) for at in range(1, parts + 1)]


def _losers(dropped: Sequence[Row]) -> Iterator[tuple[str, tuple[Node, Node]]]:
    """Yield every match in the losers' bracket.

    The last item is not a match: it contains the winner of the losers' bracket twice.
    """
    left, number = list(dropped[0]), 0
    for turn, coming in enumerate(dropped[1:], start=1):
        digits = len(coming).bit_length() - 1
        mask = int(f"{turn:0{digits}b}"[::-1][:digits] or "0", 2) if digits else 0
        for crossed in (False, True):
            if crossed:
                pairs = [(one, coming[part ^ mask]) for part, one in enumerate(left)]
            else:
                pairs = list(zip(left[::2], left[1::2], strict=True))
            number += any(None not in pair for pair in pairs)
            left, count = [], 0
            for one, other in pairs:
                if one is None or other is None:
                    left.append(one or other)
                    continue
                count += 1
                yield f"L{number}M{count}", (one, other)
                left.append(Node(match=f"L{number}M{count}"))
    survivor = left[0]
    assert survivor is not None
    yield "", (survivor, survivor)


def bracket_places(knockout: Knockout, gone: dict[int, str]) -> list[list[int]]:
    """Return the places, best first, with tied entries together.

    Entries that are still in come first. Disqualified entries have no place. An entry's place depends on its last
    match, and the winner of the final is placed before its loser.
    """
    depth = _Depth(knockout)
    stands: dict[int, Standing] = {}
    for match in depth.in_order:
        stands.update(dict.fromkeys(match.entries, match))
    levels: dict[int, list[int]] = defaultdict(list)
    for entry, match in stands.items():
        if gone.get(entry) == "disqualified":
            continue
        out = match.decided or entry in gone
        champion = match.ident == depth.last.ident and match.decided and match.winner == entry
        levels[depth.most + 1 if champion or not out else depth.of(match)].append(entry)
    return [sorted(levels[level]) for level in sorted(levels, reverse=True)]


class _Depth:
    """The distance of each match from the start of the bracket. Losers are compared by this distance."""

    def __init__(self, knockout: Knockout) -> None:
        found = knockout.matches
        self.drops = {
            node.match: ident for ident, pair in knockout.pairs.items() for node in pair if node.match and node.loses
        }
        order = {"R": 0, "W": 0, "L": 1, "F": 2}
        needed = [match for match in found.values() if match.needed]
        self.in_order = sorted(needed, key=lambda one: (order[one.ident[0]], one.round))
        self.last = self.in_order[-1]
        self.most = 1 + max(one.round for one in found.values() if one.ident[0] in "RL" or len(found) == 3)

    def of(self, match: Standing) -> int:
        ident = self.drops.get(match.ident, match.ident) if match.ident[0] == "W" else match.ident
        return self.most if ident[0] == "F" else int(ident[1:].partition("M")[0])
