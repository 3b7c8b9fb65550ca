"""The ways to pay an entry fee, each behind the same small interface. A tournament's settings choose among them."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol, cast

import rfc8785
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.errors import DomainError
from tournament.models import CardPayment, Entrant, Tournament
from tournament.money.selectors.incoming import reference_of_entry
from tournament.money.services.incoming import CardMessage, unread_message

# --- Signature -------------------------------------------------------------------------------------------------------
# The signature of a webhook: HMAC-SHA256 over its time and its body, in a header `t=…,v1=…`.

TOLERANCE: Final = 300
"""The allowed seconds between the clocks of the provider and of this site. An older message may be a copy."""


def sign(body: bytes, secret: str, at: datetime) -> str:
    stamp = int(at.timestamp())
    return f"t={stamp},v1={_digest(body, secret, stamp)}"


def check_signature(body: bytes, header: str, secret: str, at: datetime) -> None:
    """Check the signature of a webhook. One matching signature of several is enough.

    A provider that changes its secret signs with both secrets for a while.

    Raises:
        DomainError: `bad-signature` if it is missing, wrong or too old.
    """
    parts = [part.partition("=") for part in header.split(",")]
    stamps = [text for name, _sign, text in parts if name.strip() == "t" and text.isascii() and text.isdecimal()]
    if len(stamps) != 1 or len(stamps[0]) > 12 or abs(int(stamps[0]) - at.timestamp()) > TOLERANCE:
        raise DomainError("bad-signature", _("The signature is missing or too old. Check the clock and send it again."))
    wanted = _digest(body, secret, int(stamps[0])).encode()
    given = [text.strip().encode() for name, _sign, text in parts if name.strip() == "v1"]
    if not any(hmac.compare_digest(wanted, digest) for digest in given):
        raise DomainError("bad-signature", _("The signature does not match. Check the secret of the webhook."))


def _digest(body: bytes, secret: str, stamp: int) -> str:
    return hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()


# --- Console ---------------------------------------------------------------------------------------------------------
# A card provider for development: its page shows the charge, and a button sends the webhook.

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


# ---   init   --------------------------------------------------------------------------------------------------------
# Card payments: the player pays on a page of the provider, and the provider's webhook reports the result.


class CardService(Protocol):
    def payment_url(self, payment: CardPayment) -> str:
        """Return the address of the page on which the player pays."""

    def read(self, body: bytes, headers: Mapping[str, str], at: datetime) -> CardMessage:
        """Return the webhook's message, or an `unread_message`.

        Raise DomainError `bad-signature` for a wrong signature.
        """


_SERVICES: Final[Mapping[str, Callable[[], CardService]]] = {"console": ConsoleCards}


def card_service() -> CardService | None:
    if not settings.CARD_PROVIDER:
        return None
    if settings.CARD_PROVIDER not in _SERVICES:
        raise ImproperlyConfigured(f"CARD_PROVIDER is one of: {', '.join(_SERVICES)}")
    return _SERVICES[settings.CARD_PROVIDER]()


class _PayByCard:
    name = "card"
    label = gettext_lazy("By card")
    template = "tournament/money/providers/card.html"

    def is_ready(self) -> bool:
        return card_service() is not None

    def context_for(self, entrant: Entrant) -> Mapping[str, Any]:
        return {}


# --- Transfer --------------------------------------------------------------------------------------------------------
# Payment by bank transfer.


class _PayByTransfer:
    """A bank transfer with the reference of the entry, by which the desk finds it."""

    name = "transfer"
    label = gettext_lazy("By bank transfer, with a reference")
    template = "tournament/money/providers/transfer.html"

    def is_ready(self) -> bool:
        return True

    def context_for(self, entrant: Entrant) -> Mapping[str, Any]:
        owner = entrant.joined_to or entrant
        return {"reference": reference_of_entry(owner), "account": entrant.event.tournament.bank_account}


# --- Desk ------------------------------------------------------------------------------------------------------------
# Payment at the desk, which every installation is ready for.


class _PayAtTheDesk:
    name = "desk"
    label = gettext_lazy("At the desk")
    template = "tournament/money/providers/desk.html"

    def is_ready(self) -> bool:
        return True

    def context_for(self, entrant: Entrant) -> Mapping[str, Any]:
        return {}


# ---   init   --------------------------------------------------------------------------------------------------------
# The ways to pay an entry fee, each behind the same small interface. A tournament's settings choose among them.


class Provider(Protocol):
    name: str
    label: Any
    template: str

    def is_ready(self) -> bool: ...

    def context_for(self, entrant: Entrant) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Offer:
    """A way to pay, as shown on a player's page and in mail."""

    name: str
    template: str
    shown: Mapping[str, Any] = field(default_factory=dict)


_PROVIDERS: Final[tuple[Provider, ...]] = (_PayAtTheDesk(), _PayByTransfer(), _PayByCard())


def ready_choices() -> list[tuple[str, Any]]:
    """Return the names and labels of the providers that are ready on this installation."""
    return [(provider.name, provider.label) for provider in _PROVIDERS if provider.is_ready()]


def offered_by(tournament: Tournament) -> list[Provider]:
    return [provider for provider in _PROVIDERS if provider.name in tournament.providers and provider.is_ready()]


def offers_for(entrant: Entrant) -> list[Offer]:
    """Return the ways in which this entrant can pay, in the order of the list."""
    offered = offered_by(entrant.event.tournament)
    return [Offer(provider.name, provider.template, provider.context_for(entrant)) for provider in offered]
