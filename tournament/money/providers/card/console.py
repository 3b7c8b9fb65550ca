"""A card provider for development: its page shows what would be charged, and a button sends the webhook."""

import json
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.errors import DomainError
from tournament.models import CardPayment
from tournament.money.providers.card.signature import check_signature, sign
from tournament.money.services.card_payments import CardMessage

HEADER: Final = "Card-Signature"
LONGEST: Final = 100
MOST_CENTS: Final = 10**11


class ConsoleCards:
    def page_of(self, payment: CardPayment) -> str:
        return reverse("tournament:my_card_payment", args=[payment.entrant.token, payment.ident])

    def read(self, body: bytes, headers: Mapping[str, str], at: datetime) -> CardMessage:
        check_signature(body, headers.get(HEADER, ""), str(settings.CARD_WEBHOOK_SECRET), at)
        try:
            payload = json.loads(body)
            told = payload["data"]
            message = CardMessage(
                ident=_text(payload["id"]),
                kind=_text(payload["type"])[:60],
                payment=_text(told["payment"]),
                cents=_cents(told.get("amount", 0)),
                currency=_text(told.get("currency", "-")),
                refund=_text(told["refund"]) if "refund" in told else "",
                payload=payload,
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            said = _("This message cannot be read. It needs an id, a type and the payment that it is about.")
            raise DomainError("bad-message", said) from error
        return message

    def webhook_of(self, payment: CardPayment, kind: str, at: datetime) -> tuple[bytes, dict[str, str]]:
        """Body and headers as the provider would send them."""
        told: dict[str, Any] = {"payment": payment.ident, "amount": payment.cents}
        told["currency"] = payment.event.tournament.currency
        if kind == "payment.refunded":
            told["refund"] = f"re_{secrets.token_hex(8)}"
        body = json.dumps({"id": f"evt_{secrets.token_hex(8)}", "type": kind, "data": told}).encode()
        return body, {HEADER: sign(body, str(settings.CARD_WEBHOOK_SECRET), at)}


def _text(value: object) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST or "\x00" in value:
        raise ValueError("not a short text")
    return value


def _cents(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_CENTS:
        raise ValueError("not an amount in cents")
    return value
