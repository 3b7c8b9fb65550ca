"""The disputes of one card, and what its record already says of the hand that one is about."""

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState
from scoring.cards.selectors.keepers import load_keeping
from scoring.disputes.selectors.disputes import DisputeState, disputes_with_facts, read_disputes
from scoring.models import Card
from tournament.errors import NotFound


def load_card_disputes(card: Card) -> list[DisputeState]:
    """The last one first."""
    return read_disputes(card.match.event, disputes_with_facts().filter(card=card).order_by("-pk"))


def load_card_dispute(card: Card, pk: int) -> DisputeState:
    """
    Raises:
        NotFound: no such dispute of this card.
    """
    found = read_disputes(card.match.event, disputes_with_facts().filter(card=card, pk=pk))
    if not found:
        raise NotFound("no-dispute", _("There is no such call about this score card. Look at the score card again."))
    return found[0]


def up_on_record(state: CardState, hand: int | None) -> str:
    """The up card of that hand as it was recorded when it was turned, else as the hand has it; empty: it was not."""
    if hand is None:
        return ""
    turned = load_keeping(state).recorded_up(hand)
    if turned is not None:
        return turned.up
    line = state.lines[hand - 1].line if 1 <= hand <= len(state.lines) else None
    return str((line or {}).get("up") or "")
