"""The scorekeeper's pages at the desk: the worksheet of a couples event, and the games of Court Whist."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from pairing.stages.selectors.plans import traits_of
from scoring.card_state.selectors.rotation import Table, WhistHall, Worksheet, load_whist, load_worksheet
from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import list_signatures, make_sheet_context
from scoring.cards.pages import RefusalsOnForm
from scoring.cards.services.hands import BadLine
from scoring.cards.tables import describe_change
from scoring.rules.variants.court_whist import GAMES
from scoring.rules.variants.metzker.couples import RoundTally
from scoring.scorekeeping.forms import MoveForm, TableGameForm, WitnessForm, WorksheetForm
from scoring.scorekeeping.services import (
    RoundReport,
    correct_round,
    enter_table_game,
    post_round,
    problems_by_table,
    seat_missing_round,
    seat_winners,
    sign_all_cards,
    sum_reports,
)
from scoring.scorekeeping.tables import describe_awards, describe_round
from tournament.core.pages.access import ActorRequest, console_event
from tournament.errors import DomainError, NeedsReason, NotFound
from tournament.models import Event

WORKSHEET_PAGE = "scoring/scorekeeping/worksheet.html"


WHIST_PAGE = "scoring/scorekeeping/whist.html"


WHIST_URL = "scoring:desk_whist"


@console_event("desk")
def open_rounds(request: ActorRequest, event: Event) -> HttpResponse:
    if not traits_of(event).one_card:
        raise NotFound("no-rounds", _("This event has another format. Look at its table assignments."))
    page = "scoring:desk_whist" if traits_of(event).own_cards else "scoring:desk_worksheet"
    return redirect(page, tournament=event.tournament.slug, event=event.slug)


# --- The worksheet of a couples event --------------------------------------------------------------------------------
# A round of all tables is posted as one line.


@console_event("desk")
def show_worksheet(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the current round for entering each table's report. After posting, the next round follows."""
    sheet = load_worksheet(event)
    if sheet is None or sheet.state is None:
        return render(request, WORKSHEET_PAGE, {"waits": True, "sheet": sheet})
    if request.method == "POST" and request.POST.get("act") == "seat":
        seat_missing_round(event, by=request.actor)
        return redirect(request.path)
    form = _worksheet_form(sheet, request.POST or None)
    warnings: list[str] = []
    if request.method == "POST" and form.is_ready():
        report = form.report()
        state, warnings = _try_to_write(form, report, lambda: post_round(event, report, by=request.actor))
        if state is not None:
            messages.success(request, _("Round %(number)s is posted.") % {"number": report.number})
            return redirect(request.path)
    status = 422 if request.method == "POST" else 200
    return render(request, WORKSHEET_PAGE, _worksheet_context(sheet, form, warnings), status=status)


@require_POST
@console_event("desk")
def preview_sums(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the sums of the reports so far, without writing anything."""
    sheet = load_worksheet(event)
    if sheet is None or sheet.state is None:
        raise NotFound("no-round", _("There is no round to count. Post the draw first."))
    return render(
        request, "scoring/scorekeeping/worksheet_sums.html", _sums_context(sheet, _worksheet_form(sheet, request.POST))
    )


@console_event("desk")
def edit_round(request: ActorRequest, event: Event, line: int) -> HttpResponse:
    sheet = load_worksheet(event)
    lines = sheet.state.lines if sheet and sheet.state else ()
    if sheet is None or sheet.state is None or not 1 <= line <= len(lines):
        raise NotFound("no-such-round", _("There is no such round on the score sheet. Look at the worksheet."))
    fact = lines[line - 1]
    couples = sheet.couples_of(sheet.rotating_sides.round(fact.number))
    results = (fact.line or {}).get("results", [])
    if len(results) != len(couples):
        place = (event.tournament.slug, event.slug, sheet.state.card.token, line)
        return redirect(reverse("scoring:desk_hand", args=place))
    options = {"couples": couples, "names": sheet.rotating_sides.names, "number": fact.number, "results": results}
    form = WorksheetForm(request.POST or None, **options)
    warnings: list[str] = []
    if request.method == "POST" and form.is_ready():
        report = form.report()
        state, warnings = _try_to_write(form, report, lambda: correct_round(event, line, report, by=request.actor))
        if state is not None:
            messages.success(request, describe_change(state.card))
            return redirect("scoring:desk_worksheet", tournament=event.tournament.slug, event=event.slug)
    context = {"form": form, "sheet": sheet, "number": fact.number, "warnings": warnings, "corrects": True}
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/scorekeeping/worksheet_round.html", context, status=status)


def _worksheet_form(sheet: Worksheet, data: Any) -> WorksheetForm:
    return WorksheetForm(data, couples=sheet.couples, names=sheet.rotating_sides.names, number=sheet.number)


def _try_to_write(
    form: WorksheetForm, report: RoundReport, write: Callable[[], CardState]
) -> tuple[CardState | None, list[str]]:
    """Return the card after the write, or None and the warnings if the form has to be sent again."""
    try:
        return write(), []
    except BadLine as error:
        form.show(problems_by_table(report, error.data["problems"]))
    except NeedsReason as error:
        return None, list(error.data["warnings"])
    except DomainError as error:
        form.show_missing(error.data.get("tables", ()))
        form.head.add_error("reason" if error.code == "reason-needed" else None, error.message)
    return None, []


def _worksheet_context(sheet: Worksheet, form: WorksheetForm, warnings: list[str]) -> dict[str, Any]:
    state = sheet.state
    assert state is not None
    played = enumerate(zip(state.lines, state.score.rows, strict=True), start=1)
    counted = [(line, fact.number, row.counted) for line, (fact, row) in played]
    rounds = [(line, number, describe_round(one)) for line, number, one in counted if isinstance(one, RoundTally)]
    return {
        "sheet": sheet,
        "state": state,
        "form": form,
        "number": sheet.number,
        "warnings": warnings,
        "score": make_sheet_context(state),
        "signatures": list_signatures(state),
        "rounds": rounds[::-1],
        **(_sums_context(sheet, form) if form.head.is_bound else {}),
    }


def _sums_context(sheet: Worksheet, form: WorksheetForm) -> dict[str, Any]:
    """Return the context of the sums panel: each table's worth, the sums of both sides, and the award."""
    form.is_valid()
    counted, worth, problems = sum_reports(sheet, form.report())
    names = sheet.state.names if sheet.state else ()
    tables = [(one.table, worth.get(one.table, ""), problems.get(one.table, "")) for one in sheet.couples]
    return {
        "reports": [row for row in tables if row[1] or row[2]],
        "left": len(sheet.couples) - len(worth),
        "awarded": describe_awards(counted) if counted else "",
        "sums": [(name, counted.sums[name], counted.gin_sums[name]) for name in names] if counted else [],
    }


# --- Court Whist -----------------------------------------------------------------------------------------------------


@console_event("desk")
def show_whist(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the current game and which tables are entered.

    Once all tables are entered the page offers the move to the next game, or after the last game the signatures.
    """
    hall = load_whist(event)
    if hall is None or not hall.guests:
        return render(request, WHIST_PAGE, {"waits": True, "hall": hall})
    acts: dict[str, Callable[[ActorRequest, Event, WhistHall], dict[str, Any] | None]] = {
        "move": _seat_next_game,
        "sign": _sign_all,
    }
    context: dict[str, Any] | None = {}
    if request.method == "POST":
        act = acts.get(request.POST.get("act", ""))
        if act is None:
            messages.error(request, _("This button is not known. Load the page again."))
        context = act(request, event, hall) if act is not None else None
        if context is None:
            return redirect(request.path)
    # The tables of earlier games can still be corrected. The latest game comes first.
    before = [seating for seating in hall.rotating_sides.rounds if seating.round < hall.game.number]
    shown = {
        "hall": hall,
        "move": MoveForm(hall=hall) if hall.all_entered and not hall.is_over else None,
        "sign": WitnessForm(initial={"witness": request.actor.name}) if hall.is_over and hall.unsigned else None,
        "entered": sum(table.is_entered for table in hall.tables),
        "earlier": [(GAMES[seating.round], hall.tables_of(seating)) for seating in reversed(before)],
        "numbers": list(GAMES),
        **(context or {}),
    }
    return render(request, WHIST_PAGE, shown, status=422 if request.method == "POST" else 200)


def _seat_next_game(request: ActorRequest, event: Event, hall: WhistHall) -> dict[str, Any] | None:
    form = MoveForm(request.POST, hall=hall)
    if form.is_valid():
        with RefusalsOnForm(form):
            after = seat_winners(event, form.winners(), by=request.actor, key=form.cleaned_data["key"])
            messages.success(request, _("The tables of game %(game)s are posted.") % {"game": after.game.number})
            return None
    return {"move": form}


def _sign_all(request: ActorRequest, event: Event, hall: WhistHall) -> dict[str, Any] | None:
    form = WitnessForm(request.POST)
    if form.is_valid():
        with RefusalsOnForm(form):
            count = sign_all_cards(event, form.cleaned_data["witness"], by=request.actor, key=form.cleaned_data["key"])
            messages.success(request, _("%(count)s score cards are signed and posted.") % {"count": count})
            return None
    return {"sign": form}


@console_event("desk")
def enter_whist_table(request: ActorRequest, event: Event, game: int, number: int) -> HttpResponse:
    """Enter or correct a table's game. The form has what is already recorded, and a correction needs a reason."""
    hall = load_whist(event)
    found = _find_table(hall, game, number)
    form = TableGameForm(request.POST or None, table=found)
    tried = RefusalsOnForm(form, warns=True)
    if request.method == "POST" and form.is_valid():
        with tried:
            enter_table_game(event, form.report(), by=request.actor)
            messages.success(request, _("Table %(table)s is entered.") % {"table": number})
            return redirect(WHIST_URL, tournament=event.tournament.slug, event=event.slug)
    context = {"hall": hall, "table": found, "form": form, "warnings": tried.warnings, "game": GAMES[game]}
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/scorekeeping/whist_table.html", context, status=status)


def _find_table(hall: WhistHall | None, game: int, number: int) -> Table:
    seating = hall.rotating_sides.round(game) if hall is not None else None
    tables = hall.tables_of(seating) if hall is not None and seating is not None else ()
    found = next((one for one in tables if one.number == number), None)
    if found is None:
        raise NotFound("no-table", _("There is no such table in that game. Look at the table assignments."))
    return found
