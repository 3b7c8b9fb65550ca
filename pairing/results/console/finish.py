"""The pages that end an event or reopen it. Each shows its effects and what is still open first."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from pairing.ports import score_cards
from pairing.results.selectors.finish import digest_of_end, load_open_points, placings_if_ended
from pairing.results.services import finish as services
from pairing.results.services.finish import call_off, finish_event, preview_call_off, reinstate_event, reopen_event
from pairing.stages.forms.matches import ReasonForm
from pairing.stages.selectors.places import load_final_placings
from pairing.stages.selectors.plans import traits_of
from pairing.stages.selectors.records import load_names
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import event_link, site_of
from tournament.errors import Conflict, DomainError, NeedsReason
from tournament.messages.selectors import has_email
from tournament.models import Event
from tournament.money.selectors.prizes import OpenPoint, StillOpen, digest_of_points, load_prizes
from tournament.ports import upper_pages


@console_event("direct")
def finish(request: ActorRequest, event: Event) -> HttpResponse:
    error, still_open = "", score_cards().load_still_open
    if request.method == "POST":
        reason, shown = request.POST.get("reason", "").strip(), request.POST.get("shown", "")
        try:
            finish_event(event, by=request.actor, reason=reason, still_open=still_open, shown=shown)
        except NeedsReason as asked:
            error = asked.message if shown else ""
        else:
            messages.success(request, _("The event is finished, and the payouts are set."))
            return redirect(event_link(event, "tournament:desk_prizes"))
    points = _points(event, still_open)
    context = {
        "points": points,
        "stops": any(point.stops for point in points),
        "shown": digest_of_points(points),
        "reason": request.POST.get("reason", ""),
        "error": error,
    }
    return render(
        request, "pairing/results/finish/console.html", context, status=422 if request.method == "POST" else 200
    )


@console_event("direct")
def end_early(request: ActorRequest, event: Event) -> HttpResponse:
    """End the event by its current standings, after showing the places and the open points."""
    error, still_open = "", score_cards().load_still_open
    if request.method == "POST":
        reason, shown = request.POST.get("reason", "").strip(), request.POST.get("shown", "")
        try:
            services.end_early(event, by=request.actor, reason=reason, still_open=still_open, shown=shown)
        except DomainError as refused:
            if refused.code not in ("reason-needed", "look-again"):
                raise
            error = refused.message
        else:
            messages.success(request, _("The event has ended early, and the payouts are set."))
            return redirect(event_link(event, "tournament:desk_prizes"))
    placings, names = placings_if_ended(event), load_names(event)
    points = load_open_points(event, placings, still_open)
    context = {
        "points": points,
        "places": [(str(placing), [names[number] for number in placing.entries]) for placing in placings.finish],
        "shown": digest_of_end(placings, points),
        "reason": request.POST.get("reason", ""),
        "error": error,
    }
    return render(
        request, "pairing/results/finish/end_early.html", context, status=422 if request.method == "POST" else 200
    )


def _points(event: Event, still_open: StillOpen) -> tuple[OpenPoint, ...]:
    if event.state == Event.State.FINISHED:
        raise Conflict("finished", _("The event is finished. Open it again first if a result is wrong."))
    placings = load_final_placings(event)
    if placings is None or event.state != Event.State.IN_PLAY:
        raise Conflict("not-complete", _("Some matches are not decided yet. Look at Tables for what is open."))
    return load_open_points(event, placings, still_open)


@require_POST
@console_event("direct")
def reopen(request: ActorRequest, event: Event) -> HttpResponse:
    """Reopen a finished event, after showing the prizes that were paid."""
    form = ReasonForm(request.POST)
    if not form.is_valid():
        raise DomainError("reason-needed", _("Opening a finished event needs a reason. Enter the reason."))
    reason, prizes = form.cleaned_data["reason"], load_prizes(event)
    paid = [row for row in prizes.rows if row.paid_cents]
    shown = " ".join(f"{row.number}:{row.paid_cents}" for row in paid)
    if event.state == Event.State.FINISHED and request.POST.get("shown", "") != shown:
        context = {"paid": paid, "prizes": prizes, "shown": shown, "reason": reason}
        return render(request, "pairing/results/finish/reopen.html", context, status=422)
    reopen_event(event, by=request.actor, reason=reason)
    messages.success(request, _("The event is in play again."))
    if traits_of(event).one_card:
        return redirect(upper_pages().desk, event.tournament.slug, event.slug)
    return redirect(event_link(event, "pairing:desk_results"))


@console_event("direct")
def calling_off(request: ActorRequest, event: Event) -> HttpResponse:
    """Call an event off or bring it back, after showing the effects."""
    is_off, error = event.state == Event.State.CALLED_OFF, ""
    if request.method == "POST":
        reason, key = request.POST.get("reason", "").strip(), request.POST.get("key", "")[:100]
        said = {"reason": reason, "key": key, "site": site_of(request)}
        try:
            if is_off and request.POST.get("act") == "back":
                reinstate_event(event, by=request.actor, **said)
                messages.success(request, _("The event is on again. All players read it on their pages."))
            else:
                call_off(event, by=request.actor, previewed=request.POST.get("shown", ""), **said)
                messages.success(request, _("The event is called off. All players read it on their pages."))
            return redirect(upper_pages().desk, event.tournament.slug, event.slug)
        except DomainError as refused:
            error = refused.message
    found = preview_call_off(event)
    context = {
        "is_off": is_off,
        "may": event.state in (Event.State.OPEN, Event.State.CLOSED, Event.State.DRAWN, Event.State.IN_PLAY),
        "in_play": event.state == Event.State.IN_PLAY,
        "found": found,
        "told": len(found.numbers),
        "by_phone": sum(not has_email(one) for one in event.entrants.filter(number__in=found.numbers)),
        "key": uuid.uuid4().hex,
        "reason": request.POST.get("reason", ""),
        "error": error,
    }
    return render(request, "pairing/results/finish/calling_off.html", context, status=422 if error else 200)
