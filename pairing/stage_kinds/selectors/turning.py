"""Two sides that rotate against each other: their players and their posted rounds."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pairing.draws.two_sides import TwoSides
from pairing.models import Seating, Stage
from tournament.models import Entrant
from tournament.registration.selectors.entry_options import SideNames


@dataclass(frozen=True)
class Turning:
    """The sides of a stage in the drawn order, and its posted rounds that count.

    `sides` includes entrants who have left. `match` is the primary key of the event's single match.
    """

    stage: Stage
    match: int
    names: SideNames
    sides: TwoSides
    people: Mapping[int, Entrant]
    rounds: tuple[Seating, ...]

    @property
    def current(self) -> Seating:
        return self.rounds[-1]

    @property
    def present(self) -> TwoSides:
        """The two sides without the players who left."""
        return TwoSides(*(tuple(filter(self.plays, side)) for side in (self.sides.left, self.sides.right)))

    @property
    def sat_out(self) -> Counter[int]:
        return Counter(number for seating in self.rounds for number in seating.sits_out)

    def plays(self, number: int) -> bool:
        """Return whether this entrant was drawn and is still in."""
        return number in self.people and self.people[number].state == Entrant.State.IN

    def name(self, number: int) -> str:
        return self.people[number].name

    def round(self, number: int) -> Seating | None:
        return next((seating for seating in self.rounds if seating.round == number), None)

    def side_of(self, number: int) -> str:
        return self.names[0] if number in self.sides.left else self.names[1]
