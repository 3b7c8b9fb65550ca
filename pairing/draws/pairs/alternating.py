"""Edmonds' blossoms: ways from some who are left over, in turn over a pair that may be made and one that is made.

Where such a way ends at somebody else left over, one pair more can be made along it; where none does, there are as
many pairs as can be, and whomever a way of even length leads to could be left over instead.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence


class Forest:
    """All ways from the roots. `outer` are those to whom one of even length leads; who is in `came` is between.

    `near` are those with whom an entry may be paired, as they are looked at; `beside` whom each is paired with, without
    those left over. `ends` is whether a way may end at somebody left over who is no root.
    """

    def __init__(
        self,
        entries: Sequence[int],
        roots: Iterable[int],
        near: Callable[[int], Iterable[int]],
        beside: Mapping[int, int],
        ends: Callable[[int], bool] = lambda other: True,
    ) -> None:
        self.entries, self.near, self.beside, self.ends = entries, near, beside, ends
        self.base = {entry: entry for entry in entries}
        self.came: dict[int, int] = {}
        self.waiting = list(roots)
        self.outer = set(self.waiting)

    def grow(self) -> list[int]:
        """The entries of a way that makes one pair more, its root last; empty where there is none.

        >>> Forest([1, 2, 3, 4], [1], {1: [2], 2: [1, 3], 3: [2, 4], 4: [3]}.__getitem__, {2: 3, 3: 2}).grow()
        [4, 3, 2, 1]
        """
        for entry in self.waiting:
            for other in self.near(entry):
                if self._look(entry, other):
                    return self._way_to(other)
        return []

    def _look(self, entry: int, other: int) -> bool:
        """Go on from `entry` to `other`; true where the way ends there."""
        if self.base[entry] == self.base[other]:
            return False
        if other in self.outer:
            self._shrink(entry, other)
        elif other not in self.came:
            is_end = other not in self.beside
            if not is_end:
                self._reach(self.beside[other])
            elif not self.ends(other):
                return False
            self.came[other] = entry
            return is_end
        return False

    def _reach(self, entry: int) -> None:
        if entry not in self.outer:
            self.outer.add(entry)
            self.waiting.append(entry)

    def _shrink(self, one: int, other: int) -> None:
        """A cycle of odd length: everybody in it can be left from either side."""
        top = self._common_base(one, other)
        inside: set[int] = set()
        for entry, child in ((one, other), (other, one)):
            at, came_from = entry, child
            while self.base[at] != top:
                beside = self.beside[at]
                inside |= {self.base[at], self.base[beside]}
                self.came[at] = came_from
                came_from, at = beside, self.came[beside]
        for entry in self.entries:
            if self.base[entry] in inside:
                self.base[entry] = top
                self._reach(entry)

    def _common_base(self, one: int, other: int) -> int:
        seen = {self.base[one]}
        while (at := self.base[one]) in self.beside:
            one = self.came[self.beside[at]]
            seen.add(self.base[one])
        while self.base[other] not in seen:
            other = self.came[self.beside[self.base[other]]]
        return self.base[other]

    def _way_to(self, end: int) -> list[int]:
        way = [end, self.came[end]]
        while way[-1] in self.beside:
            way.append(self.beside[way[-1]])
            way.append(self.came[way[-1]])
        return way
