import math
from dataclasses import dataclass
from random import Random
from typing import Final

ENTRANTS: Final = 128
TABLES: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTerms:
    """What a day is like; nobody in the hall knows it. Times in minutes, shares from 0 to 1.

    `width` is the deviation of a game's length relative to it, `pace` that of a player's own speed, `skill` that of
    the strengths whose difference is the log-odds of winning. `leave` is the share that goes home after a game,
    `vanish` that of the sendings at which a side does not come to its table.
    """

    entrants: int = ENTRANTS
    tables: int = TABLES
    shape: str = "log-normal"
    median: float = 17.0
    width: float = 0.35
    pace: float = 0.08
    skill: float = 0.5
    late: float = 0.08
    latest: float = 60.0
    leave: float = 0.01
    vanish: float = 0.003


def draw_terms(seed: int, *, entrants: int = ENTRANTS, tables: int = TABLES) -> DayTerms:
    """The terms of the day, drawn anew for each seed."""
    dice = Random(f"day {seed}")
    return DayTerms(
        entrants=entrants,
        tables=tables,
        shape=dice.choice(("log-normal", "gamma", "Weibull")),
        median=dice.uniform(12, 20),
        width=dice.uniform(0.12, 0.35),
        pace=dice.uniform(0.0, 0.12),
        skill=dice.uniform(0.0, 1.0),
        late=dice.uniform(0.0, 0.15),
        latest=dice.uniform(10, 40),
        leave=dice.uniform(0.0, 0.04),
        vanish=dice.uniform(0.0, 0.01),
    )


class Chance:
    """Every throw of the day by what it is about, so that it is the same no matter in what order it is asked for."""

    def __init__(self, seed: int, terms: DayTerms) -> None:
        self.seed, self.terms = seed, terms
        dice = self._dice("entrants")
        numbers = range(1, terms.entrants + 1)
        self.skill = {number: dice.gauss(0, terms.skill) for number in numbers}
        self.pace = {number: math.exp(dice.gauss(0, terms.pace)) for number in numbers}
        self.arrives = {
            number: round(dice.uniform(3, max(3.0, terms.latest)), 1) if dice.random() < terms.late else 0.0
            for number in numbers
        }

    def minutes(self, one: int, other: int, game: int) -> float:
        """How long they play."""
        dice = self._dice("length", one, other, game)
        length = self.terms.median * _shape(self.terms, dice) * math.sqrt(self.pace[one] * self.pace[other])
        return max(3.0, length)

    def winner(self, one: int, other: int, game: int) -> int:
        odds = 1 / (1 + math.exp(self.skill[other] - self.skill[one]))
        return one if self._dice("winner", one, other, game).random() < odds else other

    def leaves(self, entry: int, games: int) -> bool:
        """Whether it goes home after so many games."""
        return self._dice("leaves", entry, games).random() < self.terms.leave

    def vanishes(self, entry: int, games: int) -> bool:
        """Whether it does not come to the table it is sent to."""
        return self._dice("vanishes", entry, games).random() < self.terms.vanish

    def _dice(self, *about: object) -> Random:
        return Random(f"{self.seed} {about}")


def _shape(terms: DayTerms, dice: Random) -> float:
    """A length of the median 1 and about the width of the day, by three families with very different long games."""
    width = terms.width
    if terms.shape == "log-normal":
        return math.exp(dice.gauss(0, width))
    if terms.shape == "gamma":
        shape = 1 / width**2
        return dice.gammavariate(shape, 1 / (shape - 1 / 3))
    shape = 1.15 / width
    return dice.weibullvariate(1 / math.log(2) ** (1 / shape), shape)
