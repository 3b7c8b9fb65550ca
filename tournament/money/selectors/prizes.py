from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tournament.above import stages
from tournament.models import EndedEarly, Entrant, Event, Finish, PaidOut
from tournament.money.selectors.division import division_of, promised_cents
from tournament.money.selectors.ledger import current_finish, load_books, load_ended_early, load_payout, load_purse
from tournament.money.selectors.payouts import Settling, paid_to, won_of
from tournament.money.selectors.shares import NOBODY, PlayerShare, Sharing, load_sharing
from tournament.purse import (
    Division,
    Payout,
    PrizePool,
    Scale,
    TieWorth,
    divide_places,
    make_prize_pool,
    place_finish,
    preview_ties,
)


@dataclass(frozen=True, slots=True)
class PlaceRow:
    place: int
    percent: str
    cents: int


@dataclass(frozen=True, slots=True)
class AwardRow(Settling):
    """What an entry won, and what it has. `place` is empty for somebody who was paid and has no prize now.

    `history` are the rows of its payouts, undone ones with the row that reverses them, the oldest first.
    """

    place: str
    entrant_id: int
    number: int
    name: str
    cents: int
    paid_cents: int = 0
    history: tuple[PaidOut, ...] = ()
    sharing: Sharing = NOBODY

    @property
    def shares(self) -> tuple[PlayerShare, ...]:
        """What each partner gets of the prize; nothing for somebody who plays alone."""
        return self.sharing.of(self.cents) if len(self.sharing.players) > 1 else ()

    @property
    def paid(self) -> bool:
        return self.paid_cents == self.cents

    @property
    def differs(self) -> bool:
        """Whether it was paid, and another amount than it won."""
        return self.paid_cents not in (0, self.cents)


@dataclass(frozen=True, slots=True)
class Prizes:
    """The pool, what each place is worth now, and once finished who gets what; awards add up to the pool.

    `others` were paid and have no prize: by a result that was corrected since, or while the event is open again.
    """

    pool: PrizePool
    places: tuple[PlaceRow, ...]
    awards: tuple[AwardRow, ...]
    others: tuple[AwardRow, ...] = ()
    early: EndedEarly | None = None
    has_fewer_places: bool = False
    """Whether fewer places are paid than there are prizes: there are not as many entries."""

    @property
    def has_percents(self) -> bool:
        return any(row.percent for row in self.places)

    @property
    def rows(self) -> tuple[AwardRow, ...]:
        return (*self.awards, *self.others)

    @property
    def differing(self) -> tuple[AwardRow, ...]:
        return tuple(row for row in self.rows if row.differs)

    @property
    def awarded_cents(self) -> int:
        return sum(row.cents for row in self.awards)

    @property
    def paid_out_cents(self) -> int:
        return sum(row.paid_cents for row in self.rows)

    @property
    def to_pay_cents(self) -> int:
        return sum(row.to_pay_cents for row in self.rows)

    @property
    def to_get_back_cents(self) -> int:
        return sum(row.to_get_back_cents for row in self.rows)


def load_prizes(event: Event) -> Prizes:
    purse = load_purse(event)
    awards, others = _rows(event, load_payout(event, purse.pool))
    places, has_fewer = place_rows(purse.places_cents, purse.division)
    return Prizes(purse.pool, places, awards, others, load_ended_early(event), has_fewer)


def load_ties(event: Event, prizes: Prizes) -> tuple[TieWorth, ...]:
    """What a tie between any of those still in play would pay; nothing before the draw and once all is decided."""
    if event.state not in (Event.State.DRAWN, Event.State.IN_PLAY) or not prizes.pool.pool_cents:
        return ()
    still_in = stages().count_in_play(event)
    return preview_ties([row.cents for row in prizes.places], still_in) if still_in else ()


@dataclass(frozen=True, slots=True)
class Preview:
    """What the places would be worth with so many entries, each of which paid the whole fee."""

    entries: int
    pool: PrizePool
    places: tuple[PlaceRow, ...]

    @property
    def has_percents(self) -> bool:
        return any(row.percent for row in self.places)


def preview_prizes(event: Event, entries: int) -> Preview:
    """Return the prizes of a field of this size, by the settings of the event and the money added so far."""
    added = max(event.added_cents, load_books(event).received_cents)
    pool = make_prize_pool(
        entries * event.fee_cents,
        event.prize_percent,
        added_cents=added,
        guarantee_cents=promised_cents(event),
    )
    division = division_of(event, entries)
    rows, _has_fewer = place_rows(divide_places(pool.pool_cents, division, max(1, entries)), division)
    return Preview(entries, pool, rows)


def place_rows(places_cents: Sequence[int], division: Division) -> tuple[tuple[PlaceRow, ...], bool]:
    """Each place with its percent, where it has one; and whether fewer are paid than there are prizes.

    With fewer the percents are left out: first place has the money of the others.
    """
    if isinstance(division, Scale):
        written, prizes = [percent.text for percent in division.percents], len(division.percents)
    else:
        written, prizes = [], len(division.amounts_cents)
    has_fewer = len(places_cents) < prizes
    percents = [*([] if has_fewer else written), *[""] * len(places_cents)]
    paired = zip(percents, places_cents, strict=False)
    rows = tuple(PlaceRow(place, percent, cents) for place, (percent, cents) in enumerate(paired, start=1))
    return rows, has_fewer


def _rows(event: Event, payout: Payout | None) -> tuple[tuple[AwardRow, ...], tuple[AwardRow, ...]]:
    """Those with a prize in the order of the finish, then those who were paid and have none."""
    history = _history(event)
    won = won_of(payout)
    places = {award.entry: str(award.placing) for award in payout.awards} if payout is not None else {}
    numbers = [*won, *(number for number in history if number not in won)]
    known = event.entrants.filter(number__in=numbers).values_list("number", "pk", "name") if numbers else []
    entrants = {number: (pk, name) for number, pk, name in known}
    sharing = load_sharing(event, numbers) if event.entry_size > 1 and numbers else {}
    rows = [
        AwardRow(
            places.get(number, ""),
            entrants[number][0],
            number,
            entrants[number][1],
            won.get(number, 0),
            _standing_cents(history.get(number, ())),
            tuple(history.get(number, ())),
            sharing.get(number, NOBODY),
        )
        for number in numbers
    ]
    others = [row for row in rows if row.number not in won and row.paid_cents]
    return tuple(row for row in rows if row.number in won), tuple(others)


def _history(event: Event) -> dict[int, list[PaidOut]]:
    found: dict[int, list[PaidOut]] = defaultdict(list)
    for row in event.paid_out.select_related("entrant", "reverses", "reversed_by", "movement").order_by(
        "entrant__number", "pk"
    ):
        found[row.entrant.number].append(row)
    return dict(found)


def _standing_cents(rows: list[PaidOut] | tuple[PaidOut, ...]) -> int:
    undone = {row.reverses_id for row in rows}
    return sum(row.cents for row in rows if row.reverses_id is None and row.pk not in undone)


@dataclass(frozen=True, slots=True)
class OwnPrize(Settling):
    """What an entrant reads on their own page: place, prize and what of it they have, in cents.

    `finished` is False while the event is open again: place and prize are not known then. `shares` is what each
    partner of a pair gets.
    """

    place: str
    cents: int
    paid_cents: int
    finished: bool = True
    shares: tuple[PlayerShare, ...] = ()


def load_own_prize(entrant: Entrant) -> OwnPrize | None:
    """None where the event is not finished and nothing was paid. Half of a pair reads what its pair has won."""
    event = entrant.event
    if event.state not in (Event.State.IN_PLAY, Event.State.FINISHED):
        return None
    whose = entrant.joined_to or entrant
    finish, paid = current_finish(event), paid_to(whose)
    if finish is None:
        return OwnPrize("", 0, paid, finished=False) if paid else None
    won = won_of(load_payout(event)).get(whose.number, 0)
    place = _place_in(finish, whose.number)
    return OwnPrize(place, won, paid, shares=_own_shares(whose, won)) if place or paid else None


def _own_shares(entrant: Entrant, won_cents: int) -> tuple[PlayerShare, ...]:
    if entrant.event.entry_size == 1 or not won_cents:
        return ()
    return load_sharing(entrant.event, [entrant.number]).get(entrant.number, NOBODY).of(won_cents)


def _place_in(finish: Finish, number: int) -> str:
    placings = place_finish(finish.places)
    return next((str(placing) for placing in placings if number in placing.entries), "")
