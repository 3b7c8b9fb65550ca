"""Keep entries apart for longer than round one, by exchanges between parts of the bracket.

Places p and q, counted from 0, meet at the earliest in round `(p ^ q).bit_length()`. Two entries to be kept apart
until a round are *early* if that round is this one or an earlier one. An exchange makes more early pairs in a round
only if it makes fewer in an earlier round.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from pairing.draws.placement.places import Move, MoveReason, Places, neighbour
from pairing.draws.separation.kit import Opponents, Standing, following

Until = Mapping[int, Mapping[int, int]]
"""Each entry with the entries it should not meet, and the last round of that."""

TRIES: Final = 50_000
"""The most exchanges that are tried. A club of hundreds in a field of hundreds would need more."""


def keep_apart_later(
    order: Sequence[int], places: Places, until: Until, opponents: Opponents, fixed: Collection[int] = ()
) -> tuple[Places, tuple[Move, ...]]:
    """Return the places after the exchanges, and the exchanges. Each reduces the early pairs, earlier rounds first.

    Entries that are early between round one and the final are handled from the last drawn to the first. Such an entry
    changes places with the next entry drawn after it, then with those before it, from the first. The exchange must
    leave fewer early pairs, and both entries must have a bye or both none. This repeats until nobody can move. `fixed`
    entries stay.

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
    """Return the pairs that may meet too early between round one and the final.

    Each item is the earlier drawn, the later drawn, and the round.
    """
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
        """Return whether exactly one of the two places has a bye."""
        return (self.places[neighbour(here)] is None) is not (self.places[neighbour(there)] is None)

    def early(self, entry: int, other: int) -> int:
        """Return the round in which the two may meet too early, or 0 if they are not early."""
        last = self.until.get(entry, {}).get(other, 0)
        number = (self.place_of[entry] ^ self.place_of[other]).bit_length() if last else 0
        return number if number <= last else 0

    def _cost(self, one: int, two: int) -> list[int]:
        """Count the early pairs with one of the two: pairs of one person in round one, then all by rounds."""
        found = [0] * (self.final + 1)
        for entry in (one, two):
            for other in self.until.get(entry, ()):
                number = self.early(entry, other)
                if number:
                    found[number] += 1
                    found[0] += number == 1 and self.opponents[entry][other] is MoveReason.SAME_PERSON
        return found
