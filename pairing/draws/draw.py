"""From the drawn order to the places of the bracket, with every move that was made on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pairing.draws.avoid import AvoidList, keep_apart
from pairing.draws.byes import serve_byes
from pairing.draws.places import Move, Places
from pairing.draws.seeding import drawn_places

NOBODY_AVOIDED = AvoidList()


@dataclass(frozen=True, slots=True)
class DrawnBracket:
    """The drawn order as it is published, the places that it fills, and the moves in between, in order."""

    order: tuple[int, ...]
    places: Places
    moves: tuple[Move, ...]


def place_order(
    order: Sequence[int], *, byes_to: Sequence[int] = (), avoid: AvoidList = NOBODY_AVOIDED
) -> DrawnBracket:
    """The order on the places from top to bottom, then the promised byes, then the avoid list.

    >>> drawn = place_order([4, 1, 3], byes_to=[3])
    >>> drawn.places
    (3, None, 1, 4)
    >>> print(*drawn.moves)
    Entry 3 changed places with entry 4, to have the bye.

    Raises:
        ValueError: fewer than two entries, one twice, or a bye for an entry that is not in the draw.
    """
    by_lot = drawn_places(order)
    served, bye_moves = serve_byes(order, by_lot, byes_to)
    places, avoid_moves = keep_apart(order, served, avoid)
    return DrawnBracket(tuple(order), places, bye_moves + avoid_moves)
