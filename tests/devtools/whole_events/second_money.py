"""Recompute accounts, the prize pool, awards, side pools, and cash drawers. All amounts are in cents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.devtools.whole_events.facts import Facts, PoolRow
from tournament.models import CashMoved, Event, EventMoney, LedgerLine, Movement, PaidOut

GONE = ("withdrawn", "refused")


@dataclass(frozen=True)
class Account:
    """The money that an entry owes and has paid.

    `owed` is the fee, `side` the side pools, and `extras` the extras. Payments are applied in this order.
    """

    owed: int
    kept: int
    discounts: int
    side: int = 0
    extras: int = 0

    @property
    def collected(self) -> int:
        return max(0, min(self.kept, self.owed))

    @property
    def extras_collected(self) -> int:
        return max(0, min(self.kept - self.owed - self.side, self.extras))

    @property
    def due(self) -> int:
        return max(0, self.owed + self.side + self.extras - self.kept)

    @property
    def to_return(self) -> int:
        return max(0, self.kept - self.owed - self.side - self.extras)

    @property
    def fee_is_paid(self) -> bool:
        return self.kept >= self.owed


@dataclass(frozen=True)
class Purse:
    accounts: dict[int, Account]
    collected: int
    discounts: int
    added: int
    subsidy: int
    pool: int

    @property
    def expenses(self) -> int:
        return self.collected + self.added + self.subsidy - self.pool


def read_purse(facts: Facts) -> Purse:
    """Recompute the event's money. Accounts are keyed by entry number.

    A pair's account combines the money of both partners.
    """
    lines: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    kinds = {line["id"]: line["kind"] for line in facts.ledger}
    for line in facts.ledger:
        owner = facts.owner(line["entrant_id"])
        if line["kind"] == "reversal":
            lines[owner][kinds[line["corrects_id"]]] -= line["cents"]
        else:
            lines[owner][line["kind"]] += line["cents"]
    accounts = {number: _account(sums) for number, sums in lines.items()}
    event = facts.event
    collected = sum(account.collected for account in accounts.values())
    let_off = sum(
        account.discounts
        for number, account in accounts.items()
        if account.fee_is_paid and not (facts.entrants[number].state in GONE and account.owed == 0)
    )
    discounts = let_off if getattr(event, "discounts_from", "fee") == "expenses" else 0
    from_fees = round_half_up(Fraction(collected + discounts) * Fraction(Decimal(event.prize_percent)) / 100)
    added = max(event.added_cents, facts.received)
    promised = max(event.guarantee_cents or 0, sum(event.flat_cents) if event.prizes_by == "flat" else 0)
    if event.state == "called-off":
        # Nothing is played for: what sponsors handed over stays as it is.
        from_fees = round_half_up(Fraction(collected) * Fraction(Decimal(event.prize_percent)) / 100)
        discounts, added, promised = 0, facts.received, 0
    subsidy = max(0, promised - from_fees - added)
    return Purse(accounts, collected, discounts, added, subsidy, from_fees + added + subsidy)


def _account(sums: dict[str, int]) -> Account:
    off = sums["discount"] + sums["complimentary"]
    owed = max(0, sums["charge"] - off - sums["cancellation"])
    fell_away = sums["cancellation"] and not owed
    let_off = 0 if fell_away else max(0, min(off, sums["charge"] - sums["cancellation"]))
    kept = sums["payment"] - sums["correction"] - sums["refund"]
    return Account(owed, kept, let_off, max(0, sums["side-pool"]), max(0, sums["extra"]))


def round_half_up(value: Fraction) -> int:
    return int(value + Fraction(1, 2))


def place_values(facts: Facts, pool: int, finishers: int) -> list[int]:
    """Return the prize for each place. The first place gets the prizes of places that nobody takes."""
    unit, by_flat = facts.event.unit_cents or 1, facts.event.prizes_by == "flat"
    worth = [*facts.event.flat_cents] if by_flat else by_percents(percents_of(facts), unit, pool)
    worth[0] += pool - sum(worth)
    here = worth[:finishers]
    here[0] += sum(worth[finishers:])
    return here


def percents_of(facts: Facts) -> list[str]:
    """Return the percentages of the prize scale, or those of the prize table for the current number of entrants."""
    if facts.event.prizes_by != "table":
        return list(facts.event.prize_scale)
    played = sum(who.state in ("in", "removed") for who in facts.entrants.values())
    reached = [line for line in facts.event.prize_table if line[0] <= max(1, played)]
    return list(max(reached, key=lambda line: int(line[0]))[1])


def by_percents(percents: Sequence[str], unit: int, pool: int) -> list[int]:
    """Split the pool into whole units. Units that are left go to the places with the largest remainders."""
    exact = [Fraction(Decimal(percent)) * pool / 100 for percent in percents]
    units = [int(amount / unit) for amount in exact]
    left = pool // unit - sum(units)
    by_loss = sorted(range(len(exact)), key=lambda at: (-(exact[at] / unit - units[at]), at))
    for at in by_loss[:left]:
        units[at] += 1
    return [count * unit for count in units]


def awards(facts: Facts, pool: int, finish: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return the cents won, keyed by entry number."""
    return share_out(place_values(facts, pool, sum(map(len, finish))), finish)


def share_out(worth: Sequence[int], finish: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return each entry's prize in cents. Tied entries share the prizes of their places equally.

    Odd cents go to the lower entry numbers.
    """
    found: dict[int, int] = {}
    place = 0
    for level in finish:
        together = sum(worth[place : place + len(level)])
        share, odd = divmod(together, len(level))
        for turn, entry in enumerate(sorted(level)):
            found[entry] = share + (turn < odd)
        place += len(level)
    return {entry: cents for entry, cents in found.items() if cents}


def money(cents: int, currency: str = "USD") -> str:
    """Format an amount in cents as the pages of an American event do."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def read_money(text: str) -> int | None:
    """Return the amount in the text in cents, or None if it contains none."""
    bare = text.strip().replace("\u2212", "-").replace(",", "").replace("$", "")
    try:
        return int(Decimal(bare) * 100)
    except (ArithmeticError, ValueError):
        return None


def first_amount(text: str) -> Any:
    found = [read_money(word) for word in text.split() if "$" in word]
    return found[0] if found else None


Places = dict[int | None, Counter[str]]
"""The cents by payment method for each cash drawer. The key None is the safe."""

CAME, WENT = 1, -1
LINES = {"payment": CAME, "correction": WENT, "refund": WENT, "donation": CAME}
OTHER = {"added": CAME, "expense": WENT, "remittance": WENT, "charity": WENT}


def read_places(event: Event) -> Places:
    found: Places = defaultdict(Counter)
    rows = Movement.objects.filter(tournament=event.tournament_id).select_related(
        "line__corrects", "paid_out__withholding", "money", "cash"
    )
    for row in rows:
        for place, method, cents in _moved(row):
            found[place][method] += cents
    return {place: kept for place, sums in found.items() if (kept := _nonzero(sums))}


def _nonzero(sums: Counter[str]) -> Counter[str]:
    return Counter({method: cents for method, cents in sums.items() if cents})


def _moved(row: Any) -> Iterator[tuple[int | None, str, int]]:
    if row.cash is not None:
        yield from _cash_moves(row.cash)
    elif row.line is not None:
        yield row.drawer_id, row.line.method, row.line.cents * _way(row.line)
    elif row.paid_out is not None:
        yield row.drawer_id, row.paid_out.method, _handed(row.paid_out) * _way(row.paid_out)
    else:
        yield row.drawer_id, row.money.method, row.money.cents * _way(row.money)


def _handed(paid: PaidOut) -> int:
    """Return the cents that left the cash drawer. Withheld tax stays in the drawer."""
    return paid.cents - (paid.withholding.cents if hasattr(paid, "withholding") else 0)


def _way(fact: LedgerLine | PaidOut | EventMoney) -> int:
    """Return 1 if money came in, -1 if it went out, or 0 if none moved."""
    if isinstance(fact, PaidOut):
        return WENT if fact.reverses_id is None else CAME
    if isinstance(fact, EventMoney):
        return OTHER[fact.kind] * (CAME if fact.reverses_id is None else WENT)
    if fact.kind == "reversal" and fact.corrects is not None:
        return -LINES.get(fact.corrects.kind, 0)
    return LINES.get(fact.kind, 0)


def _cash_moves(moved: CashMoved) -> Iterator[tuple[int | None, str, int]]:
    if moved.kind in ("transfer", "banked", "short"):
        yield moved.drawer_id, moved.method, -moved.cents
    if moved.kind == "transfer":
        yield moved.to_drawer_id, moved.method, moved.cents
    if moved.kind in ("brought", "over"):
        yield moved.drawer_id, moved.method, moved.cents


Levels = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class PoolReading:
    """The recomputed result of a side pool.

    `levels` are the winners, best first, with tied winners together. `awards` are cents, keyed by entry number.
    """

    name: str
    collected: int
    prizes: int
    levels: Levels
    awards: dict[int, int]


def read_side_pools(facts: Facts) -> list[PoolReading]:
    paid = _paid_by_line(facts)
    return [_read_pool(facts, pool, paid) for pool in facts.side_pools]


def _paid_by_line(facts: Facts) -> dict[int, int]:
    """Return the cents paid for each side pool charge.

    An entry's payments beyond its fee are applied to its oldest charges first.
    """
    reversed_lines = {line["corrects_id"] for line in facts.ledger if line["kind"] == "reversal"}
    charged: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for line in facts.ledger:
        if line["kind"] == "side-pool" and line["id"] not in reversed_lines:
            charged[facts.owner(line["entrant_id"])].append((line["id"], line["cents"]))
    accounts, paid = read_purse(facts).accounts, {}
    for number, charges in charged.items():
        left = max(0, accounts[number].kept - accounts[number].collected)
        for line_id, cents in charges:
            paid[line_id] = min(left, cents)
            left -= paid[line_id]
    return paid


def _read_pool(facts: Facts, pool: PoolRow, paid: dict[int, int]) -> PoolReading:
    inside = {number for line_id, number in pool.entries if line_id in paid}
    collected = sum(paid.get(line_id, 0) for line_id, _number in pool.entries)
    prizes = round_half_up(Fraction(collected) * Fraction(Decimal(pool.percent)) / 100)
    levels = _levels(facts, pool, inside)
    if not levels or not prizes:
        return PoolReading(pool.name, collected, prizes, levels, {})
    worth = by_percents(pool.scale, facts.event.unit_cents or 1, prizes)
    worth[0] += prizes - sum(worth)
    finishers = sum(map(len, levels))
    here = worth[:finishers]
    here[0] += sum(worth[finishers:])
    return PoolReading(pool.name, collected, prizes, levels, share_out(here, levels))


def _levels(facts: Facts, pool: PoolRow, inside: set[int]) -> Levels:
    """Return the side pool's winners in a finished event.

    They follow from the event's final places or, if nobody in the pool has a place, from the result that staff
    recorded.
    """
    if facts.finish is None:
        return ()
    by_event = () if pool.by_desk else _among(facts.finish, inside)
    return by_event or _among(pool.recorded, inside)


def _among(levels: Levels, inside: set[int]) -> Levels:
    found = (tuple(entry for entry in level if entry in inside) for level in levels)
    return tuple(level for level in found if level)
