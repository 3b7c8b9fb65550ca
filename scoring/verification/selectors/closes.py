"""Compute the closes of a tournament again from its postings, and compare its drawers and counts with the log."""

from collections.abc import Iterator
from typing import Final

from django.db.models import QuerySet

from scoring.verification.selectors.checks import Check
from tournament.core.selectors.log import row_digest
from tournament.models import (
    CashMoved,
    DayClose,
    DayCount,
    DayOpened,
    DayReopened,
    Drawer,
    DrawerClosed,
    Event,
    Tournament,
)
from tournament.models.base import Fact
from tournament.money.selectors.cash import began_in, counted_of, load_report, report_as_json
from tournament.money.selectors.ledger import cash_faults
from tournament.purse.business_day import count_cash

MODELS: Final[dict[str, type[Fact]]] = {
    "drawers": Drawer,
    "drawers_closed": DrawerClosed,
    "cash_moved": CashMoved,
    "days_opened": DayOpened,
    "day_counts": DayCount,
    "day_closes": DayClose,
    "days_reopened": DayReopened,
}
"""The models by their name in the log."""


def check_closes(event: Event) -> Iterator[Check]:
    """Check the closes of the event's whole tournament.

    Nothing is yielded if no drawer or day was ever opened or counted.
    """
    tournament = event.tournament
    closes = list(DayClose.objects.filter(tournament=tournament).select_related("count", "reopened").order_by("pk"))
    rows = {name: list(_rows_of(model, tournament)) for name, model in MODELS.items()}
    if not any(rows.values()):
        return
    faults = [*cash_faults(tournament), *_log_faults(tournament, rows), *_figure_faults(tournament, closes)]
    said = f"{len(closes)} closed days follow from their rows, {len(rows['drawers'])} drawers"
    said += f"; not as recorded: {', '.join(faults[:5])}" if faults else ""
    facts = {"closes": [close.pk for close in closes], "drawers": [drawer.pk for drawer in rows["drawers"]]}
    yield Check("closes", not faults, said, kind="ledger", facts=facts)


def _rows_of(model: type[Fact], tournament: Tournament) -> QuerySet[Fact]:
    of_tournament: dict[type[Fact], str] = {DrawerClosed: "drawer__tournament", DayReopened: "close__tournament"}
    return model._default_manager.filter(**{of_tournament.get(model, "tournament"): tournament})


def _figure_faults(tournament: Tournament, closes: list[DayClose]) -> Iterator[str]:
    """Yield the closes whose sums, figures, cash count by pieces or two signatures are wrong."""
    for close in closes:
        reopened: DayReopened | None = getattr(close, "reopened", None)
        movements = reopened.movements if reopened is not None else None
        count, report = close.count, load_report(tournament, close.day, began_in(close.figures), movements=movements)
        cash = count_cash({int(cents): number for cents, number in count.pieces.items()})
        by_two = close.by_id is None or close.by_id != count.by_id
        as_signed = {name: close.figures.get(name) for name in ("fees", "moved", "accounts")}
        counted = all(
            report.in_hand(one.method, since_before=one.method == "cash") == one.counted_cents
            for one in counted_of(count)
        )
        is_whole = cash == count.counted.get("cash") and counted and not report.after_cents
        if as_signed != report_as_json(report) or not is_whole or not by_two or count.day != close.day:
            yield f"the close of {close.day}"


def _log_faults(tournament: Tournament, rows: dict[str, list[Fact]]) -> Iterator[str]:
    logged: dict[tuple[str, int], str] = {}
    for data in tournament.log.filter(event=None).values_list("data", flat=True):
        for name in MODELS:
            entries = data.get(name) if isinstance(data, dict) else None
            logged |= {(name, entry["pk"]): entry["digest"] for entry in entries or ()}
    there = {(name, row.pk): row_digest(row) for name, found in rows.items() for row in found}
    for name, pk in sorted(logged.keys() | there.keys()):
        if logged.get((name, pk)) != there.get((name, pk)):
            yield f"{name.replace('_', ' ')} {pk}"
