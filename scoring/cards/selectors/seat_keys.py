"""The key by which a phone proves that a hand was typed at its seat."""

from django.utils.crypto import salted_hmac

from scoring.models import Card
from tournament.models import Entrant


def seat_key(card: Card, entrant: Entrant) -> str:
    """Return the key of an entrant's seat at a card. A new private link changes it."""
    about = f"{card.pk}|{entrant.pk}|{entrant.token}"
    return salted_hmac("scoring.kept", about, algorithm="sha256").hexdigest()
