"""Edmonds' blossom algorithm: alternating paths from unmatched entries, over possible pairs and existing pairs in turn.

If such a path ends at another unmatched entry, it makes one more pair. If no path does, the matching has as many pairs
as possible. Any entry at the end of a path of even length could then be left over instead.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence


class Forest:
    """All alternating paths from the roots.

    `outer` holds the entries that a path of even length reaches. An entry in `came` lies inside a path.

    `near` returns the entries that an entry may be paired with. `beside` maps each entry to its current partner and
    leaves out unmatched entries. `ends` tells whether a path may end at an unmatched entry that is not a root.
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
        """Return the entries of a path that makes one more pair, its root last.

        Return an empty list if there is no such path.

        >>> Forest([1, 2, 3, 4], [1], {1: [2], 2: [1, 3], 3: [2, 4], 4: [3]}.__getitem__, {2: 3, 3: 2}).grow()
        [4, 3, 2, 1]
        """
        for entry in self.waiting:
            for other in self.near(entry):
                if self._look(entry, other):
                    return self._way_to(other)
        return []

    def _look(self, entry: int, other: int) -> bool:
        """Extend the path from `entry` to `other`. Return whether the path ends there."""
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
        """Merge a cycle of odd length into one base, since a path can leave every entry in it on either side."""
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
