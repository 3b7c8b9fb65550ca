"""The desk's pages of results, each as the shape of the event has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect

from pairing.event_pages.pages import results as console_results
from pairing.plans.selectors import Shape, shape_of
from pairing.table_rounds import console as console_seatings
from tournament.core.pages.access import ActorRequest, console_event
from tournament.models import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPages:
    """The list of all results, and one match or table by the desk's word."""

    results: Callable[[ActorRequest, Event], HttpResponse]
    decide: Callable[[ActorRequest, Event, str], HttpResponse]


def _to_desk(request: ActorRequest, event: Event, ident: str = "") -> HttpResponse:
    """Where two sides turn the cards alone decide."""
    return redirect(settings.EVENT_DESK, event.tournament.slug, event.slug)


MATCHES: Final = ResultPages(results=console_results.show_matches, decide=console_results.decide_one)
PAGES: Final = {
    Shape.BRACKET: MATCHES,
    Shape.STAGES: MATCHES,
    Shape.TABLES: ResultPages(results=console_seatings.show_results, decide=console_seatings.decide_table),
    Shape.SIDES: ResultPages(results=_to_desk, decide=_to_desk),
}


@console_event("desk")
def results(request: ActorRequest, event: Event) -> HttpResponse:
    return PAGES[shape_of(event)].results(request, event)


@console_event("desk")
def decide(request: ActorRequest, event: Event, ident: str) -> HttpResponse:
    return PAGES[shape_of(event)].decide(request, event, ident)
