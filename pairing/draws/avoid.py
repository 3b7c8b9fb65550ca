"""The avoid list: entries kept apart in round one without a second draw.

The drawn order never changes; some entries change places, and each such move is recorded. Two entries of one
person (a re-entry) are always kept apart as if they stood on the list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from pairing.draws.places import Move, MoveReason, Places, neighbour

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class AvoidList:
    """Whom to keep apart: the pairs on the director's list, and the pairs of entries that one person holds.

    Entries that are not in the draw may be named; they change nothing.

    Raises:
        ValueError: an entry to be kept apart from itself.
    """

    pairs: Collection[Pair] = ()
    same_person: Collection[Pair] = ()

    def __post_init__(self) -> None:
        if any(one == other for one, other in (*self.pairs, *self.same_person)):
            raise ValueError("an entry cannot be kept apart from itself")

    @classmethod
    def with_persons(cls, pairs: Collection[Pair], persons: Mapping[int, Iterable[Hashable]]) -> AvoidList:
        """The list, and the re-entries found by the persons of each entry (of a pair or team: its members).

        >>> AvoidList.with_persons([(1, 2)], {1: ["ann"], 3: ["bob", "ann"], 4: ["carl"]}).same_person
        ((1, 3),)
        """
        entries: dict[Hashable, list[int]] = defaultdict(list)
        for entry, held_by in sorted(persons.items()):
            for person in set(held_by):
                entries[person].append(entry)
        found = {pair for held in entries.values() for pair in combinations(held, 2)}
        return cls(pairs, tuple(sorted(found)))

    def as_json(self) -> dict[str, list[list[int]]]:
        """The list as the draw's record keeps it, without the persons.

        >>> AvoidList([(2, 1)], [(1, 3)]).as_json()
        {'pairs': [[1, 2]], 'same_person': [[1, 3]]}
        """
        return {"pairs": _as_json(self.pairs), "same_person": _as_json(self.same_person)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> AvoidList:
        pairs, same_person = (tuple((one, other) for one, other in record[name]) for name in ("pairs", "same_person"))
        return cls(pairs, same_person)

    def opponents(self) -> Mapping[int, Mapping[int, MoveReason]]:
        """For each entry whom it shall not meet, and why; the same person is the stronger reason."""
        found: dict[int, dict[int, MoveReason]] = defaultdict(dict)
        for pairs, reason in ((self.pairs, MoveReason.AVOID), (self.same_person, MoveReason.SAME_PERSON)):
            for one, other in pairs:
                found[one][other] = found[other][one] = reason
        return found


def _as_json(pairs: Collection[Pair]) -> list[list[int]]:
    return [list(pair) for pair in sorted({(min(pair), max(pair)) for pair in pairs})]


def keep_apart(order: Sequence[int], places: Places, avoid: AvoidList) -> tuple[Places, tuple[Move, ...]]:
    """The places with the avoid list honoured in round one, and what was moved for it or had to stay.

    For each pair of round one on the list, from top to bottom, the later-drawn entry changes places with the
    next later-drawn entry that plays in round one and breaks nothing, which is: neither of the two pairs that
    come of it is on the list. If there is none, the earlier-drawn ones are tried in turn, from the first
    drawn; if there is none again, the pair stays. No exchange makes a pair of the list, so none is looked at
    twice.

    >>> places, moves = keep_apart([1, 2, 3, 4], (1, 2, 3, 4), AvoidList(pairs=[(1, 2), (1, 3)]))
    >>> places
    (1, 4, 3, 2)
    >>> print(moves[0])
    Entry 2 changed places with entry 4, to be kept apart from entry 1 in round one.
    """
    opponents = avoid.opponents()
    drawn = {entry: index for index, entry in enumerate(order)}
    standing = list(places)
    place_of = {entry: place for place, entry in enumerate(places) if entry is not None}
    moves = []
    for top in range(0, len(places), 2):
        upper, lower = standing[top], standing[top + 1]
        if upper is None or lower is None or lower not in opponents.get(upper, ()):
            continue
        stays, entry = sorted((upper, lower), key=drawn.__getitem__)
        turn = drawn[entry]
        candidates = (*order[turn + 1 :], *order[:turn])
        beside = ((other, standing[neighbour(place_of[other])]) for other in candidates)
        other = _first_exchange(beside, entry=entry, stays=stays, opponents=opponents)
        if other is not None:
            standing[place_of[entry]], standing[place_of[other]] = other, entry
            place_of[entry], place_of[other] = place_of[other], place_of[entry]
        moves.append(Move(entry, other, opponents[entry][stays], stays))
    return tuple(standing), tuple(moves)


def _first_exchange(
    candidates: Iterable[tuple[int, int | None]],
    *,
    entry: int,
    stays: int,
    opponents: Mapping[int, Mapping[int, MoveReason]],
) -> int | None:
    """The first candidate, given with its own opponent, that `entry` can change places with."""
    for other, beside in candidates:
        if beside is None or other == stays:
            continue
        if other not in opponents[stays] and beside not in opponents[entry]:
            return other
    return None
