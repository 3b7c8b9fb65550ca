"""The dice of one event: everything that is chosen at random in it comes from here, so that a seed repeats it."""

import random
from collections.abc import Sequence
from typing import TypeVar

from scoring.rules.hand.cards import DECK

T = TypeVar("T")


class Dice(random.Random):
    """`random.Random` with the throws that an event needs."""

    def chance(self, of: float) -> bool:
        """Whether something happens that happens so often, from 0 (never) to 1 (always)."""
        return self.random() < of

    def one_of(self, found: Sequence[T]) -> T | None:
        """One of them; None where there is none."""
        return self.choice(found) if found else None

    def some_of(self, found: Sequence[T], most: int) -> list[T]:
        """One to `most` of them, fewer where there are not so many; none of nothing."""
        return self.sample(found, self.randint(1, min(most, len(found)))) if found else []

    def mixed(self, found: Sequence[T]) -> list[T]:
        """All of them in another order."""
        return self.sample(found, len(found))

    def cut(self) -> str:
        """Three cards, as the room sees them at a draw."""
        return " ".join(str(card) for card in self.sample(sorted(DECK), 3))

    def points(self, most: int) -> int:
        """A count that is low more often than high."""
        return min(self.randint(0, most), self.randint(0, most))

    def secrets(self) -> "Dice":
        """Other dice, for the secrets of the draws: how often they are thrown changes nothing else."""
        return Dice(self.getrandbits(64))

    def token(self) -> str:
        """A key for an act that may be sent twice."""
        return f"{self.getrandbits(64):016x}"
