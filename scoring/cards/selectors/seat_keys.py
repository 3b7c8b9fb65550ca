"""The key with which a phone proves that a hand was typed at its seat."""

from django.utils.crypto import salted_hmac

from scoring.models import Card
from tournament.models import Entrant


def seat_key(card: Card, entrant: Entrant) -> str:
    """What a phone proves with that a hand was typed at this seat; a new private link makes another key."""
    about = f"{card.pk}|{entrant.pk}|{entrant.token}"
    return salted_hmac("scoring.kept", about, algorithm="sha256").hexdigest()
