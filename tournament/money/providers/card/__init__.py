"""Card payments: the player pays on a page of the provider, and the provider's webhook reports the result.

To add a provider, write a module here with a class like `CardService`, and add its name to `SERVICES`.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, Protocol

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from tournament.models import CardPayment, Entrant
from tournament.money.providers.card.console import ConsoleCards
from tournament.money.services.incoming import CardMessage


class CardService(Protocol):
    def payment_url(self, payment: CardPayment) -> str:
        """Return the address of the page on which the player pays."""

    def read(self, body: bytes, headers: Mapping[str, str], at: datetime) -> CardMessage:
        """Return the webhook's message, or an `unread_message`.

        Raise DomainError `bad-signature` for a wrong signature.
        """


SERVICES: Final[Mapping[str, Callable[[], CardService]]] = {"console": ConsoleCards}


def card_service() -> CardService | None:
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

    def context_for(self, entrant: Entrant) -> Mapping[str, Any]:
        return {}
