"""The signed proof of a takeover, which phones carry from the new laptop to the one that it replaced.

A database begins a new epoch, which has a higher number, at each takeover and at each restore. A laptop that took over
signs its new epoch, and phones send this proof with every request. If the replaced laptop receives a proof from its own
installation with a higher epoch, it knows that it was replaced, even if the two laptops cannot reach each other. Both
have the same SECRET_KEY, and nobody else can sign.

There is no proof of a restore. Somebody may restore a backup on a computer at home, which must not affect the laptop at
the venue.

Two laptops that cannot reach each other may begin the same epoch. In this case, a takeover beats a restore. Of two
takeovers, the one whose identity sorts last wins. `static/js/second_laptop.js` compares in the same way.
"""

import re
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final

from django.utils.crypto import salted_hmac

from tournament.models import Installation

EPOCH_COOKIE: Final = "laptop_epoch"
"""The cookie in which phones store the proof. `static/js/second_laptop.js` sets it."""
_PROOF_PATTERN: Final = re.compile(r"([0-9]{1,9})-([0-9a-f]{32})-([0-9a-f]{32})-([0-9a-f]{32})")


@dataclass(frozen=True, slots=True)
class OwnEpoch:
    """The current epoch of this laptop's database, and its newest takeover.

    A database gets a new identity when it is restored from a backup, and when its laptop takes over from another one.
    Each new identity begins an epoch, which has a higher number than the one before.

    `installation` is the database's first identity, which the databases of all laptops that took over have in common.
    `epoch` is the current epoch. `taken_over` is the newest epoch that began with a takeover, or 0 if there was no
    takeover. `takeover_identity` is the identity that the database got at this takeover, or "".
    """

    installation: str
    epoch: int
    taken_over: int
    takeover_identity: str = ""

    @property
    def proof(self) -> str:
        """The signed proof of the newest takeover, or "" if there was none."""
        return sign_epoch(self.installation, self.taken_over, self.takeover_identity) if self.taken_over else ""

    def is_replaced_by(self, proof: str) -> bool:
        """Return whether the proof shows that another laptop took over from this one."""
        found = _PROOF_PATTERN.fullmatch(proof)
        if found is None or found[2] != self.installation:
            return False
        own_taker = self.takeover_identity if self.taken_over == self.epoch else ""
        if (int(found[1]), found[3]) <= (self.epoch, own_taker):
            return False
        return compare_digest(proof, sign_epoch(self.installation, int(found[1]), found[3]))


def load_own_epoch() -> OwnEpoch | None:
    """Return this installation's epoch and newest takeover, or None if it has no identity yet."""
    rows = Installation.objects.order_by("epoch")
    first, last = rows.first(), rows.last()
    if first is None or last is None:
        return None
    takeover = rows.filter(origin=Installation.Origin.TAKEN_OVER).last()
    if takeover is None:
        return OwnEpoch(first.identity, last.epoch, 0)
    return OwnEpoch(first.identity, last.epoch, takeover.epoch, takeover.identity)


def sign_epoch(installation: str, epoch: int, taker: str) -> str:
    """Return a signed proof that this epoch began when the laptop with the identity `taker` took over."""
    signed = f"{installation}:{epoch}:{taker}"
    signature = salted_hmac("tournament.epoch", signed, algorithm="sha256").hexdigest()
    return f"{epoch}-{installation}-{taker}-{signature[:32]}"


def read_signed_epoch(proof: str) -> int:
    """Return the epoch in a proof. Check the proof with `OwnEpoch.is_replaced_by` first."""
    return int(proof.partition("-")[0])
