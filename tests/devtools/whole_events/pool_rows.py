"""Side pools by their rows: the terms, who was put in by which line, and who won as the desk recorded it last."""

from __future__ import annotations

from dataclasses import dataclass

from tournament.models import Event, SidePool, SidePoolEntry, SidePoolResult


@dataclass(frozen=True)
class PoolRow:
    """`entries` are a line of the ledger and the number of the entry that it put in."""

    name: str
    percent: str
    scale: tuple[str, ...]
    by_desk: bool
    entries: tuple[tuple[int, int], ...]
    recorded: tuple[tuple[int, ...], ...]


def read_pools(event: Event) -> tuple[PoolRow, ...]:
    pools = SidePool.objects.filter(event=event).order_by("pk")
    return tuple(_read(pool) for pool in pools)


def _read(pool: SidePool) -> PoolRow:
    entries = SidePoolEntry.objects.filter(pool=pool).order_by("pk").values_list("line_id", "entrant__number")
    last = SidePoolResult.objects.filter(pool=pool).order_by("pk").last()
    recorded = tuple(tuple(level) for level in last.places) if last else ()
    by_desk = pool.places_by == "desk"
    return PoolRow(pool.name, pool.prize_percent, tuple(pool.prize_scale), by_desk, tuple(entries), recorded)
