"""The verdict on a two-sided gin hand: who scores, how much, and why.

A hand is recorded as finished by a side (counts after lay-offs), as unscored, or only by its points, as on most paper
sheets.

Sources: GRA 2012, singles 4, 6 and 8; CONTRACTS.md, tally.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from scoring.rules.book.rulebook import Rulebook, Topic
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.terms import HAND_SIZE, MISSING_CARD_POINTS, GinTerms
from tournament.said import joined, worded, worded_plural


class Outcome(StrEnum):
    """The end of a hand as the scorer records it."""

    KNOCK = "knock"
    GIN = "gin"
    BIG_GIN = "big-gin"
    STOCK = "stock"
    VOID = "void"
    POINTS = "points"


FINISHES: Final = (Outcome.KNOCK, Outcome.GIN, Outcome.BIG_GIN)
OUTCOME_WORDS: Final[Mapping[Outcome, str]] = {
    Outcome.KNOCK: worded("knock"),
    Outcome.GIN: worded("gin"),
    Outcome.BIG_GIN: worded("big gin"),
    Outcome.STOCK: worded("dead hand"),
    Outcome.VOID: worded("thrown in"),
    Outcome.POINTS: worded("points only"),
}
OUTCOME_VERBS: Final[Mapping[Outcome, str]] = {
    Outcome.KNOCK: worded("knocked"),
    Outcome.GIN: worded("went gin"),
    Outcome.BIG_GIN: worded("went big gin"),
}
"""The verb for the side that ended the hand."""


class HandOutcome(StrEnum):
    """The result of a hand after counting."""

    KNOCK = "knock"
    UNDERCUT = "undercut"
    GIN = "gin"
    BIG_GIN = "big-gin"
    DEAD = "dead"
    VOID = "void"
    POINTS = "points"


FINISH_WORDS: Final[Mapping[HandOutcome, str]] = {
    HandOutcome.KNOCK: worded("knock"),
    HandOutcome.UNDERCUT: worded("undercut"),
    HandOutcome.GIN: worded("gin"),
    HandOutcome.BIG_GIN: worded("big-gin"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A hand that `by` finished against the other side: knock, gin or big gin. Counts are after lay-offs.

    `missing` and `extra` are the other side's missing and surplus cards at the end (GRA 2012, singles 8).
    """

    outcome: Outcome
    by: str
    against: str
    own_count: int
    other_count: int
    missing: int = 0
    extra: tuple[PlayingCard, ...] = ()
    up: PlayingCard | None = None
    dealer: str | None = None

    @property
    def adjusted_count(self) -> int:
        """The other side's count with its missing and extra cards, which decides the winner."""
        extra = sum(card.value for card in self.extra)
        return self.other_count + MISSING_CARD_POINTS * self.missing + extra


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointed:
    """A hand of which only the points are recorded. `to` is None if nobody scored."""

    to: str | None
    points: int
    up: PlayingCard | None = None
    dealer: str | None = None

    @property
    def outcome(self) -> Outcome:
        return Outcome.POINTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Unscored:
    """A hand without a score: the fiftieth card was drawn (`stock`), or a ruling threw the hand in (`void`)."""

    outcome: Outcome
    up: PlayingCard | None = None
    dealer: str | None = None


Hand = Finished | Pointed | Unscored


@dataclass(frozen=True, slots=True)
class Verdict:
    """The worth of a hand: `points` for the side `to` (None: for nobody), and the calculation in words."""

    event: HandOutcome
    to: str | None
    points: int
    explanation: str


def judge(hand: Hand, terms: GinTerms, rulebook: Rulebook) -> Verdict:
    """Judge a hand that is possible. `HandReader` refuses impossible hands.

    >>> from scoring.rules.variants.gin.gra_singles import GraSingles
    >>> terms, book = GinTerms.of(GraSingles.defaults()), GraSingles.rulebook
    >>> hand = Finished(outcome=Outcome.KNOCK, by="A", against="B", own_count=8, other_count=8)
    >>> judge(hand, terms, book).explanation
    'undercut: 8 against 8, difference 0, bonus 25: 25 to B, GRA singles rule 6'
    """
    if isinstance(hand, Finished):
        return _judge_finish(hand, terms, rulebook)
    if isinstance(hand, Pointed):
        return _judge_points(hand)
    if hand.outcome is Outcome.STOCK:
        words = rulebook.working(Topic.FIFTIETH_CARD, [worded("dead hand: the stock ran out, nobody scores")])
        return Verdict(HandOutcome.DEAD, None, 0, words)
    return Verdict(HandOutcome.VOID, None, 0, worded("thrown in by a ruling: nobody scores"))


def _judge_points(hand: Pointed) -> Verdict:
    if hand.points == 0:
        return Verdict(HandOutcome.POINTS, None, 0, worded("points as recorded: nobody scores"))
    words = worded("points as recorded: %(points)s to %(to)s", points=hand.points, to=hand.to)
    return Verdict(HandOutcome.POINTS, hand.to, hand.points, words)


def _judge_finish(hand: Finished, terms: GinTerms, rulebook: Rulebook) -> Verdict:
    event, to, difference, bonus = _weigh(hand, terms)
    worth = (difference + bonus) * (2 if terms.doubles(hand.up) else 1)
    topic = Topic.GIN if event in (HandOutcome.GIN, HandOutcome.BIG_GIN) else Topic.KNOCK
    steps = [_counted(hand, event, rulebook)]
    if topic is Topic.KNOCK:
        steps.append(worded("difference %(points)s", points=difference))
    if bonus:
        steps.append(worded("bonus %(points)s", points=bonus))
    if terms.doubles(hand.up):
        steps.append(worded("doubled, spades up"))
    result = worded("%(points)s to %(side)s", points=worth, side=to) if worth else worded("nobody scores")
    words = rulebook.working(topic, [joined(": ", [joined(", ", steps), result])])
    return Verdict(event, to if worth else None, worth, words)


def _weigh(hand: Finished, terms: GinTerms) -> tuple[HandOutcome, str, int, int]:
    """Return the event, the scoring side, the points before bonus and doubling, and the bonus."""
    other = hand.adjusted_count
    if hand.outcome is Outcome.GIN:
        return HandOutcome.GIN, hand.by, other, terms.gin_bonus
    if hand.outcome is Outcome.BIG_GIN:
        return HandOutcome.BIG_GIN, hand.by, other, terms.big_gin_bonus or 0
    if hand.own_count < other:
        return HandOutcome.KNOCK, hand.by, other - hand.own_count, 0
    return HandOutcome.UNDERCUT, hand.against, hand.own_count - other, terms.undercut_bonus


def _counted(hand: Finished, event: HandOutcome, rulebook: Rulebook) -> str:
    """Describe the counts, such as “gin: 30 unmatched (20 counted, 1 card missing 10, GRA singles rule 8)”."""
    count = joined(": ", [FINISH_WORDS[event], _against(hand, event)])
    if not hand.missing and not hand.extra:
        return count
    return worded("%(count)s (%(adjustment)s)", count=count, adjustment=_adjustment(hand, rulebook))


def _against(hand: Finished, event: HandOutcome) -> str:
    if event in (HandOutcome.GIN, HandOutcome.BIG_GIN):
        return worded("%(adjusted_count)s unmatched", adjusted_count=hand.adjusted_count)
    return worded(
        "%(own_count)s against %(adjusted_count)s", own_count=hand.own_count, adjusted_count=hand.adjusted_count
    )


def _adjustment(hand: Finished, rulebook: Rulebook) -> str:
    """Describe the adjustment, such as “20 counted, 1 card missing 10, KH too many 10, GRA singles rule 8”."""
    parts = [worded("%(other_count)s counted", other_count=hand.other_count)]
    if hand.missing:
        parts.append(
            worded_plural(
                "%(number)s card missing %(points)s",
                "%(number)s cards missing %(points)s",
                hand.missing,
                points=MISSING_CARD_POINTS * hand.missing,
            )
        )
    parts += [worded("%(card)s too many %(value)s", card=card, value=card.value) for card in hand.extra]
    return rulebook.working(Topic.WRONG_COUNT, parts)


def most_deadwood(cards: int = HAND_SIZE) -> int:
    """Return the highest count of a hand of up to ten cards in its best arrangement.

    No three loose cards share a rank, because they would be a meld. Two each of ten, jack, queen, king and nine need
    not make a run: `TC TD JC JD QH QS KH KS 9H 9S`.

    >>> most_deadwood()
    98
    """
    tens = min(cards, 8)
    return 10 * tens + 9 * max(0, cards - tens)


def most_points(terms: GinTerms, up: PlayingCard | None) -> int:
    """Return the most points that a hand can give a side with all its cards right. An `up` of None is not known."""
    gin = most_deadwood() + max(terms.gin_bonus, terms.big_gin_bonus or 0)
    limit = terms.knock_limit(up)
    undercut = (10 if limit is None else limit) + terms.undercut_bonus
    may_double = terms.spades_double and (up is None or up.is_spade)
    return max(gin, undercut) * (2 if may_double else 1)
