"""Side pools read a second time: what was paid for each, what of it is won, and by whom. All in whole cents."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from tests.devtools.whole_events.facts import Facts
from tests.devtools.whole_events.pool_rows import PoolRow
from tests.devtools.whole_events.second_money import by_percents, half_up, read_purse, share_out

Levels = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class PoolReading:
    """`levels` are who won, best first, those who tie together; `awards` by entry number."""

    name: str
    collected: int
    prizes: int
    levels: Levels
    awards: dict[int, int]


def read_side_pools(facts: Facts) -> list[PoolReading]:
    paid = _paid_by_line(facts)
    return [_read(facts, pool, paid) for pool in facts.side_pools]


def _paid_by_line(facts: Facts) -> dict[int, int]:
    """What an entry paid beyond its fee goes to the charge that it has longest."""
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


def _read(facts: Facts, pool: PoolRow, paid: dict[int, int]) -> PoolReading:
    inside = {number for line_id, number in pool.entries if line_id in paid}
    collected = sum(paid.get(line_id, 0) for line_id, _number in pool.entries)
    prizes = half_up(Fraction(collected) * Fraction(Decimal(pool.percent)) / 100)
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
    """Nobody has won before the event is finished. Where its places say nothing of anybody, the desk says who won."""
    if facts.finish is None:
        return ()
    by_event = () if pool.by_desk else _among(facts.finish, inside)
    return by_event or _among(pool.recorded, inside)


def _among(levels: Levels, inside: set[int]) -> Levels:
    found = (tuple(entry for entry in level if entry in inside) for level in levels)
    return tuple(level for level in found if level)
