"""Pairing by matching: the exact least of all pairings, no matter what has been played.

Every two entries who may meet are an edge of a graph, in an odd field a bye is one more node, and the pairs are the
perfect matching of the least weight (Edmonds' blossoms, by rustworkx). A weight is one whole number: the cost in mixed
radix, each part beyond all that the parts below it can add up to, and last the lot of the pair. The lots make the least
matching the only one, so that how the library comes to it cannot show: where all lots have 48 bits, two matchings of
equal weight come up once in a billion fields of 500 (the isolation lemma).
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from pairing.draws.order.lots import pair_lot
from pairing.draws.pairs.record_field import CannotPair, Pair, RecordEntry, RecordField

LARGEST_WEIGHT: Final = 118
"""The bits of a weight: the library counts in 128, with twice the weight and a sign."""

LOT_BITS: Final = 48

Edge = tuple[int, int, int]


def pair_by_matching(field: RecordField, *, with_lots: bool = True) -> tuple[list[Pair], int | None]:
    """The pairs and the bye of the least cost; without lots it is quicker, and some of the best, not the one.

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
    """All who may meet, by their turn in the lots, and in an odd field all with the bye, each with its cost."""
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
    """A cost as one number: each part weighs more than all that the parts after it in `Cost.rank` can add up to."""

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
    """A cost with the lot of its pair below it."""

    def __init__(self, field: RecordField, bits: int, most_cost: int) -> None:
        self.seed = field.seed
        room = LARGEST_WEIGHT - most_cost.bit_length() - len(field.order).bit_length()
        self.bits = max(0, min(bits, room))
        self.radix = 1 << (self.bits + len(field.order).bit_length()) if self.bits else 1

    def below(self, cost: int, pair: Pair) -> int:
        return cost * self.radix + pair_lot(self.seed, pair, bits=self.bits) if self.bits else cost


def least_matching(nodes: int, edges: list[Edge]) -> list[Pair]:
    """The matching of as many pairs as can be, and of those the one of the least weight; pairs `(low, high)`."""
    # Loading the library takes a moment and some memory, and most fields never need it.
    import rustworkx

    most = max((weight for _, _, weight in edges), default=0)
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * nodes)
    graph.add_edges_from([(one, other, most - weight) for one, other, weight in edges])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda weight: weight)
    return [(min(pair), max(pair)) for pair in found]
