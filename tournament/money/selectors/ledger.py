"""Sums of postings as the purse's pure values: accounts, the pool and payouts."""

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Final

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from tournament.core.folded import folded_here
from tournament.models import EndedEarly, Entrant, Event, Finish, LedgerLine
from tournament.models.topic import ENTRANTS, PRIZES
from tournament.money.selectors.division import count_entries, division_now, division_of, promised_cents
from tournament.money.selectors.movements import cents_by_kind, sums_by
from tournament.purse import (
    Account,
    DiscountsFrom,
    Division,
    FeeTerms,
    MethodTotal,
    Payout,
    PrizePool,
    account_from,
    add_accounts,
    divide_places,
    make_prize_pool,
    pay_out,
    place_finish,
)
from tournament.purse.ledger.balances import methods_of, sums_by_kind
from tournament.purse.ledger.postings import AccountKind, MovementKind


def lines_of(entrant: Entrant) -> QuerySet[LedgerLine]:
    """Return the ledger lines of an entry. A pair also has the lines of its halves."""
    return LedgerLine.objects.filter(Q(entrant=entrant) | Q(entrant__joined_to=entrant)).order_by("pk")


def standing_side_charges(entrant: Entrant) -> QuerySet[LedgerLine]:
    """Return one line for each side pool that an entry is in, in the order in which it joined them."""
    kind = LedgerLine.Kind.SIDE_POOL
    return LedgerLine.objects.filter(entrant=entrant, kind=kind, corrected_by=None).order_by("pk")


def standing_extras(entrant: Entrant) -> QuerySet[LedgerLine]:
    """Return one line for each extra that an entry has, in the order of purchase.

    A pair also has those of its halves.
    """
    return lines_of(entrant).filter(kind=LedgerLine.Kind.EXTRA, corrected_by=None)


def fee_terms_of(event: Event) -> FeeTerms:
    return FeeTerms(event.fee_cents, event.early_fee_cents, event.early_until, event.late_fee_cents, event.late_from)


def account_of(entrant: Entrant) -> Account:
    return account_from(cents_by_kind(entrant))


@dataclass(frozen=True, slots=True)
class Books:
    """All accounts of an event by entry, their sum, and the fees by method.

    A half's lines are in the account of its pair. `received_cents` is what sponsors gave.
    """

    accounts: dict[int, Account]
    total: Account
    by_method: dict[str, MethodTotal]
    received_cents: int = 0

    def account(self, entrant_id: int) -> Account:
        return self.accounts.get(entrant_id, Account())


GONE: Final = frozenset({Entrant.State.WITHDRAWN, Entrant.State.REFUSED, Entrant.State.PARTED})
"""The states of entries that left before the draw.

They owe no fee, so a complimentary entry is no discount for them.
"""


MAY_JOIN: Final = frozenset({Entrant.State.IN, Entrant.State.APPLIED})
"""The states of entries that can join a side pool or buy an extra."""


def load_books(event: Event) -> Books:
    """Read all accounts of an event in one query."""
    return folded_here(event.pk, (PRIZES, ENTRANTS), "books", lambda: _read_books(event))


def _read_books(event: Event) -> Books:
    kinds: dict[int, list[tuple[str, int]]] = defaultdict(list)
    gone: set[int] = set()
    moved: list[tuple[str, str, int]] = []
    received, off = 0, event.state == Event.State.CALLED_OFF
    whose = Coalesce("entrant__joined_to_id", "entrant_id")
    state = Coalesce("entrant__joined_to__state", "entrant__state")
    rows = event.postings.filter(account__in=(AccountKind.ENTRANT, AccountKind.ADDED))
    sums = sums_by(rows.annotate(whose=whose, stands=state), "whose", "stands", "kind", "method")
    for (entrant_id, stands, kind, method), cents in sums:
        if kind == MovementKind.ADDED:
            received -= cents
            continue
        kinds[entrant_id].append((kind, cents))
        moved.append((kind, method, cents))
        if stands in GONE:
            gone.add(entrant_id)
    accounts = {
        entrant_id: _settled(account_from(sums_by_kind(own)), off or entrant_id in gone)
        for entrant_id, own in kinds.items()
    }
    return Books(accounts, add_accounts(accounts.values()), methods_of(moved), received)


def _settled(account: Account, gone: bool) -> Account:
    return replace(account, settled_discounts_cents=0) if gone and account.owed_cents == 0 else account


@dataclass(frozen=True, slots=True)
class Purse:
    """The current pool, and what each place is worth with the current number of entries."""

    pool: PrizePool
    places_cents: tuple[int, ...]
    division: Division


def load_pool(event: Event, books: Books | None = None) -> PrizePool:
    """Return the prize pool that the collected fees make, by the terms of the event.

    Added money is the announced amount, or what sponsors gave if that is more.
    """
    books = books or load_books(event)
    total = books.total
    if event.state == Event.State.CALLED_OFF:
        # Nothing is played for in an event that was called off. The sponsors decide about the money they gave.
        return make_prize_pool(total.collected_cents, event.prize_percent, added_cents=books.received_cents)
    return make_prize_pool(
        total.collected_cents,
        event.prize_percent,
        discounts_cents=DiscountsFrom(event.discounts_from).covered_cents(total.settled_discounts_cents),
        added_cents=max(event.added_cents, books.received_cents),
        guarantee_cents=promised_cents(event),
    )


def load_purse(event: Event, books: Books | None = None) -> Purse:
    pool = load_pool(event, books)
    entries = count_entries(event)
    division = division_of(event, entries)
    return Purse(pool, divide_places(pool.pool_cents, division, max(1, entries)), division)


def current_finish(event: Event) -> Finish | None:
    """Return the recorded finish of a finished event, or None while it is in play."""
    if event.state != Event.State.FINISHED:
        return None
    return Finish.objects.filter(event=event).order_by("-pk").first()


def load_ended_early(event: Event) -> EndedEarly | None:
    """Return the record that a finished event ended early, with its reason, or None if it was played out."""
    finish = current_finish(event)
    return EndedEarly.objects.filter(finish=finish).first() if finish is not None else None


def load_payout(event: Event, pool: PrizePool | None = None) -> Payout | None:
    """Return everybody's awards, or None while the event is not finished."""
    finish = current_finish(event)
    if finish is None:
        return None
    pool = pool or load_pool(event)
    return pay_out(pool.pool_cents, division_now(event), place_finish(finish.places))
