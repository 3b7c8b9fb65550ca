"""Pair entries by win-loss record: everybody gets a new opponent with the same number of wins, or as close as possible.

The best pairing minimizes these costs, in order: rematches, earlier byes of the entry that gets the bye, that entry's
wins, and the spread. The spread is the sum of the pairs' squared differences in wins. Two entries of the same person
never meet. The director's constraints rank among these costs (`PairingCost.sort_key`).

Ties are broken by lots from the seed. The same input gives the same pairs on any machine, and the order of the entries
does not matter.

There are three methods. The first one that gives a result counts:

    entries ──one pass──► pairs     nearly always: their cost is equal to a lower bound, so no pairing is better
            ──core──► pairs         if there are many entries: exact matching of a part of them, the core
            ──matching──► pairs     exact matching of all entries

The core contains all entries whose number of wins is rare, and some of the others. The result is used only if a lower
bound proves that no pairing is better.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from typing import Final, NamedTuple

from pairing.draws.order import compute_pair_lot, order_by_lot, require_unique_entries

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SeparatedGroup:
    """A club or couple whose entries are kept apart in `rounds`, or in every round if `rounds` is None."""

    name: str
    entries: frozenset[int]
    rounds: frozenset[int] | None = None


@dataclass(frozen=True)
class PairingConstraints:
    """The constraints for a round: pairs `(low, high)` to keep apart, and each entry's clubs or couples (`groups`).

    Entries that do not take part are ignored.
    """

    never: frozenset[Pair] = frozenset()
    not_yet: frozenset[Pair] = frozenset()
    groups: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.never or self.not_yet or self.groups)

    @cached_property
    def avoided_opponents(self) -> Mapping[int, frozenset[int]]:
        """Maps each entry to the entries that it should not meet, according to `never` and `not_yet`."""
        found: dict[int, set[int]] = defaultdict(set)
        for one, other in self.never | self.not_yet:
            found[one].add(other)
            found[other].add(one)
        return {entry: frozenset(others) for entry, others in found.items()}

    def find_shared_groups(self, one: int, other: int) -> frozenset[str]:
        """Return the clubs or couples that both entries belong to."""
        return self.groups.get(one, _NO_ENTRIES) & self.groups.get(other, _NO_ENTRIES)

    def restrict_to(self, entries: Collection[int]) -> "PairingConstraints":
        """Return a copy with only the constraints that affect these entries."""
        return PairingConstraints(
            frozenset(pair for pair in self.never if pair[0] in entries and pair[1] in entries),
            frozenset(pair for pair in self.not_yet if pair[0] in entries and pair[1] in entries),
            {entry: names for entry, names in self.groups.items() if entry in entries},
        )


_NO_ENTRIES: Final[frozenset[str]] = frozenset()
NO_PAIRING_CONSTRAINTS: Final = PairingConstraints()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingRules:
    """The director's rules for all rounds: pairs that never meet, pairs that may meet later, and groups to keep apart.

    Raises:
        ValueError: an entry is to be kept apart from itself.
    """

    never: Collection[Pair] = ()
    not_before: Mapping[Pair, int] = field(default_factory=dict)
    apart: Collection[SeparatedGroup] = ()

    def __post_init__(self) -> None:
        if any(one == other for one, other in (*self.never, *self.not_before)):
            raise ValueError("an entry cannot be kept apart from itself")

    def make_constraints(self, rounds: Mapping[int, int]) -> PairingConstraints:
        """Return the constraints that apply now, given the round that each entry is about to play (`rounds`).

        At the desk, an entry's round is its number of games plus one. Two entries that may not meet before round n can
        meet once both have reached round n. Members of a club or couple are kept apart while both are in a round that
        is set for their club or couple.

        >>> indio = SeparatedGroup("Indio", frozenset({1, 4}))
        >>> rules = PairingRules(never=[(4, 1)], not_before={(1, 2): 3}, apart=[indio])
        >>> now = rules.make_constraints({1: 3, 2: 2, 4: 3})
        >>> now.never, now.not_yet, now.find_shared_groups(1, 4)
        (frozenset({(1, 4)}), frozenset({(1, 2)}), frozenset({'Indio'}))
        """
        groups: dict[int, set[str]] = defaultdict(set)
        for group in self.apart:
            for entry in group.entries & rounds.keys():
                if group.rounds is None or rounds[entry] in group.rounds:
                    groups[entry].add(group.name)
        early = (
            pair
            for pair, first in self.not_before.items()
            if rounds.keys() >= set(pair) and min(rounds[entry] for entry in pair) < first
        )
        return PairingConstraints(
            _sort_each_pair(self.never),
            _sort_each_pair(early),
            {entry: frozenset(names) for entry, names in groups.items()},
        )


def _sort_each_pair(pairs: Iterable[Pair]) -> frozenset[Pair]:
    return frozenset((min(pair), max(pair)) for pair in pairs)


# --- Entries and costs -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EntryWithRecord:
    """An entry for pairing by record. `met` are its opponents so far, and may include entries that have left.

    `persons` are the people who play for the entry. Two entries that share a person never meet.
    """

    number: int
    wins: int
    losses: int = 0
    byes: int = 0
    met: frozenset[int] = frozenset()
    persons: frozenset[str] = frozenset()

    @property
    def bye_key(self) -> tuple[int, int]:
        """The key for choosing who gets the bye, lowest first: the number of earlier byes, then the number of wins.

        The entry with the lowest key is first in line for a bye.
        """
        return self.byes, self.wins


class OptimalityProof(StrEnum):
    """The proof that no other pairing is better: this one reaches the lower bound, or an exact matching found it."""

    BOUND = "bound"
    MATCHING = "matching"


class ViolatedConstraints(NamedTuple):
    """The number of pairs that violate each type of constraint."""

    never: int = 0
    not_yet: int = 0
    apart: int = 0


NO_VIOLATIONS: Final = ViolatedConstraints()


class PairingCost(NamedTuple):
    """The cost of a pairing. `bye` is empty if nobody has a bye. The pairing with the lowest `sort_key` is best."""

    rematches: int
    bye: tuple[int, ...]
    spread: int
    broken: ViolatedConstraints = NO_VIOLATIONS

    @property
    def sort_key(self) -> tuple[int | tuple[int, ...], ...]:
        """The costs as a tuple for comparing pairings, most important cost first.

        First come pairs that must never meet, rematches, and pairs that meet too early. Next come earlier byes of the
        entry with the bye, and then pairs from the same group. Last come the wins of the entry with the bye, and the
        spread.
        """
        broken = self.broken
        return (broken.never, self.rematches, broken.not_yet, self.bye[:1], broken.apart, self.bye[1:], self.spread)


@dataclass(frozen=True, slots=True)
class PairingByRecord:
    """The sorted pairs `(low, high)`, the entry with the bye, the cost, and the proof that there is no lower cost."""

    pairs: tuple[Pair, ...]
    bye: int | None
    cost: PairingCost
    proof: OptimalityProof


class NoPossiblePairing(Exception):
    """Raised if so many entries share a person that some of them have no possible opponent."""


class PairingCandidates:
    """The entries to be paired, in the order of their lots, with the director's constraints.

    Raises:
        ValueError: an entry occurs twice.
    """

    def __init__(
        self, entries: Iterable[EntryWithRecord], seed: str, constraints: PairingConstraints = NO_PAIRING_CONSTRAINTS
    ) -> None:
        listed = list(entries)
        self.by_number = {entry.number: entry for entry in listed}
        if len(self.by_number) < len(listed):
            require_unique_entries([entry.number for entry in listed])
        self.seed = seed
        self.constraints = constraints
        self.is_constrained = bool(constraints)
        self.turns = order_by_lot(self.by_number, seed=seed)

    @property
    def is_odd(self) -> bool:
        return len(self.turns) % 2 == 1

    @cached_property
    def order(self) -> list[EntryWithRecord]:
        return [self.by_number[number] for number in self.turns]

    @cached_property
    def first_for_bye(self) -> EntryWithRecord | None:
        """The entry that would get the bye if the pairs of the other entries did not matter.

        The value is None if the number of entries is even, because then nobody gets a bye.
        """
        return min(self.order, key=lambda entry: entry.bye_key) if self.is_odd else None

    @cached_property
    def groups_by_wins(self) -> list[tuple[int, list[EntryWithRecord]]]:
        """The entries grouped by their wins, most wins first. Each group is in the order of the lots."""
        found: dict[int, list[EntryWithRecord]] = defaultdict(list)
        of = self.by_number
        for number in self.turns:
            entry = of[number]
            found[entry.wins].append(entry)
        return [(wins, found[wins]) for wins in sorted(found, reverse=True)]

    def have_met(self, one: EntryWithRecord, other: EntryWithRecord) -> bool:
        return other.number in one.met or one.number in other.met

    def is_good_pair(self, one: EntryWithRecord, other: EntryWithRecord) -> bool:
        """Return whether two entries may meet, have not met before, and would violate no constraint."""
        if other.number in one.met or one.number in other.met:
            return False
        if one.persons and not one.persons.isdisjoint(other.persons):
            return False
        return not self.is_constrained or not any(self.find_violations(one, other))

    def find_violations(self, one: EntryWithRecord, other: EntryWithRecord) -> ViolatedConstraints:
        """Return the constraints that this pair violates, each as 0 or 1.

        A pair that must never meet is not also counted as meeting too early.
        """
        wanted = self.constraints
        never = not_yet = False
        if other.number in wanted.avoided_opponents.get(one.number, ()):
            never = (min(one.number, other.number), max(one.number, other.number)) in wanted.never
            not_yet = not never
        return ViolatedConstraints(
            int(never), int(not_yet), int(bool(wanted.find_shared_groups(one.number, other.number)))
        )

    def compute_cost(self, pairs: Iterable[Pair], bye: int | None) -> PairingCost:
        both = [(self.by_number[one], self.by_number[other]) for one, other in pairs]
        broken = [self.find_violations(one, other) for one, other in both] if self.is_constrained else []
        return PairingCost(
            rematches=sum(self.have_met(one, other) for one, other in both),
            bye=() if bye is None else self.by_number[bye].bye_key,
            spread=sum((one.wins - other.wins) ** 2 for one, other in both),
            broken=ViolatedConstraints(*(sum(counts) for counts in zip(*broken, strict=True))),
        )

    def compute_min_cost(self) -> PairingCost:
        """Return a lower bound for the cost.

        The bound assumes no rematches, the best bye, and pairs that are closest in wins.
        """
        bye = self.first_for_bye
        spread, above = 0, None
        for wins, group in self.groups_by_wins:
            left = len(group) - (bye is not None and bye.wins == wins)
            if left and above is not None:
                spread += (above - wins) ** 2
                left, above = left - 1, None
            if left % 2:
                above = wins
        return PairingCost(0, () if bye is None else bye.bye_key, spread)


# --- The pairing -----------------------------------------------------------------------------------------------------


def pair_by_record(
    entries: Iterable[EntryWithRecord], *, seed: str, constraints: PairingConstraints = NO_PAIRING_CONSTRAINTS
) -> PairingByRecord:
    """Return the best pairs for the next round. If the number of entries is odd, one of them gets the bye.

    >>> winners = [EntryWithRecord(1, wins=1, met=frozenset({2})), EntryWithRecord(2, wins=1)]
    >>> losers = [EntryWithRecord(3, wins=0), EntryWithRecord(4, wins=0)]
    >>> paired = pair_by_record(winners + losers, seed="friday")
    >>> paired.cost.rematches, paired.cost.spread, paired.proof
    (0, 2, <OptimalityProof.MATCHING: 'matching'>)

    Raises:
        NoPossiblePairing: so many entries share a person that one of them has no possible opponent.
        ValueError: an entry occurs twice.
    """
    field = PairingCandidates(entries, seed, constraints)
    cost = field.compute_min_cost()
    proof = OptimalityProof.BOUND
    found = _pair_in_one_pass(field)
    if found is None:
        found = _pair_by_core(field)
        bound, cost = cost, field.compute_cost(*found)
        proof = OptimalityProof.BOUND if cost == bound else OptimalityProof.MATCHING
    pairs, bye = found
    return PairingByRecord(_sort_pairs(pairs), bye, cost, proof)


def _sort_pairs(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    higher: dict[int, int] = {}
    for one, other in pairs:
        if one < other:
            higher[one] = other
        else:
            higher[other] = one
    return tuple([(low, higher[low]) for low in sorted(higher)])


# --- Lists -----------------------------------------------------------------------------------------------------------
# Lists pair the field in one pass from the most wins down. If the field leaves room, they reach the lower bound.


def _pair_in_one_pass(field: PairingCandidates) -> tuple[list[Pair], int | None] | None:
    """Pair the entries in a single pass, from most wins to fewest.

    Return the pairs and the bye, or None if this simple method does not reach the lower bound of the cost.
    """
    bye = field.first_for_bye
    pairs: list[Pair] = []
    floating: EntryWithRecord | None = None
    for wins, group in field.groups_by_wins:
        members = [entry for entry in group if entry is not bye] if bye is not None and bye.wins == wins else group[:]
        if floating is not None and members:
            partner = next((entry for entry in members if field.is_good_pair(floating, entry)), None)
            if partner is None:
                return None
            members.remove(partner)
            pairs.append((floating.number, partner.number))
            floating = None
        if len(members) % 2:
            floating = members.pop()
        paired = _pair_group(field, members)
        if paired is None:
            return None
        pairs += paired
    return pairs, None if bye is None else bye.number


def _pair_group(field: PairingCandidates, members: Sequence[EntryWithRecord]) -> list[Pair] | None:
    """Pair an even number of entries, each with the next possible opponent in the list. Return None if that fails."""
    fits = field.is_good_pair
    pairs: list[Pair] = []
    stuck: list[EntryWithRecord] = []
    rest = list(reversed(members))
    while rest:
        one = rest.pop()
        if rest and fits(one, rest[-1]):
            pairs.append((one.number, rest.pop().number))
            continue
        index = next((index for index in range(len(rest) - 2, -1, -1) if fits(one, rest[index])), None)
        if index is None:
            stuck.append(one)
        else:
            pairs.append((one.number, rest.pop(index).number))
    for one, other in zip(stuck[::2], stuck[1::2], strict=True):
        if not _break_up_pair_for(field, pairs, one, other):
            return None
    return pairs


def _break_up_pair_for(
    field: PairingCandidates, pairs: list[Pair], one: EntryWithRecord, other: EntryWithRecord
) -> bool:
    """Break up a pair so that the leftover entries `one` and `other` can each get one of its members.

    Return whether that worked. The leftover entries can't be paired with each other.
    """
    for index, pair in enumerate(pairs):
        first, second = field.by_number[pair[0]], field.by_number[pair[1]]
        for beside_one, beside_other in ((first, second), (second, first)):
            if field.is_good_pair(one, beside_one) and field.is_good_pair(other, beside_other):
                pairs[index] = (one.number, beside_one.number)
                pairs.append((other.number, beside_other.number))
                return True
    return False


# --- Matching --------------------------------------------------------------------------------------------------------
# The exact minimum over all pairings, whatever has been played, is a matching.

MAX_WEIGHT_BITS: Final = 118
"""The maximum number of bits in a weight. The matching library stores twice the weight, and a sign, in 128 bits."""

BITS_PER_LOT: Final = 48

_Edge = tuple[int, int, int]


def _pair_by_matching(field: PairingCandidates, *, unique: bool = True) -> tuple[list[Pair], int | None]:
    """Return the pairs and the bye with the lowest cost.

    If `unique` is false, lots do not break ties between equal costs.
    """
    count = len(field.order)
    if count < 2:
        return [], field.order[0].number if count else None
    found = find_min_weight_matching(count + field.is_odd, list(_iter_edges(field, BITS_PER_LOT if unique else 0)))
    if 2 * len(found) < count:
        raise NoPossiblePairing
    order = field.order
    pairs = [(order[one].number, order[other].number) for one, other in found if other < count]
    bye = next((order[one].number for one, other in found if other == count), None)
    return pairs, bye


def _iter_edges(field: PairingCandidates, lot_bits: int) -> Iterator[_Edge]:
    """Yield all pairs that may meet, as indexes in the order of the lots, with their costs.

    If the number of entries is odd, also yield the possible byes.
    """
    order = field.order
    weights = _Weights(field)
    lots = _Lots(field, lot_bits, weights.most)
    for (one, entry), (other, opponent) in combinations(enumerate(order), 2):
        if entry.persons.isdisjoint(opponent.persons):
            yield (
                one,
                other,
                lots.add_lot(weights.compute_pair_weight(entry, opponent), (entry.number, opponent.number)),
            )
    if field.is_odd:
        for one, entry in enumerate(order):
            yield one, len(order), lots.add_lot(weights.compute_bye_weight(entry), (0, entry.number))


class _Weights:
    """Converts each cost to a single number, in which each part of `PairingCost.sort_key` outweighs all later parts."""

    def __init__(self, field: PairingCandidates) -> None:
        self.field = field
        half = len(field.order) // 2
        wins = [entry.wins for entry in field.order]
        wanted = field.constraints.restrict_to(field.by_number)
        self.wins = {won: place for place, won in enumerate(sorted(set(wins)))}
        self.byes = {byes: place for place, byes in enumerate(sorted({entry.byes for entry in field.order}))}
        self.per_wins = 1 + half * (max(wins) - min(wins)) ** 2
        self.per_apart = self.per_wins * (len(self.wins) if field.is_odd else 1)
        self.per_byes = self.per_apart * (1 + half * bool(wanted.groups))
        self.per_not_yet = self.per_byes * (len(self.byes) if field.is_odd else 1)
        self.per_rematch = self.per_not_yet * (1 + min(half, len(wanted.not_yet)))
        self.per_never = self.per_rematch * (1 + half)
        self.most = self.per_never * (1 + min(half, len(wanted.never)))

    def compute_pair_weight(self, one: EntryWithRecord, other: EntryWithRecord) -> int:
        cost = self.per_rematch * self.field.have_met(one, other) + (one.wins - other.wins) ** 2
        if self.field.is_constrained:
            broken = self.field.find_violations(one, other)
            cost += self.per_never * broken.never + self.per_not_yet * broken.not_yet + self.per_apart * broken.apart
        return cost

    def compute_bye_weight(self, entry: EntryWithRecord) -> int:
        return self.per_byes * self.byes[entry.byes] + self.per_wins * self.wins[entry.wins]


class _Lots:
    def __init__(self, field: PairingCandidates, bits: int, most_cost: int) -> None:
        self.seed = field.seed
        room = MAX_WEIGHT_BITS - most_cost.bit_length() - len(field.order).bit_length()
        self.bits = max(0, min(bits, room))
        self.radix = 1 << (self.bits + len(field.order).bit_length()) if self.bits else 1

    def add_lot(self, cost: int, pair: Pair) -> int:
        return cost * self.radix + compute_pair_lot(self.seed, pair, bits=self.bits) if self.bits else cost


def find_min_weight_matching(nodes: int, edges: list[_Edge]) -> list[Pair]:
    """Return the maximum matching with the lowest weight as pairs `(low, high)`."""
    # Loading the library takes a moment and some memory, and most fields never need it.
    import rustworkx

    most = max((weight for _, _, weight in edges), default=0)
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * nodes)
    graph.add_edges_from([(one, other, most - weight) for one, other, weight in edges])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda weight: weight)
    return [(min(pair), max(pair)) for pair in found]


# --- The core of a large field ---------------------------------------------------------------------------------------
# Only the tight part of a large field is matched exactly, with a proof that this is enough.

MAX_ENTRIES_FOR_FULL_MATCHING: Final = 160
"""Up to this many entries, all of them are matched exactly. That takes no longer than matching only a core."""

TIGHT_GROUP_SIZE_LIMITS: Final = (8, 24, 72)
"""The maximum sizes of a small group, tried in order. A core contains all entries of the small groups.

A group has all entries with the same number of wins.
"""

_Group = list[EntryWithRecord]


def _pair_by_core(
    field: PairingCandidates, *, small: int = MAX_ENTRIES_FOR_FULL_MATCHING
) -> tuple[list[Pair], int | None]:
    """Return the pairs and the bye with the lowest cost.

    If there are more than `small` entries, first try to match only a core exactly. The core contains all entries of the
    small groups and some entries of each large group. A group has all entries with the same number of wins.
    """
    if len(field.order) > small:
        groups = [group for _wins, group in field.groups_by_wins]
        for tight_up_to in TIGHT_GROUP_SIZE_LIMITS:
            found = _pair_core(field, groups, tight_up_to)
            if found is not None:
                return found
    return _pair_by_matching(field)


def _pair_core(
    field: PairingCandidates, groups: Sequence[_Group], tight_up_to: int
) -> tuple[list[Pair], int | None] | None:
    """Pair many entries by matching only a part of them exactly, which is called the core.

    `groups` has the entries with equal numbers of wins. The core contains all entries of the groups that have at most
    `tight_up_to` members, and some entries of each larger group. The other entries are paired within their groups.

    Return the pairs and the bye, or None if there is no proof that no pairing is better.
    """
    tight = [entry for group in groups if len(group) <= tight_up_to for entry in group]
    large = [group for group in groups if len(group) > tight_up_to]
    split = [_choose_representatives(group, len(tight) + len(large) + 1) for group in large]
    core = PairingCandidates(tight + [entry for chosen, _ in split for entry in chosen], field.seed, field.constraints)
    if 3 * len(core.order) > 2 * len(field.order):
        return None
    known = field.constraints.restrict_to({entry.number for entry in tight})
    easier = PairingCandidates(_relax_core(tight, [chosen for chosen, _ in split]), field.seed, known)
    rest = [_pair_group(field, others) for _, others in split]
    try:
        pairs, bye = _pair_by_matching(core)
        bound = easier.compute_cost(*_pair_by_matching(easier, unique=False))
    except NoPossiblePairing:
        return None
    if core.compute_cost(pairs, bye) != bound or None in rest:
        return None
    return pairs + [pair for paired in rest if paired for pair in paired], bye


def _choose_representatives(group: _Group, needed: int) -> tuple[_Group, _Group]:
    chosen = needed + (len(group) - needed) % 2
    ordered = sorted(group, key=lambda entry: entry.byes)
    return ordered[:chosen], ordered[chosen:]


def _relax_core(tight: Sequence[EntryWithRecord], large: Sequence[_Group]) -> list[EntryWithRecord]:
    """Return copies of the core's entries that have fewer restrictions, for computing a lower bound of the cost.

    `tight` has the entries of small groups, and `large` has some entries of each large group. Entries of large groups
    are copied as if they had met nobody, shared no person with another entry, and had as few byes as anybody in their
    group.
    """
    among = frozenset(entry.number for entry in tight)
    nobody: frozenset[int] = frozenset()
    free = [
        replace(entry, byes=chosen[0].byes, met=nobody, persons=frozenset()) for chosen in large for entry in chosen
    ]
    return [replace(entry, met=entry.met & among) for entry in tight] + free
