"""The views behind the addresses that every event has, for each family of formats."""

from dataclasses import replace
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from pairing.event_pages.pages import lists, results
from pairing.event_pages.pages.brackets import show_bracket_wall, show_match, show_match_of_stages, show_wall_of_stages
from pairing.knockout import pages as brackets
from pairing.stage_kinds.selectors.kind_rooms import KindPages
from pairing.table_rounds import console as desk_seatings
from pairing.table_rounds import public as seatings
from tournament.core.pages.access import ActorRequest
from tournament.models import Event


def _to_tables(request: HttpRequest, event: Event) -> HttpResponse:
    query = request.META.get("QUERY_STRING", "")
    address = reverse("pairing:seatings", args=[event.tournament.slug, event.slug])
    return redirect(f"{address}?{query}" if query else address)


def _to_rounds(request: HttpRequest, event: Event, ident: str = "") -> HttpResponse:
    return redirect(settings.ROUNDS, event.tournament.slug, event.slug)


def _to_wall_of_rounds(request: HttpRequest, event: Event) -> HttpResponse:
    return redirect(settings.ROUNDS_WALL, event.tournament.slug, event.slug)


def _to_desk(request: ActorRequest, event: Event, ident: str = "") -> HttpResponse:
    """Redirect to the desk page of the event. With two sides, only score cards decide matches."""
    return redirect(settings.EVENT_DESK, event.tournament.slug, event.slug)


OF_ONE_BRACKET: Final = KindPages(
    bracket=brackets.show_bracket,
    match=show_match,
    wall=show_bracket_wall,
    pairings=lists.show_pairings,
    standings=lists.show_places,
    results=results.show_matches,
    decide=results.decide_one,
)
OF_STAGES: Final = KindPages(
    bracket=brackets.show_last_bracket,
    match=show_match_of_stages,
    wall=show_wall_of_stages,
    pairings=lists.show_all_pairings,
    standings=lists.show_places_of_stages,
    results=results.show_matches,
    decide=results.decide_one,
    menu={"tournament:event": [("tournament:event", _("Event")), ("pairing:stages", _("Stages"))]},
    desk_menu={
        "pairing:desk_draw": [("pairing:desk_draw", _("Draw")), ("pairing:desk_stages", _("Stages"))],
        "pairing:desk_tables": [("pairing:desk_pairing", _("Pairings"))],
    },
)
OF_TABLES: Final = KindPages(
    bracket=_to_tables,
    match=seatings.show_table,
    wall=seatings.show_wall,
    pairings=_to_tables,
    standings=seatings.show_standings,
    results=desk_seatings.show_results,
    decide=desk_seatings.decide_table,
    menu={"pairing:bracket": [("pairing:seatings", _("Tables"))], "pairing:pairings": []},
    desk_menu={"pairing:desk_tables": [("pairing:desk_seatings", _("Tables"))]},
)
OF_COUPLES: Final = KindPages(
    bracket=_to_rounds,
    match=_to_rounds,
    wall=_to_wall_of_rounds,
    pairings=_to_rounds,
    standings=_to_rounds,
    results=_to_desk,
    decide=_to_desk,
    menu={"pairing:bracket": [("scoring:rounds", _("Rounds"))], "pairing:pairings": [], "pairing:standings": []},
    desk_menu={"pairing:desk_tables": [("scoring:desk_worksheet", _("Rounds"))], "pairing:desk_results": []},
)
OF_WHIST: Final = replace(
    OF_COUPLES, desk_menu={**OF_COUPLES.desk_menu, "pairing:desk_tables": [("scoring:desk_whist", _("Rounds"))]}
)
