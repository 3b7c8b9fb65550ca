"""Why rematches cannot be avoided, in a form that anybody can check: a barrier (Tutte and Berge).

Take some entries away, the `few`. If what is left falls into groups of odd number whose members could newly meet only
each other and the few, then each group needs one of the few, and where the groups are more, the rest of them must meet
again: two of those make one rematch. By the theorem of Berge there is always such a barrier that proves the least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from pairing.draws.pairs.record_field import RecordField

LARGEST_SHOWN: Final = 200
"""Beyond so many entries nobody checks a barrier by hand, and none is looked for."""

BYE: Final = 0
"""The bye among the few; entry numbers begin at 1."""

Graph = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Barrier:
    """Groups of odd number whose members could newly meet only each other and the `few` (`BYE`: the bye among them)."""

    groups: tuple[tuple[int, ...], ...]
    few: tuple[int, ...]

    @property
    def left_over(self) -> int:
        """How many groups find nobody."""
        return len(self.groups) - len(self.few)

    @property
    def entries(self) -> frozenset[int]:
        return frozenset(entry for group in self.groups for entry in group)

    def __str__(self) -> str:
        """
        >>> print(Barrier(((4,), (7,), (9,)), (2,)))
        entries 4, 7 and 9 could newly meet only entry 2
        >>> print(Barrier(((1, 2, 3),), ()))
        entries 1, 2 and 3, an odd number, could newly meet only each other
        >>> print(Barrier(((1, 2, 3), (7,), (8,)), (5,)))
        of the groups (1, 2, 3), (7) and (8), each of an odd number, anybody could newly meet outside only entry 5
        """
        if all(len(group) == 1 for group in self.groups):
            only = f"only {_listed(self.few)}" if self.few else "nobody"
            return f"{_listed(sorted(self.entries))} could newly meet {only}"
        if not self.few:
            return f"{_listed(self.groups[0])}, an odd number, could newly meet only each other"
        groups = _joined([f"({', '.join(map(str, group))})" for group in self.groups])
        return (
            f"of the groups {groups}, each of an odd number, anybody could newly meet outside only {_listed(self.few)}"
        )


def find_barriers(field: RecordField) -> tuple[Barrier, ...]:
    """The barriers of the field, each apart from the others; none where everybody can meet somebody new.

    >>> from pairing.draws.pairs.record_field import RecordEntry
    >>> three = [RecordEntry(n, 0, met=frozenset({1, 2, 3}) - {n}) for n in (1, 2, 3)]
    >>> [str(barrier) for barrier in find_barriers(RecordField([*three, RecordEntry(4, 0)], "friday"))]
    ['entries 1, 2 and 3 could newly meet only entry 4']
    """
    count = len(field.order)
    if count < 2 or count > LARGEST_SHOWN:
        return ()
    graph = _new_meetings(field)
    outer = _Forest(graph, _largest_matching(graph)).outer
    groups = _components(graph, outer)
    beside = [frozenset(other for node in group for other in graph[node] if other not in outer) for group in groups]
    numbers = [entry.number for entry in field.order] + [BYE]
    made = []
    for part in _linked(beside):
        few = sorted(numbers[node] for node in frozenset[int]().union(*(beside[index] for index in part)))
        named = sorted(tuple(sorted(numbers[node] for node in groups[index])) for index in part)
        made.append(Barrier(tuple(named), tuple(few)))
    return tuple(sorted((barrier for barrier in made if barrier.left_over > 0), key=lambda one: one.groups))


def _new_meetings(field: RecordField) -> list[list[int]]:
    """Of each entry, by its turn, whom it could meet without a rematch or a “never”; the bye is one more node."""
    order = field.order
    graph: list[list[int]] = [[] for _ in range(len(order) + field.is_odd)]
    for (one, entry), (other, opponent) in combinations(enumerate(order), 2):
        if field.have_met(entry, opponent) or not entry.persons.isdisjoint(opponent.persons):
            continue
        if not field.broken_by(entry, opponent).never:
            graph[one].append(other)
            graph[other].append(one)
    if field.is_odd:
        for one in range(len(order)):
            graph[one].append(len(order))
            graph[len(order)].append(one)
    return graph


def _largest_matching(graph: Graph) -> list[int]:
    """Of each node the one beside it, or −1."""
    import rustworkx

    found: rustworkx.PyGraph[None, None] = rustworkx.PyGraph(multigraph=False)
    found.add_nodes_from([None] * len(graph))
    found.add_edges_from([(one, other, None) for one, others in enumerate(graph) for other in others if one < other])
    beside = [-1] * len(graph)
    for one, other in rustworkx.max_weight_matching(found, max_cardinality=True):
        beside[one], beside[other] = other, one
    return beside


class _Forest:
    """Edmonds' forest from all whom a largest matching leaves over; `outer` are those whom any of them does."""

    def __init__(self, graph: Graph, beside: Sequence[int]) -> None:
        self.beside = beside
        self.base = list(range(len(graph)))
        self.before: dict[int, int] = {}
        self.outer = {node for node, other in enumerate(beside) if other < 0}
        self.waiting = sorted(self.outer)
        while self.waiting:
            node = self.waiting.pop()
            for other in graph[node]:
                if other in self.outer:
                    self._close(node, other)
                elif other not in self.before:
                    self.before[other] = node
                    self._reach(beside[other])

    def _reach(self, node: int) -> None:
        if node not in self.outer:
            self.outer.add(node)
            self.waiting.append(node)

    def _close(self, one: int, other: int) -> None:
        """Two outer nodes of one tree side by side: all on the odd way between them can be left over, too."""
        if self.base[one] == self.base[other]:
            return
        stem = self._stem(one, other)
        inside: set[int] = set()
        for start in (one, other):
            node = self.base[start]
            while node != stem:
                partner = self.beside[node]
                inside |= {node, self.base[partner]}
                self._reach(partner)
                node = self.base[self.before[partner]]
        self.base = [stem if base in inside else base for base in self.base]

    def _stem(self, one: int, other: int) -> int:
        """Where the ways of the two to their root meet; in a largest matching they are of one tree."""
        seen: set[int] = set()
        node = self.base[one]
        while True:
            seen.add(node)
            if self.beside[node] < 0:
                break
            node = self.base[self.before[self.beside[node]]]
        node = self.base[other]
        while node not in seen:
            node = self.base[self.before[self.beside[node]]]
        return node


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


def _linked(beside: Sequence[frozenset[int]]) -> list[list[int]]:
    """The groups, by index, in parts that share one of the few."""
    parts: list[tuple[set[int], list[int]]] = []
    for index, few in enumerate(beside):
        touching = [part for part in parts if part[0] & few]
        parts = [part for part in parts if not part[0] & few]
        shared = set(few).union(*(part[0] for part in touching))
        parts.append((shared, [*(one for part in touching for one in part[1]), index]))
    return [members for _few, members in parts]


def _listed(entries: Sequence[int]) -> str:
    numbers = [str(entry) for entry in entries if entry != BYE]
    said = [f"{'entry' if len(numbers) == 1 else 'entries'} {_joined(numbers)}"] if numbers else []
    return " or ".join([*said, *["the bye"] * (BYE in entries)])


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
