"""Seeds that come out of groups: those of one group do not meet in round one where equal seeds can change places.

Equal are those of one level: the winners of the groups among each other, the seconds, and so on. Who has a bye keeps
it, and nobody leaves its level.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pairing.draws.placement.places import Move, MoveReason, Places, first_round, neighbour
from pairing.draws.placement.seeding import seeded_places
from pairing.draws.separation.avoid import AvoidList, Opponents
from pairing.draws.separation.avoid_chains import moves_between

STEPS: Final = 200_000
"""How many entries the exact search may try on a place: about half a second."""

ONE_PERSON: Final = 1_000_000
"""So many other pairs rather than one of two entries of one person."""


@dataclass(frozen=True, slots=True)
class SeededBracket:
    """Places and what was moved or had to stay. `is_least`: no exchange of equal seeds leaves fewer together."""

    places: Places
    moves: tuple[Move, ...] = ()
    is_least: bool = True


def separate_seeds(
    ranked: Sequence[int],
    levels: Collection[Collection[int]],
    avoid: AvoidList,
    mates: Collection[Collection[int]] = (),
) -> SeededBracket:
    """The entries in rank order on their places; of each level those in round one change places where that parts two.

    From the top: of two who should be apart the lower seed changes places with the next lower seed of its level that
    plays in round one and with whom nothing is broken, else with the next higher; else the higher of the two does so.
    What is left then is searched for exactly.

    >>> found = separate_seeds([1, 2, 3, 4, 5, 6, 7, 8], [[1, 2, 3, 4], [5, 6, 7, 8]], AvoidList(), [(1, 8), (2, 7)])
    >>> found.places
    (1, 7, 5, 4, 3, 6, 8, 2)
    >>> print(found.moves[0])
    Entry 8 changed places with entry 7, to be kept apart from entry 1 (both come from one group) in round one.

    Raises:
        ValueError: fewer than two entries, or one twice.
    """
    places = seeded_places(ranked)
    opponents = _opponents(avoid, mates)
    level_of = {entry: turn for turn, level in enumerate(levels) for entry in level}
    walk = _Walk(ranked, list(places), opponents, level_of)
    moves = walk.run()
    after, is_least = tuple(walk.standing), True
    if _cost(after, opponents):
        found, is_least = _Exact(ranked, after, opponents, level_of).run()
        moves += moves_between(after, found)
        after = found
    rank = {entry: turn for turn, entry in enumerate(ranked)}
    for pair in first_round(after):
        one, other = sorted(pair, key=rank.__getitem__)
        if other in opponents.get(one, ()):
            moves.append(Move(other, None, opponents[one][other], one))
    return SeededBracket(after, tuple(moves), is_least)


def _opponents(avoid: AvoidList, mates: Collection[Collection[int]]) -> Opponents:
    found: dict[int, dict[int, MoveReason]] = defaultdict(dict)
    for group in mates:
        for entry in group:
            found[entry] |= dict.fromkeys((other for other in group if other != entry), MoveReason.GROUP)
    for entry, others in avoid.opponents().items():
        found[entry] |= others
    return found


def _cost(places: Places, opponents: Opponents) -> int:
    return sum(_weight(opponents, one, other) for one, other in first_round(places))


def _weight(opponents: Opponents, one: int, other: int) -> int:
    reason = opponents.get(one, {}).get(other)
    return 0 if reason is None else ONE_PERSON if reason is MoveReason.SAME_PERSON else 1


class _Walk:
    """One exchange for each two who should be apart."""

    def __init__(
        self, ranked: Sequence[int], standing: list[int | None], opponents: Opponents, level_of: Mapping[int, int]
    ) -> None:
        self.ranked, self.standing, self.opponents, self.level_of = ranked, standing, opponents, level_of
        self.rank = {entry: turn for turn, entry in enumerate(ranked)}
        self.place_of = {entry: place for place, entry in enumerate(standing) if entry is not None}

    def run(self) -> list[Move]:
        moves = []
        for top in range(0, len(self.standing), 2):
            pair = [entry for entry in self.standing[top : top + 2] if entry is not None]
            if len(pair) < 2 or pair[1] not in self.opponents.get(pair[0], ()):
                continue
            higher, lower = sorted(pair, key=self.rank.__getitem__)
            for entry, stays in ((lower, higher), (higher, lower)):
                other = self._partner_for(entry, stays)
                if other is not None:
                    self._exchange(entry, other)
                    moves.append(Move(entry, other, self.opponents[entry][stays], stays))
                    break
        return moves

    def _partner_for(self, entry: int, stays: int) -> int | None:
        turn = self.rank[entry]
        for other in (*self.ranked[turn + 1 :], *reversed(self.ranked[:turn])):
            beside = self.standing[neighbour(self.place_of[other])]
            if beside is None or other == stays or self.level_of.get(other, -1) != self.level_of.get(entry, -2):
                continue
            if other not in self.opponents[stays] and beside not in self.opponents[entry]:
                return other
        return None

    def _exchange(self, one: int, other: int) -> None:
        here, there = self.place_of[one], self.place_of[other]
        self.standing[here], self.standing[there] = other, one
        self.place_of[one], self.place_of[other] = there, here


class _Exact:
    """Place after place, everybody of the level that is left, as long as it can be better than the best so far."""

    def __init__(
        self, ranked: Sequence[int], places: Places, opponents: Opponents, level_of: Mapping[int, int]
    ) -> None:
        self.places, self.opponents = places, opponents
        rank = {entry: turn for turn, entry in enumerate(ranked)}
        playing = sorted((entry for pair in first_round(places) for entry in pair), key=rank.__getitem__)
        self.slots = [place for place, entry in enumerate(places) if entry in set(playing)]
        self.choices = {
            entry: [entry, *(other for other in playing if other != entry and _same(level_of, entry, other))]
            for entry in playing
        }
        self.best, self.least = list(places), _cost(places, opponents)
        self.steps = STEPS

    def run(self) -> tuple[Places, bool]:
        """The best places found, and whether they are certainly the best."""
        standing: list[int | None] = [None] * len(self.places)
        for place, entry in enumerate(self.places):
            standing[place] = None if place in self.slots else entry
        self._fill(standing, 0, 0, set())
        return tuple(self.best), self.steps > 0

    def _fill(self, standing: list[int | None], at: int, cost: int, used: set[int]) -> None:
        if cost >= self.least or self.steps <= 0:
            return
        if at == len(self.slots):
            self.best, self.least = list(standing), cost
            return
        place = self.slots[at]
        drawn = self.places[place]
        assert drawn is not None
        beside = standing[neighbour(place)] if place % 2 else None
        for entry in self.choices[drawn]:
            if entry in used:
                continue
            self.steps -= 1
            standing[place] = entry
            more = _weight(self.opponents, beside, entry) if beside is not None else 0
            self._fill(standing, at + 1, cost + more, used | {entry})
        standing[place] = None


def _same(level_of: Mapping[int, int], one: int, other: int) -> bool:
    return level_of.get(one, -1) == level_of.get(other, -2)
