"""The disputes of a card, and the up card on record for a hand."""

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState
from scoring.cards.selectors.keepers import load_keeping
from scoring.disputes.selectors.disputes import DisputeState, disputes_with_facts, read_disputes
from scoring.models import Card
from tournament.errors import NotFound


def load_card_disputes(card: Card) -> list[DisputeState]:
    """Return the disputes of a card, the newest first."""
    return read_disputes(card.match.event, disputes_with_facts().filter(card=card).order_by("-pk"))


def load_card_dispute(card: Card, pk: int) -> DisputeState:
    """Return a dispute of the card.

    Raises:
        NotFound: `no-dispute`.
    """
    found = read_disputes(card.match.event, disputes_with_facts().filter(card=card, pk=pk))
    if not found:
        raise NotFound("no-dispute", _("There is no such call about this score card. Look at the score card again."))
    return found[0]


def up_on_record(state: CardState, hand: int | None) -> str:
    """Return the up card of a hand, or nothing if it was not recorded.

    The card recorded when it was turned counts before the one in the recorded hand.
    """
    if hand is None:
        return ""
    turned = load_keeping(state).recorded_up(hand)
    if turned is not None:
        return turned.up
    line = state.lines[hand - 1].line if 1 <= hand <= len(state.lines) else None
    return str((line or {}).get("up") or "")
