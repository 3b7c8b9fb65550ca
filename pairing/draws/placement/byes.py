"""Byes promised to named entries. Each of them changes places with an entry that has a bye by lot."""

from bisect import bisect_right
from collections.abc import Sequence

from pairing.draws.placement.places import Move, MoveReason, Places, bye_entries


def assign_promised_byes(
    order: Sequence[int], places: Places, byes_to: Sequence[int]
) -> tuple[Places, tuple[Move, ...]]:
    """Return the places with the byes given to `byes_to`, first named first served, and the moves that this took.

    Only as many names are served as there are byes. If there are more byes than names, the other byes stay where the
    lot put them. In the order of the names, each served entry without a bye changes places with the next later-drawn
    entry that has one and is not served itself. If there is none, it changes with the first drawn of the earlier ones.

    >>> assign_promised_byes([4, 1, 3], (4, None, 1, 3), [3, 4])[0]
    (3, None, 1, 4)

    Raises:
        ValueError: a name is not in the draw.
    """
    drawn = {entry: index for index, entry in enumerate(order)}
    if any(entry not in drawn for entry in byes_to):
        raise ValueError("a bye is promised to an entry that is not in the draw")
    by_lot = frozenset(bye_entries(places))
    served = list(dict.fromkeys(byes_to))[: len(by_lot)]
    giving = sorted(drawn[entry] for entry in by_lot.difference(served))
    place_of = {entry: place for place, entry in enumerate(places) if entry is not None}
    standing = list(places)
    moves = []
    for entry in served:
        if entry in by_lot:
            continue
        later = bisect_right(giving, drawn[entry])
        other = order[giving.pop(later if later < len(giving) else 0)]
        standing[place_of[entry]], standing[place_of[other]] = other, entry
        moves.append(Move(entry, other, MoveReason.BYE))
    return tuple(standing), tuple(moves)
