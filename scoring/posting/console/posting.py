"""The desk's pages that start play and begin a round."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from pairing.results.forms import AllTablesForm
from pairing.stages.selectors.course import load_tables_elsewhere, suggest_tables
from pairing.stages.selectors.places import load_ready
from pairing.stages.selectors.plans import load_plan
from scoring.posting.services.opening import begin_round, has_tables_by_draw, start_and_assign
from scoring.rulesheets.selectors.sheets import current_sheet, unsaved_sheet, variant_class
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import event_link
from tournament.models import Event


@require_POST
@console_event("direct")
def begin(request: ActorRequest, event: Event) -> HttpResponse:
    seating = begin_round(event, by=request.actor, key=request.POST.get("key", ""))
    messages.success(request, _("Round %(round)s is posted, and its score cards are open.") % {"round": seating.round})
    return redirect("pairing:desk_seatings", tournament=event.tournament.slug, event=event.slug)


@console_event("direct")
def start(request: ActorRequest, event: Event) -> HttpResponse:
    """Show what the start of play freezes, then start play and assign tables to the first matches in the same act."""
    if request.method != "POST" and event.state != Event.State.DRAWN:
        return redirect(event_link(event, "scoring:desk_today"))
    ready = len(load_ready(event))
    first, last = suggest_tables(ready, (), load_tables_elsewhere(event))
    usual = {"first": first, "last": last}
    form = AllTablesForm(request.POST if "first" in request.POST else usual)
    if request.method == "POST" and form.is_valid():
        tables = form.cleaned_data["first"], form.cleaned_data["last"]
        sent = start_and_assign(event, *tables, by=request.actor, key=request.POST.get("key", ""))
        messages.success(request, _start_message(sent))
        return redirect(event_link(event, "scoring:desk_today"))
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/posting/start.html", _start_context(event, form, ready), status=status)


def _start_message(sent: int) -> str:
    message = _("Play has started, and the score cards are open.")
    if not sent:
        return message
    tables = ngettext("%(count)s match has a table.", "%(count)s matches have tables.", sent) % {"count": sent}
    return f"{message} {tables}"


def _start_context(event: Event, form: AllTablesForm, ready: int) -> dict[str, Any]:
    sheet = current_sheet(event) or unsaved_sheet(event)
    by_draw = has_tables_by_draw(event)
    return {
        "form": form,
        "key": uuid.uuid4().hex,
        "rules": variant_class(sheet.variant).title,
        "ready": ready,
        "by_draw": by_draw,
        "asks_for_tables": not by_draw and not load_plan(event).desk_stages,
    }
