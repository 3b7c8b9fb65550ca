"""Sums of postings turned into the purse's pure values: accounts, the pool, payouts."""

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
    """The lines of an entry; to a pair that was put together belong those of its halves as well."""
    return LedgerLine.objects.filter(Q(entrant=entrant) | Q(entrant__joined_to=entrant)).order_by("pk")


def standing_side_charges(entrant: Entrant) -> QuerySet[LedgerLine]:
    """One line for each side pool that an entry is in, in the order in which it joined them."""
    kind = LedgerLine.Kind.SIDE_POOL
    return LedgerLine.objects.filter(entrant=entrant, kind=kind, corrected_by=None).order_by("pk")


def standing_extras(entrant: Entrant) -> QuerySet[LedgerLine]:
    """One line for each extra that an entry has, in the order of being sold; to a pair belong those of its halves."""
    return lines_of(entrant).filter(kind=LedgerLine.Kind.EXTRA, corrected_by=None)


def fee_terms_of(event: Event) -> FeeTerms:
    """The early, usual and late fee of one entry."""
    return FeeTerms(event.fee_cents, event.early_fee_cents, event.early_until, event.late_fee_cents, event.late_from)


def account_of(entrant: Entrant) -> Account:
    return account_from(cents_by_kind(entrant))


@dataclass(frozen=True, slots=True)
class Books:
    """All accounts of an event, their sum, fees by method, what sponsors gave; halves are in their pair's account."""

    accounts: dict[int, Account]
    total: Account
    by_method: dict[str, MethodTotal]
    received_cents: int = 0

    def account(self, entrant_id: int) -> Account:
        return self.accounts.get(entrant_id, Account())


GONE: Final = frozenset({Entrant.State.WITHDRAWN, Entrant.State.REFUSED, Entrant.State.PARTED})
"""Who left before the draw: no fee is asked for, so a complimentary entry is no longer anything that was let off."""


MAY_JOIN: Final = frozenset({Entrant.State.IN, Entrant.State.APPLIED})
"""Who can be in a side pool, or buy an extra."""


def load_books(event: Event) -> Books:
    """Read all accounts in one query, whatever the field."""
    return folded_here(event.pk, (PRIZES, ENTRANTS), "books", lambda: _read_books(event))


def _read_books(event: Event) -> Books:
    """Sums of the postings of entries and sponsors: a row for each entry, kind and method."""
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
    """The pool as it stands, and what each place is worth with so many finishers."""

    pool: PrizePool
    places_cents: tuple[int, ...]
    division: Division


def load_pool(event: Event, books: Books | None = None) -> PrizePool:
    """Return the pool that the fees kept so far make, by the terms of the event.

    Added money is what was announced, or what sponsors gave if that is more.
    """
    books = books or load_books(event)
    total = books.total
    if event.state == Event.State.CALLED_OFF:
        # Nothing is played for. What sponsors handed over is theirs to decide about.
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
    """The order in which a finished event ended; none while it is in play."""
    if event.state != Event.State.FINISHED:
        return None
    return Finish.objects.filter(event=event).order_by("-pk").first()


def load_ended_early(event: Event) -> EndedEarly | None:
    """Why a finished event ended by the standings, before everything was decided; None: it was played out."""
    finish = current_finish(event)
    return EndedEarly.objects.filter(finish=finish).first() if finish is not None else None


def load_payout(event: Event, pool: PrizePool | None = None) -> Payout | None:
    """What everybody gets, once the event is finished."""
    finish = current_finish(event)
    if finish is None:
        return None
    pool = pool or load_pool(event)
    return pay_out(pool.pool_cents, division_now(event), place_finish(finish.places))
