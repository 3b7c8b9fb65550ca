"""Tell phones about the second laptop, and learn from phones that the other laptop took over.

This code runs in the front process, to which all phones connect. Live streams send phones the address of the second
laptop. If a phone sends a proof that the other laptop took over, this laptop becomes read-only (`LaptopRole.SHUT_OUT`).
"""

import asyncio
import json
import time
from collections.abc import Iterable
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import parse_cookie

from tournament.core.selectors.epochs import EPOCH_COOKIE, OwnEpoch, load_own_epoch, read_signed_epoch
from tournament.second_laptop.selectors import (
    READ_ONLY_ROLES,
    LaptopLink,
    LaptopRole,
    read_link,
    read_second_laptop_status,
    read_second_laptop_url,
)
from tournament.second_laptop.services.roles import shut_out

ALONE: Final = "alone"
"""The role of a laptop that is not connected to another laptop."""
_COOKIE_NAME: Final = EPOCH_COOKIE.encode()
_MAX_KNOWN_PROOFS: Final = 1000


def describe_laptop(own: OwnEpoch | None) -> dict[str, Any]:
    """Return the information about this laptop that phones may receive.

    The other laptop's address is included only if this laptop is the first one, or was the first one until the other
    one took over.

    After a takeover, this laptop's processes cannot write until they are restarted. Until then, the reported role is
    still that of the second laptop.
    """
    link = read_link()
    role = link.role.value if link is not None else ALONE
    if settings.READ_ONLY_DATABASE and (link is None or link.role not in READ_ONLY_ROLES):
        role = LaptopRole.SECOND.value
    epoch = own.epoch if own is not None else 0
    if link is not None and link.role is LaptopRole.SHUT_OUT:
        epoch = min(epoch, link.epoch - 1)  # it may have begun the same epoch, and phones go only to a higher one
    has_second = link is not None and link.role in (LaptopRole.FIRST, LaptopRole.SHUT_OUT)
    return {
        "role": role,
        "installation": own.installation if own is not None else "",
        "epoch": epoch,
        "proof": own.proof if own is not None else "",
        "second": read_second_laptop_url() if has_second else "",
    }


class LaptopInfo:
    """Information about the two laptops, sent to phones and received from them.

    This laptop's epoch grows with each takeover or restore. It is read only once, because it only changes while all
    processes are stopped.
    """

    def __init__(self) -> None:
        self._own: OwnEpoch | None = None
        self._known_proofs: set[str] = set()

    def make_stream_message(self) -> str:
        """Return the information for live streams as JSON.

        Return "" if this laptop is not connected to another one and there never was a takeover.
        """
        own = self._load_own()
        news = describe_laptop(own)
        return json.dumps(news) if news["role"] != ALONE or news["proof"] else ""

    async def check_takeover_proof(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Make this laptop read-only if the request carries a proof that the other laptop took over."""
        for name, value in headers:
            if name == b"cookie" and _COOKIE_NAME in value:
                proof = parse_cookie(value.decode("latin-1")).get(EPOCH_COOKIE, "")
                if proof and proof not in self._known_proofs:
                    await asyncio.to_thread(self._judge, proof)

    def _judge(self, proof: str) -> None:
        own = self._load_own()
        if own is None:
            return
        if own.is_replaced_by(proof):
            _shut_out_by_proof(read_signed_epoch(proof))
        if len(self._known_proofs) >= _MAX_KNOWN_PROOFS:
            self._known_proofs.clear()
        self._known_proofs.add(proof)

    def _load_own(self) -> OwnEpoch | None:
        if self._own is None:
            try:
                self._own = load_own_epoch()
            except DatabaseError:
                return None
            finally:
                connection.close()
        return self._own


def _shut_out_by_proof(epoch: int) -> None:
    """Make this laptop read-only because a phone brought a proof of a takeover.

    Record the last change that the other laptop acknowledged, because that laptop certainly has all changes up to it.
    If this laptop is already read-only, do nothing.
    """
    link = read_link() or LaptopLink(role=LaptopRole.FIRST, key="")
    if link.role not in READ_ONLY_ROLES:
        shut_out(link, epoch=epoch, change=read_second_laptop_status().change, at=time.time())
