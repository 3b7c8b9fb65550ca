"""The money of an event, computed again from the lines of its ledger: accounts, pool, places and payouts."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal

from scoring.selectors.checks import Check
from tournament.models import Event
from tournament.purse import PrizePool
from tournament.selectors.ledger import Purse, current_finish, load_payout, load_purse


def check_money(event: Event) -> Iterator[Check]:
    lines = list(event.ledger.order_by("pk").values_list("pk", flat=True))
    purse = load_purse(event)
    pool = purse.pool
    said = f"{pool.collected_cents} collected"
    said += f" and {pool.discounts_cents} let off" if pool.discounts_cents else ""
    said += f" = {pool.pool_cents} pool + {pool.expenses_cents}"
    counts, facts = {"ledger": len(lines)}, {"ledger_lines": lines}
    yield Check("pool", _adds_up(event, pool), said, kind="ledger", counts=counts, facts=facts)
    worth = sum(purse.places_cents)
    yield Check("prizes by place", worth == pool.pool_cents, f"{worth} in all", kind="payouts", facts=facts)
    yield from _payouts(event, purse, lines)


def _adds_up(event: Event, pool: PrizePool) -> bool:
    """Whether the pool is its percent of the fees, half a cent up, with the discounts that the expenses pay for."""
    in_whole = Decimal(event.prize_percent) * (pool.collected_cents + pool.discounts_cents) / 100
    put_in = pool.collected_cents + pool.added_cents + pool.subsidy_cents
    by_setting = event.discounts_from == Event.DiscountsFrom.EXPENSES or not pool.discounts_cents
    by_percent = pool.from_fees_cents == int(in_whole.quantize(Decimal(1), ROUND_HALF_UP))
    return by_setting and by_percent and put_in == pool.pool_cents + pool.expenses_cents


def _payouts(event: Event, purse: Purse, lines: list[int]) -> Iterator[Check]:
    payout, finish = load_payout(event, purse), current_finish(event)
    if payout is None or finish is None:
        return
    facts = {"finish": [finish.pk], "ledger_lines": lines}
    awarded = sum(award.cents for award in payout.awards)
    counts = {"payouts": len(payout.awards)}
    good = awarded == purse.pool.pool_cents
    yield Check("payouts", good, f"{awarded} awarded", kind="payouts", counts=counts, facts=facts)
    for award in payout.awards:
        said = f"{award.cents} cents for {award.placing}"
        yield Check(f"payout of entry {award.entry}", True, said, kind="payouts", facts=facts)
    paid = list(event.paid_out.values_list("pk", "entrant__number", "cents"))
    right = {award.entry: award.cents for award in payout.awards}
    good = all(right.get(number) == cents for _, number, cents in paid)
    handed = {"finish": [finish.pk], "handed_over": [pk for pk, _, _ in paid]}
    yield Check("prizes handed over", good, f"{len(paid)}", kind="payouts", facts=handed)
