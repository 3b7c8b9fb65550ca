"""When the stage at the desk ends, from the games as the clock saw them."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Final

from django.db import connection

from pairing.draws.forecast import Desk as Pairs
from pairing.draws.forecast import Forecast, make_forecast
from pairing.selectors.desk import Desk, kept_desk
from tournament.models import Event

ANY_DIFFERENCE: Final = 50
"""What the forecast takes for no limit."""


def load_forecast(event: Event, desk: Desk) -> Forecast | None:
    """Where it is paired as players finish; kept by the event's version and the minute, but never in a transaction."""
    if not desk.stage.kind.at_desk or desk.stage.is_complete:
        return None
    if connection.in_atomic_block:
        return _make(desk)
    version = Event.objects.values_list("version", flat=True).get(pk=event.pk)
    return _kept(event.pk, version, desk.now)


@lru_cache(maxsize=32)
def _kept(event_id: int, version: int, now: datetime) -> Forecast | None:
    desk = kept_desk(event_id, version, now)
    return _make(desk) if desk is not None else None


def _make(desk: Desk) -> Forecast | None:
    if desk.stage.pool is None:
        return None
    terms = desk.terms
    return make_forecast(
        desk.stage.pool.qualifying,
        desk.games,
        Pairs(
            tables=max(1, len(desk.free_tables) + len(desk.busy)),
            pair_at=terms.wait_for,
            longest_wait=float(terms.longest_wait),
            difference=ANY_DIFFERENCE if terms.difference is None else terms.difference,
            grows_every=float(terms.grow_every or 0),
        ),
        now=desk.now,
        since={entry: min(moment, desk.now) for entry, moment in desk.since.items()},
    )
