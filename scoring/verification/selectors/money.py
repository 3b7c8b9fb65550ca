"""Recompute an event's money from its ledger, and check its tournament's daily closes and payments."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, cast

from django.db.models import Model, Q, QuerySet

from scoring.verification.selectors.checks import VerificationCheck
from tournament.core.selectors.left_out import LeftOutParts, load_left_out_parts
from tournament.core.selectors.log import compute_columns_digest, compute_fact_digest
from tournament.core.selectors.rows import RecordedKeys, load_recorded_keys, load_rows_without_log
from tournament.models import (
    BankTransfer,
    CardEvent,
    CardPayment,
    CashMoved,
    DayClose,
    DayCount,
    DayOpened,
    DayReopened,
    Drawer,
    DrawerClosed,
    Event,
    PaidOut,
    SidePoolEntry,
    Tournament,
    TransferMatch,
    Withholding,
)
from tournament.models.base import Fact
from tournament.money.selectors.awards import find_wrong_payouts, get_prize_cents_by_entry
from tournament.money.selectors.drawers_and_close import (
    day_report_to_json,
    load_day_report,
    read_counted_money,
    read_first_day_of_close,
)
from tournament.money.selectors.ledger import (
    PrizeBreakdown,
    find_cash_transfer_faults,
    find_posting_faults,
    find_side_pool,
    get_withheld_cents,
    load_current_finish,
    load_event_accounts,
    load_held_cents_by_account,
    load_payout,
    load_prize_breakdown,
)
from tournament.money.selectors.side_pools import (
    SidePoolOverview,
    load_charges_for_extras,
    load_event_extra_sales,
    load_side_pools,
)
from tournament.money.selectors.transfers_and_cards import PROVIDER_DATA_COLUMNS
from tournament.purse.business_day import sum_bills_and_coins
from tournament.purse.kinds import AccountKind, MoneyKind
from tournament.purse.pool import PrizePool

DAILY_CLOSE_MODELS: Final[dict[str, type[Fact]]] = {
    "drawers": Drawer,
    "drawers_closed": DrawerClosed,
    "cash_moved": CashMoved,
    "days_opened": DayOpened,
    "day_counts": DayCount,
    "day_closes": DayClose,
    "days_reopened": DayReopened,
}
"""The models for cash drawers and daily closes, keyed by their kind in the log."""
PAYMENT_LOG_VERBS: Final = (
    "transfer.taken-in",
    "transfer.matched",
    "transfer.set-aside",
    "card.started",
    "card.told",
    "card.matched",
    "card.set-aside",
)
"""The log verbs of actions that add rows about bank transfers or card payments."""
PAYMENT_MODELS: Final[dict[str, type[Model]]] = {
    "transfers": BankTransfer,
    "transfer_matches": TransferMatch,
    "card_payments": CardPayment,
    "card_events": CardEvent,
}
"""The models for bank transfers and card payments, keyed by their kind in the log."""
PRIZE_LOG_VERBS: Final = ("prize.paid", "prize.undone", "prize.voided", "prize.reissued", "prize.returned")


def check_money(event: Event) -> Iterator[VerificationCheck]:
    """Check the prize pool, postings, payouts, withheld taxes, donations, side pools, and extras."""
    lines = list(event.ledger.order_by("pk").values_list("pk", flat=True))
    purse = load_prize_breakdown(event)
    pool = purse.pool
    text = f"{pool.collected_cents} collected"
    text += f" and {pool.discounts_cents} let off" if pool.discounts_cents else ""
    text += f" = {pool.pool_cents} pool + {pool.expenses_cents}"
    counts, facts = {"ledger": len(lines)}, {"ledger_lines": lines}
    yield VerificationCheck("pool", _does_pool_add_up(event, pool), text, kind="ledger", counts=counts, facts=facts)
    worth = sum(purse.places_cents)
    yield VerificationCheck("prizes by place", worth == pool.pool_cents, f"{worth} in all", kind="payouts", facts=facts)
    yield _check_postings(event)
    yield from _check_payouts(event, purse, lines)
    yield from _check_payouts_against_log(event, purse)
    yield from _check_withheld_taxes(event)
    yield from _check_donations(event)
    yield from _check_side_pools(event)
    yield from _check_extras(event)


def _does_pool_add_up(event: Event, pool: PrizePool) -> bool:
    """Return whether the amounts of the prize pool add up.

    The pool's part of the fees must be the event's prize percentage of the fees, rounded to a cent (half up). Here,
    discounts count as fees that were paid. The discounts must be 0 if the event does not pay for discounts from its
    expenses. All income must be in the pool or in the expenses.
    """
    exact = Decimal(event.prize_percent) * (pool.collected_cents + pool.discounts_cents) / 100
    income = pool.collected_cents + pool.added_cents + pool.subsidy_cents
    by_setting = event.discounts_from == Event.DiscountSource.EXPENSES or not pool.discounts_cents
    by_percent = pool.from_fees_cents == int(exact.quantize(Decimal(1), ROUND_HALF_UP))
    return by_setting and by_percent and income == pool.pool_cents + pool.expenses_cents


def _check_postings(event: Event) -> VerificationCheck:
    """Check that the ledger postings can be recomputed from the recorded facts, and that they add up to zero."""
    faults = find_posting_faults(event)
    rows = list(event.postings.order_by("pk").values_list("pk", "cents"))
    total = sum(cents for _pk, cents in rows)
    text = f"{len(rows)} that add up to {total}" + (f"; not as recorded: {', '.join(faults[:5])}" if faults else "")
    facts = {"postings": [pk for pk, _cents in rows]}
    return VerificationCheck("postings", not faults and not total, text, kind="ledger", facts=facts)


def _check_payouts(event: Event, purse: PrizeBreakdown, lines: list[int]) -> Iterator[VerificationCheck]:
    payout, finish = load_payout(event, purse.pool), load_current_finish(event)
    if payout is None or finish is None:
        return
    facts = {"finish": [finish.pk], "ledger_lines": lines}
    awarded = sum(award.cents for award in payout.awards)
    counts = {"payouts": len(payout.awards)}
    good = awarded == purse.pool.pool_cents
    yield VerificationCheck("payouts", good, f"{awarded} awarded", kind="payouts", counts=counts, facts=facts)
    for award in payout.awards:
        text = f"{award.cents} cents for {award.placing}"
        yield VerificationCheck(f"payout of entry {award.entry}", True, text, kind="payouts", facts=facts)


def _check_payouts_against_log(event: Event, purse: PrizeBreakdown) -> Iterator[VerificationCheck]:
    """Check that every payout is in the log with its amount, and that each reversal matches its payout.

    A payout can differ from the prize after a correction. The *Today* page reports that, so it is not a problem here.
    """
    rows = list(
        event.paid_out.select_related(
            "reverses__of_pool__pool", "of_pool__pool", "withholding", "reverses__withholding"
        ).order_by("pk")
    )
    if not rows:
        return
    logged, without_log = _load_logged_payouts(event), load_rows_without_log(event.tournament_id).list_keys(PaidOut)
    good = all(_is_reversed_exactly(row) for row in rows)
    good = good and logged == {row.pk: row.cents for row in rows if row.pk not in without_log}
    wrong = 0
    if load_current_finish(event):
        wrong = len(find_wrong_payouts(event, get_prize_cents_by_entry(load_payout(event, purse.pool))))
        wrong += sum(row.has_wrong_amount for state in load_side_pools(event) for row in state.rows)
    undone = sum(row.reverses_id is not None for row in rows)
    text = f"{len(rows) - undone} handed over, {undone} undone, {wrong} paid another amount than was won"
    facts = {"handed_over": [row.pk for row in rows]}
    yield VerificationCheck("prizes handed over", good, text, kind="payouts", facts=facts)


def _check_withheld_taxes(event: Event) -> Iterator[VerificationCheck]:
    """Check that no withheld tax exceeds its payout, and that the ledger holds exactly the taxes not remitted yet."""
    rows = list(Withholding.objects.filter(paid_out__event=event).select_related("paid_out").order_by("pk"))
    sent = _sum_net_cents(event.other_money.filter(kind=MoneyKind.REMITTANCE).values_list("cents", "reverses_id"))
    if not rows and not sent:
        return
    withheld = _sum_net_cents((row.cents, row.paid_out.reverses_id) for row in rows)
    left = load_held_cents_by_account(event)[AccountKind.WITHHELD]
    good = all(0 < row.cents <= row.paid_out.cents for row in rows) and 0 <= withheld - sent == left
    text = f"{withheld} withheld, {sent} sent on, {withheld - sent} here"
    facts = {"withholdings": [row.pk for row in rows]}
    yield VerificationCheck("withheld taxes", good, text, kind="payouts", facts=facts)


def _check_donations(event: Event) -> Iterator[VerificationCheck]:
    """Check that the donations in the ledger equal those received minus those passed on to the charity."""
    lines = event.ledger.filter(Q(kind=MoneyKind.DONATION) | Q(corrects__kind=MoneyKind.DONATION)).order_by("pk")
    rows = list(lines.values_list("pk", "cents", "corrects_id"))
    passed_on = _sum_net_cents(event.other_money.filter(kind=MoneyKind.CHARITY).values_list("cents", "reverses_id"))
    if not rows and not passed_on:
        return
    given = _sum_net_cents((cents, corrects) for _pk, cents, corrects in rows)
    good = 0 <= given - passed_on == load_held_cents_by_account(event)[AccountKind.DONATIONS]
    text = f"{given} given, {passed_on} passed on, {given - passed_on} here"
    yield VerificationCheck("donations", good, text, kind="ledger", facts={"ledger_lines": [pk for pk, *_sums in rows]})


def _sum_net_cents(rows: Iterable[tuple[int, int | None]]) -> int:
    """Return the total in cents. Rows that reverse another row are subtracted."""
    return sum(cents if reverses is None else -cents for cents, reverses in rows)


def _check_side_pools(event: Event) -> Iterator[VerificationCheck]:
    """Check that each side pool's money equals its charges, and that its awards equal its prizes."""
    strays = set(event.ledger.filter(kind=MoneyKind.SIDE_POOL).values_list("pk", flat=True))
    states = load_side_pools(event)
    for state in states:
        rows = list(SidePoolEntry.objects.filter(pool=state.pool).select_related("line"))
        strays -= {row.line_id for row in rows}
        facts = {"pool_entries": [row.pk for row in rows]}
        text = f"{state.money.collected_cents} collected = {state.money.prizes_cents} prizes + {state.money.kept_cents}"
        charge = MoneyKind.SIDE_POOL, state.pool.fee_cents, state.pool.name
        charged = [(row.line.kind, row.line.cents, row.line.reference, row.line.entrant_id) for row in rows]
        good = charged == [(*charge, row.entrant_id) for row in rows] and _does_side_pool_add_up(state)
        yield VerificationCheck(f"side pool {state.pool.name}", good, text, kind="payouts", facts=facts)
    if states or strays:
        text = f"{len(strays)} charges of no side pool"
        yield VerificationCheck(
            "side pool charges", not strays, text, kind="ledger", facts={"ledger_lines": sorted(strays)}
        )


def _check_extras(event: Event) -> Iterator[VerificationCheck]:
    """Check that each charge matches the price of an extra, and that the totals are correct."""
    states = load_event_extra_sales(event)
    prices = {state.extra.name: state.extra.price_cents for state in states}
    lines = list(load_charges_for_extras(event).select_related("corrected_by"))
    strays = [line.pk for line in lines if prices.get(line.reference) != line.cents]
    charged = sum(line.cents for line in lines if not hasattr(line, "corrected_by"))
    total = load_event_accounts(event).total
    paid = sum(state.paid_cents for state in states)
    if lines:
        good = not strays and (charged, paid) == (total.extra_owed_cents, total.extra_collected_cents)
        text = f"{len(lines)} charges, {len(strays)} of no extra, {charged} charged, {paid} paid"
        yield VerificationCheck(
            "extras", good, text, kind="ledger", facts={"ledger_lines": [line.pk for line in lines]}
        )


def _does_side_pool_add_up(state: SidePoolOverview) -> bool:
    exact = Decimal(state.pool.prize_percent) * state.money.collected_cents / 100
    prizes = int(exact.quantize(Decimal(1), ROUND_HALF_UP))
    places, awarded = sum(row.cents for row in state.places), state.awarded_cents
    return prizes == state.money.prizes_cents == places and (not state.awards or awarded == prizes)


def _is_reversed_exactly(row: PaidOut) -> bool:
    payout = row.reverses
    if payout is None:
        return True
    reversed_ = (
        *(payout.cents, payout.method, payout.entrant_id, payout.reverses_id),
        *(find_side_pool(payout), get_withheld_cents(payout)),
    )
    return reversed_ == (row.cents, row.method, row.entrant_id, None, find_side_pool(row), get_withheld_cents(row))


def _load_logged_payouts(event: Event) -> dict[int, int]:
    """Return the logged payouts in cents, keyed by primary key."""
    cents_of: dict[int, int] = {}
    keys = load_recorded_keys(event.tournament_id)
    for seq, data in event.log.filter(verb__in=PRIZE_LOG_VERBS).values_list("seq", "data"):
        rows = data.get("rows") or ({data["paid"]: data["cents"]} if "paid" in data else {})
        cents_of |= {keys.find_current_key(PaidOut._meta.label, int(pk), seq): int(cents) for pk, cents in rows.items()}
    return cents_of


# --- Daily closes ----------------------------------------------------------------------------------------------------


def check_daily_closes(event: Event) -> Iterator[VerificationCheck]:
    """Recompute the daily closes of the event's tournament, and compare its drawers and counts with the log.

    Yield nothing if the tournament has no cash drawers, counts, or daily closes.
    """
    tournament = event.tournament
    closes = list(DayClose.objects.filter(tournament=tournament).select_related("count", "reopened").order_by("pk"))
    rows = {name: list(_query_rows(model, tournament)) for name, model in DAILY_CLOSE_MODELS.items()}
    if not any(rows.values()):
        return
    faults = [
        *find_cash_transfer_faults(tournament),
        *_find_log_faults(tournament, rows),
        *_find_close_faults(tournament, closes),
    ]
    text = f"{len(closes)} closed days follow from their rows, {len(rows['drawers'])} drawers"
    text += f"; not as recorded: {', '.join(faults[:5])}" if faults else ""
    facts = {"closes": [close.pk for close in closes], "drawers": [drawer.pk for drawer in rows["drawers"]]}
    yield VerificationCheck("closes", not faults, text, kind="ledger", facts=facts)


def _query_rows(model: type[Fact], tournament: Tournament) -> QuerySet[Fact]:
    of_tournament: dict[type[Fact], str] = {DrawerClosed: "drawer__tournament", DayReopened: "close__tournament"}
    return model._default_manager.filter(**{of_tournament.get(model, "tournament"): tournament})


def _find_close_faults(tournament: Tournament, closes: list[DayClose]) -> Iterator[str]:
    """Yield a description of each close whose amounts, cash counts, or signatures are wrong."""
    for close in closes:
        reopened: DayReopened | None = getattr(close, "reopened", None)
        movements = reopened.movements if reopened is not None else None
        count, report = (
            close.count,
            load_day_report(tournament, close.day, read_first_day_of_close(close.figures), movements=movements),
        )
        cash = sum_bills_and_coins({int(cents): number for cents, number in count.pieces.items()})
        by_two = close.by_id is None or close.by_id != count.by_id
        as_signed = {name: close.figures.get(name) for name in ("fees", "moved", "accounts")}
        counted = all(
            report.get_cents_on_hand(each.method, includes_earlier=each.method == "cash") == each.counted_cents
            for each in read_counted_money(count)
        )
        is_whole = cash == count.counted.get("cash") and counted and not report.after_cents
        if as_signed != day_report_to_json(report) or not is_whole or not by_two or count.day != close.day:
            yield f"the close of {close.day}"


def _find_log_faults(tournament: Tournament, rows: dict[str, list[Fact]]) -> Iterator[str]:
    logged: _LoggedDigests = {}
    keys = load_recorded_keys(tournament.pk)
    for seq, data in tournament.log.filter(event=None).values_list("seq", "data"):
        for name, model in DAILY_CLOSE_MODELS.items():
            entries = data.get(name) if isinstance(data, dict) else None
            logged |= {
                (name, keys.find_current_key(model._meta.label, entry["pk"], seq)): (entry["digest"], seq)
                for entry in entries or ()
            }
    without_log = load_rows_without_log(tournament.pk)
    existing = {
        (name, row.pk): row
        for name, listed in rows.items()
        for row in listed
        if row.pk not in without_log.list_keys(type(row))
    }
    logged = _drop_left_out(logged, DAILY_CLOSE_MODELS, load_left_out_parts(tournament.pk))
    yield from (f"{name.replace('_', ' ')} {pk}" for name, pk in _find_differing_rows(logged, existing, keys))


def _drop_left_out(
    logged: "_LoggedDigests", models: Mapping[str, type[Model]], left_out: LeftOutParts
) -> "_LoggedDigests":
    """Return the logged digests, except those of rows that an event file left out."""
    return {place: each for place, each in logged.items() if not left_out.has_row(models[place[0]], place[1], each[1])}


def _find_differing_rows(
    logged: "_LoggedDigests", existing: Mapping[tuple[str, int], Model], keys: RecordedKeys
) -> list[tuple[str, int]]:
    """Return rows whose digest differs from the logged one, and rows that exist only in the log or in the database."""
    differing = set(logged.keys() ^ existing.keys())
    for place, row in existing.items():
        if place in logged:
            digest, seq = logged[place]
            recorded = keys.restore_row(row, seq)
            if digest != (
                compute_columns_digest(recorded, PROVIDER_DATA_COLUMNS)
                if isinstance(recorded, CardEvent)
                else compute_fact_digest(cast(Fact, recorded))
            ):
                differing.add(place)
    return sorted(differing)


# --- Bank transfers and card payments --------------------------------------------------------------------------------

_LoggedDigests = dict[tuple[str, int], tuple[str, int]]
"""Each row's digest and the log row that contains it, keyed by the row's kind in the log and its primary key."""


def check_payments(event: Event) -> Iterator[VerificationCheck]:
    """Compare the bank transfers and card payments of the event's tournament with the log.

    Yield nothing if the log has no such rows. Rows older than the first logged digest are not checked.
    """
    logged, since = _load_logged_payments(event.tournament)
    if since is None:
        return
    existing = _load_payment_rows(event.tournament, since, [pk for name, pk in logged if name == "card_events"])
    differ = _find_differing_rows(logged, existing, load_recorded_keys(event.tournament_id))
    text = f"{len(existing)} rows as they were reported"
    text += f"; not as recorded: {', '.join(f'{name} {pk}' for name, pk in differ[:5])}" if differ else ""
    yield VerificationCheck("transfers and cards", not differ, text.replace("_", " "), kind="ledger")


def _load_payment_rows(tournament: Tournament, since: datetime, settled: Sequence[int]) -> dict[tuple[str, int], Model]:
    facts: dict[str, QuerySet[Fact]] = {
        "transfers": BankTransfer._default_manager.filter(tournament=tournament),
        "transfer_matches": TransferMatch._default_manager.filter(transfer__tournament=tournament),
        "card_payments": CardPayment._default_manager.filter(event__tournament=tournament),
    }
    loaded: dict[tuple[str, int], Model] = {
        (name, row.pk): row for name, rows in facts.items() for row in rows.filter(at__gte=since)
    }
    of_tournament = Q(payment__event__tournament=tournament, at__gte=since) | Q(pk__in=settled)
    return loaded | {("card_events", row.pk): row for row in CardEvent.objects.filter(of_tournament)}


def _load_logged_payments(tournament: Tournament) -> tuple[_LoggedDigests, datetime | None]:
    """Return the digests of bank transfers and card payments in the log, and the time of the first one.

    The time is None if there are no such digests.
    """
    digests: _LoggedDigests = {}
    keys, since = load_recorded_keys(tournament.pk), None
    log = tournament.log.filter(verb__in=PAYMENT_LOG_VERBS).order_by("seq")
    for seq, at, data in log.values_list("seq", "at", "data"):
        for name in PAYMENT_MODELS:
            digests |= {
                (name, keys.find_current_key("", entry["pk"], seq)): (entry["digest"], seq)
                for entry in data.get(name, ())
            }
        since = since or (at if digests else None)
    return _drop_left_out(digests, PAYMENT_MODELS, load_left_out_parts(tournament.pk)), since
