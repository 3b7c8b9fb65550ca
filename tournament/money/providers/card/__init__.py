"""Payment by card: a page of the provider's takes the money, and its webhook tells what happened.

Another provider is one more module here with the class `CardService` describes, and its name in `SERVICES`.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, Protocol

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from tournament.models import CardPayment, Entrant
from tournament.money.providers.card.console import ConsoleCards
from tournament.money.services.card_payments import CardMessage


class CardService(Protocol):
    def page_of(self, payment: CardPayment) -> str:
        """Where the player is sent to pay."""

    def read(self, body: bytes, headers: Mapping[str, str], at: datetime) -> CardMessage:
        """Return what the webhook tells, or an `unread_message`. Raises DomainError `bad-signature`."""


SERVICES: Final[Mapping[str, Callable[[], CardService]]] = {"console": ConsoleCards}


def card_service() -> CardService | None:
    """The provider that this installation has chosen (`CARD_PROVIDER`), if any."""
    if not settings.CARD_PROVIDER:
        return None
    if settings.CARD_PROVIDER not in SERVICES:
        raise ImproperlyConfigured(f"CARD_PROVIDER is one of: {', '.join(SERVICES)}")
    return SERVICES[settings.CARD_PROVIDER]()


class PayByCard:
    name = "card"
    label = _("By card")
    template = "tournament/money/providers/card.html"

    def is_ready(self) -> bool:
        return card_service() is not None

    def shown_to(self, entrant: Entrant) -> Mapping[str, Any]:
        return {}
