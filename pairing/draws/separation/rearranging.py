"""Rearrange the draw beyond single exchanges: several exchanges together in round one, and exchanges for later rounds.

The pairs of round one that may meet are a matching. An augmenting path (Edmonds) leaves it and comes back in turn. A
path from an entry in a bad pair to another such entry makes one more good pair. If there is no such path from any
entry, no arrangement has more good pairs.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

from pairing.draws.blossoms import Forest
from pairing.draws.places import Move, MoveReason, Places, first_opponent_place, first_round
from pairing.draws.separation.exchanges import Opponents, PlacedEntries, following

_Meets = Callable[[int, int], bool]


def rearrange_round_one(
    order: Sequence[int],
    places: Places,
    may_meet: _Meets,
    *,
    at_worst: _Meets = lambda one, other: True,
    fixed: Collection[int] = (),
) -> Places:
    """Return the places with as many allowed pairs in round one as possible, by chains of exchanges of any length.

    The search starts from the bad pairs, top to bottom. It takes the shortest chain first, and candidates in the order
    drawn after each entry. Entries left over stay as they were, or two of them meet if `at_worst` allows it. `fixed`
    entries stay on their places.

    >>> rearrange_round_one([1, 2, 3, 4], (1, 2, 3, 4), lambda one, other: {one, other} != {1, 2})
    (1, 3, 2, 4)
    """
    partner: dict[int, int] = {}
    for one, other in first_round(places):
        if one not in fixed or other not in fixed:
            partner[one], partner[other] = other, one

    def unless_fixed(meets: _Meets) -> _Meets:
        return lambda one, other: (one not in fixed or other not in fixed) and meets(one, other)

    edge, left = unless_fixed(may_meet), unless_fixed(at_worst)
    playing = [entry for entry in order if entry in partner]
    gone: set[int] = set()
    for root in [entry for entry in places if entry is not None and entry in partner]:
        if root not in gone and not edge(root, partner[root]):
            path, cannot_help = _find_path(root, [one for one in playing if one not in gone], partner, edge, left)
            gone |= cannot_help
            if path:
                _apply_path(partner, path)
    return _seat_pairs(order, places, partner, fixed)


def moves_between(before: Places, after: Places) -> tuple[Move, ...]:
    """Return the exchanges that lead from one arrangement to the other, from the top.

    >>> [str(move) for move in moves_between((1, 2, 3, 4), (1, 3, 2, 4))]
    ['Entry 3 changed places with entry 2. Several exchanges together keep everyone apart who should be.']
    """
    standing, moves = PlacedEntries(before), []
    for place, entry in enumerate(after):
        other = standing.places[place]
        if entry is not None and other is not None and entry != other:
            standing.exchange(entry, other)
            moves.append(Move(entry, other, MoveReason.CHAIN))
    return tuple(moves)


def _find_path(
    root: int, playing: Sequence[int], partner: Mapping[int, int], edge: _Meets, left: _Meets
) -> tuple[list[int], set[int]]:
    """Return the entries of the path, `root` last. Without a path, return the entries that no other path can pass."""
    turn = {entry: turn for turn, entry in enumerate(playing)}
    beside = {entry: partner[entry] for entry in playing if edge(entry, partner[entry])}
    refused: list[int] = []

    def near(entry: int) -> Iterator[int]:
        return (other for other in following(playing, turn[entry]) if edge(entry, other))

    def ends(other: int) -> bool:
        may_end = other == partner[root] or left(partner[root], partner[other])
        if not may_end:
            refused.append(other)
        return may_end

    forest = Forest(playing, [root], near, beside, ends)
    path = forest.grow()
    return path, set() if path or refused else forest.even_entries | forest.came_from.keys()


def _apply_path(partner: dict[int, int], path: Sequence[int]) -> None:
    """Exchange the pairs along the path. The two entries whose opponents were taken meet each other."""
    end, root = path[0], path[-1]
    rest = partner[root], partner[end]
    for one, other in zip(path[::2], path[1::2], strict=True):
        partner[one], partner[other] = other, one
    if rest[0] != end:
        partner[rest[0]], partner[rest[1]] = rest[1], rest[0]


def _seat_pairs(order: Sequence[int], places: Places, partner: Mapping[int, int], fixed: Collection[int]) -> Places:
    """Put the pairs on the places of round one.

    A fixed entry stays on its place. Otherwise the earlier drawn of a pair stays, if its place is free.
    """
    place_of = {entry: place for place, entry in enumerate(places) if entry is not None}
    drawn = {entry: turn for turn, entry in enumerate(order)}
    after = list(places)
    changed = {entry for entry, beside in partner.items() if place_of[beside] != first_opponent_place(place_of[entry])}
    free = {place_of[entry] & ~1 for entry in changed}
    waiting: list[tuple[int, int]] = []
    pairs = [(one, partner[one]) for one in order if one in changed and drawn[one] < drawn[partner[one]]]
    for pair in sorted(pairs, key=lambda pair: pair[0] not in fixed and pair[1] not in fixed):
        held = [entry for entry in pair if entry in fixed] or [one for one in pair if place_of[one] & ~1 in free]
        if held:
            free.discard(place_of[held[0]] & ~1)
            after[place_of[held[0]]], after[first_opponent_place(place_of[held[0]])] = held[0], partner[held[0]]
        else:
            waiting.append(pair)
    for top, pair in zip(sorted(free), waiting, strict=True):
        after[top : top + 2] = pair
    return tuple(after)


# --- Later rounds ----------------------------------------------------------------------------------------------------
# Entries are kept apart for longer than round one by exchanges between parts of the bracket.

Until = Mapping[int, Mapping[int, int]]
"""Each entry with the entries it should not meet, and the last round of that."""

_TRIES: Final = 50_000
"""The most exchanges that are tried. A club of hundreds in a field of hundreds would need more."""


def keep_apart_after_round_one(
    order: Sequence[int], places: Places, until: Until, opponents: Opponents, fixed: Collection[int] = ()
) -> tuple[Places, tuple[Move, ...]]:
    """Return the places after the exchanges, and the exchanges. Each reduces the early pairs, earlier rounds first.

    Entries that are early between round one and the final are handled from the last drawn to the first. Such an entry
    changes places with the next entry drawn after it, then with those before it, from the first. The exchange must
    leave fewer early pairs, and both entries must have a bye or both none. This repeats until nobody can move. `fixed`
    entries stay.

    >>> clubs = {1: {2: 2}, 2: {1: 2}}
    >>> why = {1: {2: MoveReason.CLUB}, 2: {1: MoveReason.CLUB}}
    >>> places, moves = keep_apart_after_round_one([1, 3, 2, 4, 5, 6, 7, 8], (1, 3, 2, 4, 5, 6, 7, 8), clubs, why)
    >>> places
    (1, 3, 5, 4, 2, 6, 7, 8)
    >>> print(*moves)
    Entry 2 changed places with entry 5, to be kept apart from entry 1 in round 2. Both belong to the same club.
    """
    search = _LaterRounds(order, places, until, opponents, frozenset(fixed))
    search.run()
    return tuple(search.places), tuple(search.moves)


def pairs_meeting_too_early(order: Sequence[int], places: Places, until: Until) -> list[tuple[int, int, int]]:
    """Return the pairs that may meet too early between round one and the final.

    Each item is the earlier drawn, the later drawn, and the round.
    """
    search = _LaterRounds(order, places, until, {}, frozenset())
    drawn = search.drawn
    met = ((one, other) for one in order for other in sorted(search.until.get(one, ()), key=drawn.__getitem__))
    rounds = ((one, other, search.early(one, other)) for one, other in met if drawn[other] > drawn[one])
    return [found for found in rounds if 1 < found[2] < search.final]


class _LaterRounds(PlacedEntries):
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
        self.fixed, self.moves, self.tries = fixed, list[Move](), _TRIES
        self.final = (len(places) - 1).bit_length()

    def run(self) -> None:
        movable = [entry for entry in reversed(self.order) if entry in self.until and entry not in self.fixed]
        while any(self._try_to_move(entry) for entry in movable):
            pass

    def _try_to_move(self, entry: int) -> bool:
        near = ((self.early(entry, other), self.drawn[other], other) for other in self.until[entry])
        early = [found for found in near if 1 < found[0] < self.final]
        if not early:
            return False
        number, _turn, stays = min(early)
        here = self.place_of[entry]
        for other in following(self.order, self.drawn[entry]):
            there = self.place_of[other]
            if other in self.fixed or (here ^ there).bit_length() <= number or self._only_one_has_bye(here, there):
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

    def _only_one_has_bye(self, here: int, there: int) -> bool:
        """Return whether exactly one of the two places has a bye."""
        return (self.places[first_opponent_place(here)] is None) is not (
            self.places[first_opponent_place(there)] is None
        )

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
