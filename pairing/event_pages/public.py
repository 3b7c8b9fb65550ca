"""The public pages that every event has, each as its shape shows it; `Shape` is asked here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from pairing.event_pages.pages import lists as public_lists
from pairing.event_pages.pages.brackets import show_bracket_wall, show_match, show_match_of_stages, show_wall_of_stages
from pairing.knockout import pages as public_brackets
from pairing.plans.selectors import Shape, shape_of
from pairing.table_rounds import public as public_seatings
from tournament.core.pages.access import public_event
from tournament.core.pages.caching import kept_by_version
from tournament.models import Event

EventPage = Callable[[HttpRequest, Event], HttpResponse]
MatchPage = Callable[[HttpRequest, Event, str], HttpResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicPages:
    """What stands under the five addresses that an event of every shape has."""

    bracket: EventPage
    match: MatchPage
    wall: EventPage
    pairings: EventPage
    standings: EventPage


def _to_tables(request: HttpRequest, event: Event) -> HttpResponse:
    query = request.META.get("QUERY_STRING", "")
    address = reverse("pairing:seatings", args=[event.tournament.slug, event.slug])
    return redirect(f"{address}?{query}" if query else address)


def _to_rounds(request: HttpRequest, event: Event, ident: str = "") -> HttpResponse:
    return redirect(settings.ROUNDS, event.tournament.slug, event.slug)


def _to_wall_of_rounds(request: HttpRequest, event: Event) -> HttpResponse:
    return redirect(settings.ROUNDS_WALL, event.tournament.slug, event.slug)


PAGES: Final = {
    Shape.BRACKET: PublicPages(
        bracket=public_brackets.show_bracket,
        match=show_match,
        wall=show_bracket_wall,
        pairings=public_lists.show_pairings,
        standings=public_lists.show_places,
    ),
    Shape.STAGES: PublicPages(
        bracket=public_brackets.show_last_bracket,
        match=show_match_of_stages,
        wall=show_wall_of_stages,
        pairings=public_lists.show_all_pairings,
        standings=public_lists.show_places_of_stages,
    ),
    Shape.TABLES: PublicPages(
        bracket=_to_tables,
        match=public_seatings.show_table,
        wall=public_seatings.show_wall,
        pairings=_to_tables,
        standings=public_seatings.show_standings,
    ),
    Shape.SIDES: PublicPages(
        bracket=_to_rounds, match=_to_rounds, wall=_to_wall_of_rounds, pairings=_to_rounds, standings=_to_rounds
    ),
}


@public_event
@kept_by_version
def bracket(request: HttpRequest, event: Event) -> HttpResponse:
    return PAGES[shape_of(event)].bracket(request, event)


@public_event
@kept_by_version
def match(request: HttpRequest, event: Event, ident: str) -> HttpResponse:
    return PAGES[shape_of(event)].match(request, event, ident)


@public_event
@kept_by_version
def wall(request: HttpRequest, event: Event) -> HttpResponse:
    return PAGES[shape_of(event)].wall(request, event)


@public_event
@kept_by_version
def pairings(request: HttpRequest, event: Event) -> HttpResponse:
    return PAGES[shape_of(event)].pairings(request, event)


@public_event
@kept_by_version
def standings(request: HttpRequest, event: Event) -> HttpResponse:
    return PAGES[shape_of(event)].standings(request, event)
