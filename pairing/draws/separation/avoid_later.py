"""Whom to keep apart for longer than round one: by exchanges between parts of the bracket.

Two meet at the earliest in the round in which the parts that they stand in come together: places p and q in round
`(p ^ q).bit_length()`, both counted from 0. Two who are to be apart until a round are *early* where that is this round
or one before it. No exchange makes more early pairs of any round unless it makes fewer of one before it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from pairing.draws.placement.places import Move, MoveReason, Places, neighbour
from pairing.draws.separation.kit import Opponents, Standing, following

Until = Mapping[int, Mapping[int, int]]
"""For each entry whom it shall not meet, and until which round."""

TRIES: Final = 50_000
"""So many exchanges are looked at; a club of hundreds in a field of hundreds would ask for more."""


def keep_apart_later(
    order: Sequence[int], places: Places, until: Until, opponents: Opponents, fixed: Collection[int] = ()
) -> tuple[Places, tuple[Move, ...]]:
    """The places after the exchanges, and those: each makes the early pairs fewer, those of an earlier round first.

    From the last drawn to the first: an entry that is early in a round between the first and the final changes places
    with the next one drawn after it (then those before it, from the first) that leaves fewer early pairs, and that has
    a bye as it has, or none as well. Again, until nobody can. Entries that are `fixed` stay.

    >>> clubs = {1: {2: 2}, 2: {1: 2}}
    >>> why = {1: {2: MoveReason.CLUB}, 2: {1: MoveReason.CLUB}}
    >>> places, moves = keep_apart_later([1, 3, 2, 4, 5, 6, 7, 8], (1, 3, 2, 4, 5, 6, 7, 8), clubs, why)
    >>> places
    (1, 3, 5, 4, 2, 6, 7, 8)
    >>> print(*moves)
    Entry 2 changed places with entry 5, to be kept apart from entry 1 in round 2. Both belong to the same club.
    """
    search = _Later(order, places, until, opponents, frozenset(fixed))
    search.run()
    return tuple(search.places), tuple(search.moves)


def pairs_meeting_too_early(order: Sequence[int], places: Places, until: Until) -> list[tuple[int, int, int]]:
    """Who may meet too early after round one, but before the final: the earlier drawn, the later, and the round."""
    search = _Later(order, places, until, {}, frozenset())
    drawn = search.drawn
    met = ((one, other) for one in order for other in sorted(search.until.get(one, ()), key=drawn.__getitem__))
    rounds = ((one, other, search.early(one, other)) for one, other in met if drawn[other] > drawn[one])
    return [found for found in rounds if 1 < found[2] < search.final]


class _Later(Standing):
    def __init__(
        self, order: Sequence[int], places: Places, until: Until, opponents: Opponents, fixed: frozenset[int]
    ) -> None:
        super().__init__(places)
        self.order, self.opponents = order, opponents
        self.drawn = {entry: turn for turn, entry in enumerate(order)}
        here = self.drawn.keys()
        self.until = {
            one: {two: last for two, last in until[one].items() if two in here} for one in until.keys() & here
        }
        self.fixed, self.moves, self.tries = fixed, list[Move](), TRIES
        self.final = (len(places) - 1).bit_length()

    def run(self) -> None:
        movable = [entry for entry in reversed(self.order) if entry in self.until and entry not in self.fixed]
        while any(self._moved(entry) for entry in movable):
            pass

    def _moved(self, entry: int) -> bool:
        near = ((self.early(entry, other), self.drawn[other], other) for other in self.until[entry])
        early = [found for found in near if 1 < found[0] < self.final]
        if not early:
            return False
        number, _turn, stays = min(early)
        here = self.place_of[entry]
        for other in following(self.order, self.drawn[entry]):
            there = self.place_of[other]
            if other in self.fixed or (here ^ there).bit_length() <= number or self._has_bye(here, there):
                continue
            self.tries -= 1
            if self.tries < 0:
                return False
            before = self._cost(entry, other)
            self.exchange(entry, other)
            if self._cost(entry, other) < before:
                self.moves.append(Move(entry, other, self.opponents[entry][stays], stays, number))
                return True
            self.exchange(entry, other)
        return False

    def _has_bye(self, here: int, there: int) -> bool:
        """One of the two, and not the other."""
        return (self.places[neighbour(here)] is None) is not (self.places[neighbour(there)] is None)

    def early(self, entry: int, other: int) -> int:
        """The round in which the two may meet too early; 0: they are not."""
        last = self.until.get(entry, {}).get(other, 0)
        number = (self.place_of[entry] ^ self.place_of[other]).bit_length() if last else 0
        return number if number <= last else 0

    def _cost(self, one: int, two: int) -> list[int]:
        """How many are early with one of the two: of one person in round one, then by rounds."""
        found = [0] * (self.final + 1)
        for entry in (one, two):
            for other in self.until.get(entry, ()):
                number = self.early(entry, other)
                if number:
                    found[number] += 1
                    found[0] += number == 1 and self.opponents[entry][other] is MoveReason.SAME_PERSON
        return found
