"""The draw of partners: who asks for a partner is put together by lot, from one pool or from an A and a B pool.

The lots are those of the blind draw (`blind`): sealed before the cut, and checked in the same way by anybody.

    numbers ──draw_order──► order ──draw_partners──► pairs, and who is left over

From the first drawn to the last: an entrant without a partner takes the next one drawn who has none either (with two
pools: of the other pool). Only where that would leave more over than need be, or bring partners of before together
again although that can be avoided, they take the first one after that who avoids it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from pairing.draws.order.entries import check_each_once

Pair = tuple[int, int]
Pools = tuple[Collection[int], Collection[int]]


@dataclass(frozen=True, slots=True)
class NotTogether:
    """Two entries of one person, who never are partners; and partners of before, who are again only if they must.

    Entries that are not in the draw may be named; they change nothing.

    Raises:
        ValueError: an entry beside itself.
    """

    same_person: Collection[Pair] = ()
    before: Collection[Pair] = ()

    def __post_init__(self) -> None:
        if any(one == other for one, other in (*self.same_person, *self.before)):
            raise ValueError("an entry is no partner of itself")


ANYBODY: Final = NotTogether()


@dataclass(frozen=True, slots=True)
class DrawnPartners:
    """The pairs in the order in which the first of each was drawn, that one first.

    `left` are those left over, first drawn first; `again` the pairs that were partners before, because there was no
    way around it.
    """

    pairs: tuple[Pair, ...]
    left: tuple[int, ...] = ()
    again: tuple[Pair, ...] = ()


def draw_partners(order: Sequence[int], *, pools: Pools | None = None, apart: NotTogether = ANYBODY) -> DrawnPartners:
    """The partners that follow from a drawn order: as many pairs as can be, and of those as few as before.

    >>> draw_partners([4, 1, 3, 2, 5])
    DrawnPartners(pairs=((4, 1), (3, 2)), left=(5,), again=())
    >>> draw_partners([4, 1, 3, 2], pools=([1, 4], [2, 3])).pairs
    ((4, 3), (1, 2))
    >>> draw_partners([4, 1, 3, 2], apart=NotTogether(before=[(1, 4)])).pairs
    ((4, 3), (1, 2))

    Raises:
        ValueError: an entry twice in the order, or not in exactly one of the two pools.
    """
    check_each_once(order)
    if pools is not None and sorted([*pools[0], *pools[1]]) != sorted(order):
        raise ValueError("each entry is in one of the two pools, and nobody else is")
    field = _Field(pools, apart)
    waiting, pairs = list(order), []
    left: list[int] = []
    best = field.best(waiting)
    while waiting:
        first = waiting.pop(0)
        partner = field.partner_of(first, waiting, best)
        if partner is None:
            left.append(first)
            continue
        waiting.remove(partner)
        pairs.append((first, partner))
        best = best.less(field.is_again(first, partner))
    return DrawnPartners(tuple(pairs), tuple(left), tuple(pair for pair in pairs if field.is_again(*pair)))


@dataclass(frozen=True, slots=True)
class _Best:
    """What can be had of some who wait: so many pairs, so many of them partners of before."""

    pairs: int
    again: int

    def less(self, is_again: bool) -> "_Best":
        return _Best(self.pairs - 1, self.again - is_again)


class _Field:
    """Who may be put together with whom."""

    def __init__(self, pools: Pools | None, apart: NotTogether) -> None:
        self.in_a = frozenset(pools[0]) if pools is not None else None
        self.same_person = frozenset(map(frozenset, apart.same_person))
        self.before = frozenset(map(frozenset, apart.before))
        self.not_wanted: Mapping[int, set[int]] = defaultdict(set)
        for one, other in (*apart.same_person, *apart.before):
            if self._in_reach(one, other):
                self.not_wanted[one].add(other)
                self.not_wanted[other].add(one)

    def _in_reach(self, one: int, other: int) -> bool:
        """Whether the pools let the two be partners."""
        return self.in_a is None or (one in self.in_a) != (other in self.in_a)

    def may(self, one: int, other: int) -> bool:
        return self._in_reach(one, other) and frozenset((one, other)) not in self.same_person

    def is_again(self, one: int, other: int) -> bool:
        return frozenset((one, other)) in self.before

    def partner_of(self, first: int, waiting: Sequence[int], best: _Best) -> int | None:
        """The first of those who wait with whom the others can still be put together as well as can be."""
        for other in waiting:
            if not self.may(first, other):
                continue
            wanted = best.less(self.is_again(first, other))
            if self.best([number for number in waiting if number != other]) == wanted:
                return other
        return None

    def best(self, waiting: Sequence[int]) -> _Best:
        """The most pairs of those who wait, and of all ways to make so many the fewest of before."""
        most = len(waiting) // 2
        if self.in_a is not None:
            of_a = sum(number in self.in_a for number in waiting)
            most = min(of_a, len(waiting) - of_a)
        return _Best(most, 0) if self._leaves_room(waiting, most) else self._match(waiting)

    def _leaves_room(self, waiting: Sequence[int], most: int) -> bool:
        """Whether so few are kept from each other that everybody finds somebody new.

        In one pool by Dirac (each may have half of the others or more: there is a ring through all of them), with two
        by Hall (the larger pool is at least twice as large as the most that anybody is kept from).
        """
        here = set(waiting)
        kept = max((len(self.not_wanted[one] & here) for one in waiting if one in self.not_wanted), default=0)
        if self.in_a is not None:
            return len(waiting) - most >= 2 * kept
        return kept == 0 or 2 * (len(waiting) - 1 - kept) >= len(waiting) > 2

    def _match(self, waiting: Sequence[int]) -> _Best:
        """By matching: every pair weighs so much that one more is worth more than all that were not before."""
        # Loading the library takes a moment, and most draws never need it.
        import rustworkx

        graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
        graph.add_nodes_from([None] * len(waiting))
        weights = {
            (i, j): len(waiting) + (not self.is_again(one, other))
            for (i, one), (j, other) in combinations(enumerate(waiting), 2)
            if self.may(one, other)
        }
        graph.add_edges_from([(i, j, weight) for (i, j), weight in weights.items()])
        found = rustworkx.max_weight_matching(graph, weight_fn=lambda weight: weight)
        again = sum(weights[min(pair), max(pair)] == len(waiting) for pair in found)
        return _Best(len(found), again)
