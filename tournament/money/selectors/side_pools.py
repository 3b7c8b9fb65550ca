"""Side pools with their entries, payments, places and winners, and the extras that were sold."""

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.db.models import QuerySet

from tournament.models import Entrant, Event, EventExtra, Finish, LedgerLine, SidePool, SidePoolEntry, SidePoolResult
from tournament.money.selectors.awards import AwardRow, PrizePlace, load_award_rows, make_prize_places
from tournament.money.selectors.ledger import (
    EventAccounts,
    load_current_charges_for_extras,
    load_current_finish,
    load_event_accounts,
)
from tournament.purse.fees import EntryAccount
from tournament.purse.kinds import MoneyKind
from tournament.purse.pool import (
    SidePoolMoney,
    compute_side_pool_payout,
    divide_payment,
    make_side_pool_money,
    restrict_finish_to_entrants,
)
from tournament.purse.prizes import divide_pool_by_place, make_prize_scale

EntriesByPlace = tuple[tuple[int, ...], ...]
"""Groups of tied entry numbers, best first."""


@dataclass(frozen=True, slots=True)
class SidePoolEntrant:
    """An entry in a side pool. `entry` is the primary key of its SidePoolEntry.

    `paid_cents` counts only the pool's fee.
    """

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
class SidePoolOverview:
    """A side pool with its entrants, money, places and awards.

    - `result`: the places that the desk recorded last.
    - `has_no_placed_entry`: whether the ranking of the finished event decides who wins the pool, but ranks none of the
      pool's entries.
    - `awards`: the winners, once the event is finished.
    - `others`: entries that were paid, but have lost their award.
    """

    pool: SidePool
    entrants: tuple[SidePoolEntrant, ...]
    money: SidePoolMoney
    places: tuple[PrizePlace, ...]
    has_fewer_places: bool
    result: EntriesByPlace
    is_finished: bool
    awards: tuple[AwardRow, ...] = ()
    others: tuple[AwardRow, ...] = ()
    has_no_placed_entry: bool = False

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
    def is_ranked_by_desk(self) -> bool:
        return self.pool.places_by == SidePool.PlacesBy.DESK

    @property
    def has_paid_awards(self) -> bool:
        """Return whether an award was paid. After that, nobody can join or leave the pool."""
        return any(row.paid_cents for row in self.rows)

    @property
    def needs_desk_result(self) -> bool:
        return self.is_ranked_by_desk and bool(self.entrants) and not self.result

    @property
    def needs_result(self) -> bool:
        return self.is_finished and self.money.prizes_cents > 0 and not self.awards


def load_side_pools(event: Event, books: EventAccounts | None = None) -> tuple[SidePoolOverview, ...]:
    """Return an event's side pools in the order in which they were added."""
    pools = list(event.side_pools.all())
    if not pools:
        return ()
    entrants = _load_pool_entrants(event, books or load_event_accounts(event))
    results = {row.pool_id: row for row in SidePoolResult.objects.filter(pool__event=event).order_by("pk")}
    finish = load_current_finish(event)
    states = []
    for pool in pools:
        own = entrants.get(pool.pk, ())
        numbers, result = {entrant.number for entrant in own}, results.get(pool.pk)
        recorded = restrict_finish_to_entrants(result.places if result is not None else (), numbers)
        by_finish = rank_side_pool_by_finish(pool, finish, numbers)
        groups = by_finish or recorded
        state = _make_overview(event, pool, own, recorded, groups if finish is not None else ())
        states.append(replace(state, has_no_placed_entry=bool(own) and finish is not None and by_finish == ()))
    return tuple(states)


def rank_side_pool_by_finish(pool: SidePool, finish: Finish | None, inside: Collection[int]) -> EntriesByPlace | None:
    """Return the event's ranking of the pool's entries, or None if the desk enters the pool's ranking.

    If no entry in the pool has a place, the result is empty, and a director has to name the winner.
    """
    if pool.places_by == SidePool.PlacesBy.DESK:
        return None
    return restrict_finish_to_entrants(finish.places if finish is not None else (), inside)


def load_side_pool_entries(event: Event) -> QuerySet[SidePoolEntry]:
    """Return current side-pool entries in the order in which they joined."""
    rows = SidePoolEntry.objects.filter(pool__event=event, line__corrected_by=None)
    return rows.select_related("pool", "entrant", "line").order_by("line_id")


def _load_pool_entrants(event: Event, books: EventAccounts) -> dict[int, tuple[SidePoolEntrant, ...]]:
    by_entrant: dict[int, list[SidePoolEntry]] = defaultdict(list)
    for row in load_side_pool_entries(event):
        by_entrant[row.entrant_id].append(row)
    by_pool: dict[int, list[SidePoolEntrant]] = defaultdict(list)
    for entrant_id, rows in by_entrant.items():
        paid = divide_payment(books.get_account(entrant_id).side_collected_cents, [row.line.cents for row in rows])
        for row, cents in zip(rows, paid, strict=True):
            entrant = row.entrant
            by_pool[row.pool_id].append(
                SidePoolEntrant(row.pk, entrant.pk, entrant.number, entrant.name, cents, row.line.cents)
            )
    return {pool: tuple(sorted(own, key=lambda entrant: entrant.number)) for pool, own in by_pool.items()}


def _make_overview(
    event: Event, pool: SidePool, own: tuple[SidePoolEntrant, ...], recorded: EntriesByPlace, groups: EntriesByPlace
) -> SidePoolOverview:
    money = make_side_pool_money(sum(entrant.paid_cents for entrant in own), pool.prize_percent)
    scale = make_prize_scale(pool.prize_scale, event.unit_cents)
    places, has_fewer = make_prize_places(divide_pool_by_place(money.prizes_cents, scale, max(1, len(own))), scale)
    awards, others = load_award_rows(event, compute_side_pool_payout(money, scale, groups), pool)
    is_finished = event.state == Event.State.FINISHED
    return SidePoolOverview(pool, own, money, places, has_fewer, recorded, is_finished, awards, others)


def read_side_pool_terms(pool: SidePool) -> dict[str, Any]:
    names = ("name", "fee_cents", "condition", "places_by", "prize_percent")
    return {**{name: getattr(pool, name) for name in names}, "prize_scale": tuple(pool.prize_scale)}


# --- Extras ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _SoldExtra:
    """A single extra that was sold. `line` is the primary key of its charge."""

    line: int
    number: int
    name: str
    cents: int
    paid_cents: int

    @property
    def owes_cents(self) -> int:
        return self.cents - self.paid_cents


@dataclass(frozen=True, slots=True)
class EventExtraSales:
    """An extra, with a row for each item that was sold and not given back, in order of entry number."""

    extra: EventExtra
    sold: tuple[_SoldExtra, ...]
    was_sold: bool

    @property
    def paid_cents(self) -> int:
        return sum(piece.paid_cents for piece in self.sold)

    @property
    def buyers(self) -> list[dict[str, Any]]:
        """Return the extra's buyers, each with the number of items that they have.

        `line` is the charge to reverse when a buyer gives one item back.
        """
        buyers = []
        for (number, name), rows in groupby(self.sold, key=lambda piece: (piece.number, piece.name)):
            pieces = list(rows)
            owes = sum(piece.owes_cents for piece in pieces)
            buyers.append(
                {"number": number, "name": name, "count": len(pieces), "line": pieces[-1].line, "owes_cents": owes}
            )
        return buyers


def load_event_extra_sales(event: Event, books: EventAccounts | None = None) -> tuple[EventExtraSales, ...]:
    """Return an event's extras in the order in which they were added."""
    extras = list(event.extras.all())
    if not extras:
        return ()
    sold = _load_sold_extras(event, books or load_event_accounts(event))
    named = set(load_charges_for_extras(event).values_list("reference", flat=True))
    return tuple(EventExtraSales(extra, sold.get(extra.name, ()), extra.name in named) for extra in extras)


def _load_sold_extras(event: Event, books: EventAccounts) -> dict[str, tuple[_SoldExtra, ...]]:
    """Return the sold items of each extra, keyed by the extra's name, in order of entry number.

    An item's `paid_cents` is computed by applying the entry's payments for extras to its earliest purchase first.
    """
    by_entrant: dict[int, list[LedgerLine]] = defaultdict(list)
    for line in load_charges_for_extras(event).filter(corrected_by=None).select_related("entrant__joined_to"):
        by_entrant[line.entrant.joined_to_id or line.entrant_id].append(line)
    by_name: dict[str, list[_SoldExtra]] = defaultdict(list)
    for entrant_id, lines in by_entrant.items():
        paid = divide_payment(books.get_account(entrant_id).extra_collected_cents, [line.cents for line in lines])
        for line, cents in zip(lines, paid, strict=True):
            owner = line.entrant.joined_to or line.entrant
            by_name[line.reference].append(_SoldExtra(line.pk, owner.number, owner.name, line.cents, cents))
    return {name: tuple(sorted(own, key=lambda piece: (piece.number, piece.line))) for name, own in by_name.items()}


def load_charges_for_extras(event: Event) -> QuerySet[LedgerLine]:
    """Return all charges for extras, including extras that were given back."""
    return event.ledger.filter(kind=MoneyKind.EXTRA).order_by("pk")


def count_extras_of_entry(entrant: Entrant, account: EntryAccount) -> tuple[tuple[str, int], ...]:
    """Return the name and quantity of each extra that an entry has, in order of purchase.

    If the account shows no extras, no query is made.
    """
    if not account.extra_owed_cents:
        return ()
    return tuple(Counter(load_current_charges_for_extras(entrant).values_list("reference", flat=True)).items())
