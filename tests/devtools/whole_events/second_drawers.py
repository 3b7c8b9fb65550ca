"""Where the money is, read a second time from the facts alone: in each drawer and in the safe, by method, in cents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from tournament.models import CashMoved, Event, EventMoney, LedgerLine, Movement, PaidOut

Places = dict[int | None, Counter[str]]
"""By drawer; None is the safe."""

CAME, WENT = 1, -1
LINES = {"payment": CAME, "correction": WENT, "refund": WENT, "donation": CAME}
OTHER = {"added": CAME, "expense": WENT, "remittance": WENT, "charity": WENT}


def read_places(event: Event) -> Places:
    """Of the whole tournament."""
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
        yield from _cash(row.cash)
    elif row.line is not None:
        yield row.drawer_id, row.line.method, row.line.cents * _way(row.line)
    elif row.paid_out is not None:
        yield row.drawer_id, row.paid_out.method, _handed(row.paid_out) * _way(row.paid_out)
    else:
        yield row.drawer_id, row.money.method, row.money.cents * _way(row.money)


def _handed(paid: PaidOut) -> int:
    """What was withheld stays where it was."""
    return paid.cents - (paid.withholding.cents if hasattr(paid, "withholding") else 0)


def _way(fact: LedgerLine | PaidOut | EventMoney) -> int:
    """Whether it came in or went out; a fee moves nothing."""
    if isinstance(fact, PaidOut):
        return WENT if fact.reverses_id is None else CAME
    if isinstance(fact, EventMoney):
        return OTHER[fact.kind] * (CAME if fact.reverses_id is None else WENT)
    if fact.kind == "reversal" and fact.corrects is not None:
        return -LINES.get(fact.corrects.kind, 0)
    return LINES.get(fact.kind, 0)


def _cash(moved: CashMoved) -> Iterator[tuple[int | None, str, int]]:
    if moved.kind in ("transfer", "banked", "short"):
        yield moved.drawer_id, moved.method, -moved.cents
    if moved.kind == "transfer":
        yield moved.to_drawer_id, moved.method, moved.cents
    if moved.kind in ("brought", "over"):
        yield moved.drawer_id, moved.method, moved.cents
