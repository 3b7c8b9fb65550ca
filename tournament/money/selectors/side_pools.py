"""Side pools: who is in, what was paid, the worth of each place, and the winners at the end."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.db.models import QuerySet

from tournament.models import Entrant, Event, EventExtra, Finish, LedgerLine, SidePool, SidePoolEntry, SidePoolResult
from tournament.money.selectors.awards import AwardRow, PlaceRow, PlayerShare, Settling, award_rows, place_rows
from tournament.money.selectors.ledger import Books, current_finish, load_books, standing_extras
from tournament.purse import Account, Scale, divide_places, make_scale
from tournament.purse.pool import SidePoolMoney, make_side_pool, pay_side_pool, places_among, share_payment

Groups = tuple[tuple[int, ...], ...]
"""Entry numbers that tie, best first."""


@dataclass(frozen=True, slots=True)
class PoolEntrant:
    """An entry in a side pool. `paid_cents` is what it paid of the pool's fee, `entry` the row that put it in."""

    entry: int
    entrant_id: int
    number: int
    name: str
    paid_cents: int
    fee_cents: int

    @property
    def owes_cents(self) -> int:
        return self.fee_cents - self.paid_cents


@dataclass(frozen=True, slots=True)
class SidePoolState:
    """A side pool with its entrants, money, places and awards.

    `result` is the desk's last record. `lacks_places` means that the pool follows the event's places, but none of its
    entrants has a place. `awards` exist once the event is finished. `others` were paid, but have no award any more.
    """

    pool: SidePool
    entrants: tuple[PoolEntrant, ...]
    money: SidePoolMoney
    places: tuple[PlaceRow, ...]
    has_fewer_places: bool
    result: Groups
    is_finished: bool
    awards: tuple[AwardRow, ...] = ()
    others: tuple[AwardRow, ...] = ()
    lacks_places: bool = False

    @property
    def has_percents(self) -> bool:
        return any(row.percent for row in self.places)

    @property
    def rows(self) -> tuple[AwardRow, ...]:
        return (*self.awards, *self.others)

    @property
    def awarded_cents(self) -> int:
        return sum(row.cents for row in self.awards)

    @property
    def is_by_desk(self) -> bool:
        return self.pool.places_by == SidePool.PlacesBy.DESK

    @property
    def is_paid_from(self) -> bool:
        """Return whether an award of the pool was paid, after which nobody joins or leaves it."""
        return any(row.paid_cents for row in self.rows)

    @property
    def awaits_desk(self) -> bool:
        return self.is_by_desk and bool(self.entrants) and not self.result

    @property
    def needs_result(self) -> bool:
        return self.is_finished and self.money.prizes_cents > 0 and not self.awards


def load_side_pools(event: Event, books: Books | None = None) -> tuple[SidePoolState, ...]:
    """Return all side pools of an event, in the order in which they were added."""
    pools = list(event.side_pools.all())
    if not pools:
        return ()
    entrants = _entrants(event, books or load_books(event))
    results = {row.pool_id: row for row in SidePoolResult.objects.filter(pool__event=event).order_by("pk")}
    finish = current_finish(event)
    found = []
    for pool in pools:
        own = entrants.get(pool.pk, ())
        recorded = _recorded(results.get(pool.pk), own)
        by_finish = places_by_finish(pool, finish, {one.number for one in own})
        groups = by_finish or recorded
        state = _state(event, pool, own, recorded, groups if finish is not None else ())
        found.append(replace(state, lacks_places=bool(own) and finish is not None and by_finish == ()))
    return tuple(found)


def places_by_finish(pool: SidePool, finish: Finish | None, inside: Collection[int]) -> Groups | None:
    """Return the event's places among the entries in the pool, or None if the desk records the pool's places.

    The places are empty if the event gave no entry of the pool a place. A director then names the winner.
    """
    if pool.places_by == SidePool.PlacesBy.DESK:
        return None
    return places_among(finish.places if finish is not None else (), inside)


def pool_entries_of(event: Event) -> QuerySet[SidePoolEntry]:
    """Return the current entries in side pools, in the order in which they joined."""
    rows = SidePoolEntry.objects.filter(pool__event=event, line__corrected_by=None)
    return rows.select_related("pool", "entrant", "line").order_by("line_id")


def _entrants(event: Event, books: Books) -> dict[int, tuple[PoolEntrant, ...]]:
    by_entrant: dict[int, list[SidePoolEntry]] = defaultdict(list)
    for row in pool_entries_of(event):
        by_entrant[row.entrant_id].append(row)
    found: dict[int, list[PoolEntrant]] = defaultdict(list)
    for entrant_id, rows in by_entrant.items():
        paid = share_payment(books.account(entrant_id).side_collected_cents, [row.line.cents for row in rows])
        for row, cents in zip(rows, paid, strict=True):
            who = row.entrant
            found[row.pool_id].append(PoolEntrant(row.pk, who.pk, who.number, who.name, cents, row.line.cents))
    return {pool: tuple(sorted(own, key=lambda one: one.number)) for pool, own in found.items()}


def _recorded(result: SidePoolResult | None, own: Sequence[PoolEntrant]) -> Groups:
    return places_among(result.places if result is not None else (), {one.number for one in own})


def _state(
    event: Event, pool: SidePool, own: tuple[PoolEntrant, ...], recorded: Groups, groups: Groups
) -> SidePoolState:
    money = make_side_pool(sum(one.paid_cents for one in own), pool.prize_percent)
    scale = _scale_of(pool, event)
    places, has_fewer = place_rows(divide_places(money.prizes_cents, scale, max(1, len(own))), scale)
    awards, others = award_rows(event, pay_side_pool(money, scale, groups), pool)
    is_finished = event.state == Event.State.FINISHED
    return SidePoolState(pool, own, money, places, has_fewer, recorded, is_finished, awards, others)


def side_pool_terms(pool: SidePool) -> dict[str, Any]:
    names = ("name", "fee_cents", "condition", "places_by", "prize_percent")
    return {**{name: getattr(pool, name) for name in names}, "prize_scale": tuple(pool.prize_scale)}


def _scale_of(pool: SidePool, event: Event) -> Scale:
    return make_scale(pool.prize_scale, event.unit_cents)


def load_award(pool: SidePool, entrant: Entrant, event: Event) -> int:
    """Return the cents of a side pool that an entry has won, once the event is finished."""
    states = {state.pool.pk: state for state in load_side_pools(event)}
    return sum(row.cents for row in states[pool.pk].awards if row.entrant_id == entrant.pk)


@dataclass(frozen=True, slots=True)
class OwnAward(Settling):
    """An entrant's award of a side pool for their own page, once the event is finished."""

    name: str
    place: str
    cents: int
    paid_cents: int
    shares: tuple[PlayerShare, ...] = ()
    withheld_cents: int = 0
    back_cents: int = 0
    """The cents that the player hands back if they were paid too much."""

    @property
    def handed_cents(self) -> int:
        return self.paid_cents - self.withheld_cents


def load_own_awards(entrant: Entrant) -> tuple[OwnAward, ...]:
    """Return an award for each side pool that the entry is in, or was paid from."""
    event, whose = entrant.event, entrant.joined_to or entrant
    if event.state != Event.State.FINISHED:
        return ()
    joined = SidePoolEntry.objects.filter(entrant=whose)
    if not joined.exists():
        return ()
    found = []
    for state in load_side_pools(event):
        rows = [row for row in state.rows if row.entrant_id == whose.pk]
        if rows:
            found += [_own_award(state.pool, row) for row in rows]
        elif any(one.entrant_id == whose.pk for one in state.entrants):
            found.append(OwnAward(state.pool.name, "", 0, 0))
    return tuple(found)


def _own_award(pool: SidePool, row: AwardRow) -> OwnAward:
    return OwnAward(pool.name, row.place, row.cents, row.paid_cents, row.shares, row.withheld_cents, row.back_cents)


@dataclass(frozen=True, slots=True)
class _OfferedPool:
    """A side pool on the desk's page of an entry. `entry` is the row by which the entry is in it, or 0."""

    pool: SidePool
    entry: int


def offered_pools(entrant: Entrant) -> tuple[_OfferedPool, ...]:
    """Return all side pools of the event, each with whether this entry is in it."""
    inside = {row.pool_id: row.pk for row in pool_entries_of(entrant.event).filter(entrant=entrant)}
    return tuple(_OfferedPool(pool, inside.get(pool.pk, 0)) for pool in entrant.event.side_pools.all())


# --- Extras ----------------------------------------------------------------------------------------------------------
# The extras of an event: what is offered, who bought how many, and what they paid.


@dataclass(frozen=True, slots=True)
class _ExtraSold:
    """One extra that an entry bought: `line` is the primary key of its charge."""

    line: int
    number: int
    name: str
    cents: int
    paid_cents: int

    @property
    def owes_cents(self) -> int:
        return self.cents - self.paid_cents


@dataclass(frozen=True, slots=True)
class _ExtraHolder:
    """An entry that has an extra, and how many. `line` is its last charge, which is the first to be given back."""

    number: int
    name: str
    count: int
    line: int
    owes_cents: int


@dataclass(frozen=True, slots=True)
class ExtraState:
    """An extra with one row for each piece that was sold and not given back, by entry number."""

    extra: EventExtra
    sold: tuple[_ExtraSold, ...]
    was_sold: bool

    @property
    def paid_cents(self) -> int:
        return sum(one.paid_cents for one in self.sold)

    @property
    def holders(self) -> tuple[_ExtraHolder, ...]:
        found = []
        for (number, name), rows in groupby(self.sold, key=lambda one: (one.number, one.name)):
            own = list(rows)
            found.append(_ExtraHolder(number, name, len(own), own[-1].line, sum(one.owes_cents for one in own)))
        return tuple(found)


def lines_of_extras(event: Event) -> QuerySet[LedgerLine]:
    """Return all charges for extras in their order, including extras that were given back."""
    return event.ledger.filter(kind=LedgerLine.Kind.EXTRA).order_by("pk")


def extras_of(entrant: Entrant, account: Account) -> tuple[tuple[str, int], ...]:
    """Return the names and the numbers of an entry's extras, in the order of purchase.

    No query is made if the account has no extras.
    """
    if not account.extra_owed_cents:
        return ()
    return tuple(Counter(standing_extras(entrant).values_list("reference", flat=True)).items())


def load_extras(event: Event, books: Books | None = None) -> tuple[ExtraState, ...]:
    """Return all extras of an event, in the order in which they were added."""
    extras = list(event.extras.all())
    if not extras:
        return ()
    sold = _sold(event, books or load_books(event))
    named = set(lines_of_extras(event).values_list("reference", flat=True))
    return tuple(ExtraState(extra, sold.get(extra.name, ()), extra.name in named) for extra in extras)


def _sold(event: Event, books: Books) -> dict[str, tuple[_ExtraSold, ...]]:
    """Return the sold extras by the extra's name. Payments go to the extra that the entry bought first."""
    by_entrant: dict[int, list[LedgerLine]] = defaultdict(list)
    for line in lines_of_extras(event).filter(corrected_by=None).select_related("entrant__joined_to"):
        by_entrant[line.entrant.joined_to_id or line.entrant_id].append(line)
    found: dict[str, list[_ExtraSold]] = defaultdict(list)
    for entrant_id, lines in by_entrant.items():
        paid = share_payment(books.account(entrant_id).extra_collected_cents, [line.cents for line in lines])
        for line, cents in zip(lines, paid, strict=True):
            whose = line.entrant.joined_to or line.entrant
            found[line.reference].append(_ExtraSold(line.pk, whose.number, whose.name, line.cents, cents))
    return {name: tuple(sorted(own, key=lambda one: (one.number, one.line))) for name, own in found.items()}
