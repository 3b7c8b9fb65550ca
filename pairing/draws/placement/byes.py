"""Byes promised to named entries: they change places with those whom the lot gave one."""

from bisect import bisect_right
from collections.abc import Sequence

from pairing.draws.placement.places import Move, MoveReason, Places, bye_entries


def assign_promised_byes(
    order: Sequence[int], places: Places, byes_to: Sequence[int]
) -> tuple[Places, tuple[Move, ...]]:
    """The places with the byes given to `byes_to`, first named first served, and what was moved for it.

    As many are served as there are byes; with more byes than names, the others keep theirs by lot. Each
    served entry without a bye, in the order of the names, changes places with the next later-drawn entry that
    has a bye and is not itself served; if there is none, with the first drawn of the earlier ones.

    >>> assign_promised_byes([4, 1, 3], (4, None, 1, 3), [3, 4])[0]
    (3, None, 1, 4)

    Raises:
        ValueError: a name that is not in the draw.
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
