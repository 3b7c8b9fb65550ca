"""Court Whist at the desk: the tables of a game, a table's form, the move to the next game, and the signatures."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from scoring.card_state.selectors.whist import Table, WhistHall, load_whist
from scoring.cards.pages.tried import Tried
from scoring.rules.variants.court_whist import GAMES
from scoring.scorekeeping.forms.whist import MoveForm, TableGameForm, WitnessForm
from scoring.scorekeeping.services.whist import enter_table, move_on, sign_all
from tournament.core.pages.access import ActorRequest, console_event
from tournament.errors import NotFound
from tournament.models import Event

PAGE = "scoring/scorekeeping/whist.html"
PANEL = "scoring:desk_whist"


@console_event("desk")
def whist(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the current game and which tables are entered.

    Once all tables are entered the page offers the move to the next game, or after the last game the signatures.
    """
    hall = load_whist(event)
    if hall is None or not hall.guests:
        return render(request, PAGE, {"waits": True, "hall": hall})
    acts: dict[str, Callable[[ActorRequest, Event, WhistHall], dict[str, Any] | None]] = {"move": _move, "sign": _sign}
    context: dict[str, Any] | None = {}
    if request.method == "POST":
        context = acts.get(request.POST.get("act", ""), _unknown)(request, event, hall)
        if context is None:
            return redirect(request.path)
    shown = {
        "hall": hall,
        "move": MoveForm(hall=hall) if hall.all_entered and not hall.is_over else None,
        "sign": WitnessForm(initial={"witness": request.actor.name}) if hall.is_over and hall.unsigned else None,
        "entered": sum(table.is_entered for table in hall.tables),
        "earlier": _earlier(hall),
        "numbers": list(GAMES),
        **(context or {}),
    }
    return render(request, PAGE, shown, status=422 if request.method == "POST" else 200)


@console_event("desk")
def table(request: ActorRequest, event: Event, game: int, number: int) -> HttpResponse:
    """Enter or correct a table's game. The form has what is already recorded, and a correction needs a reason."""
    hall = load_whist(event)
    found = _table(hall, game, number)
    form = TableGameForm(request.POST or None, table=found)
    tried = Tried(form, warns=True)
    if request.method == "POST" and form.is_valid():
        with tried:
            enter_table(event, form.report(), by=request.actor)
            messages.success(request, _("Table %(table)s is entered.") % {"table": number})
            return redirect(PANEL, tournament=event.tournament.slug, event=event.slug)
    context = {"hall": hall, "table": found, "form": form, "warnings": tried.warnings, "game": GAMES[game]}
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/scorekeeping/whist_table.html", context, status=status)


def _table(hall: WhistHall | None, game: int, number: int) -> Table:
    seating = hall.turning.round(game) if hall is not None else None
    tables = hall.tables_of(seating) if hall is not None and seating is not None else ()
    found = next((one for one in tables if one.number == number), None)
    if found is None:
        raise NotFound("no-table", _("There is no such table in that game. Look at the table assignments."))
    return found


def _earlier(hall: WhistHall) -> list[tuple[Any, tuple[Table, ...]]]:
    """Return the earlier games, the latest first. Their tables can still be corrected."""
    before = [seating for seating in hall.turning.rounds if seating.round < hall.game.number]
    return [(GAMES[seating.round], hall.tables_of(seating)) for seating in reversed(before)]


def _move(request: ActorRequest, event: Event, hall: WhistHall) -> dict[str, Any] | None:
    form = MoveForm(request.POST, hall=hall)
    if form.is_valid():
        with Tried(form):
            after = move_on(event, form.winners(), by=request.actor, key=form.cleaned_data["key"])
            messages.success(request, _("The tables of game %(game)s are posted.") % {"game": after.game.number})
            return None
    return {"move": form}


def _sign(request: ActorRequest, event: Event, hall: WhistHall) -> dict[str, Any] | None:
    form = WitnessForm(request.POST)
    if form.is_valid():
        with Tried(form):
            count = sign_all(event, form.cleaned_data["witness"], by=request.actor, key=form.cleaned_data["key"])
            messages.success(request, _("%(count)s score cards are signed and posted.") % {"count": count})
            return None
    return {"sign": form}


def _unknown(request: ActorRequest, event: Event, hall: WhistHall) -> dict[str, Any] | None:
    messages.error(request, _("This button is not known. Load the page again."))
    return None
