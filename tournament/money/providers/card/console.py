"""A card provider for development: its page shows the charge, and a button sends the webhook."""

import json
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, cast

import rfc8785
from django.conf import settings
from django.urls import reverse

from tournament.models import CardPayment
from tournament.money.providers.card.signature import check_signature, sign
from tournament.money.services.incoming import CardMessage, unread_message

_SIGNATURE_HEADER: Final = "Card-Signature"
_LONGEST_TEXT: Final = 100
_MOST_CENTS: Final = 10**11
_LARGEST_NUMBER: Final = 2.0**53


class ConsoleCards:
    def payment_url(self, payment: CardPayment) -> str:
        return reverse("tournament:my_card_payment", args=[payment.entrant.token, payment.ident])

    def read(self, body: bytes, headers: Mapping[str, str], at: datetime) -> CardMessage:
        check_signature(body, headers.get(_SIGNATURE_HEADER, ""), str(settings.CARD_WEBHOOK_SECRET), at)
        try:
            payload = json.loads(body, parse_constant=_refuse_constant)
            _refuse_unstorable(payload)
            data = payload["data"]
            message = CardMessage(
                ident=_read_text(payload["id"]),
                kind=_read_text(payload["type"])[:60],
                payment=_read_text(data["payment"]),
                cents=_read_cents(data.get("amount", 0)),
                currency=_read_text(data.get("currency", "-")),
                refund=_read_text(data["refund"]) if "refund" in data else "",
                payload=payload,
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return unread_message(body)
        return message

    def webhook_of(self, payment: CardPayment, kind: str, at: datetime) -> tuple[bytes, dict[str, str]]:
        data: dict[str, Any] = {"payment": payment.ident, "amount": payment.cents}
        data["currency"] = payment.event.tournament.currency
        if kind == "payment.refunded":
            data["refund"] = f"re_{secrets.token_hex(8)}"
        body = json.dumps({"id": f"evt_{secrets.token_hex(8)}", "type": kind, "data": data}).encode()
        return body, {_SIGNATURE_HEADER: sign(body, str(settings.CARD_WEBHOOK_SECRET), at)}


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _refuse_unstorable(payload: object) -> None:
    """Raise ValueError for values that a database or the log cannot store as they came.

    These are NUL, lone surrogates, and numbers beyond 2^53. RFC 8785 has no form for some of them, and a database may
    return another number.
    """
    rfc8785.dumps(cast(Any, payload))
    parts = [payload]
    for part in parts:
        if isinstance(part, dict):
            parts += [*part.keys(), *part.values()]
        elif isinstance(part, list):
            parts += part
        elif isinstance(part, str) and "\x00" in part:
            raise ValueError("NUL in a text")
        elif isinstance(part, float) and abs(part) > _LARGEST_NUMBER:
            raise ValueError("a number beyond 2^53")


def _read_text(value: object) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_TEXT:
        raise ValueError("not a short text")
    return value


def _read_cents(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST_CENTS:
        raise ValueError("not an amount in cents")
    return value
