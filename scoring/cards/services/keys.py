"""Idempotency keys of cards: two senders, or two cards, may use the same key without one being taken for the other."""

import hashlib

from scoring.models import Card
from tournament.core.permissions import Actor


def own_key(card: Card, by: Actor, key: str) -> str:
    """The key as this sender's on this card; empty stays empty."""
    if not key:
        return ""
    who = f"entrant {by.entrant.pk}" if by.entrant else f"user {by.user.pk if by.user else 'system'}"
    return hashlib.sha256(f"{card.pk}|{who}|{key}".encode()).hexdigest()
