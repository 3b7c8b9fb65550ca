"""Messages from the card provider about payments of an event, and about payments that did not begin here."""

from typing import Final

from django.db.models import Q, QuerySet

from tournament.models import CardEvent, CardPayment, Event, Tournament, User

PAID: Final = "payment.succeeded"
REFUNDED: Final = "payment.refunded"
UNREAD: Final = "unread"
"""The kind of a message with a valid signature that cannot be read. Its payload is its bytes in base64."""
TOLD: Final = ("ident", "kind", "at", "payload", "refund", "cents", "currency")
"""The columns that hold the provider's data, which never change."""


def card_events_of(event: Event) -> QuerySet[CardEvent]:
    """Return the messages about the card payments of an event, newest first."""
    rows = CardEvent.objects.filter(payment__event=event)
    return rows.select_related("payment__entrant", "line__movement").order_by("-pk")


def unknown_card_events(tournament: Tournament, user: User) -> QuerySet[CardEvent]:
    """Return payments and refunds that did not begin here, settled or not, oldest first.

    Administrators see all of them. Other users see only the messages that may belong to their tournament.
    """
    rows = CardEvent.objects.filter(payment=None).order_by("pk")
    return rows if user.is_superuser else card_events_without_entry(tournament)


def card_events_without_entry(tournament: Tournament) -> QuerySet[CardEvent]:
    """Return the messages without a payment of ours that may belong to this tournament.

    A message may belong to it if it has the tournament's currency, or if it cannot be read.
    """
    rows = CardEvent.objects.filter(payment=None).order_by("pk")
    takes_cards = "card" in tournament.providers or CardPayment.objects.filter(event__tournament=tournament).exists()
    of_here = Q(currency=tournament.currency) | Q(kind=UNREAD)
    return rows.filter(of_here) if takes_cards else rows.none()


def settled_card_events(event: Event) -> QuerySet[CardEvent]:
    """Return the messages without a payment of ours that were recorded for an entry of this event, newest first."""
    rows = CardEvent.objects.filter(payment=None, line__event=event)
    return rows.select_related("line__entrant", "line__movement").order_by("-pk")


def waiting_card_events(event: Event) -> QuerySet[CardEvent]:
    """Return the messages that a director has to settle, about this event or about no known entry."""
    waiting = CardEvent.objects.filter(state=CardEvent.State.WAITING)
    return waiting.filter(Q(payment__event=event) | Q(pk__in=card_events_without_entry(event.tournament).values("pk")))


def is_another_amount(row: CardEvent, currency: str) -> bool:
    """Return whether a payment waits because its amount differs from the amount that was requested.

    A payment in another currency never qualifies, because it cannot be recorded.
    """
    if row.payment is None or (row.kind, row.state, row.currency) != (PAID, CardEvent.State.WAITING, currency):
        return False
    return row.cents not in (0, row.payment.cents)
