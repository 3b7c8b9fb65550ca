"""The signature of a webhook: HMAC-SHA256 over its time and its body, in a header `t=…,v1=…`."""

import hashlib
import hmac
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _

from tournament.errors import DomainError

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
