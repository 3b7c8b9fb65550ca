"""A hand of Fort Worth Gin: its worth to each side, with points off for the player who closed and the doublings.

Source: Fort Worth Gin (John Greer, 1997), where “C 5” is its paragraph C, 5; CONTRACTS.md, tally, fort-worth.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self, cast

from scoring.rules.book.options import Options
from scoring.rules.hand.cards import RANKS, PlayingCard
from scoring.rules.variants.variant import LineTally
from tournament.said import worded

WILD_RANKS: Final[Mapping[str, str]] = {"full": RANKS, "short": "A3579JK", "very-short": "2468TQ"}
"""The wild rank of each hand, by the option `length` (A 5, A 6)."""
WILD_POINTS: Final = 20
"""The points of a wild card left in the hand (C 4)."""
CARDS_DEALT: Final = 7
MOST_HELD: Final = 4 * WILD_POINTS + (CARDS_DEALT - 4) * 10
"""The most points of seven cards: the four wild ones, and three of ten (B 3, C 4)."""


@dataclass(frozen=True, slots=True)
class WildHand:
    """A hand as recorded: who closed (`by` None: a stymie), the counts of the others, and the card turned up."""

    by: str | None
    counts: Mapping[str, int]
    turn: PlayingCard | None = None


@dataclass(frozen=True, slots=True)
class Factor:
    """The factor by which everything in a hand is multiplied, with its reason and `rule`."""

    times: int = 1
    why: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Worth:
    points: int
    working: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WildLine(LineTally):
    workings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WildTerms:
    """The typed options of Fort Worth Gin. `wild` has the wild rank of each hand."""

    wild: str
    spades: bool
    kings_double: bool
    double_negative: bool
    value_cents: int

    @classmethod
    def of(cls, options: Options) -> Self:
        return cls(
            wild=WILD_RANKS[str(options["length"])],
            spades=options["spades"] is True,
            kings_double=options["kings_double"] is True,
            double_negative=options["double_negative"] is True,
            value_cents=cast("int", options["value_cents"]),
        )

    def factor(self, number: int, turn: PlayingCard | None) -> Factor:
        """Return the factor of hand `number`, counted from 0 (C 7, C 8). The two doublings never combine."""
        spade = self.spades and turn is not None and turn.is_spade
        if spade and turn is not None and turn.is_ace:
            return Factor(3, worded("tripled, the ace of spades turned"), "C 7")
        if self.kings_double and self.wild[number] == "K":
            return Factor(2, worded("doubled, kings wild"), "C 8")
        return Factor(2, worded("doubled, a spade turned"), "C 7") if spade else Factor()


def points_off(total: int) -> int:
    """Return the points off for closing at this total: ten under 100, and ten more for each full hundred (C 5).

    >>> [points_off(total) for total in (-250, 0, 99, 100, 199, 200, 1000)]
    [10, 10, 10, 20, 20, 30, 110]
    """
    return 10 * (max(total, 0) // 100 + 1)


def judge_wild_hand(hand: WildHand, totals: Mapping[str, int], factor: Factor) -> dict[str, Worth]:
    """Return the worth of the hand to each side. `totals` are those before the hand.

    >>> hand = WildHand("Ann", {"Bob": 34})
    >>> judge_wild_hand(hand, {"Ann": 120, "Bob": 85}, Factor())["Ann"].working
    'Ann closes with a total of 120: 20 off (Fort Worth C 5)'
    """
    return {side: _worth(side, hand, total, factor) for side, total in totals.items()}


def _worth(side: str, hand: WildHand, total: int, factor: Factor) -> Worth:
    if side == hand.by:
        off = points_off(total)
        points, rule, words = (
            -off,
            "C 5",
            worded("%(side)s closes with a total of %(total)s: %(off)s off", side=side, total=total, off=off),
        )
    else:
        points, rule, words = (
            hand.counts[side],
            "C 4",
            worded("%(side)s holds %(count)s", side=side, count=hand.counts[side]),
        )
    worth = points * factor.times
    if factor.why:
        words, rule = f"{words}, {factor.why}: {worth}", f"{rule}, {factor.rule}"
    return Worth(worth, worded("%(words)s (Fort Worth %(rule)s)", words=words, rule=rule))
