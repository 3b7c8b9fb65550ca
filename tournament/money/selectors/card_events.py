"""What the card provider told: of the payments of an event, and of payments that nobody began here."""

from typing import Final

from django.db.models import Q, QuerySet

from tournament.models import CardEvent, CardPayment, Event, Tournament, User

PAID: Final = "payment.succeeded"
REFUNDED: Final = "payment.refunded"
UNREAD: Final = "unread"
"""The kind of a message that is rightly signed and cannot be read. Its payload is its bytes in base64."""
TOLD: Final = ("ident", "kind", "at", "payload", "refund", "cents", "currency")
"""The columns that are as the provider told them, and never change."""


def card_events_of(event: Event) -> QuerySet[CardEvent]:
    """The newest first."""
    rows = CardEvent.objects.filter(payment__event=event)
    return rows.select_related("payment__entrant", "line__movement").order_by("-pk")


def unknown_card_events(tournament: Tournament, user: User) -> QuerySet[CardEvent]:
    """Payments and refunds that nobody began here, settled or not; the oldest first.

    Administrators see all of them. Others see what can be of their tournament.
    """
    rows = CardEvent.objects.filter(payment=None).order_by("pk")
    return rows if user.is_superuser else card_events_without_entry(tournament)


def card_events_without_entry(tournament: Tournament) -> QuerySet[CardEvent]:
    """Return the unknown messages that may belong to this tournament, by its currency; an unreadable one may."""
    rows = CardEvent.objects.filter(payment=None).order_by("pk")
    takes_cards = "card" in tournament.providers or CardPayment.objects.filter(event__tournament=tournament).exists()
    of_here = Q(currency=tournament.currency) | Q(kind=UNREAD)
    return rows.filter(of_here) if takes_cards else rows.none()


def settled_card_events(event: Event) -> QuerySet[CardEvent]:
    """Those that were recorded for an entry of this event, the newest first."""
    rows = CardEvent.objects.filter(payment=None, line__event=event)
    return rows.select_related("line__entrant", "line__movement").order_by("-pk")


def waiting_card_events(event: Event) -> QuerySet[CardEvent]:
    """Messages that a director has to settle: about this event, or about no entry of any."""
    waiting = CardEvent.objects.filter(state=CardEvent.State.WAITING)
    return waiting.filter(Q(payment__event=event) | Q(pk__in=card_events_without_entry(event.tournament).values("pk")))


def is_another_amount(row: CardEvent, currency: str) -> bool:
    """Whether a payment of another amount waits than was started; in another currency it cannot be recorded."""
    if row.payment is None or (row.kind, row.state, row.currency) != (PAID, CardEvent.State.WAITING, currency):
        return False
    return row.cents not in (0, row.payment.cents)
