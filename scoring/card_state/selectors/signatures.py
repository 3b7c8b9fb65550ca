"""Who has signed a card, and whether what they signed is what is on it now."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from scoring.card_state.selectors.evidence import CardEvidence
from scoring.models import CardSeat, Signature

SCOREKEEPER: Final = "scorekeeper"
"""Where a signature or a form names the letter of a side, the scorekeeper who signs besides them."""


@dataclass(frozen=True)
class CardSignatures:
    """All that were ever `made`, beside what is on the card now."""

    evidence: CardEvidence
    made: tuple[Signature, ...]

    @cached_property
    def signed_seats(self) -> frozenset[int]:
        """The seats whose signature covers what is on the card now."""
        return frozenset(s.seat_id for s in self.made if s.digest == self.evidence.digest and s.seat_id is not None)

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

    @property
    def by_scorekeeper(self) -> Signature | None:
        """The scorekeeper's signature of what is on the card now."""
        return next((s for s in self.made if s.digest == self.evidence.digest and s.seat_id is None), None)

    @property
    def signed_letters(self) -> tuple[str, ...]:
        """Everybody who has signed what is on the card now, by letter, the scorekeeper among them."""
        signed = (seat.side for seat in self.evidence.written.seats if seat.pk in self.signed_seats)
        return (*signed, *((SCOREKEEPER,) if self.by_scorekeeper is not None else ()))

    @property
    def missing_besides(self) -> tuple[str, ...]:
        """Name the people besides the players who have not signed yet, such as the scorekeeper."""
        besides = self.evidence.written.sheet.variant.signs_besides
        return () if self.by_scorekeeper is not None else besides

    @property
    def missing_names(self) -> tuple[str, ...]:
        """Everybody who has still to sign, by name."""
        written = self.evidence.written
        return (*(written.name_of(seat) for seat in self.missing), *map(str, self.missing_besides))

    @property
    def missing_letters(self) -> tuple[tuple[str, str], ...]:
        """Everybody who has still to sign, by letter and name; the scorekeeper has the letter `SCOREKEEPER`."""
        written = self.evidence.written
        sides = ((seat.side, written.name_of(seat)) for seat in self.missing)
        return (*sides, *((SCOREKEEPER, str(name)) for name in self.missing_besides))
