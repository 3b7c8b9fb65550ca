import uuid
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.tables.exports import exported
from tournament.core.tables.paging import Paging
from tournament.models import Entrant, Event
from tournament.money.pages import IS_OWED, MISSING, OWES, load_desk_list
from tournament.money.selectors.ledger import load_books
from tournament.money.services.checkin import check_in_players, mark_arrived
from tournament.money.tables import CheckInTable
from tournament.registration.services.entrants import why_shut
from tournament.spreadsheets.numbers import typed_number, typed_numbers

ROWS_A_PAGE: Final = 50
FILTERS: Final = {"missing": MISSING, "owes": OWES, "owed": IS_OWED}


@console_event("desk")
def checkin(request: ActorRequest, event: Event) -> HttpResponse:
    """List the entries with what they owe. Rows check in one by one, or several marked rows together."""
    found = load_desk_list(request, event, load_books(event), FILTERS)
    table = CheckInTable(found.rows, event=event, export="_export" in request.GET)
    Paging(request, ROWS_A_PAGE).configure(table)
    download = exported(request, table, f"{event.slug}-check-in")
    if download is not None:
        return download
    is_before_draw = event.state in (Event.State.OPEN, Event.State.CLOSED)
    context = {
        "table": table,
        "found": found,
        "checked_in": sum(row.arrived for row in found.everybody),
        "everybody": len(found.everybody),
        "shut": why_shut(event, request.actor),
        "walk_in": urlencode({"walk_in": 1, "name": "" if typed_number(found.query) is not None else found.query}),
        "all_here": is_before_draw and bool(found.everybody) and not any(map(MISSING[1], found.everybody)),
        "key": uuid.uuid4().hex,
    }
    return render(request, "tournament/money/checkin.html", context)


@require_POST
@console_event("desk")
def arrived(request: ActorRequest, event: Event) -> HttpResponse:
    """Check in the tapped row together with all marked rows, or undo one check-in."""
    undone = typed_number(request.POST.get("undo"))
    if undone is not None:
        entrant = get_object_or_404(event.entrants, number=undone)
        mark_arrived(entrant, False, by=request.actor)
        return _back(request, event, undone)
    sent = [text for text in (*request.POST.getlist("number"), request.POST.get("one", "")) if text]
    if not sent:
        messages.warning(request, _("No player is checked. Check the players first, or tap a row."))
        return _back(request, event)
    numbers = sorted(set(typed_numbers(sent)))
    if not numbers or event.entrants.filter(number__in=numbers).count() < len(numbers):
        raise Http404
    _tell(request, check_in_players(event, numbers, by=request.actor, key=request.POST.get("key", "")[:100]))
    return _back(request, event, numbers[-1])


def _tell(request: ActorRequest, new: list[Entrant]) -> None:
    if len(new) > 1:
        said = ngettext("%(n)s player is checked in: %(names)s.", "%(n)s players are checked in: %(names)s.", len(new))
        messages.success(request, said % {"n": len(new), "names": ", ".join(entrant.name for entrant in new)})


def _back(request: ActorRequest, event: Event, number: int | None = None) -> HttpResponse:
    back = request.headers.get("Referer", "")
    here = redirect("tournament:desk_checkin", tournament=event.tournament.slug, event=event.slug)
    if url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        here = redirect(back)
    if number is not None:
        here["Location"] += f"#arrived-{number}"
    return here
