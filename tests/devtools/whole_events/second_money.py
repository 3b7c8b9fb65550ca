"""The money read a second time: accounts, the pool, what places are worth, who gets what. All in whole cents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.devtools.whole_events.facts import Facts

GONE = ("withdrawn", "refused")


@dataclass(frozen=True)
class Account:
    """`owed` is the fee, `side` what side pools cost, `extras` what extras cost: what is paid goes to them in turn."""

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
    """By entry number; the money of two who were put together is in their pair's account."""
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
    from_fees = half_up(Fraction(collected + discounts) * Fraction(Decimal(event.prize_percent)) / 100)
    added = max(event.added_cents, facts.received)
    promised = max(event.guarantee_cents or 0, sum(event.flat_cents) if event.prizes_by == "flat" else 0)
    if event.state == "called-off":
        # Nothing is played for: what sponsors handed over stays as it is.
        from_fees = half_up(Fraction(collected) * Fraction(Decimal(event.prize_percent)) / 100)
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


def half_up(value: Fraction) -> int:
    return int(value + Fraction(1, 2))


def place_values(facts: Facts, pool: int, finishers: int) -> list[int]:
    """What each place is worth with so many who finish; the money of places that nobody takes is the first one's."""
    unit, by_flat = facts.event.unit_cents or 1, facts.event.prizes_by == "flat"
    worth = [*facts.event.flat_cents] if by_flat else by_percents(percents_of(facts), unit, pool)
    worth[0] += pool - sum(worth)
    here = worth[:finishers]
    here[0] += sum(worth[finishers:])
    return here


def percents_of(facts: Facts) -> list[str]:
    """Of the scale; of a table the line that begins with the most entries that are reached."""
    if facts.event.prizes_by != "table":
        return list(facts.event.prize_scale)
    played = sum(who.state in ("in", "removed") for who in facts.entrants.values())
    reached = [line for line in facts.event.prize_table if line[0] <= max(1, played)]
    return list(max(reached, key=lambda line: int(line[0]))[1])


def by_percents(percents: Sequence[str], unit: int, pool: int) -> list[int]:
    """Whole units, the odd ones by largest remainder."""
    exact = [Fraction(Decimal(percent)) * pool / 100 for percent in percents]
    units = [int(amount / unit) for amount in exact]
    left = pool // unit - sum(units)
    by_loss = sorted(range(len(exact)), key=lambda at: (-(exact[at] / unit - units[at]), at))
    for at in by_loss[:left]:
        units[at] += 1
    return [count * unit for count in units]


def awards(facts: Facts, pool: int, finish: Sequence[Sequence[int]]) -> dict[int, int]:
    """By entry number; who wins nothing is left out."""
    return share_out(place_values(facts, pool, sum(map(len, finish))), finish)


def share_out(worth: Sequence[int], finish: Sequence[Sequence[int]]) -> dict[int, int]:
    """Those who tie share what their places are worth, the odd cents to the lower numbers."""
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
    """As a page of an American event writes it."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def read_money(text: str) -> int | None:
    """An amount on a page, in cents; None where there is none."""
    bare = text.strip().replace("\u2212", "-").replace(",", "").replace("$", "")
    try:
        return int(Decimal(bare) * 100)
    except (ArithmeticError, ValueError):
        return None


def first_amount(text: str) -> Any:
    """The first amount in a text."""
    found = [read_money(word) for word in text.split() if "$" in word]
    return found[0] if found else None
