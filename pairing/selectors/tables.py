from __future__ import annotations

from datetime import datetime

from pairing.models import TableCall
from pairing.selectors.brackets import load_progress
from tournament.models import Event


def busy_tables(event: Event) -> dict[int, int]:
    """Table → the match (its primary key) that is called there and not decided yet."""
    progress = load_progress(event)
    if progress is None:
        return {}
    ready = {view.match.id for view in progress.ready}
    last: dict[int, tuple[str, int | None]] = {}
    calls = TableCall.objects.filter(match__event=event, match__draw__taken_back__isnull=True).order_by("pk")
    for match, ident, table in calls.values_list("match_id", "match__ident", "table"):
        last[match] = (ident, table)
    return {table: match for match, (ident, table) in last.items() if table is not None and ident in ready}


def load_calls(event: Event) -> dict[str, datetime]:
    """Match → since when it is at the table that it was last called to; matches that were taken off are left out."""
    since: dict[str, tuple[int | None, datetime]] = {}
    calls = TableCall.objects.filter(match__event=event, match__draw__taken_back__isnull=True).order_by("pk")
    for ident, table, at in calls.values_list("match__ident", "table", "at"):
        since[ident] = (table, at)
    return {ident: at for ident, (table, at) in since.items() if table is not None}
