"""Money facts as movements of the purse, and sums of postings."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from django.db.models import Q, QuerySet, Sum

from tournament.models import (
    CashMoved,
    Entrant,
    Event,
    EventMoney,
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
from tournament.purse.ledger.balances import sums_by_kind
from tournament.purse.ledger.postings import AccountKind, Booking, MovementKind
from tournament.purse.ledger.recorded import RecordedMoney, movement_of

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


def of_entry(entrant: Entrant) -> Q:
    """Match the postings of an entry. A pair also has the postings of its halves."""
    return Q(entrant=entrant) | Q(entrant__joined_to=entrant)


def sums_by(rows: QuerySet[Posting], *by: str) -> Iterable[tuple[tuple[Any, ...], int]]:
    """Add up the cents of postings in the database, grouped by these columns."""
    found = rows.order_by().values_list(*by).annotate(cents=Sum("cents"))
    return [(tuple(key), int(cents)) for *key, cents in found]


def cents_by_kind(entrant: Entrant) -> dict[str, int]:
    """Return the balance of an entry's account in cents, by kind."""
    rows = Posting.objects.filter(of_entry(entrant), account=AccountKind.ENTRANT)
    return dict(sums_by_kind((kind, cents) for (kind,), cents in sums_by(rows, "kind")))


def entry_movements(entrant: Entrant) -> dict[int, Booking]:
    """Return the movement of each ledger line of an entry, in their order, by the line's primary key."""
    sources = ("refund_source", "corrects__refund_source")
    lines = LedgerLine.objects.filter(of_entry(entrant)).select_related("corrects", *sources).order_by("pk")
    return {line.pk: movement_of(replace(recorded_of(line), entry=entrant.pk)) for line in lines}


def kept_by_method(entrant: Entrant) -> dict[str, int]:
    """Return the cents that an entry paid by each method, less refunds of that money by any method."""
    fees = (MovementKind.PAYMENT, MovementKind.REFUND)
    rows = Posting.objects.filter(of_entry(entrant), account=AccountKind.MONEY, kind__in=fees)
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


def facts_of_money(event: Event) -> Iterator[MoneyFact]:
    yield from event.ledger.select_related("corrects__refund_source", "refund_source").order_by("pk")
    yield from event.paid_out.select_related("reverses", "of_pool__pool", "withholding").order_by("pk")
    yield from event.other_money.select_related("reverses").order_by("pk")


def posting_faults(event: Event) -> list[str]:
    """List the postings and movements that differ from what the facts of an event make.

    Each fact must have exactly one movement.
    """
    return _faults(facts_of_money(event), event.movements.all(), event.postings.order_by("pk"))


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
