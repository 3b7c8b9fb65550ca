from __future__ import annotations

from dataclasses import dataclass

from tournament.models import Event
from tournament.purse import PrizePool
from tournament.selectors.ledger import load_payout, load_purse


@dataclass(frozen=True, slots=True)
class PlaceRow:
    place: int
    percent: str
    cents: int


@dataclass(frozen=True, slots=True)
class AwardRow:
    place: str
    entrant_id: int
    number: int
    name: str
    cents: int
    paid: bool


@dataclass(frozen=True, slots=True)
class Prizes:
    """The pool, what each place is worth now, and once finished who gets what; awards add up to the pool."""

    pool: PrizePool
    places: tuple[PlaceRow, ...]
    awards: tuple[AwardRow, ...]

    @property
    def awarded_cents(self) -> int:
        return sum(row.cents for row in self.awards)

    @property
    def paid_out_cents(self) -> int:
        return sum(row.cents for row in self.awards if row.paid)


def load_prizes(event: Event) -> Prizes:
    purse = load_purse(event)
    percents = list(event.prize_scale) + [""] * len(purse.places_cents)
    places = tuple(
        PlaceRow(place, percent, cents)
        for place, (percent, cents) in enumerate(zip(percents, purse.places_cents, strict=False), start=1)
    )
    return Prizes(purse.pool, places, _awards(event))


def _awards(event: Event) -> tuple[AwardRow, ...]:
    payout = load_payout(event)
    if payout is None:
        return ()
    numbers = [award.entry for award in payout.awards]
    rows = event.entrants.filter(number__in=numbers).values_list("number", "pk", "name", "paid_out")
    entrants = {number: (pk, name, paid is not None) for number, pk, name, paid in rows}
    return tuple(
        AwardRow(
            str(award.placing),
            entrants[award.entry][0],
            award.entry,
            entrants[award.entry][1],
            award.cents,
            entrants[award.entry][2],
        )
        for award in payout.awards
    )
