"""Pairing by record: everybody meets somebody new with the same wins, or as near to that as can be at all.

Least first, in this order: the pairs that have met; the bye's earlier byes, then the bye's wins; the spread, which is
the sum over the pairs of (difference in wins)². Never two entries of one person. What is equal after that is decided
by the seed's lots, so the same input gives the same pairs in any order of entries, on any machine.

    entries ──lists──► pairs at the lower bound     nearly always, in one pass: nothing can be better
            ──core──► pairs                         else the exact matching of the core of a large field, with a proof
            ──matching──► pairs                     else the exact matching over all pairs
"""

from __future__ import annotations

from collections.abc import Iterable

from pairing.draws.record_core import pair_by_core
from pairing.draws.record_field import Proof, RecordEntry, RecordField, RecordPairing
from pairing.draws.record_lists import pair_by_lists


def pair_by_record(entries: Iterable[RecordEntry], *, seed: str) -> RecordPairing:
    """The best pairs of the next round; with an odd number somebody has the bye.

    >>> winners = [RecordEntry(1, wins=1, met=frozenset({2})), RecordEntry(2, wins=1)]
    >>> losers = [RecordEntry(3, wins=0), RecordEntry(4, wins=0)]
    >>> paired = pair_by_record(winners + losers, seed="friday")
    >>> paired.cost, paired.proof
    (Cost(rematches=0, bye=(), spread=2), <Proof.MATCHING: 'matching'>)

    Raises:
        CannotPair: so many entries share a person that somebody has nobody to meet.
        ValueError: an entry twice.
    """
    field = RecordField(entries, seed)
    bound = field.least_cost()
    found = pair_by_lists(field)
    cost = None if found is None else field.cost_of(*found)
    if found is None or cost != bound:
        found = pair_by_core(field)
        cost = field.cost_of(*found)
    pairs, bye = found
    ordered = tuple(sorted((min(pair), max(pair)) for pair in pairs))
    return RecordPairing(ordered, bye, cost, Proof.BOUND if cost == bound else Proof.MATCHING)
