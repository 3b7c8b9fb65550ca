"""What the holder of a hand could do with it at his turn: gin, big gin, or which knock, and whether it was legal.

Ten cards are a hand as it was laid down; eleven are one before the discard, and every discard is looked at. Sources:
GRA 2012, singles 4 (up card, ace) and 6 (knock and gin); CONTRACTS.md, tally (options `knock`, `ace`,
`big_gin_bonus`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from scoring.rules.arrangement import Arrangement, arrange, bit, bits
from scoring.rules.cards import Card
from scoring.rules.melds import Ace, melds_with
from scoring.rules.terms import HAND_SIZE, GinTerms
from tournament.cases import Problems


class Standing(StrEnum):
    """What a hand amounts to under an up card."""

    BIG_GIN = "big-gin"
    """All eleven cards are matched, and big gin is played."""
    GIN = "gin"
    KNOCK = "knock"
    """It may be knocked with."""
    TOO_HIGH = "knock-too-high"
    """Over the knock limit: an improper knock (GRA 2012, singles 9)."""
    ACE_REQUIRES_GIN = "ace-requires-gin"
    """The up card is an ace: nobody may knock (GRA 2012, singles 4)."""
    NO_UP_CARD = "no-up-card"
    """The limit is the up card, and none is recorded: nobody can say."""


@dataclass(frozen=True, slots=True)
class Discard:
    """One way to go on: what is thrown away (None: the hand is already laid down) and what is then left."""

    card: Card | None
    deadwood: int
    standing: Standing


@dataclass(frozen=True, slots=True)
class KnockOptions:
    """All that a hand can do. `limit` is the most it may be knocked with (None: not known).

    `discards` has the best first; `best` is the arrangement it leaves, or that of all eleven cards for big gin.
    """

    standing: Standing
    limit: int | None
    best: Arrangement
    discards: tuple[Discard, ...]

    @property
    def is_legal(self) -> bool | None:
        """Whether the hand may be laid down; None where no up card is recorded to tell."""
        if self.standing is Standing.NO_UP_CARD:
            return None
        return self.standing in (Standing.BIG_GIN, Standing.GIN, Standing.KNOCK)


def knock_options(hand: Sequence[Card], up: Card | None, terms: GinTerms, *, ace: Ace = Ace.LOW) -> KnockOptions:
    """What a hand of ten or eleven cards can do under that up card.

    >>> from scoring.rules.cards import parse_card
    >>> from scoring.rules.variants.gra_singles import GraSingles
    >>> hand = [parse_card(card) for card in "AS 2S 3S 7H 7D 7C 2D 4C KD KC KH".split()]
    >>> found = knock_options(hand, parse_card("5H"), GinTerms.of(GraSingles.defaults()))
    >>> found.standing.value, str(found.discards[0].card), found.best.deadwood
    ('knock', '4C', 2)

    Raises:
        BadCase: the hand has neither ten cards nor eleven, or one twice.
    """
    problems = Problems()
    if len(hand) not in (HAND_SIZE, HAND_SIZE + 1):
        message = f"A hand has {HAND_SIZE} cards at its end, {HAND_SIZE + 1} before the discard; here are {len(hand)}."
        problems.bad("hand", message)
    problems.check()
    whole = arrange(hand, ace=ace)
    limit = 0 if terms.is_for_gin(up) else terms.knock_limit(up)
    held, melds = bits(hand), melds_with(ace)
    thrown: Sequence[Card | None] = hand if len(hand) > HAND_SIZE else (None,)
    discards = []
    for card in thrown:
        deadwood = melds.least_deadwood(held ^ bit(card) if card else held)
        discards.append(Discard(card, deadwood, _standing(deadwood, limit, terms.is_for_gin(up))))
    discards.sort(key=lambda discard: discard.deadwood)
    if terms.plays_big_gin and len(hand) > HAND_SIZE and whole.deadwood == 0:
        return KnockOptions(Standing.BIG_GIN, limit, whole, tuple(discards))
    first = discards[0]
    best = arrange([card for card in hand if card != first.card], ace=ace)
    return KnockOptions(first.standing, limit, best, tuple(discards))


def _standing(deadwood: int, limit: int | None, for_gin: bool) -> Standing:
    if deadwood == 0:
        return Standing.GIN
    if for_gin:
        return Standing.ACE_REQUIRES_GIN
    if limit is None:
        return Standing.NO_UP_CARD
    return Standing.KNOCK if deadwood <= limit else Standing.TOO_HIGH
