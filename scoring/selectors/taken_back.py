"""When the desk took back what a match had come to: what was posted before counts no more."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from pairing.models import MatchResult
from scoring.models import Card, SheetLine
from scoring.selectors.cards import CardState
from scoring.selectors.result_rows import load_results_in_force


def load_taken_back(matches: Collection[int]) -> dict[int, datetime]:
    """Match → when its result was taken back last by the desk; a card that did so itself starts nothing anew.

    A decision that was undone took nothing back.
    """
    found = {}
    for match, rows in load_results_in_force(matches).items():
        moments = [row.at for row in rows if row.takes_cards_out]
        if moments:
            found[match] = moments[-1]
    return found


def made_void_since_begun(card: Card) -> bool:
    """Whether the desk has said since its first line that its match is played again: then another card counts.

    A result that was undone leaves the card to be corrected.
    """
    if card.match.seating_id is not None or not MatchResult.objects.filter(match=card.match_id).exists():
        return False
    rows = load_results_in_force([card.match_id]).get(card.match_id, ())
    if not rows or not rows[-1].is_decided_open:
        return False
    return SheetLine.objects.filter(card=card, at__lte=rows[-1].at).exists()


def card_in_play(cards: Iterable[CardState]) -> CardState | None:
    """Of the cards of a match the first that is still to be played or signed; one of a match made void since is not."""
    return next((state for state in cards if not state.is_posted and not made_void_since_begun(state.card)), None)
