"""What pairing by record knows of the field, and what it holds to be better: its values, its costs, the lower bound."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pairing.draws.entries import check_each_once
from pairing.draws.lots import by_lot

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


class Proof(StrEnum):
    """Why no other pairing is better: it reaches the lower bound, or the exact matching found it."""

    BOUND = "bound"
    MATCHING = "matching"


class Cost(NamedTuple):
    """What is least, in this order; `bye` is empty where nobody has one."""

    rematches: int
    bye: tuple[int, ...]
    spread: int


@dataclass(frozen=True, slots=True)
class RecordPairing:
    """Pairs `(low, high)`, sorted; who has the bye; what it costs, and why that is the least."""

    pairs: tuple[Pair, ...]
    bye: int | None
    cost: Cost
    proof: Proof


class CannotPair(Exception):
    """Too many entries share a person: some of them have nobody left to meet."""


class RecordField:
    """The entries in the order of their lots.

    Raises:
        ValueError: an entry twice.
    """

    def __init__(self, entries: Iterable[RecordEntry], seed: str) -> None:
        listed = list(entries)
        check_each_once([entry.number for entry in listed])
        self.of = {entry.number: entry for entry in listed}
        self.seed = seed
        self.order = [self.of[number] for number in by_lot(self.of, seed=seed)]

    @property
    def is_odd(self) -> bool:
        return len(self.order) % 2 == 1

    def have_met(self, one: RecordEntry, other: RecordEntry) -> bool:
        return other.number in one.met or one.number in other.met

    def fits(self, one: RecordEntry, other: RecordEntry) -> bool:
        """Whether they may meet and have not."""
        if other.number in one.met or one.number in other.met:
            return False
        return one.persons.isdisjoint(other.persons)

    def cost_of(self, pairs: Iterable[Pair], bye: int | None) -> Cost:
        both = [(self.of[one], self.of[other]) for one, other in pairs]
        return Cost(
            rematches=sum(self.have_met(one, other) for one, other in both),
            bye=() if bye is None else self.of[bye].bye_key,
            spread=sum((one.wins - other.wins) ** 2 for one, other in both),
        )

    def least_cost(self) -> Cost:
        """What no pairing is under: nobody meets again, the bye goes right, neighbours by wins meet."""
        wins = sorted(entry.wins for entry in self.order)
        bye: tuple[int, ...] = ()
        if self.is_odd:
            bye = min(entry.bye_key for entry in self.order)
            wins.remove(bye[1])
        spread = sum((upper - lower) ** 2 for lower, upper in zip(wins[::2], wins[1::2], strict=True))
        return Cost(0, bye, spread)
