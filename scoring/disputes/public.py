"""The public register of rulings, the page of a ruling with earlier ones of its kind, and two judged hands."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from scoring.card_state.tables import describe_decision
from scoring.disputes.pages import load_judged_page
from scoring.disputes.selectors.register import load_register, load_registered_ruling
from scoring.disputes.tables.rulings import (
    RegisterTable,
    follow_ups_in_words,
    register_facts,
    register_row,
    scores_in_words,
)
from scoring.rules.rulings.policies import rule_text
from tournament.core.pages.access import public_event
from tournament.core.selectors.events import load_tournament, public_events
from tournament.core.tables.lists import Paging, export_if_requested
from tournament.models import Event

ROWS_A_PAGE = 100
MOST_EARLIER = 10


def rulings(request: HttpRequest, tournament: str) -> HttpResponse:
    """Show the register. `event` and `kind` filter it, and `q` searches its words."""
    found = load_tournament(tournament)
    event, kind, wanted = (request.GET.get(name, "").strip() for name in ("event", "kind", "q"))
    everything = load_register(found)
    shown = [entry for entry in everything if event in ("", entry.event.slug) and kind in ("", entry.ruling.kind)]
    rows = [register_row(entry) for entry in shown]
    table = RegisterTable([row for row in rows if _has_words(row, wanted)], tournament=found)
    table.query = wanted
    filters = {name: value for name, value in (("event", event), ("kind", kind), ("q", wanted)) if value}
    exports = {ending: urlencode({**filters, "_export": ending}) for ending in ("csv", "xlsx")}
    table.export_links = [{"label": ending.upper(), "url": f"?{query}"} for ending, query in exports.items()]
    Paging(request, ROWS_A_PAGE).configure(table)
    download = export_if_requested(request, table, f"{found.slug}-rulings")
    if download is not None:
        return download
    named = {entry.ruling.kind: register_row(entry).kind for entry in everything}
    kinds = dict(sorted(named.items(), key=lambda kind_and_name: kind_and_name[1]))
    context = {
        "tournament": found,
        "table": table,
        "kinds": kinds.items(),
        "events": public_events(found),
        "chosen_event": event,
        "chosen_kind": kind,
    }
    return render(request, "scoring/disputes/rulings/public.html", context)


def ruling(request: HttpRequest, tournament: str, number: int) -> HttpResponse:
    found = load_tournament(tournament)
    entry = load_registered_ruling(found, number)
    earlier = [each for each in load_register(found, kind=entry.ruling.kind) if each.ruling.number < number]
    context = {
        "tournament": found,
        "one": entry,
        "row": register_row(entry),
        "facts": register_facts(entry),
        "rule_text": rule_text(entry.ruling.rule),
        "penalties": [(name, describe_decision(effect)) for name, effect in entry.penalties],
        "score": scores_in_words(entry.ruling),
        "since": follow_ups_in_words(entry.ruling, entry.changed, is_named=entry.is_named),
        "appealed": entry.appeal == "waiting",
        "earlier": [register_row(each) for each in earlier[:MOST_EARLIER]],
    }
    return render(request, "scoring/disputes/rulings/public_ruling.html", context)


def _has_words(row: object, wanted: str) -> bool:
    text = " ".join(str(getattr(row, name)) for name in ("number", "event", "kind", "rule", "who", "facts", "ruling"))
    return all(word in text.casefold() for word in wanted.casefold().split())


# --- Hands -----------------------------------------------------------------------------------------------------------
# The public page of two judged hands.


@public_event
def hands(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the two hands in the address as judged, for everybody."""
    context = load_judged_page(request, event)
    return render(request, "scoring/disputes/hands/public.html", context)
