"""A hand of word gin: the score of each side, and why.

Source: How to play BWC Gin Rummy, “Scoring” and “Hand ends”; CONTRACTS.md, tally, `word-gin`. The cards show the worth
of each letter, so word points are taken as recorded.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tournament.said import joined, worded, worded_plural

GIN_BONUS: Final = 10
LONG_WORD_BONUS: Final = 50
LONG_WORD: Final = 7
"""The number of letters that makes a long word."""


class WordOutcome(StrEnum):
    GIN = "gin"
    KNOCK = "knock"
    STOCK = "stock"


@dataclass(frozen=True, slots=True)
class Laid:
    """The cards laid down by a side: the points of its words, its deadwood, and the number of long words.

    The points of the words do not include the bonus for long words.
    """

    words: int
    deadwood: int
    long_words: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WordHand:
    """A hand that `by` ended by going gin, knocking or drawing the last card. `own` is what they laid down."""

    outcome: WordOutcome
    by: str
    against: str
    own: Laid
    other: Laid

    def laid_by(self, side: str) -> Laid:
        return self.own if side == self.by else self.other


@dataclass(frozen=True, slots=True)
class Step:
    """A term in a side's score, with its label. `sign` is −1 if it is subtracted."""

    points: int
    what: str
    sign: int = 1

    @property
    def amount(self) -> int:
        return self.sign * self.points


Steps = tuple[Step, ...]


def reckon(hand: WordHand) -> tuple[Steps, Steps]:
    """Return the score terms of the side that ended the hand, and of the other side.

    >>> knock = WordHand(outcome=WordOutcome.KNOCK, by="A", against="B", own=Laid(20, 9), other=Laid(15, 4))
    >>> [total_of(steps) for steps in reckon(knock)]
    [-9, 20]
    """
    own, other = hand.own, hand.other
    if hand.outcome is WordOutcome.GIN:
        return (Step(GIN_BONUS, worded("bonus")), *_words(own), _won(other, hand.against)), _net(other)
    if hand.outcome is WordOutcome.STOCK or own.deadwood == other.deadwood:
        return _net(own), (*_words(other), Step(other.deadwood, worded("deadwood")))
    if own.deadwood < other.deadwood:
        return (*_net(own), _won(other, hand.against)), _net(other)
    return (Step(0, worded("for words")), _lost(own)), (*_net(other), _won(own, hand.by))


def total_of(steps: Steps) -> int:
    return sum(step.amount for step in steps)


def with_minus(number: int) -> str:
    """Format a number that may be negative, with the typographic minus sign.

    >>> with_minus(-9)
    '−9'
    """
    return str(number).replace("-", "−")


def explain(hand: WordHand, source: str) -> str:
    """Return the calculation in words, with its source.

    >>> gin = WordHand(outcome=WordOutcome.GIN, by="A", against="B", own=Laid(31, 0, 1), other=Laid(12, 7))
    >>> explain(gin, "BWC")
    'gin: 10 bonus + 31 words + 50 for 1 long word + 7 deadwood of B = 98 to A, 12 words − 7 deadwood = 5 to B, BWC'
    """
    own, other = reckon(hand)
    return worded(
        "%(ending)s: %(own)s to %(by)s, %(other)s to %(against)s, %(source)s",
        ending=_ending(hand),
        own=_sum(own),
        by=hand.by,
        other=_sum(other),
        against=hand.against,
        source=source,
    )


def _words(laid: Laid) -> Steps:
    words = Step(laid.words, worded("words"))
    if not laid.long_words:
        return (words,)
    bonus = worded_plural("for %(number)s long word", "for %(number)s long words", laid.long_words)
    return words, Step(LONG_WORD_BONUS * laid.long_words, bonus)


def _net(laid: Laid) -> Steps:
    return (*_words(laid), _lost(laid))


def _lost(laid: Laid) -> Step:
    return Step(laid.deadwood, worded("deadwood"), sign=-1)


def _won(laid: Laid, whose: str) -> Step:
    return Step(laid.deadwood, worded("deadwood of %(whose)s", whose=whose))


def _sum(steps: Steps) -> str:
    """Return a sum in words, such as “31 words − 7 deadwood = 24”."""
    said: list[str] = []
    for step in steps:
        sign = "−" if step.sign < 0 else "+" if said else ""
        said.append(joined(" ", filter(None, [sign, str(step.points), step.what])))
    return joined(" = ", [joined(" ", said), with_minus(total_of(steps))])


def _ending(hand: WordHand) -> str:
    if hand.outcome is WordOutcome.GIN:
        return worded("gin")
    if hand.outcome is WordOutcome.STOCK:
        return worded("the stock ran out, scored like a knock with equal deadwood")
    return worded(
        "knock with %(deadwood)s against %(deadwood_2)s", deadwood=hand.own.deadwood, deadwood_2=hand.other.deadwood
    )
