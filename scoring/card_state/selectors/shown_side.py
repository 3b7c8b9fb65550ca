"""A side of a card in the form that pages show."""

from dataclasses import dataclass

from scoring.models import CardSeat


@dataclass(frozen=True, slots=True)
class ShownSide:
    """A side of a card for a page. `number` is None if the side is a team."""

    seat: CardSeat
    name: str
    total: int
    has_won: bool
    has_signed: bool

    @property
    def number(self) -> int | None:
        return self.seat.entrant.number if self.seat.entrant else None
