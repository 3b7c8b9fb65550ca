"""A double elimination read a second time, and who came where in any bracket: from `docs/draw.md`, parts 3 to 6.

The losers' bracket is written down as parts of the winners' bracket that drop one loser each; who comes up, and when,
is asked from match to match, as in `second_bracket`.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tests.devtools.whole_events.facts import Facts
from tests.devtools.whole_events.second_bracket import (
    NOBODY,
    Knockout,
    Node,
    Reader,
    Standing,
    named,
    places_of,
    read_knockout,
)
from tests.devtools.whole_events.second_play_off import read_play_off

FINAL, RESET = "F1M1", "F2M1"
Row = list[Node | None]


def knockouts(facts: Facts) -> Iterator[Knockout]:
    """The stages that are brackets, single and double."""
    for stage in facts.stages:
        if stage.kind == "single-elimination":
            yield read_knockout(facts, stage.pk)
        elif stage.kind == "double-elimination":
            yield read_double(facts, stage.pk)


def who_meets(facts: Facts) -> dict[int, frozenset[int]]:
    """Of every match of a bracket or play-off, who stands there now; nobody where it is not played any more."""
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
    """Of the stage with that primary key."""
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
        """Only where both were there, and the one from the losers' bracket won, both have lost once."""
        return final.decided and (len(final.entries) < 2 or final.winner != final.sides[1])


def _in_winners(node: Node) -> Node:
    return node if node.match is None else Node(match=f"W{node.match[1:]}")


def _dropped(places: Sequence[int | None], rounds: int) -> Iterator[Row]:
    """Who drops from each part of each round of the winners' bracket; None where a bye leaves nobody."""
    first: Row = []
    for upper, lower in zip(places[::2], places[1::2], strict=True):
        count = 1 + sum(node is not None for node in first)
        first.append(None if None in (upper, lower) else Node(match=f"W1M{count}", loses=True))
    yield first
    for number in range(2, rounds + 1):
        parts = len(places) >> number
        yield [Node(match=f"W{number}M{at}", loses=True) for at in range(1, parts + 1)]


def _losers(dropped: Sequence[Row]) -> Iterator[tuple[str, tuple[Node, Node]]]:
    """Every match of the losers' bracket; the last pair has who is left, twice."""
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
    """The best first, those who came equally far together; who is still in before all, who is disqualified nowhere.

    How far: the last match in which one stands; the winner of the last match of all is a step further.
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
    """How far each match is from the beginning, so that a loser of it is compared with the others."""

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
