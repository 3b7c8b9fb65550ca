"""The field of a pairing by record: the entries, the director's constraints, and the cost of a pairing.

Some pairs never meet, some do not meet before a certain round, and clubs or couples are kept apart in chosen rounds.

    PairingRules ──holding──► Constraints, which pairing by record weighs together with what was played

Constraints are met wherever that is possible. Otherwise as few as possible are broken.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

from pairing.draws.order import by_lot, require_unique

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class KeptApart:
    """A club or couple whose entries do not meet in these rounds. If `rounds` is None, that means all rounds."""

    name: str
    entries: frozenset[int]
    rounds: frozenset[int] | None = None


@dataclass(frozen=True)
class Constraints:
    """The constraints of one round: the pairs `(low, high)` of both lists, and the groups of each entry.

    Entries that are not in the field may be named and have no effect.
    """

    never: frozenset[Pair] = frozenset()
    not_yet: frozenset[Pair] = frozenset()
    groups: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.never or self.not_yet or self.groups)

    @cached_property
    def listed(self) -> Mapping[int, frozenset[int]]:
        """Map each entry to the entries that it should not meet, from either list."""
        found: dict[int, set[int]] = defaultdict(set)
        for one, other in self.never | self.not_yet:
            found[one].add(other)
            found[other].add(one)
        return {entry: frozenset(others) for entry, others in found.items()}

    def shared(self, one: int, other: int) -> frozenset[str]:
        """Return the groups in which both are to be kept apart."""
        return self.groups.get(one, _NONE) & self.groups.get(other, _NONE)

    def among(self, entries: Collection[int]) -> "Constraints":
        """Return only the constraints that concern these entries."""
        return Constraints(
            frozenset(pair for pair in self.never if pair[0] in entries and pair[1] in entries),
            frozenset(pair for pair in self.not_yet if pair[0] in entries and pair[1] in entries),
            {entry: names for entry, names in self.groups.items() if entry in entries},
        )


_NONE: Final[frozenset[str]] = frozenset()
UNCONSTRAINED: Final = Constraints()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingRules:
    """The director's list: pairs that never meet, pairs with the first round in which they may meet, and groups.

    Raises:
        ValueError: an entry is to be kept apart from itself.
    """

    never: Collection[Pair] = ()
    not_before: Mapping[Pair, int] = field(default_factory=dict)
    apart: Collection[KeptApart] = ()

    def __post_init__(self) -> None:
        if any(one == other for one, other in (*self.never, *self.not_before)):
            raise ValueError("an entry cannot be kept apart from itself")

    def holding(self, rounds: Mapping[int, int]) -> Constraints:
        """Return the constraints for entries that are about to play these rounds.

        At the desk each entry has its own round: its number of games, plus one. Two entries that may not meet before
        round n can meet once both play it. A group is kept apart among its members that play one of its rounds.

        >>> rules = PairingRules(never=[(4, 1)], not_before={(1, 2): 3}, apart=[KeptApart("Indio", frozenset({1, 4}))])
        >>> now = rules.holding({1: 3, 2: 2, 4: 3})
        >>> now.never, now.not_yet, now.shared(1, 4)
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
        return Constraints(
            _low_first(self.never), _low_first(early), {entry: frozenset(names) for entry, names in groups.items()}
        )


def _low_first(pairs: Iterable[Pair]) -> frozenset[Pair]:
    return frozenset((min(pair), max(pair)) for pair in pairs)


# --- Entries and costs -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordEntry:
    """An entry as pairing by record sees it. `met` may name entries that have left.

    `persons` holds the people who play for the entry. Two entries that share a person never meet.
    """

    number: int
    wins: int
    losses: int = 0
    byes: int = 0
    met: frozenset[int] = frozenset()
    persons: frozenset[str] = frozenset()

    @property
    def bye_key(self) -> tuple[int, int]:
        """The earlier byes, then the wins. The entry with the lowest key has the bye first."""
        return self.byes, self.wins


class Optimality(StrEnum):
    """The reason why no other pairing is better: it reaches the lower bound, or an exact matching found it."""

    BOUND = "bound"
    MATCHING = "matching"


class ViolatedConstraints(NamedTuple):
    """The number of pairs that break each of the director's constraints."""

    never: int = 0
    not_yet: int = 0
    apart: int = 0


NO_VIOLATIONS: Final = ViolatedConstraints()


class Cost(NamedTuple):
    """The cost of a pairing. `bye` is empty if nobody has the bye. The lowest `rank` is best."""

    rematches: int
    bye: tuple[int, ...]
    spread: int
    broken: ViolatedConstraints = NO_VIOLATIONS

    @property
    def rank(self) -> tuple[int | tuple[int, ...], ...]:
        """The costs in order of weight, heaviest first.

        They are: never, rematches, not yet, earlier byes of the entry with the bye, groups, its wins, and the spread.
        """
        broken = self.broken
        return (broken.never, self.rematches, broken.not_yet, self.bye[:1], broken.apart, self.bye[1:], self.spread)


@dataclass(frozen=True, slots=True)
class RecordPairing:
    """The sorted pairs `(low, high)`, the entry with the bye, the cost, and the proof that no cost is lower."""

    pairs: tuple[Pair, ...]
    bye: int | None
    cost: Cost
    proof: Optimality


class CannotPair(Exception):
    """So many entries share a person that some of them have nobody left to meet."""


class RecordField:
    """The entries in the order of their lots, with the director's constraints.

    Raises:
        ValueError: an entry occurs twice.
    """

    def __init__(self, entries: Iterable[RecordEntry], seed: str, constraints: Constraints = UNCONSTRAINED) -> None:
        listed = list(entries)
        self.of = {entry.number: entry for entry in listed}
        if len(self.of) < len(listed):
            require_unique([entry.number for entry in listed])
        self.seed = seed
        self.constraints = constraints
        self.is_constrained = bool(constraints)
        self.turns = by_lot(self.of, seed=seed)

    @property
    def is_odd(self) -> bool:
        return len(self.turns) % 2 == 1

    @cached_property
    def order(self) -> list[RecordEntry]:
        return [self.of[number] for number in self.turns]

    @cached_property
    def first_for_bye(self) -> RecordEntry | None:
        """The entry that has the bye first if no other cost counted. It is None in a field of even size."""
        return min(self.order, key=lambda entry: entry.bye_key) if self.is_odd else None

    @cached_property
    def groups(self) -> list[tuple[int, list[RecordEntry]]]:
        """The entries by their wins, most wins first. Each group is in the order of the lots."""
        found: dict[int, list[RecordEntry]] = defaultdict(list)
        of = self.of
        for number in self.turns:
            entry = of[number]
            found[entry.wins].append(entry)
        return [(wins, found[wins]) for wins in sorted(found, reverse=True)]

    def have_met(self, one: RecordEntry, other: RecordEntry) -> bool:
        return other.number in one.met or one.number in other.met

    def fits(self, one: RecordEntry, other: RecordEntry) -> bool:
        """Return whether the two may meet, have not met, and break no constraint."""
        if other.number in one.met or one.number in other.met:
            return False
        if one.persons and not one.persons.isdisjoint(other.persons):
            return False
        return not self.is_constrained or not any(self.violations_of(one, other))

    def violations_of(self, one: RecordEntry, other: RecordEntry) -> ViolatedConstraints:
        """Return the constraints that this pair breaks, each as 0 or 1.

        A broken “never” is not also counted as a “not yet”.
        """
        wanted = self.constraints
        never = not_yet = False
        if other.number in wanted.listed.get(one.number, ()):
            never = (min(one.number, other.number), max(one.number, other.number)) in wanted.never
            not_yet = not never
        return ViolatedConstraints(int(never), int(not_yet), int(bool(wanted.shared(one.number, other.number))))

    def cost_of(self, pairs: Iterable[Pair], bye: int | None) -> Cost:
        both = [(self.of[one], self.of[other]) for one, other in pairs]
        broken = [self.violations_of(one, other) for one, other in both] if self.is_constrained else []
        return Cost(
            rematches=sum(self.have_met(one, other) for one, other in both),
            bye=() if bye is None else self.of[bye].bye_key,
            spread=sum((one.wins - other.wins) ** 2 for one, other in both),
            broken=ViolatedConstraints(*(sum(counts) for counts in zip(*broken, strict=True))),
        )

    def least_cost(self) -> Cost:
        """Return a lower bound for the cost: no rematches, the right bye, and neighbors by wins meet."""
        bye = self.first_for_bye
        spread, above = 0, None
        for wins, group in self.groups:
            left = len(group) - (bye is not None and bye.wins == wins)
            if left and above is not None:
                spread += (above - wins) ** 2
                left, above = left - 1, None
            if left % 2:
                above = wins
        return Cost(0, () if bye is None else bye.bye_key, spread)
