"""The options of the player on turn: gin, big gin or a knock, and whether each is legal.

A hand that was laid down has as many cards as were dealt. A hand with one more is before its discard, and every discard
is tried.

Sources: GRA 2012, singles 4 (up card, ace), 6 (knock and gin) and 9 (improper knock).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from scoring.rules.hand.arrangement import Ace, Arrangement, arrange, bit, bits, melds_with
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import HAND_SIZE, GinTerms, Outcome
from tournament.cases import Problems
from tournament.lazy_text import lazy_text


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockRule:
    """The rule by which a hand can be laid down.

    `limit` is the most points of a knock. It is None if it depends on an up card that is not recorded.
    """

    limit: int | None
    for_gin: bool = False
    """Whether nobody may knock at all, as under an ace."""
    big_gin: bool = False
    """Whether big gin is played: the drawn card is matched too, so that no discard is needed (“double gin”)."""
    hand_size: int = HAND_SIZE
    ace: Ace = Ace.LOW

    @classmethod
    def under(cls, up: PlayingCard | None, terms: GinTerms, ace: Ace = Ace.LOW) -> Self:
        """Return the rule of a two-sided game under this up card."""
        return cls(limit=terms.knock_limit(up), for_gin=terms.is_for_gin(up), big_gin=terms.plays_big_gin, ace=ace)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedShowdown:
    """Two counted hands on the table. `by` laid theirs down as `outcome`, and counts are after lay-offs.

    `missing` is the number of cards that the hand of `against` lacks.
    """

    outcome: Outcome
    by: str
    against: str
    own_count: int
    other_count: int
    up: PlayingCard | None = None
    missing: int = 0


class KnockStanding(StrEnum):
    BIG_GIN = "big-gin"
    GIN = "gin"
    KNOCK = "knock"
    TOO_HIGH = "knock-too-high"
    """An improper knock (GRA 2012, singles 9)."""
    ACE_REQUIRES_GIN = "ace-requires-gin"
    """There are points left, and the hand must be played for gin (GRA 2012, singles 4)."""
    NO_UP_CARD = "no-up-card"
    """There are points left, and no up card is recorded, so the limit is not known."""

    @property
    def is_legal(self) -> bool | None:
        """Whether the hand may be laid down, or None if that is not known."""
        if self is KnockStanding.NO_UP_CARD:
            return None
        return self in (KnockStanding.BIG_GIN, KnockStanding.GIN, KnockStanding.KNOCK)


@dataclass(frozen=True, slots=True)
class Discard:
    """A possible discard, and what the remaining cards amount to."""

    card: PlayingCard
    deadwood: int
    standing: KnockStanding


@dataclass(frozen=True, slots=True)
class KnockOptions:
    """The options of a hand. `best` is its best arrangement, with all cards for big gin.

    `discards` has all discards, the best first. It is empty if the hand has no card to discard.
    """

    standing: KnockStanding
    best: Arrangement
    discards: tuple[Discard, ...] = ()


def knock_options(hand: Sequence[PlayingCard], rule: KnockRule) -> KnockOptions:
    """Return the options of a hand, before its discard or after.

    >>> from scoring.rules.hand.cards import parse_card
    >>> hand = [parse_card(card) for card in "AS 2S 3S 7H 7D 7C 2D 9C KD KC KH".split()]
    >>> found = knock_options(hand, KnockRule(limit=8))
    >>> found.standing.value, str(found.discards[0].card), found.best.deadwood
    ('knock', '9C', 2)

    Raises:
        BadCase: the hand has too few or too many cards, or the same card twice.
    """
    problems = Problems()
    size = rule.hand_size
    if len(hand) not in (size, size + 1):
        problems.bad(
            "hand",
            lazy_text(
                "A hand has %(size)s cards, or %(size_2)s before its discard; here are %(hand)s.",
                size=size,
                size_2=size + 1,
                hand=len(hand),
            ),
        )
    problems.check()
    whole = arrange(hand, ace=rule.ace)
    if len(hand) == size:
        return KnockOptions(knock_standing(whole.deadwood, rule), whole)
    held, melds = bits(hand), melds_with(rule.ace)
    counts = [(card, melds.least_deadwood(held ^ bit(card))) for card in hand]
    possible = [Discard(card, deadwood, knock_standing(deadwood, rule)) for card, deadwood in counts]
    discards = tuple(sorted(possible, key=lambda discard: discard.deadwood))
    if rule.big_gin and whole.deadwood == 0:
        return KnockOptions(KnockStanding.BIG_GIN, whole, discards)
    thrown = discards[0].card
    best = arrange([card for card in hand if card != thrown], ace=rule.ace)
    return KnockOptions(discards[0].standing, best, discards)


def knock_standing(deadwood: int, rule: KnockRule) -> KnockStanding:
    """Return the standing of a hand with these points after its discard."""
    if deadwood == 0:
        return KnockStanding.GIN
    if rule.for_gin:
        return KnockStanding.ACE_REQUIRES_GIN
    if rule.limit is None:
        return KnockStanding.NO_UP_CARD
    return KnockStanding.KNOCK if deadwood <= rule.limit else KnockStanding.TOO_HIGH
