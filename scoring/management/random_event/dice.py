"""The dice of an event. All its random choices come from them, so that a seed repeats the event."""

import random
from collections.abc import Sequence
from typing import TypeVar

from scoring.rules.hand.cards import DECK

T = TypeVar("T")


class Dice(random.Random):
    """`random.Random` with the throws that an event needs."""

    def chance(self, of: float) -> bool:
        """Return True with this probability, from 0 to 1."""
        return self.random() < of

    def one_of(self, found: Sequence[T]) -> T | None:
        """Return a random item, or None if there is none."""
        return self.choice(found) if found else None

    def some_of(self, found: Sequence[T], most: int) -> list[T]:
        """Return between one and `most` different items, or as many as there are."""
        return self.sample(found, self.randint(1, min(most, len(found)))) if found else []

    def mixed(self, found: Sequence[T]) -> list[T]:
        """Return all items in a random order."""
        return self.sample(found, len(found))

    def cut(self) -> str:
        """Return three random cards, as cut at a draw."""
        return " ".join(str(card) for card in self.sample(sorted(DECK), 3))

    def points(self, most: int) -> int:
        """Return a count from 0 to `most` that is more often low than high."""
        return min(self.randint(0, most), self.randint(0, most))

    def secrets(self) -> "Dice":
        """Return separate dice for the secrets of draws. How often they are thrown does not affect anything else."""
        return Dice(self.getrandbits(64))

    def token(self) -> str:
        """Return a random idempotency key."""
        return f"{self.getrandbits(64):016x}"
