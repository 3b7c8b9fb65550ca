"""The values of pairing by record: the entries, the costs of a pairing, and the lower bound of the cost."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

from pairing.draws.order.entries import check_each_once
from pairing.draws.order.lots import by_lot
from pairing.draws.pairs.constraints import UNCONSTRAINED, Constraints

Pair = tuple[int, int]


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


UNBROKEN: Final = ViolatedConstraints()


class Cost(NamedTuple):
    """The cost of a pairing. `bye` is empty if nobody has the bye. The lowest `rank` is best."""

    rematches: int
    bye: tuple[int, ...]
    spread: int
    broken: ViolatedConstraints = UNBROKEN

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
            check_each_once([entry.number for entry in listed])
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
        return not self.is_constrained or not any(self.broken_by(one, other))

    def broken_by(self, one: RecordEntry, other: RecordEntry) -> ViolatedConstraints:
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
        broken = [self.broken_by(one, other) for one, other in both] if self.is_constrained else []
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
