"""The avoid list, and the way from the drawn order to the places of the bracket, with every move made.

The list keeps entries apart in round one or for longer, without a second draw.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import Any, Final

from pairing.draws.order import require_unique
from pairing.draws.places import (
    Move,
    MoveReason,
    Places,
    assign_promised_byes,
    drawn_places,
    first_round,
    seeded_places,
)
from pairing.draws.separation.exchanges import Opponents, Seats, following, remaining_conflicts, separate_pairs
from pairing.draws.separation.rearranging import (
    keep_apart_after_round_one,
    moves_between,
    pairs_meeting_too_early,
    rearrange_round_one,
)

Pair = tuple[int, int]
FOR_GOOD: Final = 99
"""A round that no bracket has, for pairs to be kept apart as long as possible."""


@dataclass(frozen=True, slots=True)
class AvoidList:
    """The entries to keep apart: the director's pairs, pairs of entries of one person, and groups such as clubs.

    All of them are kept apart in round one. `later` gives single pairs, `clubs_until` the clubs and `persons_until`
    the pairs of one person a later round. `mates` come from one group of games and are kept apart in round one.
    Entries that are not in the draw may be named and have no effect.

    Raises:
        ValueError: an entry is to be kept apart from itself.
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
        """Return the list, with re-entries found from the persons of each entry.

        A pair or team has its members as persons.

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
        """Return the list as the draw's record stores it, without the persons. Keys of empty groups are left out.

        >>> AvoidList([(2, 1)], [(1, 3)]).as_json()
        {'pairs': [[1, 2]], 'same_person': [[1, 3]]}
        """
        record: dict[str, Any] = {"pairs": _sort_pairs(self.pairs), "same_person": _sort_pairs(self.same_person)}
        later = sorted([min(pair), max(pair), until] for pair, until in self.later.items() if until > 1)
        more = {
            "groups": sorted(sorted(set(group)) for group in self.groups),
            "mates": sorted(sorted(set(group)) for group in self.mates),
            "later": later,
            "clubs_until": self.clubs_until if self.groups and self.clubs_until > 1 else 0,
            "persons_until": self.persons_until if self.same_person and self.persons_until > 1 else 0,
        }
        return record | {name: value for name, value in more.items() if value}

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
        """Map each entry to the entries it should not meet, with the reason.

        One person outranks the list, the list outranks clubs, and clubs outrank group mates.
        """
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
        """Map each entry to the entries it should not meet, with the last round of that.

        It is empty if only round one counts.
        """
        found = {entry: dict.fromkeys(others, 1) for entry, others in self.opponents().items()}
        clubs = (pair for group in self.groups for pair in combinations(group, 2))
        limits = [(pair, self.clubs_until) for pair in clubs]
        limits += [(pair, self.persons_until) for pair in self.same_person]
        for (one, other), last in (*limits, *self.later.items()):
            if other in found.get(one, {}):
                found[one][other] = found[other][one] = max(last, found[one][other])
        return found if any(last > 1 for others in found.values() for last in others.values()) else {}


EMPTY_AVOID_LIST = AvoidList()


def _sort_pairs(pairs: Collection[Pair]) -> list[list[int]]:
    return [list(pair) for pair in sorted({(min(pair), max(pair)) for pair in pairs})]


def keep_apart(
    order: Sequence[int], places: Places, avoid: AvoidList, *, fixed: Collection[int] = ()
) -> tuple[Places, tuple[Move, ...]]:
    """Return the places with the avoid list applied to round one, and the entries that moved or had to stay.

    The pairs of round one on the list are handled from top to bottom. The later-drawn entry changes places with the
    next later-drawn entry in round one, if neither of the two new pairs is on the list. If there is none,
    earlier-drawn entries are tried in turn, from the first drawn.

    If single exchanges are not enough, several together are tried (`rearrange_round_one`). They first leave the fewest
    pairs of one person. Then they leave as few listed pairs as that search reaches without making such a pair. That is
    the minimum if nobody has entered twice.

    Pairs that stay apart for longer than round one come last (`keep_apart_after_round_one`). `fixed` entries (seeds)
    never move.

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

    walk = separate_pairs(hall, hall.together(drawn.__getitem__), choose, opponents)
    moves = [move for move in walk if move.other is not None]
    walked = hall.on_places(places)
    together = _exchange_together(order, walked, opponents, fixed)
    until = avoid.until()
    after, later = keep_apart_after_round_one(order, together, until, opponents, fixed) if until else (together, ())
    stays = remaining_conflicts(Seats(first_round(after), opponents), opponents, drawn.__getitem__)
    too_early = tuple(
        Move(other, None, opponents[one][other], one, number)
        for one, other, number in (pairs_meeting_too_early(order, after, until) if until else ())
        if until[one][other] < FOR_GOOD
    )
    return after, (*moves, *moves_between(walked, together), *later, *stays, *too_early)


def _exchange_together(order: Sequence[int], places: Places, opponents: Opponents, fixed: Collection[int]) -> Places:
    """Leave as few pairs of one person as possible, then as few listed pairs as possible without making new ones."""

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


# --- The places of a draw --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _DrawnBracket:
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
        require_unique(self.entries)
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


def place_by_terms(order: Sequence[int], terms: DrawTerms, avoid: AvoidList = EMPTY_AVOID_LIST) -> _DrawnBracket:
    """Put the drawn order on the places by the terms.

    >>> place_by_terms([4, 1, 3], DrawTerms(DrawKind.SEEDED, (3,))).places
    (3, None, 1, 4)

    Raises:
        ValueError: there are fewer than two entries, one occurs twice, or a bye or seed is for an entry outside the
            draw.
    """
    if terms.kind is DrawKind.SEEDED:
        return _place_seeds(order, terms.entries, avoid=avoid)
    return place_order(order, byes_to=terms.entries, avoid=avoid)


def _place_seeds(order: Sequence[int], seeds: Sequence[int], *, avoid: AvoidList = EMPTY_AVOID_LIST) -> _DrawnBracket:
    """Rank the seeds in their order, then the others as drawn, and put each on the place of its rank.

    The avoid list moves only entries without a seed.

    >>> _place_seeds([4, 1, 5, 3, 2], [5, 2]).places
    (5, None, 3, 1, 4, None, None, 2)

    Raises:
        ValueError: there are fewer than two entries, one occurs twice, or a seed is not in the draw.
    """
    if not set(seeds) <= set(order):
        raise ValueError("a seed is given to an entry that is not in the draw")
    ranked = (*seeds, *(entry for entry in order if entry not in set(seeds)))
    places, moves = keep_apart(order, seeded_places(ranked), avoid, fixed=frozenset(seeds))
    return _DrawnBracket(tuple(order), places, moves)


def place_order(
    order: Sequence[int], *, byes_to: Sequence[int] = (), avoid: AvoidList = EMPTY_AVOID_LIST
) -> _DrawnBracket:
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
    return _DrawnBracket(tuple(order), places, bye_moves + avoid_moves)
