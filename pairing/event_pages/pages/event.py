"""The page of an event: player search and current play, entry terms before play, and winners at the end."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from pairing.event_pages.pages.brackets import DRAWN_ON_A_WALL
from pairing.event_pages.pages.finding import LONGEST_SEARCH, find_players
from pairing.event_pages.pages.now import load_now
from pairing.knockout.pictures.bracket_picture import wall_pictures
from pairing.knockout.pictures.match_picture import legend_of_walls
from pairing.knockout.selectors import load_board
from pairing.matches.pages import match_address
from pairing.plans.selectors import traits_of
from tournament.core.selectors.events import load_entry_names
from tournament.models import Event
from tournament.money.selectors.ledger import current_finish, load_ended_early, load_payout, load_purse
from tournament.purse import place_finish
from tournament.registration.selectors.entry_options import entry_terms

State = Event.State
BEFORE: Final = (State.DRAFT, State.OPEN, State.CLOSED)
MOST_PLACES: Final = 8
MOST_PRIZES: Final = 3
ON_A_WALL: Final = 8
"""The number of winners on one wall screen, so that they are readable across the hall."""


@dataclass(frozen=True, slots=True)
class WonPlace:
    """An entry's final place, such as “5–8”, with its prize in cents."""

    place: str
    is_first: bool
    name: str
    cents: int = 0


def show_event(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the event page. `?q=` searches for players, and `?part=found` returns only their list while typing."""
    wanted = request.GET.get("q", "").strip()[:LONGEST_SEARCH]
    panel = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {"wanted": wanted, "found_address": "?" + urlencode({"q": wanted, "part": "found"})}
    if panel and request.GET.get("part") == "found":
        context["found"] = find_players(event, wanted) if wanted else None
        return render(request, "pairing/event_pages/found.html", context)
    if not panel:
        context["found"] = find_players(event, wanted) if wanted else None
    context |= _stands(event)
    return render(request, f"pairing/event_pages/event{'_panel' if panel else ''}.html", context)


def show_winners_wall(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the winners with their prizes, one screen at a time, and the bracket if there is one."""
    panel, won = bool(getattr(request, "htmx", False)), _won(event)
    screens = [won[start : start + ON_A_WALL] for start in range(0, len(won), ON_A_WALL)]
    context: dict[str, Any] = {"panel": panel, "screens": screens, "early": load_ended_early(event)}
    context["legend"] = legend_of_walls(event)
    board = load_board(event) if traits_of(event).two_meet else None
    if board is not None and len(board.progress.bracket.entries) <= DRAWN_ON_A_WALL:
        context["pictures"], _board = wall_pictures(board, address=match_address(event))
    template = "pairing/event_pages/winners_wall_panel.html" if panel else "pairing/event_pages/winners_wall.html"
    return render(request, template, context)


def _stands(event: Event) -> dict[str, Any]:
    if event.state in BEFORE:
        return {"stands": "before", **_before(event)}
    if event.state == State.CALLED_OFF:
        return {"stands": "off"}
    if event.state == State.FINISHED:
        return {"stands": "over", "places": _won(event), "early": load_ended_early(event), **_purse(event)}
    return {"stands": "now", "now": load_now(event), **_purse(event)}


def _before(event: Event) -> dict[str, Any]:
    states = list(event.entrants.filter(state__in=["in", "seeking"]).values_list("state", flat=True))
    terms = entry_terms(event, timezone.now())
    return {"taken": states.count("in"), "seeking": states.count("seeking"), "terms": terms, **_purse(event)}


def _purse(event: Event) -> dict[str, Any]:
    purse = load_purse(event)
    return {"pool_cents": purse.pool.pool_cents, "prizes": list(enumerate(purse.places_cents[:MOST_PRIZES], start=1))}


def _won(event: Event) -> list[WonPlace]:
    finish = current_finish(event)
    if finish is None:
        return []
    names, payout = load_entry_names(event), load_payout(event)
    won = {award.entry: award.cents for award in payout.awards} if payout is not None else {}
    rows = [
        WonPlace(str(placing), placing.place == 1, names.get(entry, str(entry)), won.get(entry, 0))
        for placing in place_finish(finish.places)
        for entry in sorted(placing.entries)
    ]
    return [row for turn, row in enumerate(rows) if turn < MOST_PLACES or row.cents]
