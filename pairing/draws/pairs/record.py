"""Pairing by record: everybody meets a new opponent with the same wins, or as near to that as possible.

The pairing minimizes these costs in order: rematches, earlier byes of the entry that has the bye, wins of that entry,
and the spread. The spread is the sum over the pairs of (difference in wins)². Two entries of one person never meet.
The director's constraints rank among these costs (`Cost.rank`).

The seed's lots decide among equal pairings. So the same input gives the same pairs in any order of entries, on any
machine.

    entries ──lists──► pairs at the lower bound     nearly always, in one pass: nothing can be better
            ──core──► pairs                         else the exact matching of the core of a large field, with a proof
            ──matching──► pairs                     else the exact matching over all pairs
"""

from collections.abc import Iterable

from pairing.draws.pairs.constraints import UNCONSTRAINED, Constraints
from pairing.draws.pairs.record_core import pair_by_core
from pairing.draws.pairs.record_field import Optimality, Pair, RecordEntry, RecordField, RecordPairing
from pairing.draws.pairs.record_lists import pair_by_lists


def pair_by_record(
    entries: Iterable[RecordEntry], *, seed: str, constraints: Constraints = UNCONSTRAINED
) -> RecordPairing:
    """Return the best pairs of the next round. With an odd number of entries, one entry has the bye.

    >>> winners = [RecordEntry(1, wins=1, met=frozenset({2})), RecordEntry(2, wins=1)]
    >>> losers = [RecordEntry(3, wins=0), RecordEntry(4, wins=0)]
    >>> paired = pair_by_record(winners + losers, seed="friday")
    >>> paired.cost.rematches, paired.cost.spread, paired.proof
    (0, 2, <Optimality.MATCHING: 'matching'>)

    Raises:
        CannotPair: so many entries share a person that an entry has nobody to meet.
        ValueError: an entry occurs twice.
    """
    field = RecordField(entries, seed, constraints)
    cost = field.least_cost()
    proof = Optimality.BOUND
    found = pair_by_lists(field)
    if found is None:
        found = pair_by_core(field)
        bound, cost = cost, field.cost_of(*found)
        proof = Optimality.BOUND if cost == bound else Optimality.MATCHING
    pairs, bye = found
    return RecordPairing(_in_order(pairs), bye, cost, proof)


def _in_order(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Return the pairs as `(low, high)`, sorted by the low numbers, each of which occurs once."""
    higher: dict[int, int] = {}
    for one, other in pairs:
        if one < other:
            higher[one] = other
        else:
            higher[other] = one
    return tuple([(low, higher[low]) for low in sorted(higher)])
