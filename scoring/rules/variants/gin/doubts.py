"""Doubts about a gin hand that is possible but improbable. They warn, and the scorer can confirm the hand.

Nothing is refused here: “Once a count has been agreed to by the players and recorded by the score keeper, the hand
stands” (GRA 2012, singles 16).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from scoring.rules.book.rulebook import Rulebook, Topic
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import Finished, Hand, Outcome, Pointed, most_deadwood, most_points
from scoring.rules.hand.terms import HAND_SIZE, GinTerms
from scoring.rules.variants.variant import Doubt
from tournament.said import worded

MOST_MISCOUNTED: Final = 2
"""More missing or extra cards than this would have been noticed in play."""


def doubt_hand(hand: Hand, earlier: Sequence[Hand], terms: GinTerms, rulebook: Rulebook) -> Iterator[Doubt]:
    """Yield the doubts about a hand. `earlier` are the hands above it on the sheet."""
    above = earlier[-1].up if earlier else None
    yield from doubt_up_card(hand.up, above, terms, rulebook, played=hand.outcome is not Outcome.VOID)
    yield from doubt_board(hand, terms, rulebook)


def doubt_up_card(
    up: PlayingCard | None, above: PlayingCard | None, terms: GinTerms, rulebook: Rulebook, *, played: bool
) -> Iterator[Doubt]:
    """Yield the doubts about an up card.

    `above` is the up card of the line before. `played` means that the hand was not thrown in.
    """
    if up is None:
        if terms.needs_up_card and played:
            message = worded("No up card is recorded; the scorer records it at once.")
            yield Doubt("no-up-card", rulebook.cited(Topic.UP_CARD_RECORDED, message))
    elif up == above:
        message = worded(
            "The hand before had the same up card, the %(name)s. Is this hand recorded twice?", name=up.name
        )
        yield Doubt("same-up-card", message)


def doubt_board(hand: Hand, terms: GinTerms, rulebook: Rulebook) -> Iterator[Doubt]:
    """Yield the doubts about a hand, except for its up card."""
    if isinstance(hand, Finished):
        yield from _doubt_finish(hand, rulebook)
    elif isinstance(hand, Pointed):
        yield from _doubt_points(hand, terms, rulebook)


def _doubt_finish(hand: Finished, rulebook: Rulebook) -> Iterator[Doubt]:
    held = HAND_SIZE - hand.missing
    if hand.other_count > most_deadwood(held):
        yield Doubt(
            "count-too-high",
            worded(
                "%(held)s cards cannot count %(other_count)s when they are laid out at their best: "
                "%(held_2)s is the most.",
                held=held,
                other_count=hand.other_count,
                held_2=most_deadwood(held),
            ),
        )
    if hand.outcome is Outcome.KNOCK and hand.own_count == 0:
        yield Doubt(
            "knock-with-nothing",
            rulebook.cited(Topic.GIN, worded("%(by)s knocked with 0. Was it gin?", by=hand.by)),
        )
    if hand.outcome is not Outcome.KNOCK and hand.other_count == 0:
        yield Doubt(
            "gin-against-nothing", worded("%(against)s had 0 against a gin. Is the count right?", against=hand.against)
        )
    yield from _doubt_wrong_count(hand, rulebook)


def _doubt_wrong_count(hand: Finished, rulebook: Rulebook) -> Iterator[Doubt]:
    if hand.missing and hand.extra:
        message = worded("%(against)s cannot have both too few cards and too many.", against=hand.against)
        yield Doubt("missing-and-extra", rulebook.cited(Topic.WRONG_COUNT, message))
    wrong = max(hand.missing, len(hand.extra))
    if wrong > MOST_MISCOUNTED:
        message = worded("Did %(against)s really play with %(wrong)s cards off?", against=hand.against, wrong=wrong)
        yield Doubt("many-miscounted", rulebook.cited(Topic.WRONG_COUNT, message))


def _doubt_points(hand: Pointed, terms: GinTerms, rulebook: Rulebook) -> Iterator[Doubt]:
    most = most_points(terms, hand.up)
    if hand.points > most:
        yield Doubt(
            "points-too-high",
            worded(
                "One hand cannot bring %(points)s points here: %(most)s is the most.", points=hand.points, most=most
            ),
        )
    least = terms.gin_bonus * (2 if terms.doubles(hand.up) else 1)
    if 0 < hand.points < least and terms.is_for_gin(hand.up):
        message = worded(
            "Under an ace only a gin scores, %(least)s points or more; %(points)s are recorded.",
            least=least,
            points=hand.points,
        )
        yield Doubt("points-under-ace", rulebook.cited(Topic.ACE, message))
