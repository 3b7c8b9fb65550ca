"""Pair by matching: the exact minimum over all pairings, whatever has been played.

Every two entries that may meet are an edge of a graph. In an odd field the bye is one more node. The pairs are the
perfect matching of the least weight (Edmonds' blossom algorithm, by rustworkx).

A weight is one whole number: the cost in mixed radix. Each part outweighs everything that the parts below it can add
up to. The lowest part is the lot of the pair. The lots make the least matching unique, so the library's choices cannot
affect the result. With lots of 48 bits, two matchings of equal weight occur once in a billion fields of 500 entries
(the isolation lemma).
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from pairing.draws.order.lots import pair_lot
from pairing.draws.pairs.record_field import CannotPair, Pair, RecordEntry, RecordField

LARGEST_WEIGHT: Final = 118
"""The bits of a weight. The library calculates in 128 bits, with twice the weight and a sign."""

LOT_BITS: Final = 48

Edge = tuple[int, int, int]


def pair_by_matching(field: RecordField, *, with_lots: bool = True) -> tuple[list[Pair], int | None]:
    """Return the pairs and the bye of the least cost.

    Without lots the search is quicker, and returns any one of the best pairings.

    Raises:
        CannotPair: too many entries share a person.
    """
    count = len(field.order)
    if count < 2:
        return [], field.order[0].number if count else None
    found = least_matching(count + field.is_odd, list(_edges(field, LOT_BITS if with_lots else 0)))
    if 2 * len(found) < count:
        raise CannotPair
    order = field.order
    pairs = [(order[one].number, order[other].number) for one, other in found if other < count]
    bye = next((order[one].number for one, other in found if other == count), None)
    return pairs, bye


def _edges(field: RecordField, lot_bits: int) -> Iterator[Edge]:
    """Yield all pairs that may meet, by their turn in the lots, with their costs.

    In an odd field, add each entry with the bye.
    """
    order = field.order
    weights = _Weights(field)
    lots = _Lots(field, lot_bits, weights.most)
    for (one, entry), (other, opponent) in combinations(enumerate(order), 2):
        if entry.persons.isdisjoint(opponent.persons):
            yield one, other, lots.below(weights.of_pair(entry, opponent), (entry.number, opponent.number))
    if field.is_odd:
        for one, entry in enumerate(order):
            yield one, len(order), lots.below(weights.of_bye(entry), (0, entry.number))


class _Weights:
    """The cost as one number, in which each part of `Cost.rank` outweighs all the parts after it."""

    def __init__(self, field: RecordField) -> None:
        self.field = field
        half = len(field.order) // 2
        wins = [entry.wins for entry in field.order]
        wanted = field.constraints.among(field.of)
        self.wins = {won: place for place, won in enumerate(sorted(set(wins)))}
        self.byes = {byes: place for place, byes in enumerate(sorted({entry.byes for entry in field.order}))}
        self.per_wins = 1 + half * (max(wins) - min(wins)) ** 2
        self.per_apart = self.per_wins * (len(self.wins) if field.is_odd else 1)
        self.per_byes = self.per_apart * (1 + half * bool(wanted.groups))
        self.per_not_yet = self.per_byes * (len(self.byes) if field.is_odd else 1)
        self.per_rematch = self.per_not_yet * (1 + min(half, len(wanted.not_yet)))
        self.per_never = self.per_rematch * (1 + half)
        self.most = self.per_never * (1 + min(half, len(wanted.never)))

    def of_pair(self, one: RecordEntry, other: RecordEntry) -> int:
        cost = self.per_rematch * self.field.have_met(one, other) + (one.wins - other.wins) ** 2
        if self.field.is_constrained:
            broken = self.field.broken_by(one, other)
            cost += self.per_never * broken.never + self.per_not_yet * broken.not_yet + self.per_apart * broken.apart
        return cost

    def of_bye(self, entry: RecordEntry) -> int:
        return self.per_byes * self.byes[entry.byes] + self.per_wins * self.wins[entry.wins]


class _Lots:
    """Adds the lot of a pair to its cost, as the lowest part."""

    def __init__(self, field: RecordField, bits: int, most_cost: int) -> None:
        self.seed = field.seed
        room = LARGEST_WEIGHT - most_cost.bit_length() - len(field.order).bit_length()
        self.bits = max(0, min(bits, room))
        self.radix = 1 << (self.bits + len(field.order).bit_length()) if self.bits else 1

    def below(self, cost: int, pair: Pair) -> int:
        return cost * self.radix + pair_lot(self.seed, pair, bits=self.bits) if self.bits else cost


def least_matching(nodes: int, edges: list[Edge]) -> list[Pair]:
    """Return the maximum matching of the least weight, as pairs `(low, high)`."""
    # Loading the library takes a moment and some memory, and most fields never need it.
    import rustworkx

    most = max((weight for _, _, weight in edges), default=0)
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * nodes)
    graph.add_edges_from([(one, other, most - weight) for one, other, weight in edges])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda weight: weight)
    return [(min(pair), max(pair)) for pair in found]
