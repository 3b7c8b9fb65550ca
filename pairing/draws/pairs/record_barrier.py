"""Prove that rematches cannot be avoided, in a form that anybody can check: a barrier (Tutte and Berge).

Take some entries away and call them the `few`. Suppose the rest falls into groups of odd size whose members could
newly meet only each other and the few. Then each group needs one of the few. If there are more groups than few, the
remaining groups must have a rematch for every two of them. By Berge's theorem there is always such a barrier that
proves the least number of rematches.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from pairing.draws.pairs.alternating import Forest
from pairing.draws.pairs.record_field import RecordField
from pairing.draws.pairs.record_matching import least_matching
from tournament.said import listed, worded, worded_plural

LARGEST_SHOWN: Final = 200
"""The largest field for which a barrier is searched. Nobody checks a larger one by hand."""

BYE: Final = 0
"""The number of the bye among the few. Entry numbers begin at 1."""

Graph = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Barrier:
    """Groups of odd size whose members could newly meet only each other and the `few`, which can include `BYE`."""

    groups: tuple[tuple[int, ...], ...]
    few: tuple[int, ...]

    @property
    def left_over(self) -> int:
        """The number of groups that find no opponent."""
        return len(self.groups) - len(self.few)

    @property
    def entries(self) -> frozenset[int]:
        return frozenset(entry for group in self.groups for entry in group)

    def __str__(self) -> str:
        """Return the barrier as the end of a sentence.

        >>> print(Barrier(((4,), (7,), (9,)), (2,)))
        entries 4, 7 and 9 could newly meet only entry 2
        >>> print(Barrier(((1, 2, 3),), ()))
        entries 1, 2 and 3, an odd number, could newly meet only each other
        >>> print(Barrier(((1, 2, 3), (7,), (8,)), (5,)))
        of the groups (1, 2, 3), (7) and (8), each of an odd number, anybody could newly meet outside only entry 5
        """
        if all(len(group) == 1 for group in self.groups):
            entries = _listed(sorted(self.entries))
            if not self.few:
                return worded("%(entries)s could newly meet nobody", entries=entries)
            return worded("%(entries)s could newly meet only %(few)s", entries=entries, few=_listed(self.few))
        if not self.few:
            return worded("%(group)s, an odd number, could newly meet only each other", group=_listed(self.groups[0]))
        groups = listed([f"({', '.join(map(str, group))})" for group in self.groups])
        return worded(
            "of the groups %(groups)s, each of an odd number, anybody could newly meet outside only %(few)s",
            groups=groups,
            few=_listed(self.few),
        )


def find_barriers(field: RecordField) -> tuple[Barrier, ...]:
    """Return the separate barriers of the field. The result is empty if everybody can meet a new opponent.

    >>> from pairing.draws.pairs.record_field import RecordEntry
    >>> three = [RecordEntry(n, 0, met=frozenset({1, 2, 3}) - {n}) for n in (1, 2, 3)]
    >>> [str(barrier) for barrier in find_barriers(RecordField([*three, RecordEntry(4, 0)], "friday"))]
    ['entries 1, 2 and 3 could newly meet only entry 4']
    """
    count = len(field.order)
    if count < 2 or count > LARGEST_SHOWN:
        return ()
    graph = _new_meetings(field)
    outer = _left_over_in_some_matching(graph)
    groups = _components(graph, outer)
    around = [frozenset(other for node in group for other in graph[node] if other not in outer) for group in groups]
    numbers = [entry.number for entry in field.order] + [BYE]
    made = []
    linked = [[other for other, few in enumerate(around) if not few.isdisjoint(own)] for own in around]
    for part in _components(linked, set(range(len(groups)))):
        few = sorted(numbers[node] for node in frozenset[int]().union(*(around[index] for index in part)))
        named = sorted(tuple(sorted(numbers[node] for node in groups[index])) for index in part)
        made.append(Barrier(tuple(named), tuple(few)))
    return tuple(sorted((barrier for barrier in made if barrier.left_over > 0), key=lambda one: one.groups))


def _new_meetings(field: RecordField) -> list[list[int]]:
    """Return, for each entry by its turn, the entries it could meet without a rematch or a “never”.

    The bye is one more node.
    """
    order = field.order
    graph: list[list[int]] = [[] for _ in range(len(order) + field.is_odd)]
    for (one, entry), (other, opponent) in combinations(enumerate(order), 2):
        if field.have_met(entry, opponent) or not entry.persons.isdisjoint(opponent.persons):
            continue
        if not (field.is_constrained and field.broken_by(entry, opponent).never):
            graph[one].append(other)
            graph[other].append(one)
    if field.is_odd:
        for one in range(len(order)):
            graph[one].append(len(order))
            graph[len(order)].append(one)
    return graph


def _left_over_in_some_matching(graph: Graph) -> set[int]:
    """Return the nodes that at least one maximum matching leaves over."""
    nodes = range(len(graph))
    edges = [(one, other, 0) for one in nodes for other in graph[one] if one < other]
    beside = {one: other for pair in least_matching(len(graph), edges) for one, other in (pair, pair[::-1])}
    forest = Forest(nodes, [node for node in nodes if node not in beside], graph.__getitem__, beside)
    forest.grow()
    return forest.outer


def _components(graph: Graph, nodes: set[int]) -> list[list[int]]:
    left, found = set(nodes), []
    while left:
        group, coming = [], [left.pop()]
        while coming:
            group.append(coming.pop())
            near = [other for other in graph[group[-1]] if other in left]
            left.difference_update(near)
            coming += near
        found.append(group)
    return found


def _listed(entries: Sequence[int]) -> str:
    numbers = [str(entry) for entry in entries if entry != BYE]
    if not numbers:
        return worded("the bye")
    if BYE in entries:
        return worded_plural(
            "entry %(entries)s or the bye", "entries %(entries)s or the bye", len(numbers), entries=listed(numbers)
        )
    return worded_plural("entry %(entries)s", "entries %(entries)s", len(numbers), entries=listed(numbers))
