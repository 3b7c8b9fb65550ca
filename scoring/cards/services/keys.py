"""Idempotency keys of cards. Two senders, or two cards, can use the same key without a mix-up."""

import hashlib

from scoring.models import Card
from tournament.core.permissions import Actor


def own_key(card: Card, by: Actor, key: str) -> str:
    """Return the key for this sender on this card. An empty key stays empty."""
    if not key:
        return ""
    who = f"entrant {by.entrant.pk}" if by.entrant else f"user {by.user.pk if by.user else 'system'}"
    return hashlib.sha256(f"{card.pk}|{who}|{key}".encode()).hexdigest()
