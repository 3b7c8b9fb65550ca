"""Ways to pay an entry fee: at the desk, by bank transfer, or by card."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, Protocol, cast

import rfc8785
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.selectors.copies import takes_card_payments
from tournament.errors import DomainError
from tournament.models import CardPayment, Entrant, Tournament
from tournament.money.selectors.transfers_and_cards import make_entry_reference
from tournament.money.services.transfers_and_cards import CardProviderMessage, make_message_for_unreadable_body

MAX_WEBHOOK_AGE_S: Final = 300
"""The maximum age of a provider's message in seconds, which allows for clock differences.

Older messages may be replays.
"""
_SIGNATURE_HEADER: Final = "Card-Signature"
_LONGEST_TEXT: Final = 100
_MOST_CENTS: Final = 10**11
_LARGEST_NUMBER: Final = 2.0**53


class _PaymentProvider:
    """A way to pay an entry fee."""

    name: str
    label: Any
    template: str

    def is_ready(self) -> bool:
        """Return whether this installation is configured for this way to pay."""
        return True

    def is_offered_by(self, tournament: Tournament) -> bool:
        return self.name in tournament.providers

    def make_context(self, entrant: Entrant) -> Mapping[str, Any]:
        return {}


class _PayAtTheDesk(_PaymentProvider):
    name = "desk"
    label = gettext_lazy("At the desk")
    template = "tournament/money/providers/desk.html"


class _PayByTransfer(_PaymentProvider):
    """A bank transfer. The desk recognizes the entry by the payment reference in the transfer."""

    name = "transfer"
    label = gettext_lazy("By bank transfer, with a reference")
    template = "tournament/money/providers/transfer.html"

    def make_context(self, entrant: Entrant) -> Mapping[str, Any]:
        owner = entrant.joined_to or entrant
        return {"reference": make_entry_reference(owner), "account": entrant.event.tournament.bank_account}


class _PayByCard(_PaymentProvider):
    name = "card"
    label = gettext_lazy("By card")
    template = "tournament/money/providers/card.html"

    def is_ready(self) -> bool:
        return get_card_payment_service() is not None

    def is_offered_by(self, tournament: Tournament) -> bool:
        return takes_card_payments(tournament)


_PROVIDERS: Final[tuple[_PaymentProvider, ...]] = (_PayAtTheDesk(), _PayByTransfer(), _PayByCard())


def list_provider_choices() -> list[tuple[str, Any]]:
    return [(provider.name, provider.label) for provider in _PROVIDERS if provider.is_ready()]


def list_offered_providers(tournament: Tournament) -> list[_PaymentProvider]:
    return [provider for provider in _PROVIDERS if provider.is_offered_by(tournament) and provider.is_ready()]


def load_payment_options(entrant: Entrant) -> list[dict[str, Any]]:
    """Return the ways in which this entrant can pay. Each has a name, a template and its context."""
    return [
        {"name": provider.name, "template": provider.template, "shown": provider.make_context(entrant)}
        for provider in list_offered_providers(entrant.event.tournament)
    ]


# --- Card services ---------------------------------------------------------------------------------------------------
# The player pays on a page of the provider, and the provider's webhook reports the result.


class _CardService(Protocol):
    def make_payment_url(self, payment: CardPayment) -> str:
        """Return the URL of the provider's page on which the player pays."""

    def read(self, body: bytes, headers: Mapping[str, str], at: datetime) -> CardProviderMessage:
        """Return the message in a webhook request.

        If it cannot be parsed, return the result of `make_message_for_unreadable_body`.

        Raises:
            DomainError: `bad-signature` if the signature is wrong.
        """


def get_card_payment_service() -> _CardService | None:
    services: Mapping[str, Callable[[], _CardService]] = {"console": DevelopmentCardService}
    if not settings.CARD_PROVIDER:
        return None
    if settings.CARD_PROVIDER not in services:
        raise ImproperlyConfigured(f"CARD_PROVIDER is one of: {', '.join(services)}")
    return services[settings.CARD_PROVIDER]()


class DevelopmentCardService:
    """A card provider for development. Its page shows the charge, and a button triggers the webhook."""

    def make_payment_url(self, payment: CardPayment) -> str:
        return reverse("tournament:my_card_payment", args=[payment.entrant.token, payment.ident])

    def read(self, body: bytes, headers: Mapping[str, str], at: datetime) -> CardProviderMessage:
        check_webhook_signature(body, headers.get(_SIGNATURE_HEADER, ""), str(settings.CARD_WEBHOOK_SECRET), at)
        try:
            payload = json.loads(body, parse_constant=_reject_json_constant)
            _reject_unstorable_values(payload)
            data = payload["data"]
            message = CardProviderMessage(
                ident=_read_text(payload["id"]),
                kind=_read_text(payload["type"])[:60],
                payment=_read_text(data["payment"]),
                cents=_read_cents(data.get("amount", 0)),
                currency=_read_text(data.get("currency", "-")),
                refund=_read_text(data["refund"]) if "refund" in data else "",
                payload=payload,
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return make_message_for_unreadable_body(body)
        return message

    def make_webhook(self, payment: CardPayment, kind: str, at: datetime) -> tuple[bytes, dict[str, str]]:
        data: dict[str, Any] = {"payment": payment.ident, "amount": payment.cents}
        data["currency"] = payment.event.tournament.currency
        if kind == "payment.refunded":
            data["refund"] = f"re_{secrets.token_hex(8)}"
        body = json.dumps({"id": f"evt_{secrets.token_hex(8)}", "type": kind, "data": data}).encode()
        return body, {_SIGNATURE_HEADER: sign_webhook(body, str(settings.CARD_WEBHOOK_SECRET), at)}


def _reject_json_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _reject_unstorable_values(payload: object) -> None:
    """Raise ValueError for values that the database or the log cannot store exactly.

    These are NUL characters, lone surrogates, and numbers beyond 2^53. RFC 8785 has no form for some of them, and a
    database may return a different number.
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


# --- Webhook signatures ----------------------------------------------------------------------------------------------
# HMAC-SHA256 over the time and the body, in a header `t=…,v1=…`.


def sign_webhook(body: bytes, secret: str, at: datetime) -> str:
    stamp = int(at.timestamp())
    return f"t={stamp},v1={_compute_digest(body, secret, stamp)}"


def check_webhook_signature(body: bytes, header: str, secret: str, at: datetime) -> None:
    """Check a webhook's signature. If the header contains several signatures, one valid signature is enough.

    A provider that is changing its secret signs with both the old and the new secret.

    Raises:
        DomainError: `bad-signature` if it is missing, wrong or too old.
    """
    parts = [part.partition("=") for part in header.split(",")]
    stamps = [text for name, _sign, text in parts if name.strip() == "t" and text.isascii() and text.isdecimal()]
    if len(stamps) != 1 or len(stamps[0]) > 12 or abs(int(stamps[0]) - at.timestamp()) > MAX_WEBHOOK_AGE_S:
        raise DomainError("bad-signature", _("The signature is missing or too old. Check the clock and send it again."))
    wanted = _compute_digest(body, secret, int(stamps[0])).encode()
    given = [text.strip().encode() for name, _sign, text in parts if name.strip() == "v1"]
    if not any(hmac.compare_digest(wanted, digest) for digest in given):
        raise DomainError("bad-signature", _("The signature does not match. Check the secret of the webhook."))


def _compute_digest(body: bytes, secret: str, stamp: int) -> str:
    return hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
