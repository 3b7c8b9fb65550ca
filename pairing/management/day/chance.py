import math
from dataclasses import dataclass
from random import Random
from typing import Final

ENTRANTS: Final = 128
TABLES: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTerms:
    """The parameters of a simulated day. Nobody in the simulated hall knows them.

    Times are in minutes, shares from 0 to 1. `width` is the relative deviation of a game's length. `pace` is the
    deviation of a player's own speed. `skill` is the deviation of the players' strengths; the difference of two
    strengths is the log-odds of winning. `leave` is the share of entrants who go home after a game. `vanish` is the
    share of pairings in which one side does not come to its table.
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
    """Return random terms for the day of this seed."""
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
    """The random events of a day.

    Each one is drawn from a seed of its own, so that it does not depend on the order of the calls.
    """

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
        dice = self._dice("length", one, other, game)
        length = self.terms.median * _shape(self.terms, dice) * math.sqrt(self.pace[one] * self.pace[other])
        return max(3.0, length)

    def winner(self, one: int, other: int, game: int) -> int:
        odds = 1 / (1 + math.exp(self.skill[other] - self.skill[one]))
        return one if self._dice("winner", one, other, game).random() < odds else other

    def leaves(self, entry: int, games: int) -> bool:
        return self._dice("leaves", entry, games).random() < self.terms.leave

    def vanishes(self, entry: int, games: int) -> bool:
        return self._dice("vanishes", entry, games).random() < self.terms.vanish

    def _dice(self, *about: object) -> Random:
        return Random(f"{self.seed} {about}")


def _shape(terms: DayTerms, dice: Random) -> float:
    """Return a random factor for a game's length, with median 1 and about the width of the day.

    The three distributions differ most in their very long games.
    """
    width = terms.width
    if terms.shape == "log-normal":
        return math.exp(dice.gauss(0, width))
    if terms.shape == "gamma":
        shape = 1 / width**2
        return dice.gammavariate(shape, 1 / (shape - 1 / 3))
    shape = 1.15 / width
    return dice.weibullvariate(1 / math.log(2) ** (1 / shape), shape)
