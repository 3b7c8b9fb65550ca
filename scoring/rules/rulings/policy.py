"""What a rule set itself says of disputes: which kinds there are, who decides, until when a correction is allowed.

A policy is a pure value; `policies.policy_of` finds the one of a rule set.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scoring.rules.irregularities.kind import Irregularity, Matter
from scoring.rules.irregularities.ruling import Recommendation


class Decider(StrEnum):
    """Who decides a dispute."""

    DIRECTOR = "director"
    SCOREKEEPER = "scorekeeper"
    TABLE = "table"
    """The other players review it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardStanding:
    """How a game stands. `totals` by the letters of the sides; `keeper` the scorekeeper's, empty: on no side.

    `low_wins`: the lowest total is ahead. `hands` is how many the whole game has, None: it is not fixed. `announced`:
    the totals before the last hand were.
    """

    totals: Mapping[str, int]
    keeper: str = ""
    low_wins: bool = False
    played: int = 0
    hands: int | None = None
    announced: bool = False

    @property
    def keeper_is_ahead(self) -> bool:
        """Whether the scorekeeper's side is winning: alone in front of every other.

        >>> from dataclasses import replace
        >>> standing = CardStanding(totals={"A": 30, "B": 20}, keeper="A")
        >>> standing.keeper_is_ahead, replace(standing, low_wins=True).keeper_is_ahead
        (True, False)
        """
        own = self.totals.get(self.keeper)
        others = [total for side, total in self.totals.items() if side != self.keeper]
        if own is None or not others:
            return False
        return own < min(others) if self.low_wins else own > max(others)

    @property
    def is_before_last(self) -> bool:
        """The next hand is the last one."""
        return self.hands is not None and self.played == self.hands - 1


def _not_by_matter(matter: Matter) -> Recommendation:
    raise NotImplementedError("a policy's own kind is answered by `answer`")


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyKind(Irregularity):
    """A kind of a rule set's own. `paragraph` is what a ruling cites where the facts do not choose another."""

    paragraph: str
    answer: Callable[[Mapping[str, Any], Mapping[str, str]], Recommendation]
    """From the facts as far as they are known and the names of the sides, both by letter."""

    rule: int | None = None
    decide: Callable[[Matter], Recommendation] = _not_by_matter

    def cite(self, rules: str) -> str:
        return self.paragraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a rule set says of disputes; `kinds` are its own, `policies.policy_of` adds those of the game.

    `late` says why a hand (from 1) is not corrected any more, empty: it still is. `throws_in`: a hand thrown in is a
    line of the sheet; else it is none, and is dealt again. `announces`: the scorer announces the totals before the last
    hand. `can_be_refused`: a player may refuse a rule applied otherwise before.
    """

    sentences: tuple[str, ...]
    kinds: Mapping[str, Irregularity] = field(default_factory=dict)
    decider: Callable[[CardStanding, str], Decider] = lambda _standing, _kind: Decider.DIRECTOR
    late: Callable[[CardStanding, int], str] = lambda _standing, _hand: ""
    throws_in: bool = True
    announces: bool = False
    can_be_refused: bool = False
    own: tuple[str, ...] = field(default=())
    """Names of the kinds that this policy itself answers."""
