"""Fill a bracket in the drawn order while keeping certain entries apart, and record each move.

The entries on the avoid list are kept apart in round one, or for several rounds. To separate them, entries exchange
positions. The draw itself is not repeated.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import Any, Final

from pairing.draws.blossoms import AlternatingForest
from pairing.draws.order import require_unique_entries
from pairing.draws.places import (
    BracketPlaces,
    EntryMove,
    EntryMoveReason,
    compute_bracket_size,
    compute_first_opponent_place,
    compute_ranks_by_position,
    find_entries_with_bye,
    iter_first_round_pairs,
    place_seeds,
)
from pairing.draws.separation.exchanges import (
    AvoidedOpponents,
    PlacedEntries,
    SeatingArrangement,
    find_moves_between_arrangements,
    list_remaining_conflicts,
    rotate_order_from,
    separate_pairs,
)

Pair = tuple[int, int]
UNREACHABLE_ROUND_NUMBER: Final = 99
"""A round number that no bracket reaches, for pairs that are kept apart as long as possible."""


@dataclass(frozen=True, slots=True)
class AvoidList:
    """The entries to keep apart: the director's pairs, entries of the same person, and members of the same group.

    All of them are kept apart in round one if possible. Some are kept apart longer:

    - `pairs` are the director's pairs. `last_round_by_pair` maps some of them to the last round in which they are kept
      apart.
    - `same_person` are pairs of entries that share a person. They are kept apart through round `persons_until`.
    - `groups` are the members of each club. They are kept apart through round `clubs_until`.
    - `former_groups` are entries from the same group of an earlier stage. They are kept apart only in round one.

    Entries that are not in the draw are ignored.

    Raises:
        ValueError: an entry is to be kept apart from itself.
    """

    pairs: Collection[Pair] = ()
    same_person: Collection[Pair] = ()
    groups: Collection[Collection[int]] = ()
    former_groups: Collection[Collection[int]] = ()
    last_round_by_pair: Mapping[Pair, int] = field(default_factory=dict)
    clubs_until: int = 1
    persons_until: int = 1

    def __post_init__(self) -> None:
        if any(one == other for one, other in (*self.pairs, *self.same_person)):
            raise ValueError("an entry cannot be kept apart from itself")

    @classmethod
    def with_persons(cls, pairs: Collection[Pair], persons: Mapping[int, Iterable[Hashable]]) -> "AvoidList":
        """Return an avoid list that also keeps entries apart if they share a person.

        The persons of a pair or team are its members.

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
        """Return the list in the form in which the draw stores it, without personal data and without empty groups."""
        record: dict[str, Any] = {"pairs": _sort_pairs(self.pairs), "same_person": _sort_pairs(self.same_person)}
        later = sorted([min(pair), max(pair), until] for pair, until in self.last_round_by_pair.items() if until > 1)
        more = {
            "groups": sorted(sorted(set(group)) for group in self.groups),
            "mates": sorted(sorted(set(group)) for group in self.former_groups),
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

    def reasons_by_opponent(self) -> Mapping[int, Mapping[int, EntryMoveReason]]:
        """Maps each entry to the entries that it should not meet, with the reasons.

        If there are several reasons, the first of these counts: same person, director's list, club, and same group.
        """
        found: dict[int, dict[int, EntryMoveReason]] = defaultdict(dict)
        for groups, reason in ((self.former_groups, EntryMoveReason.GROUP), (self.groups, EntryMoveReason.CLUB)):
            for group in groups:
                for entry in group:
                    found[entry] |= dict.fromkeys((other for other in group if other != entry), reason)
        for pairs, reason in ((self.pairs, EntryMoveReason.AVOID), (self.same_person, EntryMoveReason.SAME_PERSON)):
            for one, other in pairs:
                found[one][other] = found[other][one] = reason
        return found

    def last_rounds_apart(self) -> dict[int, dict[int, int]]:
        """Maps each entry to the entries that it should not meet, with the last round in which this applies.

        The map is empty if only round one matters.
        """
        found = {entry: dict.fromkeys(others, 1) for entry, others in self.reasons_by_opponent().items()}
        clubs = (pair for group in self.groups for pair in combinations(group, 2))
        limits = [(pair, self.clubs_until) for pair in clubs]
        limits += [(pair, self.persons_until) for pair in self.same_person]
        for (one, other), last in (*limits, *self.last_round_by_pair.items()):
            if other in found.get(one, {}):
                found[one][other] = found[other][one] = max(last, found[one][other])
        return found if any(last > 1 for others in found.values() for last in others.values()) else {}


EMPTY_AVOID_LIST = AvoidList()


def _sort_pairs(pairs: Collection[Pair]) -> list[list[int]]:
    return [list(pair) for pair in sorted({(min(pair), max(pair)) for pair in pairs})]


# --- The places of a draw --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DrawnBracket:
    """The positions in a bracket, and the entries that moved or had to stay, in order.

    `is_minimal` is false if the search for the best exchange was stopped early, so another exchange might separate more
    entries.
    """

    places: BracketPlaces
    moves: tuple[EntryMove, ...] = ()
    is_minimal: bool = True


class DrawKind(StrEnum):
    """How to fill the bracket: by lot alone, by lot with byes for certain entries, or with seeds."""

    BLIND = "blind"
    BYES = "byes"
    SEEDED = "seeded"


@dataclass(frozen=True, slots=True)
class DrawTerms:
    """The director's choice of how to fill the bracket, made before the cut.

    `entries` get the byes or seeds, in this order.

    In a seeded draw, the other entries follow the seeds. They rank in the order in which they were drawn.

    Raises:
        ValueError: an entry occurs twice, or a blind draw names entries.
    """

    kind: DrawKind = DrawKind.BLIND
    entries: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        require_unique_entries(self.entries)
        if self.entries and self.kind is DrawKind.BLIND:
            raise ValueError("nobody is named in a blind draw")

    def restrict_to(self, numbers: Collection[int]) -> "DrawTerms":
        """Return terms that only mention the entries in the draw. If the terms mention no entry, the draw is blind."""
        entries = tuple(entry for entry in self.entries if entry in numbers)
        return DrawTerms(self.kind, entries) if entries else BLIND_DRAW_TERMS

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "entries": list(self.entries)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "DrawTerms":
        """Read the recorded terms. An empty record means a blind draw."""
        return cls(DrawKind(record.get("kind", DrawKind.BLIND)), tuple(record.get("entries", ())))


BLIND_DRAW_TERMS = DrawTerms()


def place_entries_by_terms(order: Sequence[int], terms: DrawTerms, avoid: AvoidList = EMPTY_AVOID_LIST) -> DrawnBracket:
    """Fill the bracket with the drawn order, according to the director's terms.

    >>> place_entries_by_terms([4, 1, 3], DrawTerms(DrawKind.SEEDED, (3,))).places
    (3, None, 1, 4)

    Raises:
        ValueError: there are fewer than two entries, one occurs twice, or a bye or seed is for an entry outside the
            draw.
    """
    if terms.kind is DrawKind.SEEDED:
        return _place_seeds(order, terms.entries, avoid=avoid)
    return place_drawn_order(order, byes_to=terms.entries, avoid=avoid)


def _place_seeds(order: Sequence[int], seeds: Sequence[int], *, avoid: AvoidList = EMPTY_AVOID_LIST) -> DrawnBracket:
    """Put the seeds, then the others in drawn order, at the positions of their ranks.

    Seeds stay in place when others are moved.
    """
    if not set(seeds) <= set(order):
        raise ValueError("a seed is given to an entry that is not in the draw")
    ranked = (*seeds, *(entry for entry in order if entry not in set(seeds)))
    places, moves = _keep_apart(order, place_seeds(ranked), avoid, fixed=frozenset(seeds))
    return DrawnBracket(places, moves)


def place_drawn_order(
    order: Sequence[int], *, byes_to: Sequence[int] = (), avoid: AvoidList = EMPTY_AVOID_LIST
) -> DrawnBracket:
    """Fill the bracket in drawn order from top to bottom, give the promised byes, and then apply the avoid list.

    >>> drawn = place_drawn_order([4, 1, 3], byes_to=[3])
    >>> drawn.places
    (3, None, 1, 4)
    >>> print(*drawn.moves)
    Entry 3 changed places with entry 4, to have the bye.

    Raises:
        ValueError: there are fewer than two entries, one occurs twice, or a bye is for an entry outside the draw.
    """
    by_lot = _place_in_drawn_order(order)
    served, bye_moves = _assign_promised_byes(order, by_lot, byes_to)
    places, avoid_moves = _keep_apart(order, served, avoid)
    return DrawnBracket(places, bye_moves + avoid_moves)


def _place_in_drawn_order(order: Sequence[int]) -> BracketPlaces:
    """Fill the bracket's positions in drawn order from top to bottom, skipping the ones that stay empty."""
    require_unique_entries(order)
    drawn = iter(order)
    return tuple(
        next(drawn) if rank <= len(order) else None
        for rank in compute_ranks_by_position(compute_bracket_size(len(order)))
    )


def _assign_promised_byes(
    order: Sequence[int], places: BracketPlaces, byes_to: Sequence[int]
) -> tuple[BracketPlaces, tuple[EntryMove, ...]]:
    """Give the byes to the entries in `byes_to`, in that order. Return the positions and the moves.

    If there are fewer byes than entries, the last entries get none. If there are more, the other byes stay where they
    were drawn.

    Each entry that still needs its bye changes places with an entry that drew a bye without being promised one. From
    several such entries, the first one drawn after it is chosen. If there is none, the first one drawn is chosen.
    """
    drawn = {entry: index for index, entry in enumerate(order)}
    if any(entry not in drawn for entry in byes_to):
        raise ValueError("a bye is promised to an entry that is not in the draw")
    by_lot = frozenset(find_entries_with_bye(places))
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
        moves.append(EntryMove(entry, other, EntryMoveReason.BYE))
    return tuple(standing), tuple(moves)


# --- The avoid list in round one -------------------------------------------------------------------------------------


def _keep_apart(
    order: Sequence[int], places: BracketPlaces, avoid: AvoidList, *, fixed: Collection[int] = ()
) -> tuple[BracketPlaces, tuple[EntryMove, ...]]:
    """Apply the avoid list to round one. Return the positions, and the entries that moved or had to stay.

    First-round pairs on the list are handled from top to bottom. The later-drawn entry of a pair changes places with
    the next entry drawn after it that plays in round one. Neither of the two new pairs may be on the list. If no such
    entry fits, the entries drawn before it are tried, starting with the first drawn.

    If single exchanges are not enough, several are tried together (`_rearrange_round_one`). That search first minimizes
    the number of pairs in which both entries belong to the same person. Then it minimizes the number of other listed
    pairs, without adding any same-person pairs. The result is guaranteed to be the minimum if nobody has entered twice.

    Pairs that are kept apart beyond round one come last (`_keep_apart_after_round_one`). `fixed` entries (seeds) never
    move.

    >>> places, moves = _keep_apart([1, 2, 3, 4], (1, 2, 3, 4), AvoidList(pairs=[(1, 2), (1, 3)]))
    >>> places
    (1, 4, 3, 2)
    >>> print(moves[0])
    Entry 2 changed places with entry 4, to be kept apart from entry 1 in round one.
    """
    opponents = avoid.reasons_by_opponent()
    if not opponents:
        return places, ()
    drawn = {entry: turn for turn, entry in enumerate(order)}
    hall = SeatingArrangement(iter_first_round_pairs(places), opponents)

    def choose(entry: int, stays: int) -> int | None:
        if entry in fixed or (drawn[entry] < drawn[stays] and stays not in fixed):
            return None
        return hall.find_first_fit(
            entry, (other for other in rotate_order_from(order, drawn[entry]) if other not in fixed)
        )

    walk = separate_pairs(hall, hall.iter_conflicts(drawn.__getitem__), choose, opponents)
    moves = [move for move in walk if move.other is not None]
    walked = hall.fill_places(places)
    together = _exchange_several_entries(order, walked, opponents, fixed)
    until = avoid.last_rounds_apart()
    after, later = _keep_apart_after_round_one(order, together, until, opponents, fixed) if until else (together, ())
    stays = list_remaining_conflicts(
        SeatingArrangement(iter_first_round_pairs(after), opponents), opponents, drawn.__getitem__
    )
    too_early = tuple(
        EntryMove(other, None, opponents[one][other], one, number)
        for one, other, number in (_list_pairs_meeting_too_early(order, after, until) if until else ())
        if until[one][other] < UNREACHABLE_ROUND_NUMBER
    )
    return after, (*moves, *find_moves_between_arrangements(walked, together), *later, *stays, *too_early)


def _exchange_several_entries(
    order: Sequence[int], places: BracketPlaces, opponents: AvoidedOpponents, fixed: Collection[int]
) -> BracketPlaces:
    """Exchange several entries at once, so that as few pairs on the avoid list as possible meet in round one.

    The first step minimizes the pairs in which both entries belong to the same person. The second step minimizes the
    other pairs on the list, without adding pairs of the first kind.
    """

    def is_one_person(one: int, other: int) -> bool:
        return opponents.get(one, {}).get(other) is EntryMoveReason.SAME_PERSON

    met = [pair for pair in iter_first_round_pairs(places) if pair[1] in opponents.get(pair[0], ())]
    if any(is_one_person(*pair) for pair in met):
        places = _rearrange_round_one(order, places, lambda one, other: not is_one_person(one, other), fixed=fixed)
    if not met:
        return places
    return _rearrange_round_one(
        order,
        places,
        lambda one, other: other not in opponents.get(one, ()),
        at_worst=lambda one, other: not is_one_person(one, other),
        fixed=fixed,
    )


# --- Several exchanges together --------------------------------------------------------------------------------------
# The allowed pairs of round one are a matching. An augmenting path (Edmonds) leaves it and returns to it in turn.
# A path from an entry in a bad pair to another such entry makes one more good pair. If there is no such path from any
# entry, no arrangement has more good pairs.


_CanMeet = Callable[[int, int], bool]


def _rearrange_round_one(
    order: Sequence[int],
    places: BracketPlaces,
    may_meet: _CanMeet,
    *,
    at_worst: _CanMeet = lambda one, other: True,
    fixed: Collection[int] = (),
) -> BracketPlaces:
    """Return the positions with as many allowed first-round pairs as possible, using chains of exchanges.

    `may_meet` returns whether a pair is allowed. If some entries cannot get an allowed opponent, they keep their
    current one, or they are paired with each other. `at_worst` returns whether such a new pair is acceptable. `fixed`
    entries stay at their positions.
    """
    partner: dict[int, int] = {}
    for one, other in iter_first_round_pairs(places):
        if one not in fixed or other not in fixed:
            partner[one], partner[other] = other, one

    def unless_fixed(meets: _CanMeet) -> _CanMeet:
        return lambda one, other: (one not in fixed or other not in fixed) and meets(one, other)

    edge, left = unless_fixed(may_meet), unless_fixed(at_worst)
    playing = [entry for entry in order if entry in partner]
    gone: set[int] = set()
    for root in [entry for entry in places if entry is not None and entry in partner]:
        if root not in gone and not edge(root, partner[root]):
            path, cannot_help = _find_path(root, [one for one in playing if one not in gone], partner, edge, left)
            gone |= cannot_help
            if path:
                _apply_path(partner, path)
    return _seat_pairs(order, places, partner, fixed)


def _find_path(
    root: int, playing: Sequence[int], partner: Mapping[int, int], edge: _CanMeet, left: _CanMeet
) -> tuple[list[int], set[int]]:
    """Look for a chain of exchanges that gives the entry `root` an allowed opponent.

    `partner` maps each entry in `playing` to its current opponent. `edge` returns whether two entries are allowed to
    meet. An exchange can leave two entries without opponents, and `left` returns whether these two may meet.

    If there is a chain, return its entries, ending with `root`, and an empty set. Otherwise, return an empty list and
    the entries that later searches can skip, because they can't be on any other chain. That set is empty if `left`
    rejected the two entries that a chain would have left over.
    """
    turn = {entry: turn for turn, entry in enumerate(playing)}
    beside = {entry: partner[entry] for entry in playing if edge(entry, partner[entry])}
    refused: list[int] = []

    def near(entry: int) -> Iterator[int]:
        return (other for other in rotate_order_from(playing, turn[entry]) if edge(entry, other))

    def ends(other: int) -> bool:
        may_end = other == partner[root] or left(partner[root], partner[other])
        if not may_end:
            refused.append(other)
        return may_end

    forest = AlternatingForest(playing, [root], near, beside, ends)
    path = forest.find_augmenting_path()
    return path, set() if path or refused else forest.even_entries | forest.came_from.keys()


def _apply_path(partner: dict[int, int], path: Sequence[int]) -> None:
    """Exchange the pairs along the path. The two entries that lost their opponents meet each other."""
    end, root = path[0], path[-1]
    rest = partner[root], partner[end]
    for one, other in zip(path[::2], path[1::2], strict=True):
        partner[one], partner[other] = other, one
    if rest[0] != end:
        partner[rest[0]], partner[rest[1]] = rest[1], rest[0]


def _seat_pairs(
    order: Sequence[int], places: BracketPlaces, partner: Mapping[int, int], fixed: Collection[int]
) -> BracketPlaces:
    """Put the pairs at first-round positions.

    A fixed entry stays where it is. Otherwise, the pair's earlier-drawn entry stays if its position is free.
    """
    place_of = {entry: place for place, entry in enumerate(places) if entry is not None}
    drawn = {entry: turn for turn, entry in enumerate(order)}
    after = list(places)
    changed = {
        entry for entry, beside in partner.items() if place_of[beside] != compute_first_opponent_place(place_of[entry])
    }
    free = {place_of[entry] & ~1 for entry in changed}
    waiting: list[tuple[int, int]] = []
    pairs = [(one, partner[one]) for one in order if one in changed and drawn[one] < drawn[partner[one]]]
    for pair in sorted(pairs, key=lambda pair: pair[0] not in fixed and pair[1] not in fixed):
        held = [entry for entry in pair if entry in fixed] or [one for one in pair if place_of[one] & ~1 in free]
        if held:
            free.discard(place_of[held[0]] & ~1)
            after[place_of[held[0]]], after[compute_first_opponent_place(place_of[held[0]])] = held[0], partner[held[0]]
        else:
            waiting.append(pair)
    for top, pair in zip(sorted(free), waiting, strict=True):
        after[top : top + 2] = pair
    return tuple(after)


# --- Later rounds ----------------------------------------------------------------------------------------------------


LastRoundsKeptApart = Mapping[int, Mapping[int, int]]
"""Maps each entry to the entries that it should not meet, with the last round in which this applies."""

_MAX_TRIES: Final = 50_000
"""The maximum number of exchanges to try. Only a club with hundreds of members in one bracket would need more."""


def _keep_apart_after_round_one(
    order: Sequence[int],
    places: BracketPlaces,
    until: LastRoundsKeptApart,
    opponents: AvoidedOpponents,
    fixed: Collection[int] = (),
) -> tuple[BracketPlaces, tuple[EntryMove, ...]]:
    """Return the positions after the exchanges, and the exchanges themselves. Earlier rounds are handled first.

    A pair is early if the two could meet in or before the last round in which they are kept apart. Each entry of an
    early pair, from the last drawn to the first, changes places with another entry if that leaves fewer early pairs.
    Either both entries or neither must have a bye. This repeats until no exchange helps. `fixed` entries stay.

    >>> clubs = {1: {2: 2}, 2: {1: 2}}
    >>> why = {1: {2: EntryMoveReason.CLUB}, 2: {1: EntryMoveReason.CLUB}}
    >>> places, moves = _keep_apart_after_round_one([1, 3, 2, 4, 5, 6, 7, 8], (1, 3, 2, 4, 5, 6, 7, 8), clubs, why)
    >>> places
    (1, 3, 5, 4, 2, 6, 7, 8)
    >>> print(*moves)
    Entry 2 changed places with entry 5, to be kept apart from entry 1 in round 2. Both belong to the same club.
    """
    search = _LaterRoundSeparator(order, places, until, opponents, frozenset(fixed))
    search.run()
    return tuple(search.places), tuple(search.moves)


def _list_pairs_meeting_too_early(
    order: Sequence[int], places: BracketPlaces, until: LastRoundsKeptApart
) -> list[tuple[int, int, int]]:
    """Return the pairs that could meet too early, earlier-drawn entry first, with the round."""
    search = _LaterRoundSeparator(order, places, until, {}, frozenset())
    drawn = search.drawn
    met = ((one, other) for one in order for other in sorted(search.until.get(one, ()), key=drawn.__getitem__))
    rounds = ((one, other, search.find_too_early_round(one, other)) for one, other in met if drawn[other] > drawn[one])
    return [found for found in rounds if 1 < found[2] < search.final]


class _LaterRoundSeparator(PlacedEntries):
    def __init__(
        self,
        order: Sequence[int],
        places: BracketPlaces,
        until: LastRoundsKeptApart,
        opponents: AvoidedOpponents,
        fixed: frozenset[int],
    ) -> None:
        super().__init__(places)
        self.order, self.opponents = order, opponents
        self.drawn = {entry: turn for turn, entry in enumerate(order)}
        here = self.drawn.keys()
        self.until = {
            one: {two: last for two, last in until[one].items() if two in here} for one in until.keys() & here
        }
        self.fixed, self.moves, self.tries = fixed, list[EntryMove](), _MAX_TRIES
        self.final = (len(places) - 1).bit_length()

    def run(self) -> None:
        movable = [entry for entry in reversed(self.order) if entry in self.until and entry not in self.fixed]
        while any(self._try_to_move(entry) for entry in movable):
            pass

    def _try_to_move(self, entry: int) -> bool:
        near = ((self.find_too_early_round(entry, other), self.drawn[other], other) for other in self.until[entry])
        early = [found for found in near if 1 < found[0] < self.final]
        if not early:
            return False
        number, _turn, stays = min(early)
        here = self.place_of[entry]
        for other in rotate_order_from(self.order, self.drawn[entry]):
            there = self.place_of[other]
            if other in self.fixed or (here ^ there).bit_length() <= number:
                continue
            has_bye, other_has_bye = (
                self.places[compute_first_opponent_place(place)] is None for place in (here, there)
            )
            if has_bye is not other_has_bye:
                continue
            self.tries -= 1
            if self.tries < 0:
                return False
            before = self._count_early_pairs(entry, other)
            self.exchange(entry, other)
            if self._count_early_pairs(entry, other) < before:
                self.moves.append(EntryMove(entry, other, self.opponents[entry][stays], stays, number))
                return True
            self.exchange(entry, other)
        return False

    def find_too_early_round(self, entry: int, other: int) -> int:
        """Return the round in which these two entries could meet too early, or 0 if they can't."""
        last = self.until.get(entry, {}).get(other, 0)
        number = (self.place_of[entry] ^ self.place_of[other]).bit_length() if last else 0
        return number if number <= last else 0

    def _count_early_pairs(self, one: int, two: int) -> list[int]:
        found = [0] * (self.final + 1)
        for entry in (one, two):
            for other in self.until.get(entry, ()):
                number = self.find_too_early_round(entry, other)
                if number:
                    found[number] += 1
                    found[0] += number == 1 and self.opponents[entry][other] is EntryMoveReason.SAME_PERSON
        return found
