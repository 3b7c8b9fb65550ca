"""What pairing by record knows of the field, and what it holds to be better: its values, its costs, the lower bound."""

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
    """What pairing by record has to know of an entry: `met` may name entries that are gone.

    `persons` are those who play for it: two entries that share one never meet.
    """

    number: int
    wins: int
    losses: int = 0
    byes: int = 0
    met: frozenset[int] = frozenset()
    persons: frozenset[str] = frozenset()

    @property
    def bye_key(self) -> tuple[int, int]:
        """Who has the least of these has the bye first: earlier byes, then wins."""
        return self.byes, self.wins


class Optimality(StrEnum):
    """Why no other pairing is better: it reaches the lower bound, or the exact matching found it."""

    BOUND = "bound"
    MATCHING = "matching"


class ViolatedConstraints(NamedTuple):
    """How many pairs break the director's constraints."""

    never: int = 0
    not_yet: int = 0
    apart: int = 0


UNBROKEN: Final = ViolatedConstraints()


class Cost(NamedTuple):
    """What a pairing costs; `bye` is empty where nobody has one. What is least comes in the order of `rank`."""

    rematches: int
    bye: tuple[int, ...]
    spread: int
    broken: ViolatedConstraints = UNBROKEN

    @property
    def rank(self) -> tuple[int | tuple[int, ...], ...]:
        """Least first: “never”, rematches, “not yet”, the bye's earlier byes, groups, the bye's wins, the spread."""
        broken = self.broken
        return (broken.never, self.rematches, broken.not_yet, self.bye[:1], broken.apart, self.bye[1:], self.spread)


@dataclass(frozen=True, slots=True)
class RecordPairing:
    """Pairs `(low, high)`, sorted; who has the bye; what it costs, and why that is the least."""

    pairs: tuple[Pair, ...]
    bye: int | None
    cost: Cost
    proof: Optimality


class CannotPair(Exception):
    """Too many entries share a person: some of them have nobody left to meet."""


class RecordField:
    """The entries in the order of their lots, and what the director wants of their pairs.

    Raises:
        ValueError: an entry twice.
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
        """Who has the bye before everybody else, if nothing else counted; None in an even field."""
        return min(self.order, key=lambda entry: entry.bye_key) if self.is_odd else None

    @cached_property
    def groups(self) -> list[tuple[int, list[RecordEntry]]]:
        """The entries of each number of wins, most wins first, each group in the order of the lots."""
        found: dict[int, list[RecordEntry]] = defaultdict(list)
        of = self.of
        for number in self.turns:
            entry = of[number]
            found[entry.wins].append(entry)
        return [(wins, found[wins]) for wins in sorted(found, reverse=True)]

    def have_met(self, one: RecordEntry, other: RecordEntry) -> bool:
        return other.number in one.met or one.number in other.met

    def fits(self, one: RecordEntry, other: RecordEntry) -> bool:
        """Whether they may meet, have not, and nobody wants them apart."""
        if other.number in one.met or one.number in other.met:
            return False
        if one.persons and not one.persons.isdisjoint(other.persons):
            return False
        return not self.is_constrained or not any(self.broken_by(one, other))

    def broken_by(self, one: RecordEntry, other: RecordEntry) -> ViolatedConstraints:
        """What of the constraints this pair breaks, each 0 or 1; a “never” is no “not yet” besides."""
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
        """What no pairing is under: nobody meets again, the bye goes right, neighbours by wins meet."""
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
