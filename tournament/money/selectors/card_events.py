"""What the card provider told: of the payments of an event, and of payments that nobody began here."""

from typing import Final

from django.db.models import QuerySet

from tournament.models import CardEvent, Event

TOLD: Final = ("ident", "kind", "at", "payload", "refund", "cents", "currency")
"""The columns that are as the provider told them, and never change."""


def card_events_of(event: Event) -> QuerySet[CardEvent]:
    """The newest first."""
    rows = CardEvent.objects.filter(payment__event=event)
    return rows.select_related("payment__entrant", "line__movement").order_by("-pk")


def unknown_card_events() -> QuerySet[CardEvent]:
    """Payments and refunds that no tournament knows, and that nobody has settled. They are the whole site's."""
    return CardEvent.objects.filter(payment=None, state=CardEvent.State.WAITING).order_by("pk")


def settled_card_events(event: Event) -> QuerySet[CardEvent]:
    """Those that were recorded for an entry of this event, the newest first."""
    rows = CardEvent.objects.filter(payment=None, line__event=event)
    return rows.select_related("line__entrant", "line__movement").order_by("-pk")
