"""Where one exchange does not keep two apart, several together: the pairs of round one matched anew.

The pairs of round one that nobody is kept apart in are a matching. A path that leaves it and comes back in turn
(Edmonds: an augmenting path) from one of two who should be apart to another such entry makes one pair more of them;
when there is no such path from anywhere, there are no more of them in any arrangement.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from pairing.draws.placement.places import Move, MoveReason, Places, first_round, neighbour
from pairing.draws.separation.kit import Standing

Meets = Callable[[int, int], bool]


def rearrange_round_one(
    order: Sequence[int],
    places: Places,
    may_meet: Meets,
    *,
    at_worst: Meets = lambda one, other: True,
    fixed: Collection[int] = (),
) -> Places:
    """The places with as many pairs of round one as can be that may meet, whatever chain of exchanges it takes.

    Searched for from the pairs that are left, top to bottom, the shortest chain first, candidates in the order drawn
    after each. Who is left over stays as it was, or two of them meet who `at_worst` may. Entries that are `fixed` stay
    on their places.

    >>> rearrange_round_one([1, 2, 3, 4], (1, 2, 3, 4), lambda one, other: {one, other} != {1, 2})
    (1, 3, 2, 4)
    """
    partner: dict[int, int] = {}
    for one, other in first_round(places):
        if one not in fixed or other not in fixed:
            partner[one], partner[other] = other, one

    def edge(one: int, other: int) -> bool:
        return (one not in fixed or other not in fixed) and may_meet(one, other)

    def left(one: int, other: int) -> bool:
        return (one not in fixed or other not in fixed) and at_worst(one, other)

    playing = [entry for entry in order if entry in partner]
    gone: set[int] = set()
    for root in [entry for entry in places if entry is not None and entry in partner]:
        if root not in gone and not edge(root, partner[root]):
            search = _Search(playing, partner, edge, left, gone)
            path = search.path_from(root)
            if path:
                _change(partner, path)
            elif not search.was_refused:
                gone |= search.reached
    return _seat(order, places, partner, fixed)


def moves_between(before: Places, after: Places) -> tuple[Move, ...]:
    """The exchanges that lead from the one to the other, from the top.

    >>> [str(move) for move in moves_between((1, 2, 3, 4), (1, 3, 2, 4))]
    ['Entry 3 changed places with entry 2, one of the exchanges that together keep apart who should be.']
    """
    standing, moves = Standing(before), []
    for place, entry in enumerate(after):
        other = standing.places[place]
        if entry is not None and other is not None and entry != other:
            standing.exchange(entry, other)
            moves.append(Move(entry, other, MoveReason.CHAIN))
    return tuple(moves)


class _Search:
    """One search for a path from one entry, by Edmonds' blossoms; entries in `gone` cannot help."""

    def __init__(
        self, playing: Sequence[int], partner: Mapping[int, int], edge: Meets, left: Meets, gone: Collection[int]
    ) -> None:
        self.playing = [entry for entry in playing if entry not in gone]
        self.turn = {entry: turn for turn, entry in enumerate(self.playing)}
        self.partner, self.edge, self.left = partner, edge, left
        self.base = {entry: entry for entry in self.playing}
        self.came: dict[int, int] = {}
        self.outer: list[int] = []
        self.is_outer: set[int] = set()
        self.was_refused = False

    @property
    def reached(self) -> set[int]:
        return self.is_outer | self.came.keys()

    def _matched(self, entry: int) -> int | None:
        """Whom it may meet and meets; None where the two should be apart."""
        beside = self.partner[entry]
        return beside if self.edge(entry, beside) else None

    def path_from(self, root: int) -> list[int]:
        """The entries of the path, `root` last; empty where there is none."""
        self.root = root
        self._push(root)
        for entry in self.outer:
            turn = self.turn[entry]
            for other in (*self.playing[turn + 1 :], *self.playing[:turn]):
                if self._look(entry, other):
                    return self._walk(other)
        return []

    def _push(self, entry: int) -> None:
        if entry not in self.is_outer:
            self.is_outer.add(entry)
            self.outer.append(entry)

    def _look(self, entry: int, other: int) -> bool:
        """Go on from `entry` to `other`; true where the path ends there."""
        if self.base[entry] == self.base[other] or self._matched(entry) == other or not self.edge(entry, other):
            return False
        if other in self.is_outer:
            self._shrink(entry, other)
            return False
        if other in self.came:
            return False
        beside = self._matched(other)
        if beside is not None:
            self.came[other] = entry
            self._push(beside)
            return False
        rest = (self.partner[self.root], self.partner[other])
        if other != rest[0] and not self.left(*rest):
            self.was_refused = True
            return False
        self.came[other] = entry
        return True

    def _shrink(self, one: int, other: int) -> None:
        """A cycle of odd length: everybody in it can be left from either side."""
        top = self._common_base(one, other)
        inside: set[int] = set()
        for entry, child in ((one, other), (other, one)):
            at, came_from = entry, child
            while self.base[at] != top:
                beside = self.partner[at]
                inside |= {self.base[at], self.base[beside]}
                self.came[at] = came_from
                came_from, at = beside, self.came[beside]
        for entry in self.playing:
            if self.base[entry] in inside:
                self.base[entry] = top
                self._push(entry)

    def _common_base(self, one: int, other: int) -> int:
        seen = set()
        at = one
        while True:
            at = self.base[at]
            seen.add(at)
            if at == self.root:
                break
            at = self.came[self.partner[at]]
        at = other
        while self.base[at] not in seen:
            at = self.came[self.partner[self.base[at]]]
        return self.base[at]

    def _walk(self, end: int) -> list[int]:
        path, at = [], end
        while True:
            before = self.came[at]
            path += [at, before]
            if before == self.root:
                return path
            at = self.partner[before]


def _change(partner: dict[int, int], path: Sequence[int]) -> None:
    """Along the path who meets is exchanged; the two whose opponents were taken meet each other."""
    end, root = path[0], path[-1]
    rest = partner[root], partner[end]
    for one, other in zip(path[::2], path[1::2], strict=True):
        partner[one], partner[other] = other, one
    if rest[0] != end:
        partner[rest[0]], partner[rest[1]] = rest[1], rest[0]


def _seat(order: Sequence[int], places: Places, partner: Mapping[int, int], fixed: Collection[int]) -> Places:
    """The pairs on the places of round one; who is fixed, else the earlier drawn, stays where that is free."""
    place_of = {entry: place for place, entry in enumerate(places) if entry is not None}
    after = list(places)
    changed = {entry for entry, beside in partner.items() if place_of[beside] != neighbour(place_of[entry])}
    free = {place_of[entry] & ~1 for entry in changed}
    waiting: list[tuple[int, int]] = []

    def take(stays: int, other: int) -> None:
        free.discard(place_of[stays] & ~1)
        after[place_of[stays]], after[neighbour(place_of[stays])] = stays, other

    pairs = _pairs_of(order, changed, partner)
    for one, other in pairs:
        if one in fixed or other in fixed:
            take(*((one, other) if one in fixed else (other, one)))
    for one, other in pairs:
        if one in fixed or other in fixed:
            continue
        stays = next((entry for entry in (one, other) if place_of[entry] & ~1 in free), None)
        if stays is None:
            waiting.append((one, other))
        else:
            take(stays, other if stays == one else one)
    for top, (one, other) in zip(sorted(free), waiting, strict=True):
        after[top], after[top + 1] = one, other
    return tuple(after)


def _pairs_of(order: Iterable[int], changed: Collection[int], partner: Mapping[int, int]) -> list[tuple[int, int]]:
    """Each pair once, the earlier drawn first, in the order drawn."""
    found, seen = [], set()
    for entry in order:
        if entry in changed and entry not in seen:
            seen |= {entry, partner[entry]}
            found.append((entry, partner[entry]))
    return found
