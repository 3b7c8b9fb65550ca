"""Sums of postings as the purse's pure values: accounts, the pool and payouts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from tournament.core.folded import folded_here
from tournament.models import (
    CashMoved,
    EndedEarly,
    Entrant,
    Event,
    EventMoney,
    Finish,
    LedgerLine,
    Movement,
    PaidOut,
    Posting,
    RefundSource,
    SidePool,
    SidePoolPayout,
    Tournament,
    Withholding,
)
from tournament.models.topic import ENTRANTS, PRIZES
from tournament.purse import (
    Account,
    DiscountsFrom,
    Division,
    FeeTerms,
    FlatAmounts,
    MethodTotal,
    Payout,
    PrizePool,
    account_from,
    add_accounts,
    divide_places,
    make_prize_pool,
    make_scale,
    make_table,
    pay_out,
    place_finish,
)
from tournament.purse.balances import methods_of, sums_by_kind
from tournament.purse.postings import AccountKind, Booking, MovementKind, RecordedMoney, movement_of
from tournament.purse.prizes import PaidPrize

# --- Division --------------------------------------------------------------------------------------------------------
# The division of an event's pool among its places.


def count_entries(event: Event) -> int:
    """Count the entries that play, or played until they were withdrawn. A table of scales depends on this number."""
    return event.entrants.filter(state__in=[Entrant.State.IN, Entrant.State.REMOVED]).count()


def division_of(event: Event, entries: int) -> Division:
    """Return the scale or the flat amounts for a field of this many entries."""
    if event.prizes_by == Event.PrizesBy.FLAT:
        return FlatAmounts(tuple(event.flat_cents))
    if event.prizes_by == Event.PrizesBy.TABLE:
        return make_table(event.prize_table, event.unit_cents).scale_for(entries)
    return make_scale(event.prize_scale, event.unit_cents)


def division_now(event: Event) -> Division:
    """Return the division for the current entries. The entries are counted only if the division depends on them."""
    by_entries = event.prizes_by == Event.PrizesBy.TABLE
    return division_of(event, count_entries(event) if by_entries else 0)


def promised_cents(event: Event) -> int:
    """Return the cents that the pool has at least: the guarantee or the sum of the flat amounts, whichever is more.

    Flat amounts were announced, so they are paid as written.
    """
    flat = sum(event.flat_cents) if event.prizes_by == Event.PrizesBy.FLAT else 0
    return max(event.guarantee_cents or 0, flat)


# --- Movements -------------------------------------------------------------------------------------------------------
# Money facts as movements of the purse, and sums of postings.

NAMED: Final = frozenset({LedgerLine.Kind.SIDE_POOL.value, LedgerLine.Kind.EXTRA.value})
MoneyFact = LedgerLine | PaidOut | EventMoney | CashMoved


def recorded_of(fact: MoneyFact) -> RecordedMoney:
    """Return the fact as a value of the purse. Its `entry` is the primary key of the entrant."""
    if isinstance(fact, LedgerLine):
        line = fact.corrects.kind if fact.corrects is not None else ""
        name = fact.reference if is_named(fact) else ""
        source = refund_source_of(fact)
        paid_by = source.method if source is not None else ""
        return RecordedMoney(fact.kind, fact.cents, fact.entrant_id, fact.method, name, reverses=line, paid_by=paid_by)
    if isinstance(fact, CashMoved):
        off, to = fact.drawer_id or 0, fact.to_drawer_id or 0
        return RecordedMoney(fact.kind, fact.cents, method=fact.method, drawer=off, to_drawer=to)
    of = fact.reverses
    if isinstance(fact, PaidOut):
        side = side_pool_of(fact)
        payout = MovementKind.PAYOUT.value if side is None else MovementKind.SIDE_PAYOUT.value
        reverses, name = payout if of is not None else "", side.name if side is not None else ""
        kept = withholding_of(fact)
        withheld = kept.cents if kept is not None else 0
        return RecordedMoney(payout, fact.cents, fact.entrant_id, fact.method, name, reverses, withheld_cents=withheld)
    other = fact.kind if of is not None else ""
    return RecordedMoney(fact.kind, fact.cents, method=fact.method, category=fact.category, reverses=other)


def refund_source_of(line: LedgerLine) -> RefundSource | None:
    """Return how the money of a refund was originally paid, or None if it was handed back by the same method.

    For a line that reverses a refund, return the source of that refund.
    """
    refund = line.corrects if line.corrects is not None else line
    found: RefundSource | None = (
        getattr(refund, "refund_source", None) if refund.kind == LedgerLine.Kind.REFUND else None
    )
    return found


def is_named(line: LedgerLine) -> bool:
    """Return whether the line charges a side pool or an extra, or reverses such a charge.

    The reference of such a line is the name of the side pool or extra.
    """
    return not NAMED.isdisjoint((line.kind, line.corrects.kind if line.corrects is not None else ""))


def side_pool_of(paid: PaidOut) -> SidePool | None:
    """Return the side pool whose award was paid, or None for a prize of the event."""
    found: SidePoolPayout | None = getattr(paid, "of_pool", None)
    return found.pool if found is not None else None


def withholding_of(paid: PaidOut) -> Withholding | None:
    """Return the tax that was withheld from a payout, or None."""
    found: Withholding | None = getattr(paid, "withholding", None)
    return found


def reversed_fact(fact: MoneyFact) -> MoneyFact | None:
    """Return the fact that this one reverses, or None. Moved cash is moved back instead of being reversed."""
    if isinstance(fact, CashMoved):
        return None
    return fact.corrects if isinstance(fact, LedgerLine) else fact.reverses


def _of_entry(entrant: Entrant) -> Q:
    """Match the postings of an entry. A pair also has the postings of its halves."""
    return Q(entrant=entrant) | Q(entrant__joined_to=entrant)


def sums_by(rows: QuerySet[Posting], *by: str) -> Iterable[tuple[tuple[Any, ...], int]]:
    """Add up the cents of postings in the database, grouped by these columns."""
    found = rows.order_by().values_list(*by).annotate(cents=Sum("cents"))
    return [(tuple(key), int(cents)) for *key, cents in found]


def cents_by_kind(entrant: Entrant) -> dict[str, int]:
    """Return the balance of an entry's account in cents, by kind."""
    rows = Posting.objects.filter(_of_entry(entrant), account=AccountKind.ENTRANT)
    return dict(sums_by_kind((kind, cents) for (kind,), cents in sums_by(rows, "kind")))


def entry_movements(entrant: Entrant) -> dict[int, Booking]:
    """Return the movement of each ledger line of an entry, in their order, by the line's primary key."""
    sources = ("refund_source", "corrects__refund_source")
    lines = LedgerLine.objects.filter(_of_entry(entrant)).select_related("corrects", *sources).order_by("pk")
    return {line.pk: movement_of(replace(recorded_of(line), entry=entrant.pk)) for line in lines}


def kept_by_method(entrant: Entrant) -> dict[str, int]:
    """Return the cents that an entry paid by each method, less refunds of that money by any method."""
    fees = (MovementKind.PAYMENT, MovementKind.REFUND)
    rows = Posting.objects.filter(_of_entry(entrant), account=AccountKind.MONEY, kind__in=fees)
    kept = Counter({method: cents for (method,), cents in sums_by(rows, "method")})
    whose = Q(line__entrant=entrant) | Q(line__entrant__joined_to=entrant)
    for source in RefundSource.objects.filter(whose, line__corrected_by=None).select_related("line"):
        kept[source.line.method] += source.line.cents
        kept[source.method] -= source.line.cents
    return dict(kept)


def hand_by_method(event: Event) -> dict[str, int]:
    """Return the cents in hand by each method that was ever used.

    A method's sum is negative if more went out by it than came in, as with checks that the organizer writes.
    """
    rows = sums_by(event.postings.filter(account=AccountKind.MONEY), "method")
    return {method: cents for (method,), cents in sorted(rows)}


def movements_of(event: Event) -> QuerySet[Movement]:
    """Return all movements of an event with their facts, reversed facts and entries."""
    return with_facts(event.movements.all()).order_by("number")


def with_facts(rows: QuerySet[Movement]) -> QuerySet[Movement]:
    lines = ("line__entrant", "line__corrects__refund_source", "line__refund_source")
    payouts = ("paid_out__entrant", "paid_out__reverses", "paid_out__of_pool__pool", "paid_out__withholding")
    return rows.select_related(*lines, *payouts, "money__reverses", "reverses", "reversed_by")


def _facts_of_money(event: Event) -> Iterator[MoneyFact]:
    yield from event.ledger.select_related("corrects__refund_source", "refund_source").order_by("pk")
    yield from event.paid_out.select_related("reverses", "of_pool__pool", "withholding").order_by("pk")
    yield from event.other_money.select_related("reverses").order_by("pk")


def posting_faults(event: Event) -> list[str]:
    """List the postings and movements that differ from what the facts of an event make.

    Each fact must have exactly one movement.
    """
    return _faults(_facts_of_money(event), event.movements.all(), event.postings.order_by("pk"))


def cash_faults(tournament: Tournament) -> list[str]:
    """List the faults of cash movements between drawers, which belong to no event."""
    whole = {"tournament": tournament, "event": None}
    movements, postings = Movement.objects.filter(**whole), Posting.objects.filter(**whole).order_by("pk")
    return _faults(tournament.cash_moved.all(), movements, postings)


def _faults(facts: Iterable[MoneyFact], moved: Iterable[Movement], posted: Iterable[Posting]) -> list[str]:
    postings: dict[int, list[Posting]] = defaultdict(list)
    for posting in posted:
        postings[posting.movement_id].append(posting)
    movements = {_fact_of(row): row for row in moved}
    faults = []
    for fact in facts:
        row = movements.pop((type(fact), fact.pk), None)
        rows = postings.pop(row.pk, []) if row is not None else []
        if row is None or _as_posted(row, rows) != _as_made(fact, row):
            faults.append(f"{fact._meta.verbose_name} {fact.pk}")
    faults += [f"movement {row.receipt}" for row in movements.values()]
    return faults + [f"postings of movement {pk}" for pk in postings]


def _fact_of(row: Movement) -> tuple[type[MoneyFact], int | None]:
    if row.line_id is not None:
        return LedgerLine, row.line_id
    if row.cash_id is not None:
        return CashMoved, row.cash_id
    return (PaidOut, row.paid_out_id) if row.paid_out_id is not None else (EventMoney, row.money_id)


def _as_posted(row: Movement, rows: Iterable[Posting]) -> object:
    return row.kind, [
        (
            *(one.account, one.cents, one.drawer, one.kind, one.entrant_id),
            *(one.method, one.category, one.day, one.tournament_id),
        )
        for one in rows
    ]


def _as_made(fact: MoneyFact, row: Movement) -> object:
    moved = movement_of(recorded_of(fact))
    if row.drawer_id is not None:
        moved = moved.in_drawer(row.drawer_id)
    about = (moved.kind.value, moved.entry or None, moved.method, moved.category, row.day, row.tournament_id)
    return moved.kind.value, [(one.account.value, one.cents, one.drawer or None, *about) for one in moved.postings]


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


# --- Withheld --------------------------------------------------------------------------------------------------------
# Money withheld from prizes for taxes, of one payout and of a whole event.


def withheld_here(event: Event) -> int:
    """Return the cents that were withheld and not yet sent to the tax office."""
    rows = event.postings.filter(account=AccountKind.WITHHELD)
    return -sum(cents for _account, cents in sums_by(rows, "account"))


def withheld_of(paid: PaidOut) -> int:
    found = withholding_of(paid)
    return found.cents if found is not None else 0


def withheld_from(paid: Iterable[PaidOut]) -> int:
    return sum(withheld_of(one) for one in paid)


def as_paid_prizes(newest_first: Iterable[PaidOut]) -> list[PaidPrize]:
    return [PaidPrize(one.cents, withheld_of(one)) for one in newest_first]


def what_for(paid: Iterable[PaidOut]) -> str:
    """Return the reasons for withholding, each once: “Backup withholding, 24%”."""
    found: list[Withholding | None] = [withholding_of(one) for one in paid]
    return "; ".join(dict.fromkeys(one.reason for one in found if one is not None))
