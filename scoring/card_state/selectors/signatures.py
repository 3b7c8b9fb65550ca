"""Who has signed a card, and whether what they signed is what is on it now."""

from dataclasses import dataclass
from functools import cached_property

from scoring.card_state.selectors.evidence import CardEvidence
from scoring.models import CardSeat, Signature


@dataclass(frozen=True)
class CardSignatures:
    """All that were ever `made`, beside what is on the card now."""

    evidence: CardEvidence
    made: tuple[Signature, ...]

    @cached_property
    def signed_seats(self) -> frozenset[int]:
        """The seats whose signature covers what is on the card now."""
        return frozenset(s.seat_id for s in self.made if s.digest == self.evidence.digest)

    @property
    def signed_by(self) -> frozenset[int]:
        """The entrants who sit on those seats."""
        return frozenset(
            seat.entrant_id
            for seat in self.evidence.written.seats
            if seat.pk in self.signed_seats and seat.entrant_id is not None
        )

    @property
    def fallen(self) -> tuple[Signature, ...]:
        """Signatures under an earlier content, of sides that have not signed the present one."""
        return tuple(s for s in self.made if s.digest != self.evidence.digest and s.seat_id not in self.signed_seats)

    @property
    def missing(self) -> tuple[CardSeat, ...]:
        """The seats that have still to sign."""
        return tuple(seat for seat in self.evidence.written.seats if seat.pk not in self.signed_seats)
