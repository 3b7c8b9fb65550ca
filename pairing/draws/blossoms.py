"""Edmonds' blossom algorithm, which finds the largest matching of a graph. Here, the nodes are entries.

An alternating path starts at an unmatched entry and alternates between possible pairs and existing pairs. A path that
ends at another unmatched entry allows one more pair. If there is no such path, no matching has more pairs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence


class AlternatingForest:
    """The paths of a search for one more pair.

    They start at unpaired entries (`roots`), and alternate between possible pairs and existing pairs.

    `even_entries` are the entries that are an even number of steps from a root. `came_from` has the entries that are an
    odd number of steps from a root, and maps each one to the previous entry on its path.

    `neighbors` returns the entries that an entry can be paired with. `partner_of` maps each matched entry to its
    partner. `can_end_at` returns whether a path may end at an unmatched entry that is not a root.
    """

    def __init__(
        self,
        entries: Sequence[int],
        roots: Iterable[int],
        neighbors: Callable[[int], Iterable[int]],
        partner_of: Mapping[int, int],
        can_end_at: Callable[[int], bool] = lambda other: True,
    ) -> None:
        self.entries, self.neighbors, self.partner_of, self.can_end_at = entries, neighbors, partner_of, can_end_at
        self.base = {entry: entry for entry in entries}
        self.came_from: dict[int, int] = {}
        self.waiting = list(roots)
        self.even_entries = set(self.waiting)

    def find_augmenting_path(self) -> list[int]:
        """Return the entries on a path that makes one more pair possible. The last entry is the root of the path.

        Return an empty list if there is no such path.

        >>> graph = {1: [2], 2: [1, 3], 3: [2, 4], 4: [3]}
        >>> AlternatingForest([1, 2, 3, 4], [1], graph.__getitem__, {2: 3, 3: 2}).find_augmenting_path()
        [4, 3, 2, 1]
        """
        for entry in self.waiting:
            for other in self.neighbors(entry):
                if self._extend_path(entry, other):
                    return self._trace_path(other)
        return []

    def _extend_path(self, entry: int, other: int) -> bool:
        """Extend the path from `entry` to `other`. Return True if the path ends at `other`."""
        if self.base[entry] == self.base[other]:
            return False
        if other in self.even_entries:
            self._merge_odd_cycle(entry, other)
        elif other not in self.came_from:
            is_end = other not in self.partner_of
            if not is_end:
                self._add_even_entry(self.partner_of[other])
            elif not self.can_end_at(other):
                return False
            self.came_from[other] = entry
            return is_end
        return False

    def _add_even_entry(self, entry: int) -> None:
        if entry not in self.even_entries:
            self.even_entries.add(entry)
            self.waiting.append(entry)

    def _merge_odd_cycle(self, one: int, other: int) -> None:
        """Merge an odd cycle into a single base. The possible pair of `one` and `other` closes the cycle.

        A path can go around the cycle in either direction. An even-length path therefore reaches every entry of the
        cycle.
        """
        top = self._find_common_base(one, other)
        inside: set[int] = set()
        for at, child in ((one, other), (other, one)):
            while self.base[at] != top:
                partner = self.partner_of[at]
                inside |= {self.base[at], self.base[partner]}
                self.came_from[at] = child
                child, at = partner, self.came_from[partner]
        for entry in self.entries:
            if self.base[entry] in inside:
                self.base[entry] = top
                self._add_even_entry(entry)

    def _find_common_base(self, one: int, other: int) -> int:
        seen = {self.base[one]}
        while (at := self.base[one]) in self.partner_of:
            one = self.came_from[self.partner_of[at]]
            seen.add(self.base[one])
        while self.base[other] not in seen:
            other = self.came_from[self.partner_of[self.base[other]]]
        return self.base[other]

    def _trace_path(self, end: int) -> list[int]:
        path = [end, self.came_from[end]]
        while path[-1] in self.partner_of:
            path.append(self.partner_of[path[-1]])
            path.append(self.came_from[path[-1]])
        return path
