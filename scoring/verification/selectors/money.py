"""The money of an event, computed again from the lines of its ledger: accounts, pool, places and payouts."""

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from scoring.verification.selectors.checks import Check
from tournament.models import Event, PaidOut
from tournament.money.selectors.ledger import Purse, current_finish, load_payout, load_purse
from tournament.money.selectors.movements import posting_faults
from tournament.money.selectors.payouts import won_of, wrong_payouts
from tournament.purse import PrizePool

PRIZE_VERBS: Final = ("prize.paid", "prize.undone", "prize.reissued", "prize.returned")


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
    yield _postings(event)
    yield from _payouts(event, purse, lines)
    yield from _handed_over(event, purse)


def _adds_up(event: Event, pool: PrizePool) -> bool:
    """Whether the pool is its percent of the fees, half a cent up, with the discounts that the expenses pay for."""
    in_whole = Decimal(event.prize_percent) * (pool.collected_cents + pool.discounts_cents) / 100
    put_in = pool.collected_cents + pool.added_cents + pool.subsidy_cents
    by_setting = event.discounts_from == Event.DiscountsFrom.EXPENSES or not pool.discounts_cents
    by_percent = pool.from_fees_cents == int(in_whole.quantize(Decimal(1), ROUND_HALF_UP))
    return by_setting and by_percent and put_in == pool.pool_cents + pool.expenses_cents


def _postings(event: Event) -> Check:
    """The postings that all balances are sums of are those that the facts make, and zero in all."""
    faults = posting_faults(event)
    rows = list(event.postings.order_by("pk").values_list("pk", "cents"))
    off = sum(cents for _pk, cents in rows)
    said = f"{len(rows)} that add up to {off}" + (f"; not as recorded: {', '.join(faults[:5])}" if faults else "")
    facts = {"postings": [pk for pk, _cents in rows]}
    return Check("postings", not faults and not off, said, kind="ledger", facts=facts)


def _payouts(event: Event, purse: Purse, lines: list[int]) -> Iterator[Check]:
    payout, finish = load_payout(event, purse.pool), current_finish(event)
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


def _handed_over(event: Event, purse: Purse) -> Iterator[Check]:
    """Every payout is in the log with its amount, and a reversing row says the same as what it reverses, once.

    Who was paid too much or too little since a result was corrected is no fault, but open.
    """
    rows = list(event.paid_out.select_related("reverses").order_by("pk"))
    if not rows:
        return
    logged = _logged(event)
    good = all(logged.get(row.pk) == row.cents and _reverses_rightly(row) for row in rows)
    good = good and logged.keys() == {row.pk for row in rows}
    open_ones = wrong_payouts(event, won_of(load_payout(event, purse.pool))) if current_finish(event) else ()
    undone = sum(row.reverses_id is not None for row in rows)
    said = f"{len(rows) - undone} handed over, {undone} undone, {len(open_ones)} paid another amount than was won"
    facts = {"handed_over": [row.pk for row in rows]}
    yield Check("prizes handed over", good, said, kind="payouts", facts=facts)


def _reverses_rightly(row: PaidOut) -> bool:
    of, said = row.reverses, (row.cents, row.method, row.entrant_id, None)
    return of is None or (of.cents, of.method, of.entrant_id, of.reverses_id) == said


def _logged(event: Event) -> dict[int, int]:
    """Payouts as the log has them: row → cents. Before payouts could be undone the log named the row as `paid`."""
    found: dict[int, int] = {}
    for data in event.log.filter(verb__in=PRIZE_VERBS).values_list("data", flat=True):
        rows = data.get("rows") or ({data["paid"]: data["cents"]} if "paid" in data else {})
        found |= {int(pk): int(cents) for pk, cents in rows.items()}
    return found
