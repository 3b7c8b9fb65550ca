"""The signatures of a card, and whether each covers the card's present content."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from scoring.card_state.selectors.evidence import CardEvidence
from scoring.models import CardSeat, Signature

SCOREKEEPER: Final = "scorekeeper"
"""The value that stands for the scorekeeper where a signature or form usually has the letter of a side."""


@dataclass(frozen=True)
class CardSignatures:
    """All signatures ever `made` on a card, compared with its present content."""

    evidence: CardEvidence
    made: tuple[Signature, ...]

    @cached_property
    def signed_seats(self) -> frozenset[int]:
        """The seats whose signature covers the card's present content."""
        return frozenset(s.seat_id for s in self.made if s.digest == self.evidence.digest and s.seat_id is not None)

    @property
    def signed_by(self) -> frozenset[int]:
        """The entrants who sit on the signed seats."""
        return frozenset(
            seat.entrant_id
            for seat in self.evidence.written.seats
            if seat.pk in self.signed_seats and seat.entrant_id is not None
        )

    @property
    def fallen(self) -> tuple[Signature, ...]:
        """Signatures of an earlier content, from sides that have not signed the present content."""
        return tuple(s for s in self.made if s.digest != self.evidence.digest and s.seat_id not in self.signed_seats)

    @property
    def missing(self) -> tuple[CardSeat, ...]:
        return tuple(seat for seat in self.evidence.written.seats if seat.pk not in self.signed_seats)

    @property
    def by_scorekeeper(self) -> Signature | None:
        """The scorekeeper's signature of the card's present content."""
        return next((s for s in self.made if s.digest == self.evidence.digest and s.seat_id is None), None)

    @property
    def signed_letters(self) -> tuple[str, ...]:
        """The letters of all sides that have signed the present content, and `SCOREKEEPER` if the scorekeeper has."""
        signed = (seat.side for seat in self.evidence.written.seats if seat.pk in self.signed_seats)
        return (*signed, *((SCOREKEEPER,) if self.by_scorekeeper is not None else ()))

    @property
    def missing_besides(self) -> tuple[str, ...]:
        """The people besides the players who still have to sign, such as the scorekeeper."""
        besides = self.evidence.written.sheet.variant.signs_besides
        return () if self.by_scorekeeper is not None else besides

    @property
    def missing_names(self) -> tuple[str, ...]:
        written = self.evidence.written
        return (*(written.name_of(seat) for seat in self.missing), *map(str, self.missing_besides))

    @property
    def missing_letters(self) -> tuple[tuple[str, str], ...]:
        """The letter and name of everybody who still has to sign. The scorekeeper's letter is `SCOREKEEPER`."""
        written = self.evidence.written
        sides = ((seat.side, written.name_of(seat)) for seat in self.missing)
        return (*sides, *((SCOREKEEPER, str(name)) for name in self.missing_besides))
