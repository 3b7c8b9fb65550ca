"""The avoid list: entries kept apart in round one, or for longer, without a second draw.

The drawn order never changes; some entries change places, and each such move is recorded. Two entries of one
person (a re-entry) are always kept apart as if they stood on the list.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

from pairing.draws.placement.places import Move, MoveReason, Places, first_round
from pairing.draws.separation.avoid_chains import moves_between, rearrange_round_one
from pairing.draws.separation.avoid_later import keep_apart_later, pairs_meeting_too_early
from pairing.draws.separation.kit import Opponents, Seats, following, left_together, part_each

Pair = tuple[int, int]
FOR_GOOD: Final = 99
"""A round that no bracket has: as long as can be."""


@dataclass(frozen=True, slots=True)
class AvoidList:
    """Whom to keep apart: the director's pairs, the pairs of entries that one person holds, and groups: clubs.

    All of them in round one; `later` pairs, the clubs and those of one person until the round that is said. `mates`
    come from one group of games, and are apart in round one. Entries that are not in the draw may be named; they change
    nothing.

    Raises:
        ValueError: an entry to be kept apart from itself.
    """

    pairs: Collection[Pair] = ()
    same_person: Collection[Pair] = ()
    groups: Collection[Collection[int]] = ()
    mates: Collection[Collection[int]] = ()
    later: Mapping[Pair, int] = field(default_factory=dict)
    clubs_until: int = 1
    persons_until: int = 1

    def __post_init__(self) -> None:
        if any(one == other for one, other in (*self.pairs, *self.same_person)):
            raise ValueError("an entry cannot be kept apart from itself")

    @classmethod
    def with_persons(cls, pairs: Collection[Pair], persons: Mapping[int, Iterable[Hashable]]) -> "AvoidList":
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

    def as_json(self) -> dict[str, Any]:
        """The list as the draw's record keeps it, without the persons; without groups it has no such key.

        >>> AvoidList([(2, 1)], [(1, 3)]).as_json()
        {'pairs': [[1, 2]], 'same_person': [[1, 3]]}
        """
        told: dict[str, Any] = {"pairs": _as_json(self.pairs), "same_person": _as_json(self.same_person)}
        later = sorted([min(pair), max(pair), until] for pair, until in self.later.items() if until > 1)
        more = {
            "groups": sorted(sorted(set(group)) for group in self.groups),
            "mates": sorted(sorted(set(group)) for group in self.mates),
            "later": later,
            "clubs_until": self.clubs_until if self.groups and self.clubs_until > 1 else 0,
            "persons_until": self.persons_until if self.same_person and self.persons_until > 1 else 0,
        }
        return told | {name: said for name, said in more.items() if said}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "AvoidList":
        pairs, same_person = (
            tuple((one, other) for one, other in record.get(name, ())) for name in ("pairs", "same_person")
        )
        groups, mates = (tuple(tuple(group) for group in record.get(name, ())) for name in ("groups", "mates"))
        later = {(one, other): until for one, other, until in record.get("later", ())}
        clubs, persons = record.get("clubs_until", 1), record.get("persons_until", 1)
        return cls(pairs, same_person, groups, mates, later, clubs, persons)

    def opponents(self) -> Mapping[int, Mapping[int, MoveReason]]:
        """For each entry whom it shall not meet, and why: one person is stronger than the list, then clubs, groups."""
        found: dict[int, dict[int, MoveReason]] = defaultdict(dict)
        for groups, reason in ((self.mates, MoveReason.GROUP), (self.groups, MoveReason.CLUB)):
            for group in groups:
                for entry in group:
                    found[entry] |= dict.fromkeys((other for other in group if other != entry), reason)
        for pairs, reason in ((self.pairs, MoveReason.AVOID), (self.same_person, MoveReason.SAME_PERSON)):
            for one, other in pairs:
                found[one][other] = found[other][one] = reason
        return found

    def until(self) -> dict[int, dict[int, int]]:
        """For each entry whom it shall not meet, and until which round; empty where round one is all there is."""
        found = {entry: dict.fromkeys(others, 1) for entry, others in self.opponents().items()}
        clubs = (pair for group in self.groups for pair in combinations(group, 2))
        said = [(pair, self.clubs_until) for pair in clubs]
        said += [(pair, self.persons_until) for pair in self.same_person]
        for (one, other), last in (*said, *self.later.items()):
            if other in found.get(one, {}):
                found[one][other] = found[other][one] = max(last, found[one][other])
        return found if any(last > 1 for others in found.values() for last in others.values()) else {}


def _as_json(pairs: Collection[Pair]) -> list[list[int]]:
    return [list(pair) for pair in sorted({(min(pair), max(pair)) for pair in pairs})]


def keep_apart(
    order: Sequence[int], places: Places, avoid: AvoidList, *, fixed: Collection[int] = ()
) -> tuple[Places, tuple[Move, ...]]:
    """The places with the avoid list honoured in round one, and what was moved for it or had to stay.

    For each pair of round one on the list, from top to bottom, the later-drawn entry changes places with the
    next later-drawn entry that plays in round one and breaks nothing, which is: neither of the two pairs that
    come of it is on the list. If there is none, the earlier-drawn ones are tried in turn, from the first
    drawn. What one exchange each cannot do is done by several together (`rearrange_round_one`): first so that the
    fewest pairs of one person are left, then as few of all as that search reaches without making such a pair, which is
    the fewest where nobody has entered twice. Then the pairs that are to stay apart for longer than round one
    (`keep_apart_later`). Entries that are `fixed` (seeds) never move.

    >>> places, moves = keep_apart([1, 2, 3, 4], (1, 2, 3, 4), AvoidList(pairs=[(1, 2), (1, 3)]))
    >>> places
    (1, 4, 3, 2)
    >>> print(moves[0])
    Entry 2 changed places with entry 4, to be kept apart from entry 1 in round one.
    """
    opponents = avoid.opponents()
    if not opponents:
        return places, ()
    drawn = {entry: turn for turn, entry in enumerate(order)}
    hall = Seats(first_round(places), opponents)

    def choose(entry: int, stays: int) -> int | None:
        if entry in fixed or (drawn[entry] < drawn[stays] and stays not in fixed):
            return None
        return hall.first_fit(entry, (other for other in following(order, drawn[entry]) if other not in fixed))

    walk = part_each(hall, hall.together(drawn.__getitem__), choose, opponents)
    moves = [move for move in walk if move.other is not None]
    walked = hall.on_places(places)
    together = _exchange_together(order, walked, opponents, fixed)
    until = avoid.until()
    after, later = keep_apart_later(order, together, until, opponents, fixed) if until else (together, ())
    stays = left_together(Seats(first_round(after), opponents), opponents, drawn.__getitem__)
    too_early = tuple(
        Move(other, None, opponents[one][other], one, number)
        for one, other, number in (pairs_meeting_too_early(order, after, until) if until else ())
        if until[one][other] < FOR_GOOD
    )
    return after, (*moves, *moves_between(walked, together), *later, *stays, *too_early)


def _exchange_together(order: Sequence[int], places: Places, opponents: Opponents, fixed: Collection[int]) -> Places:
    """As few pairs of one person as can be; then as many pairs that are not on the list, of one person never more."""

    def is_one_person(one: int, other: int) -> bool:
        return opponents.get(one, {}).get(other) is MoveReason.SAME_PERSON

    met = [pair for pair in first_round(places) if pair[1] in opponents.get(pair[0], ())]
    if any(is_one_person(*pair) for pair in met):
        places = rearrange_round_one(order, places, lambda one, other: not is_one_person(one, other), fixed=fixed)
    if not met:
        return places
    return rearrange_round_one(
        order,
        places,
        lambda one, other: other not in opponents.get(one, ()),
        at_worst=lambda one, other: not is_one_person(one, other),
        fixed=fixed,
    )
