from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from pairing.draws import State
from pairing.forms.draws import ReasonForm
from pairing.forms.results import DecideForm, RemoveForm
from pairing.models import Match
from pairing.selectors.boards import Board, load_board, load_match, load_results
from pairing.selectors.formats import plays_at_tables
from pairing.selectors.turning import turns
from pairing.services.finish import finish_event, reopen_event
from pairing.services.results import decide_match, remove_entrant, touched_by
from pairing.tables.results import ResultRow, ResultTable
from pairing.templatetags.match_boxes import box, match_name, side_name, state_of, told, why_not_played
from pairing.views.addresses import match_address
from pairing.views.console_seatings import decide_table, show_results
from tournament.errors import DomainError, NotFound
from tournament.exports.tables import exported
from tournament.models import Entrant, Event
from tournament.tables.paging import Paging
from tournament.views.access import ActorRequest, console_event


@console_event("desk")
def results(request: ActorRequest, event: Event) -> HttpResponse:
    """Every match with its result; an entrant goes out; the event finishes, or is opened again."""
    remove = RemoveForm(event=event)
    if request.method == "POST":
        remove = RemoveForm(request.POST, event=event)
        if _removed(request, remove):
            return redirect(request.path)
    if turns(event):
        return redirect(settings.EVENT_DESK, event.tournament.slug, event.slug)
    if plays_at_tables(event):
        return show_results(request, event, remove)
    board = load_board(event)
    if board is None:
        return render(request, "pairing/console/results.html", {"board": None})
    wanted = request.GET.get("q", "").strip()
    table = ResultTable(result_rows(board, wanted), event=event, export="_export" in request.GET)
    table.query = wanted
    table.export_links = [{"label": kind.upper(), "url": f"?q={wanted}&_export={kind}"} for kind in ("csv", "xlsx")]
    Paging(request, 64).configure(table)
    download = exported(request, table, f"{event.slug}-results")
    if download is not None:
        return download
    context = {
        "board": board,
        "table": table,
        "remove": remove,
        "complete": board.progress.is_complete,
        "champion": board.names.get(board.progress.champion or 0, ""),
    }
    return render(request, "pairing/console/results.html", context)


def _removed(request: ActorRequest, form: RemoveForm) -> bool:
    if not form.is_valid():
        return False
    facts = form.cleaned_data
    try:
        gone = remove_entrant(
            facts["entrant"], facts["kind"], by=request.actor, reason=facts["reason"], key=facts["key"]
        )
    except DomainError as error:
        form.add_error(None, error.message)
        return False
    said = _("%(name)s is out; the opponents have walk-overs.")
    if plays_at_tables(gone.event):
        said = _("%(name)s is out, and is not seated again; what was played stands.")
    messages.success(request, said % {"name": gone.name})
    return True


def result_rows(board: Board, wanted: str) -> list[ResultRow]:
    entries = set(board.entries_called(wanted))
    rows = []
    for view in board.progress.views.values():
        if not view.entries or (wanted and not entries & set(view.entries)):
            continue
        one, other = (side_name(board, side) for side in view.sides)
        winner = board.name(view.winner) if view.winner is not None else ""
        score = board.scores.get(view.match.id, {})
        shown = "–".join(str(score[number]) for number in view.entries if number in score)
        state = state_of(board, view)
        recorded = board.recorded.get(view.match.id) if view.state is State.DECIDED else None
        rows.append(ResultRow(view.match.id, one, other, winner, shown, state, why_not_played(view), recorded))
    return rows


@console_event("desk")
def decide(request: ActorRequest, event: Event, ident: str) -> HttpResponse:
    """One match by the desk's word: walk-over, no-show, both absent, or a correction with all that it touches."""
    if plays_at_tables(event):
        return decide_table(request, event, ident)
    board, match = load_board(event), load_match(event, ident)
    if board is None or match is None:
        raise NotFound("no-match", "There is no such match in the bracket.")
    view = board.progress[ident]
    sides = list(event.entrants.filter(number__in=view.entries).order_by("number"))
    recorded = load_results(match)
    form = DecideForm(request.POST or None, sides=sides, seen=recorded[0].pk if recorded else 0)
    touched: list[str] | None = None
    if request.method == "POST" and form.is_valid():
        if request.POST.get("act") != "look" and _decided(request, match, form):
            return redirect("pairing:desk_results", tournament=event.tournament.slug, event=event.slug)
        touched = _touched(event, match, form)
    later = board.progress.bracket.next_of.get(ident)
    address = match_address(event)
    context = {
        "label": match_name(ident),
        "box": box(board, view, address=address),
        "after": box(board, board.progress[later.id], address=address, prefix="after-") if later else "",
        "results": recorded,
        "form": form,
        "touched": touched,
        "can_decide": len(sides) == 2 and event.state == Event.State.IN_PLAY,
    }
    return render(request, "pairing/console/decide.html", context)


def _touched(event: Event, match: Match, form: DecideForm) -> list[str] | None:
    """What would follow elsewhere; None where the decision itself is refused."""
    try:
        changed = touched_by(event, match, form.cleaned_data["winner"], form.cleaned_data["cause"])
    except DomainError as error:
        if not form.errors:
            form.add_error(None, error.message)
        return None
    return told(changed, match.ident)


def _decided(request: ActorRequest, match: Match, form: DecideForm) -> bool:
    facts = form.cleaned_data
    winner: Entrant | None = facts["winner"]
    try:
        decide_match(
            match,
            winner,
            facts["cause"],
            by=request.actor,
            reason=facts["reason"],
            key=facts["key"],
            override=facts["override"],
            seen=facts["seen"],
        )
    except DomainError as error:
        form.add_error("override" if error.code == "touches-later" else None, error.message)
        return False
    messages.success(request, _("%(match)s is decided.") % {"match": match_name(match.ident)})
    return True


@require_POST
@console_event("direct")
def finish(request: ActorRequest, event: Event) -> HttpResponse:
    finish_event(event, by=request.actor)
    messages.success(request, _("The event is finished. The places are payouts now: see the prizes."))
    return redirect("tournament:desk_prizes", tournament=event.tournament.slug, event=event.slug)


@require_POST
@console_event("direct")
def reopen(request: ActorRequest, event: Event) -> HttpResponse:
    form = ReasonForm(request.POST)
    if not form.is_valid():
        raise DomainError("reason-needed", _("Opening a finished event needs a reason: write down why."))
    reopen_event(event, by=request.actor, reason=form.cleaned_data["reason"])
    messages.success(request, _("The event is in play again."))
    if turns(event):
        return redirect(settings.EVENT_DESK, event.tournament.slug, event.slug)
    return redirect("pairing:desk_results", tournament=event.tournament.slug, event=event.slug)
