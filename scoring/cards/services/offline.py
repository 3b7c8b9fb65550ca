"""Hands from phones without a network. The phone sends them later, or another phone delivers them by QR code.

The card's page gives the phone a secret key for the player's seat. The phone uses this key to compute a proof (HMAC)
for each hand. Anybody can then deliver the hand, but nobody can change it, add it twice, or add it to another card.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass, replace
from typing import Any, Final

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from scoring.card_state.permissions import is_player_on_card
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import LineEntry, add_line
from scoring.models import Card, SheetLine
from tournament.core.permissions import Actor, make_player_actor
from tournament.errors import NotAllowed
from tournament.models import Entrant


def make_seat_hmac_key(card: Card, entrant: Entrant) -> str:
    """Return the secret key of an entrant's seat on a card.

    It is derived from the private link and not from this installation's secrets, so that phones without a network can
    go on if the tournament moves to another computer. If the entrant gets a new private link, the key changes too.
    """
    about = f"{card.token}|{entrant.number}"
    return salted_hmac("scoring.kept", about, secret=entrant.token, algorithm="sha256").hexdigest()


_PROOF_BYTES: Final = 16
_MAX_NAME_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class OfflineHand:
    """A hand as it was typed: its number, the phone's clock in seconds, and the answers as submitted by a form.

    `carried_by` is the person who delivers the hand, or "" if the player's own phone sends it.
    """

    key: str
    hand: int
    typed_at: int
    fields: str
    proof: str
    carried_by: str = ""


def compute_offline_hand_hmac(card: Card, entrant: Entrant, hand: OfflineHand) -> str:
    """Return the proof that a hand was typed at a player's seat, in base64url.

    The proof is the first 16 bytes of an HMAC-SHA256 over the card, the player and the typed hand. The HMAC uses the
    key of the player's seat (`make_seat_hmac_key`).
    """
    text = "\n".join([card.token, str(entrant.number), hand.key, str(hand.hand), str(hand.typed_at), hand.fields])
    digest = hmac.digest(bytes.fromhex(make_seat_hmac_key(card, entrant)), text.encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest[:_PROOF_BYTES]).decode().rstrip("=")


def require_valid_hand_hmac(card: Card, entrant: Entrant, hand: OfflineHand) -> None:
    """Raise NotAllowed unless the proof shows that this hand was typed, exactly like this, at the player's seat."""
    typed = hmac.compare_digest(hand.proof.encode(), compute_offline_hand_hmac(card, entrant, hand).encode())
    if not typed or not is_player_on_card(make_player_actor(entrant), card):
        raise NotAllowed(
            "not-proved",
            _(
                "This is not what was entered, or the private link was renewed since. Open the score card "
                "again on the phone that has the hands."
            ),
        )


def add_offline_hand(state: CardState, entrant: Entrant, hand: OfflineHand, entry: LineEntry) -> CardState:
    """Add the hand to the card on behalf of the player.

    Raises:
        NotAllowed: `not-proved`. Also raises the same errors as `add_line`.
    """
    require_valid_hand_hmac(state.card, entrant, hand)
    via = SheetLine.Via.HANDED if hand.carried_by else SheetLine.Via.PHONE
    whole = replace(entry, via=via, key=hand.key, hand=hand.hand, typed_at=hand.typed_at)
    return add_line(state.card, whole, by=_make_author(entrant, hand))


def find_recorded_line(state: CardState, hand: int) -> dict[str, Any] | None:
    """Return the recorded line of a hand, or None if there is no such hand. Hands are numbered from 1."""
    return state.lines[hand - 1].line if 0 < hand <= len(state.lines) else None


def _make_author(entrant: Entrant, hand: OfflineHand) -> Actor:
    """Return the player as the author for the log. The author's name includes the person who delivered the hand."""
    own = make_player_actor(entrant)
    if not hand.carried_by:
        return own
    name = _("%(name)s, handed over by %(carrier)s") % {"name": own.name, "carrier": hand.carried_by}
    return replace(own, name=name[:_MAX_NAME_LENGTH])
