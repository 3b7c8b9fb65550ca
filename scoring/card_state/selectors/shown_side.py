"""A side of a card as a page shows it."""

from dataclasses import dataclass

from scoring.models import CardSeat


@dataclass(frozen=True, slots=True)
class ShownSide:
    """A side of a card as a page shows it. `number` None: a team, not an entrant."""

    seat: CardSeat
    name: str
    total: int
    has_won: bool
    has_signed: bool

    @property
    def number(self) -> int | None:
        return self.seat.entrant.number if self.seat.entrant else None
