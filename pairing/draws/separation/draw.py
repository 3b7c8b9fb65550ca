"""From the drawn order to the places of the bracket, with every move made on the way."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pairing.draws.order.entries import check_each_once
from pairing.draws.placement.byes import assign_promised_byes
from pairing.draws.placement.places import Move, Places
from pairing.draws.placement.seeding import drawn_places, seeded_places
from pairing.draws.separation.avoid import AvoidList, keep_apart

NOBODY_AVOIDED = AvoidList()


@dataclass(frozen=True, slots=True)
class DrawnBracket:
    """The drawn order as it is published, the places that it fills, and the moves in between, in order."""

    order: tuple[int, ...]
    places: Places
    moves: tuple[Move, ...]


class DrawKind(StrEnum):
    """The way to fill the places: by lot alone, by lot with byes for named entries, or by seeds."""

    BLIND = "blind"
    BYES = "byes"
    SEEDED = "seeded"


@dataclass(frozen=True, slots=True)
class DrawTerms:
    """The terms that the director sets before the cut. `entries` have the byes or seeds, in this order.

    In a seeded draw, entries that are not named rank behind the seeds in the order drawn.

    Raises:
        ValueError: an entry occurs twice, or a blind draw names entries.
    """

    kind: DrawKind = DrawKind.BLIND
    entries: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_each_once(self.entries)
        if self.entries and self.kind is DrawKind.BLIND:
            raise ValueError("nobody is named in a blind draw")

    def among(self, numbers: Collection[int]) -> "DrawTerms":
        """Return the terms without entries that are not in the draw. If no entry is left, the draw is blind.

        >>> DrawTerms(DrawKind.BYES, (4, 9)).among([1, 4]).entries
        (4,)
        """
        entries = tuple(entry for entry in self.entries if entry in numbers)
        return DrawTerms(self.kind, entries) if entries else BLIND

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "entries": list(self.entries)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "DrawTerms":
        """Read recorded terms. A record without terms is a blind draw.

        >>> DrawTerms.from_json({})
        DrawTerms(kind=<DrawKind.BLIND: 'blind'>, entries=())
        """
        return cls(DrawKind(record.get("kind", DrawKind.BLIND)), tuple(record.get("entries", ())))


BLIND = DrawTerms()


def place_by_terms(order: Sequence[int], terms: DrawTerms, avoid: AvoidList = NOBODY_AVOIDED) -> DrawnBracket:
    """Put the drawn order on the places by the terms.

    >>> place_by_terms([4, 1, 3], DrawTerms(DrawKind.SEEDED, (3,))).places
    (3, None, 1, 4)

    Raises:
        ValueError: there are fewer than two entries, one occurs twice, or a bye or seed is for an entry outside the
            draw.
    """
    if terms.kind is DrawKind.SEEDED:
        return place_seeds(order, terms.entries, avoid=avoid)
    return place_order(order, byes_to=terms.entries, avoid=avoid)


def place_seeds(order: Sequence[int], seeds: Sequence[int], *, avoid: AvoidList = NOBODY_AVOIDED) -> DrawnBracket:
    """Rank the seeds in their order, then the others as drawn, and put each on the place of its rank.

    The avoid list moves only entries without a seed.

    >>> place_seeds([4, 1, 5, 3, 2], [5, 2]).places
    (5, None, 3, 1, 4, None, None, 2)

    Raises:
        ValueError: there are fewer than two entries, one occurs twice, or a seed is not in the draw.
    """
    if not set(seeds) <= set(order):
        raise ValueError("a seed is given to an entry that is not in the draw")
    ranked = (*seeds, *(entry for entry in order if entry not in set(seeds)))
    places, moves = keep_apart(order, seeded_places(ranked), avoid, fixed=frozenset(seeds))
    return DrawnBracket(tuple(order), places, moves)


def place_order(
    order: Sequence[int], *, byes_to: Sequence[int] = (), avoid: AvoidList = NOBODY_AVOIDED
) -> DrawnBracket:
    """Put the order on the places from top to bottom, then give the promised byes, then apply the avoid list.

    >>> drawn = place_order([4, 1, 3], byes_to=[3])
    >>> drawn.places
    (3, None, 1, 4)
    >>> print(*drawn.moves)
    Entry 3 changed places with entry 4, to have the bye.

    Raises:
        ValueError: there are fewer than two entries, one occurs twice, or a bye is for an entry outside the draw.
    """
    by_lot = drawn_places(order)
    served, bye_moves = assign_promised_byes(order, by_lot, byes_to)
    places, avoid_moves = keep_apart(order, served, avoid)
    return DrawnBracket(tuple(order), places, bye_moves + avoid_moves)
