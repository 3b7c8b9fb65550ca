from django.http import HttpResponse
from django.shortcuts import render

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.tables.exports import TYPES, as_file
from tournament.models import Event
from tournament.money.pdf.whole_sheet import event_rows, moved_rows, whole_sections
from tournament.money.selectors.accounting import Ledger
from tournament.money.selectors.whole import load_whole_money

FILES = {"events": event_rows, "days": moved_rows}


@console_event("desk")
def whole(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the money of all events of the tournament, its open items, and the money in hand."""
    tournament, kind = event.tournament, request.GET.get("_export", "")
    found = load_whole_money(tournament)
    if kind in TYPES:
        listed = request.GET.get("list", "")
        rows = FILES.get(listed, event_rows)(found, Ledger(tournament).unit)
        return as_file(kind, list(rows), f"{tournament.slug}-money-{listed if listed in FILES else 'events'}")
    context = {"sections": list(whole_sections(found, tournament.currency)), "total": found.total}
    return render(request, "tournament/money/whole.html", context)
