"""Public pages about rulings: the register, a single ruling, and the verdict on two hands."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from scoring.card_state.tables import describe_decision
from scoring.disputes.pages.hands import make_judged_hands_context
from scoring.disputes.selectors.register import load_registered_ruling, load_ruling_register
from scoring.disputes.tables import (
    RulingRegisterTable,
    describe_ruling_changes,
    describe_score_change,
    list_registered_ruling_facts,
    make_ruling_register_row,
)
from scoring.rules.rulings.policies import find_rule_text
from tournament.core.pages.access import public_event_view
from tournament.core.selectors.events import load_public_events, load_tournament
from tournament.core.tables.lists import ListRequestConfig, export_if_requested
from tournament.models import Event

ROWS_PER_PAGE = 100
MAX_LISTED_EARLIER_RULINGS = 10


def show_ruling_register(request: HttpRequest, tournament: str) -> HttpResponse:
    """Show the register. The query parameters `event` and `kind` filter the rulings, and `q` searches their text."""
    found = load_tournament(tournament)
    event, kind, search = (request.GET.get(name, "").strip() for name in ("event", "kind", "q"))
    entries = load_ruling_register(found)
    chosen = [entry for entry in entries if event in ("", entry.event.slug) and kind in ("", entry.ruling.kind)]
    rows = [make_ruling_register_row(entry) for entry in chosen]
    table = RulingRegisterTable([row for row in rows if _matches_search(row, search)], tournament=found)
    table.query = search
    filters = {name: value for name, value in (("event", event), ("kind", kind), ("q", search)) if value}
    exports = {ending: urlencode({**filters, "_export": ending}) for ending in ("csv", "xlsx")}
    table.export_links = [{"label": ending.upper(), "url": f"?{query}"} for ending, query in exports.items()]
    ListRequestConfig(request, ROWS_PER_PAGE).configure(table)
    download = export_if_requested(request, table, f"{found.slug}-rulings")
    if download is not None:
        return download
    named = {entry.ruling.kind: make_ruling_register_row(entry).kind for entry in entries}
    kinds = dict(sorted(named.items(), key=lambda kind_and_name: kind_and_name[1]))
    context = {
        "tournament": found,
        "table": table,
        "kinds": kinds.items(),
        "events": load_public_events(found),
        "chosen_event": event,
        "chosen_kind": kind,
    }
    return render(request, "scoring/disputes/rulings/public.html", context)


def show_registered_ruling(request: HttpRequest, tournament: str, number: int) -> HttpResponse:
    found = load_tournament(tournament)
    entry = load_registered_ruling(found, number)
    earlier = [each for each in load_ruling_register(found, kind=entry.ruling.kind) if each.ruling.number < number]
    context = {
        "tournament": found,
        "one": entry,
        "row": make_ruling_register_row(entry),
        "facts": list_registered_ruling_facts(entry),
        "rule_text": find_rule_text(entry.ruling.rule),
        "penalties": [(name, describe_decision(effect)) for name, effect in entry.penalties],
        "score": describe_score_change(entry.ruling),
        "since": describe_ruling_changes(entry.ruling, entry.changed, is_named=entry.is_named),
        "appealed": entry.appeal == "waiting",
        "earlier": [make_ruling_register_row(each) for each in earlier[:MAX_LISTED_EARLIER_RULINGS]],
    }
    return render(request, "scoring/disputes/rulings/public_ruling.html", context)


def _matches_search(row: object, search: str) -> bool:
    text = " ".join(str(getattr(row, name)) for name in ("number", "event", "kind", "rule", "who", "facts", "ruling"))
    return all(word in text.casefold() for word in search.casefold().split())


@public_event_view
def judge_hands_for_public(request: HttpRequest, event: Event) -> HttpResponse:
    """Score the two hands given in the URL, and show whether the knock was legal and which side scores."""
    context = make_judged_hands_context(request, event)
    return render(request, "scoring/disputes/hands/public.html", context)
