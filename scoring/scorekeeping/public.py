"""Public pages for an event with two sides: the round's tables and the score, on phones and on a wall display."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from pairing.draws.stages.plan import StageKind
from pairing.stages.selectors.plans import load_stage_traits
from scoring.card_state.selectors.rotation import load_couples_worksheet, load_whist_event_state
from scoring.card_state.tables import make_sheet_context
from scoring.posting.tables import load_card_summaries
from scoring.rules.variants.court_whist import WHIST_GAMES
from scoring.scorekeeping.tables import describe_round
from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version
from tournament.errors import NotFound
from tournament.models import Event


@public_event_view
@cached_by_version
def show_rounds(request: HttpRequest, event: Event) -> HttpResponse:
    return _render_round(request, event, "rounds")


@public_event_view
@cached_by_version
def show_rounds_wall_display(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the current round. Once the event is finished, redirect to the event's wall display with the winners."""
    if event.state == Event.State.FINISHED and load_stage_traits(event).one_card:
        return redirect("pairing:wall", tournament=event.tournament.slug, event=event.slug)
    return _render_round(request, event, "wall")


def _render_round(request: HttpRequest, event: Event, page: str) -> HttpResponse:
    if not load_stage_traits(event).one_card:
        raise NotFound("no-rounds", _("This event has another format. Look at its bracket."))
    panel = bool(getattr(request, "htmx", False))
    context = (
        _make_whist_context(event)
        if load_stage_traits(event).own_cards
        else _make_couples_context(event, whole=page == "rounds")
    )
    context["statements"] = load_card_summaries(event, None) if page == "rounds" else []
    context["panel"] = f"scoring/scorekeeping/{context['kind']}_{page}.html"
    template = context["panel"] if panel else f"scoring/scorekeeping/{page}.html"
    return render(request, template, context)


def _make_couples_context(event: Event, *, whole: bool) -> dict[str, Any]:
    """Return the context for a couples event, with the whole worksheet or only the last round."""
    sheet = load_couples_worksheet(event)
    context: dict[str, Any] = {"kind": StageKind.ROTATION, "sheet": sheet, "state": sheet.state if sheet else None}
    if sheet is None or sheet.state is None:
        return context
    score = make_sheet_context(sheet.state)
    if whole:
        return {**context, "score": score}
    played = [fact.number for fact in sheet.state.lines]
    last = {
        "last": sheet.last_round_tally,
        "last_words": describe_round(sheet.last_round_tally) if sheet.last_round_tally else "",
    }
    alone = {"caption": "", "blocks": score["blocks"][:1], "workings": [], "remarks": [], "target": None}
    return {**context, "score": {**score, **alone}, **last, "last_round": played[-1] if played else 0}


def _make_whist_context(event: Event) -> dict[str, Any]:
    hall = load_whist_event_state(event)
    name = hall.rotating_sides.name if hall else str
    tables = hall.seating.tables if hall else []
    seats = [(place, ((name(a), name(b)), (name(c), name(d)))) for place, (a, b, c, d) in enumerate(tables, start=1)]
    return {"kind": StageKind.COURT_WHIST, "hall": hall, "seats": seats, "numbers": list(WHIST_GAMES)}
