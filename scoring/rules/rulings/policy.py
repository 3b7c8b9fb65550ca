"""The policy of a rule set for disputes: its kinds, who decides, and how long a correction is allowed.

A policy is a pure value. `policies.policy_of` returns the policy of a rule set.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scoring.rules.irregularities.kind import Irregularity, Matter
from scoring.rules.irregularities.ruling import Recommendation


class Decider(StrEnum):
    DIRECTOR = "director"
    SCOREKEEPER = "scorekeeper"
    TABLE = "table"
    """The other players review it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardStanding:
    """The standing of a game.

    `totals` are by the letters of the sides. `keeper` is the scorekeeper's side, or empty if the scorekeeper is on no
    side. `low_wins` means that the lowest total is ahead. `hands` is the number of hands in the whole game, or None if
    it is not fixed. `announced` means that the totals before the last hand were announced.
    """

    totals: Mapping[str, int]
    keeper: str = ""
    low_wins: bool = False
    played: int = 0
    hands: int | None = None
    announced: bool = False

    @property
    def keeper_is_ahead(self) -> bool:
        """Whether the scorekeeper's side is winning alone, ahead of every other side.

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
        return self.hands is not None and self.played == self.hands - 1


def _not_by_matter(matter: Matter) -> Recommendation:
    raise NotImplementedError("a policy's own kind is answered by `answer`")


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyKind(Irregularity):
    """A kind of dispute that only this rule set has. `paragraph` is cited unless the facts choose another."""

    paragraph: str
    answer: Callable[[Mapping[str, Any], Mapping[str, str]], Recommendation]
    """Returns the recommendation for the known facts and the names of the sides, both by letter."""

    rule: int | None = None
    decide: Callable[[Matter], Recommendation] = _not_by_matter

    def cite(self, rules: str) -> str:
        return self.paragraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The policy of a rule set for disputes.

    `kinds` are its own kinds, and `policies.policy_of` adds those of the game.

    `late` returns why a hand (from 1) can no longer be corrected, or an empty text if it can. `throws_in` means that a
    hand thrown in is a line of the sheet. Otherwise it is not recorded, and is dealt again. `announces` means that the
    scorer announces the totals before the last hand. `can_be_refused` means that a player may refuse a rule that was
    applied differently before.
    """

    sentences: tuple[str, ...]
    kinds: Mapping[str, Irregularity] = field(default_factory=dict)
    decider: Callable[[CardStanding, str], Decider] = lambda _standing, _kind: Decider.DIRECTOR
    late: Callable[[CardStanding, int], str] = lambda _standing, _hand: ""
    throws_in: bool = True
    announces: bool = False
    can_be_refused: bool = False
    own: tuple[str, ...] = field(default=())
    """The names of the kinds that this policy itself answers."""
