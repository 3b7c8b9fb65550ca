"""The pairing page of the desk. One key sends exactly the pairs that the page shows."""

import uuid
from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.desk import tables
from pairing.desk.forms import ChooseForm, SendForm
from pairing.desk.selectors.forecast import load_forecast
from pairing.desk.selectors.proofs import load_pairings
from pairing.desk.selectors.rematches import too_many_rounds_in
from pairing.desk.selectors.waiting import Desk, load_desk
from pairing.desk.services.pairings import end_hold, hold
from pairing.desk.services.sending import send_shown
from pairing.plans.selectors import load_plan
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import event_link, told
from tournament.errors import DomainError, NotFound
from tournament.models import Entrant, Event
from tournament.spreadsheets.names import typed_number

LAST_SENT = 8
FREE_SHOWN = 60
MOST_SAID = 12


@console_event("desk")
def desk(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the next pairs, the waiting players and the busy tables, and carry out the acts of the desk."""
    if not load_plan(event).desk_stages:
        return redirect(event_link(event, "pairing:desk_tables"))
    if request.method == "POST":
        act = ACTS.get(request.POST.get("act", ""))
        if act is not None:
            told(request, lambda: act(request, event))
        return redirect(request.path)
    found = load_desk(event)
    context = _context(request, event, found) if found is not None else {"desk": None}
    return render(request, "pairing/desk/console.html", context)


def _context(request: ActorRequest, event: Event, found: Desk) -> dict[str, Any]:
    sent = [pairing for pairing in load_pairings(event) if pairing.stage_id == found.stage.row.pk]
    counting = [pairing for pairing in sent if not hasattr(pairing, "taken_back")]
    going, shown = tables.going_rows(found), tables.hidden_list(found)
    return {
        "desk": found,
        "forecast": load_forecast(found),
        "going": going,
        "sendable": sum(row["table"] is not None for row in going) if not found.by_rounds else len(going),
        "calls": tables.call_rows(found),
        "bye": tables.named(found, [found.bye])[0] if found.bye else None,
        "shown": shown,
        "sends": bool(shown["pairs"] or shown["calls"] or (shown["bye"] and not found.round_is_open)),
        "key": uuid.uuid4().hex,
        "nothing": tables.nobody_said(found),
        "waiting": tables.waiting_rows(found),
        "tables": tables.table_rows(found),
        "free_tables": found.free_tables[:FREE_SHOWN],
        "more_free": max(0, len(found.free_tables) - FREE_SHOWN),
        "alone": tables.named(found, [found.alone])[0] if found.alone else None,
        "sent": tables.sent_rows(found, counting, most=LAST_SENT),
        "last_act": tables.last_act(found, counting),
        "too_many_rounds": too_many_rounds_in(found.stage),
        "sites": len({part.name for part in found.parts}) > 1,
        "choose": ChooseForm(),
        "fresh": not getattr(request, "htmx", False),
    }


def _send(request: ActorRequest, event: Event) -> str:
    form = SendForm(request.POST)
    if not form.is_valid():
        raise DomainError("bad-list", _("The page was not complete. Nothing was sent; look at the pairings again."))
    shown = form.shown(alone=request.POST.get("act") == "one")
    facts = form.cleaned_data
    sent = send_shown(event, shown, by=request.actor, key=facts["key"], reason=facts["reason"])
    names = dict(event.entrants.values_list("number", "name"))
    said = [_pair_said(names, pair) for pair in shown.pairs[:MOST_SAID]]
    if len(shown.pairs) > MOST_SAID:
        said.append(_("and %(n)s more pairings") % {"n": len(shown.pairs) - MOST_SAID})
    if sent.called:
        said.append(ngettext("%(n)s game called", "%(n)s games called", sent.called) % {"n": sent.called})
    if shown.bye:
        said.append(_("%(name)s has the bye") % {"name": names.get(shown.bye, shown.bye)})
    return _("Sent to tables: %(list)s.") % {"list": "; ".join(said)}


def _pair_said(names: dict[int, str], pair: tuple[int, int, int]) -> str:
    one, other, table = pair
    both = f"{names.get(one, one)} – {names.get(other, other)}"
    return _("%(pair)s to table %(table)s") % {"pair": both, "table": table} if table else both


def _hold(request: ActorRequest, event: Event) -> str:
    entrant = _entrant(request, event)
    hold(entrant, by=request.actor, reason=request.POST.get("reason", "")[:300])
    return _("%(name)s is on hold and is not paired.") % {"name": entrant.name}


def _release(request: ActorRequest, event: Event) -> str:
    entrant = _entrant(request, event)
    end_hold(entrant, by=request.actor)
    return _("%(name)s is no longer on hold.") % {"name": entrant.name}


def _entrant(request: ActorRequest, event: Event) -> Entrant:
    number = typed_number(request.POST.get("number")) or 0
    entrant = event.entrants.filter(number=number).select_related("event__tournament").first()
    if entrant is None:
        raise NotFound("no-entrant", _("There is no entrant with this number. Look at the list of entrants."))
    return entrant


ACTS: dict[str, Callable[[ActorRequest, Event], str]] = {
    "send": _send,
    "one": _send,
    "hold": _hold,
    "release": _release,
}
