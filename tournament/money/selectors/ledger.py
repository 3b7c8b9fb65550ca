"""The accounts of an event's entries, its prize pool and its payouts, computed from postings in the database.

Money is recorded as ledger lines, payouts, other money, and cash transfers. Each such record has exactly one money
movement, whose postings add up to zero.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from tournament.core.cached import cached
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
from tournament.models.topic import ENTRANTS_TOPIC, PRIZES_TOPIC
from tournament.purse.fees import EntryAccount, FeeTerms, make_entry_account, sum_entry_accounts
from tournament.purse.kinds import HELD_MONEY_BY_ACCOUNT, MONEY_KIND_DETAILS, AccountKind, MoneyKind
from tournament.purse.pool import DiscountSource, PrizePool, make_prize_pool
from tournament.purse.postings import MoneyMovement, make_movement, sum_cents_by_kind
from tournament.purse.prizes import (
    FlatAmounts,
    PaidPrize,
    Payout,
    PoolDivision,
    compute_payout,
    divide_pool_by_place,
    make_placings_from_finish,
    make_prize_scale,
    make_prize_table,
)

MoneyFact = LedgerLine | PaidOut | EventMoney | CashMoved
_LEFT_BEFORE_DRAW: Final = frozenset({Entrant.State.WITHDRAWN, Entrant.State.REFUSED, Entrant.State.PARTED})
"""The states of entries that left before the draw. They owe no fee, so they received no discount either."""
STATES_ALLOWING_PURCHASES: Final = frozenset({Entrant.State.IN, Entrant.State.APPLIED})

# --- Accounts of entries ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventAccounts:
    """The accounts of an event's entries, and their total.

    A pair's account includes lines from before the partners were joined. `sponsored_cents` is the money received from
    sponsors.
    """

    accounts: dict[int, EntryAccount]
    total: EntryAccount
    sponsored_cents: int = 0

    def get_account(self, entrant_id: int) -> EntryAccount:
        return self.accounts.get(entrant_id, EntryAccount())


def load_event_accounts(event: Event) -> EventAccounts:
    """Load all of an event's accounts with one query."""
    return cached(event.pk, (PRIZES_TOPIC, ENTRANTS_TOPIC), "books", lambda: _compute_event_accounts(event))


def _compute_event_accounts(event: Event) -> EventAccounts:
    kinds: dict[int, list[tuple[str, int]]] = defaultdict(list)
    left_early: set[int] = set()
    sponsored, is_called_off = 0, event.state == Event.State.CALLED_OFF
    owner = Coalesce("entrant__joined_to_id", "entrant_id")
    state = Coalesce("entrant__joined_to__state", "entrant__state")
    rows = event.postings.filter(account__in=(AccountKind.ENTRANT, AccountKind.ADDED))
    sums = sum_postings_by_columns(rows.annotate(owner=owner, entry_state=state), "owner", "entry_state", "kind")
    for (entrant_id, entry_state, kind), cents in sums:
        if kind == MoneyKind.ADDED:
            sponsored -= cents
            continue
        kinds[entrant_id].append((kind, cents))
        if entry_state in _LEFT_BEFORE_DRAW:
            left_early.add(entrant_id)
    accounts = {}
    for entrant_id, own in kinds.items():
        account = make_entry_account(sum_cents_by_kind(own))
        if (is_called_off or entrant_id in left_early) and account.owed_cents == 0:
            account = replace(account, settled_discounts_cents=0)
        accounts[entrant_id] = account
    return EventAccounts(accounts, sum_entry_accounts(accounts.values()), sponsored)


def load_entry_account(entrant: Entrant) -> EntryAccount:
    return make_entry_account(load_entry_cents_by_kind(entrant))


def read_fee_terms(event: Event) -> FeeTerms:
    return FeeTerms(event.fee_cents, event.early_fee_cents, event.early_until, event.late_fee_cents, event.late_from)


def load_entry_cents_by_kind(entrant: Entrant) -> dict[str, int]:
    """Return the sum of an entry's money movements of each kind, in cents."""
    rows = Posting.objects.filter(_make_entry_condition(entrant), account=AccountKind.ENTRANT)
    return dict(sum_cents_by_kind((kind, cents) for (kind,), cents in sum_postings_by_columns(rows, "kind")))


def load_ledger_lines(entrant: Entrant) -> QuerySet[LedgerLine]:
    """Return an entry's ledger lines. A pair's lines include those of both partners from before they were joined."""
    return LedgerLine.objects.filter(_make_entry_condition(entrant)).order_by("pk")


def load_current_charges_for_extras(entrant: Entrant) -> QuerySet[LedgerLine]:
    """Return the charge for each extra that an entry currently has, in order of purchase.

    The extras of a pair include those of its partners.
    """
    return load_ledger_lines(entrant).filter(kind=MoneyKind.EXTRA, corrected_by=None)


def sum_payments_by_method(entrant: Entrant) -> dict[str, int]:
    """Return how many cents an entry paid by each method, less refunds.

    A refund is subtracted from the method of the original payment.
    """
    fees = (MoneyKind.PAYMENT, MoneyKind.REFUND)
    rows = Posting.objects.filter(_make_entry_condition(entrant), account=AccountKind.MONEY, kind__in=fees)
    paid = Counter({method: cents for (method,), cents in sum_postings_by_columns(rows, "method")})
    of_entry = Q(line__entrant=entrant) | Q(line__entrant__joined_to=entrant)
    for source in RefundSource.objects.filter(of_entry, line__corrected_by=None).select_related("line"):
        paid[source.line.method] += source.line.cents
        paid[source.method] -= source.line.cents
    return dict(paid)


def sum_money_on_hand_by_method(event: Event) -> dict[str, int]:
    """Return the cents on hand for each payment method that was ever used.

    A balance is negative if more money went out than came in, for example if the organizer writes checks.
    """
    rows = sum_postings_by_columns(event.postings.filter(account=AccountKind.MONEY), "method")
    return {method: cents for (method,), cents in sorted(rows)}


def sum_postings_by_columns(rows: QuerySet[Posting], *by: str) -> Iterable[tuple[tuple[Any, ...], int]]:
    """Return the sum of the postings' cents for each combination of values in these columns."""
    sums = rows.order_by().values_list(*by).annotate(cents=Sum("cents"))
    return [(tuple(key), int(cents)) for *key, cents in sums]


def _make_entry_condition(entrant: Entrant) -> Q:
    """Return a query condition for the rows of an entry. The rows of a pair include those of its two partners."""
    return Q(entrant=entrant) | Q(entrant__joined_to=entrant)


# --- Prize pool and awards -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PrizeBreakdown:
    """The current prize pool, and the amount for each place with the current number of entries."""

    pool: PrizePool
    places_cents: tuple[int, ...]
    division: PoolDivision


def load_prize_breakdown(event: Event, books: EventAccounts | None = None) -> PrizeBreakdown:
    pool = load_prize_pool(event, books)
    entries = count_entries_for_prizes(event)
    division = make_pool_division(event, entries)
    return PrizeBreakdown(pool, divide_pool_by_place(pool.pool_cents, division, max(1, entries)), division)


def load_prize_pool(event: Event, books: EventAccounts | None = None) -> PrizePool:
    """Compute the prize pool from the collected fees, according to the event's terms.

    Added money is the announced amount or the amount received from sponsors, whichever is larger. If the event is
    called off, only the amount received counts.
    """
    books = books or load_event_accounts(event)
    total = books.total
    if event.state == Event.State.CALLED_OFF:
        # A called-off event has no prizes. Sponsors decide what happens to the money they gave.
        return make_prize_pool(total.collected_cents, event.prize_percent, added_cents=books.sponsored_cents)
    return make_prize_pool(
        total.collected_cents,
        event.prize_percent,
        discounts_cents=DiscountSource(event.discounts_from).compute_covered_cents(total.settled_discounts_cents),
        added_cents=max(event.added_cents, books.sponsored_cents),
        guarantee_cents=compute_guaranteed_pool_cents(event),
    )


def load_payout(event: Event, pool: PrizePool | None = None) -> Payout | None:
    """Return the prizes for all places and the awards to entries, or None if the event is not finished."""
    finish = load_current_finish(event)
    if finish is None:
        return None
    pool = pool or load_prize_pool(event)
    return compute_payout(pool.pool_cents, load_pool_division(event), make_placings_from_finish(finish.places))


def load_current_finish(event: Event) -> Finish | None:
    """Return the finish of a finished event, or None while it is in play."""
    if event.state != Event.State.FINISHED:
        return None
    return Finish.objects.filter(event=event).order_by("-pk").first()


def load_early_finish(event: Event) -> EndedEarly | None:
    """Return the record of a finished event that was ended early, or None if it was not ended early."""
    finish = load_current_finish(event)
    return EndedEarly.objects.filter(finish=finish).first() if finish is not None else None


def load_pool_division(event: Event) -> PoolDivision:
    """Return how the pool is divided among the current entries.

    The entries are counted only if the division depends on their number.
    """
    by_entries = event.prizes_by == Event.PrizesBy.TABLE
    return make_pool_division(event, count_entries_for_prizes(event) if by_entries else 0)


def make_pool_division(event: Event, entries: int) -> PoolDivision:
    """Return the percentages or fixed amounts for this number of entries. A called-off event owes no fixed amount."""
    if event.prizes_by == Event.PrizesBy.FLAT:
        return FlatAmounts((0,) if event.state == Event.State.CALLED_OFF else tuple(event.flat_cents))
    if event.prizes_by == Event.PrizesBy.TABLE:
        return make_prize_table(event.prize_table, event.unit_cents).find_scale(entries)
    return make_prize_scale(event.prize_scale, event.unit_cents)


def count_entries_for_prizes(event: Event) -> int:
    """Count entries that are playing, or played until they withdrew. A prize table depends on this number."""
    return event.entrants.filter(state__in=[Entrant.State.IN, Entrant.State.REMOVED]).count()


def compute_guaranteed_pool_cents(event: Event) -> int:
    """Return the smallest possible pool: the guarantee or the sum of the fixed amounts, whichever is more.

    Fixed amounts were announced, so they are always paid in full.
    """
    flat = sum(event.flat_cents) if event.prizes_by == Event.PrizesBy.FLAT else 0
    return max(event.guarantee_cents or 0, flat)


# --- Withheld taxes --------------------------------------------------------------------------------------------------


def load_held_cents_by_account(event: Event) -> dict[str, int]:
    """Return the cents on hand that belong to somebody else, such as withheld taxes, keyed by account."""
    rows = sum_postings_by_columns(event.postings.filter(account__in=HELD_MONEY_BY_ACCOUNT), "account")
    return dict.fromkeys(map(str, HELD_MONEY_BY_ACCOUNT), 0) | {account: -cents for (account,), cents in rows}


def get_withheld_cents(paid: PaidOut) -> int:
    withholding = find_withholding(paid)
    return withholding.cents if withholding is not None else 0


def list_paid_prizes(newest_first: Iterable[PaidOut]) -> list[PaidPrize]:
    return [PaidPrize(payout.cents, get_withheld_cents(payout)) for payout in newest_first]


def join_withholding_reasons(paid: Iterable[PaidOut]) -> str:
    """Return the distinct reasons for withholding as one string: “Backup withholding, 24%”."""
    withholdings: list[Withholding | None] = [find_withholding(payout) for payout in paid]
    return "; ".join(dict.fromkeys(withholding.reason for withholding in withholdings if withholding is not None))


def find_withholding(paid: PaidOut) -> Withholding | None:
    withholding: Withholding | None = getattr(paid, "withholding", None)
    return withholding


# --- Facts and their movements ---------------------------------------------------------------------------------------


def make_movement_from_fact(fact: MoneyFact) -> MoneyMovement:
    """Return the money movement that belongs to a recorded fact. Its `entry` is the entrant's primary key.

    If the fact reverses an earlier one, return the reversal of the earlier fact's movement.
    """
    about: dict[str, Any] = {"method": fact.method}
    if isinstance(fact, CashMoved):
        about |= {"drawer": fact.drawer_id or 0, "to_drawer": fact.to_drawer_id or 0}
        return make_movement(fact.kind, fact.cents, **about)
    if isinstance(fact, LedgerLine):
        is_reversal = fact.corrects is not None or fact.kind == MoneyKind.CORRECTION
        kind = fact.corrects.kind if fact.corrects is not None else fact.kind
        source = find_refund_source(fact)
        about |= {"entry": fact.entrant_id, "category": fact.reference, "paid_by": source.method if source else ""}
        if fact.kind == MoneyKind.CORRECTION:
            kind = MoneyKind.PAYMENT
    elif isinstance(fact, PaidOut):
        is_reversal, side = fact.reverses is not None, find_side_pool(fact)
        kind, name = (MoneyKind.PAYOUT, "") if side is None else (MoneyKind.SIDE_PAYOUT, side.name)
        about |= {"entry": fact.entrant_id, "category": name, "withheld_cents": get_withheld_cents(fact)}
    else:
        is_reversal, kind = fact.reverses is not None, fact.kind
        about["category"] = fact.category
    movement = make_movement(kind, fact.cents, **about)
    return movement.make_reversal() if is_reversal else movement


def find_refund_source(line: LedgerLine) -> RefundSource | None:
    """Return the method by which refunded money had been paid, or None if it equals the refund's own method.

    For a line that reverses a refund, return the source of that refund.
    """
    refund = line.corrects if line.corrects is not None else line
    source: RefundSource | None = getattr(refund, "refund_source", None) if refund.kind == MoneyKind.REFUND else None
    return source


def is_charge_for_side_pool_or_extra(line: LedgerLine) -> bool:
    """Return whether the line charges for a side pool or an extra, or reverses such a charge.

    The line's reference is the name of the side pool or extra.
    """
    kind = line.corrects.kind if line.corrects is not None else line.kind
    return kind in MONEY_KIND_DETAILS and MONEY_KIND_DETAILS[kind].has_category


def find_side_pool(paid: PaidOut) -> SidePool | None:
    """Return the side pool to which a payout belongs, or None if the payout is for one of the event's prizes."""
    link: SidePoolPayout | None = getattr(paid, "of_pool", None)
    return link.pool if link is not None else None


def load_movements(event: Event) -> QuerySet[Movement]:
    return prefetch_movement_facts(event.movements.all()).order_by("number")


def prefetch_movement_facts(rows: QuerySet[Movement]) -> QuerySet[Movement]:
    lines = ("line__entrant", "line__corrects__refund_source", "line__refund_source")
    payouts = ("paid_out__entrant", "paid_out__reverses", "paid_out__of_pool__pool", "paid_out__withholding")
    return rows.select_related(*lines, *payouts, "money__reverses", "reverses", "reversed_by")


def find_posting_faults(event: Event) -> list[str]:
    """Return the names of an event's money records, movements and postings that do not match each other.

    Each money record must have exactly one movement, with the postings that follow from the record.
    """
    facts: list[MoneyFact] = [
        *event.ledger.select_related("corrects__refund_source", "refund_source").order_by("pk"),
        *event.paid_out.select_related("reverses", "of_pool__pool", "withholding").order_by("pk"),
        *event.other_money.select_related("reverses").order_by("pk"),
    ]
    return _find_faults(facts, event.movements.all(), event.postings.order_by("pk"))


def find_cash_transfer_faults(tournament: Tournament) -> list[str]:
    """Return the same as `find_posting_faults` for a tournament's cash transfers, which belong to no event."""
    whole = {"tournament": tournament, "event": None}
    movements, postings = Movement.objects.filter(**whole), Posting.objects.filter(**whole).order_by("pk")
    return _find_faults(tournament.cash_moved.all(), movements, postings)


def _find_faults(facts: Iterable[MoneyFact], moved: Iterable[Movement], posted: Iterable[Posting]) -> list[str]:
    postings: dict[int, list[Posting]] = defaultdict(list)
    for posting in posted:
        postings[posting.movement_id].append(posting)
    movements = {_get_fact_key(row): row for row in moved}
    faults = []
    for fact in facts:
        row = movements.pop((type(fact), fact.pk), None)
        rows = postings.pop(row.pk, []) if row is not None else []
        if row is None or _describe_recorded_postings(row, rows) != _describe_expected_postings(fact, row):
            faults.append(f"{fact._meta.verbose_name} {fact.pk}")
    faults += [f"movement {row.receipt}" for row in movements.values()]
    return faults + [f"postings of movement {pk}" for pk in postings]


def _get_fact_key(row: Movement) -> tuple[type[MoneyFact], int | None]:
    if row.line_id is not None:
        return LedgerLine, row.line_id
    if row.cash_id is not None:
        return CashMoved, row.cash_id
    return (PaidOut, row.paid_out_id) if row.paid_out_id is not None else (EventMoney, row.money_id)


def _describe_recorded_postings(row: Movement, rows: Iterable[Posting]) -> object:
    return row.kind, [
        (
            *(row.account, row.cents, row.drawer, row.kind, row.entrant_id),
            *(row.method, row.category, row.day, row.tournament_id),
        )
        for row in rows
    ]


def _describe_expected_postings(fact: MoneyFact, row: Movement) -> object:
    movement = make_movement_from_fact(fact)
    if row.drawer_id is not None:
        movement = movement.with_drawer(row.drawer_id)
    about = (
        movement.kind.value,
        movement.entry or None,
        movement.method,
        movement.category,
        row.day,
        row.tournament_id,
    )
    return movement.kind.value, [
        (posting.account.value, posting.cents, posting.drawer or None, *about) for posting in movement.postings
    ]
