"""Staff pages to finish an event, end it early, reopen it, or call it off, and to add late entries.

Each page shows a preview of the effects.
"""

import uuid
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from pairing.models import LateEntry
from pairing.ports import score_cards
from pairing.results.forms import LateEntryForm
from pairing.results.pages import PreviewedAction, preview_or_apply_action
from pairing.results.selectors.late_entries import OpenByes, load_late_entries, load_late_entry_terms, load_open_byes
from pairing.results.selectors.results import compute_early_end_digest, load_placings_if_ended, load_unresolved_issues
from pairing.results.services import finish as services
from pairing.results.services import late_entries
from pairing.stages.forms import ReasonForm
from pairing.stages.pictures.boxes import format_match_name
from pairing.stages.selectors.course import load_final_placings
from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.selectors.records import load_current_entry_numbers
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import find_site_url, make_event_url
from tournament.core.selectors.events import load_entry_names
from tournament.core.services.previews import compute_preview_digest
from tournament.errors import Conflict, DomainError, ReasonRequired
from tournament.messages.selectors import has_email
from tournament.models import Event
from tournament.money.selectors.prizes import UnresolvedIssue, UnresolvedIssueLoader, load_prizes
from tournament.ports import higher_app_url_names


@staff_event_view("direct")
def finish_event_page(request: ActorRequest, event: Event) -> HttpResponse:
    error, still_open = "", score_cards().load_card_and_ruling_issues
    if request.method == "POST":
        reason, shown = request.POST.get("reason", "").strip(), request.POST.get("shown", "")
        try:
            services.finish_event(event, by=request.actor, reason=reason, still_open=still_open, shown=shown)
        except ReasonRequired as asked:
            error = asked.message if shown else ""
        else:
            messages.success(request, _("The event is finished, and the payouts are set."))
            return redirect(make_event_url(event, "tournament:desk_prizes"))
    points = _load_open_issues(event, still_open)
    context = {
        "points": points,
        "stops": any(point.stops for point in points),
        "shown": compute_preview_digest(*points),
        "reason": request.POST.get("reason", ""),
        "error": error,
    }
    return render(
        request, "pairing/results/finish/console.html", context, status=422 if request.method == "POST" else 200
    )


@staff_event_view("direct")
def end_event_early_page(request: ActorRequest, event: Event) -> HttpResponse:
    """End the event with its current standings, after showing the places and open issues."""
    error, still_open = "", score_cards().load_card_and_ruling_issues
    if request.method == "POST":
        reason, shown = request.POST.get("reason", "").strip(), request.POST.get("shown", "")
        try:
            services.end_event_early(event, by=request.actor, reason=reason, still_open=still_open, shown=shown)
        except DomainError as refused:
            if refused.code not in ("reason-needed", "look-again"):
                raise
            error = refused.message
        else:
            messages.success(request, _("The event has ended early, and the payouts are set."))
            return redirect(make_event_url(event, "tournament:desk_prizes"))
    placings, names = load_placings_if_ended(event), load_entry_names(event)
    points = load_unresolved_issues(event, placings, still_open)
    context = {
        "points": points,
        "places": [(str(placing), [names[number] for number in placing.entries]) for placing in placings.finish],
        "shown": compute_early_end_digest(placings, points),
        "reason": request.POST.get("reason", ""),
        "error": error,
    }
    return render(
        request, "pairing/results/finish/end_early.html", context, status=422 if request.method == "POST" else 200
    )


def _load_open_issues(event: Event, still_open: UnresolvedIssueLoader) -> tuple[UnresolvedIssue, ...]:
    if event.state == Event.State.FINISHED:
        raise Conflict("finished", _("The event is finished. Open it again first if a result is wrong."))
    placings = load_final_placings(event)
    if placings is None or event.state != Event.State.IN_PLAY:
        raise Conflict("not-complete", _("Some matches are not decided yet. Look at Tables for what is open."))
    return load_unresolved_issues(event, placings, still_open)


@require_POST
@staff_event_view("direct")
def reopen_finished_event(request: ActorRequest, event: Event) -> HttpResponse:
    """Reopen a finished event, after showing the prizes that were already paid."""
    form = ReasonForm(request.POST)
    if not form.is_valid():
        raise DomainError("reason-needed", _("Opening a finished event needs a reason. Enter the reason."))
    reason, prizes = form.cleaned_data["reason"], load_prizes(event)
    paid = [row for row in prizes.rows if row.paid_cents]
    shown = " ".join(f"{row.number}:{row.paid_cents}" for row in paid)
    if event.state == Event.State.FINISHED and request.POST.get("shown", "") != shown:
        context = {"paid": paid, "prizes": prizes, "shown": shown, "reason": reason}
        return render(request, "pairing/results/finish/reopen.html", context, status=422)
    services.reopen_event(event, by=request.actor, reason=reason)
    messages.success(request, _("The event is in play again."))
    if load_stage_traits(event).one_card:
        return redirect(higher_app_url_names().desk, event.tournament.slug, event.slug)
    return redirect(make_event_url(event, "pairing:desk_results"))


@staff_event_view("direct")
def call_off_event_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Call off an event or bring it back, after showing the effects."""
    is_off, error = event.state == Event.State.CALLED_OFF, ""
    if request.method == "POST":
        reason, key = request.POST.get("reason", "").strip(), request.POST.get("key", "")[:100]
        arguments = {"reason": reason, "key": key, "site": find_site_url(request)}
        try:
            if is_off and request.POST.get("act") == "back":
                services.reinstate_event(event, by=request.actor, **arguments)
                messages.success(request, _("The event is on again. All players read it on their pages."))
            else:
                services.call_off_event(event, by=request.actor, previewed=request.POST.get("shown", ""), **arguments)
                messages.success(request, _("The event is called off. All players read it on their pages."))
            return redirect(higher_app_url_names().desk, event.tournament.slug, event.slug)
        except DomainError as refused:
            error = refused.message
    numbers, due_cents, shown = services.preview_call_off(event)
    context = {
        "is_off": is_off,
        "may": event.state in (Event.State.OPEN, Event.State.CLOSED, Event.State.DRAWN, Event.State.IN_PLAY),
        "in_play": event.state == Event.State.IN_PLAY,
        "due_cents": due_cents,
        "shown": shown,
        "told": len(numbers),
        "by_phone": sum(not has_email(one) for one in event.entrants.filter(number__in=numbers)),
        "key": uuid.uuid4().hex,
        "reason": request.POST.get("reason", ""),
        "error": error,
    }
    return render(request, "pairing/results/finish/calling_off.html", context, status=422 if error else 200)


# --- Late entries to a bracket ---------------------------------------------------------------------------------------


class _UndoLateEntryForm(IdempotentForm):
    late_entry = forms.ModelChoiceField(label=gettext_lazy("Late entry"), queryset=LateEntry.objects.none())
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=500)

    def __init__(self, data: Any = None, *, late_entries: QuerySet[LateEntry]) -> None:
        super().__init__(data, prefix="back")
        rows = late_entries.select_related("entrant", "bye", "match", "draw__commitment__event__tournament")
        self.fields["late_entry"].queryset = rows  # type: ignore[attr-defined]


@staff_event_view("desk")
def add_late_entry(request: ActorRequest, event: Event) -> HttpResponse:
    """List the bracket's open byes in order, and give the first one to a late entry.

    If the current stage is a pool, redirect to the page for late entries to a pool.
    """
    byes, form = load_open_byes(event), None
    if byes is not None:
        form = LateEntryForm(request.POST or None, event=event, numbers=_list_entries_outside_bracket(event, byes))
    elif load_late_entry_terms(event) is not None:
        return redirect(make_event_url(event, "pairing:desk_late"))
    if form is None or not form.is_valid():
        return _render_late_entry_page(request, event, byes, form)
    entrant = form.cleaned_data["entrant"]
    plan = PreviewedAction(
        event=event,
        title=_("Add %(name)s to the bracket") % {"name": entrant.name},
        act=partial(late_entries.take_over_bye, entrant),
        label=_("Add the late entry"),
        explanation=_(
            "They take the first open bye, in the order of the draw, and are checked in. The draw stays as it is."
        ),
        form=form,
        success_message=_("%(name)s is in the bracket.") % {"name": entrant.name},
        next_url=make_event_url(event, "pairing:desk_results"),
    )
    return preview_or_apply_action(request, plan)


@staff_event_view("direct")
def undo_late_entry(request: ActorRequest, event: Event) -> HttpResponse:
    """Undo a late entry and restore the bye, unless its match was already called or started."""
    byes, form = load_open_byes(event), None
    if byes is not None:
        form = _UndoLateEntryForm(request.POST or None, late_entries=_load_valid_late_entries(byes))
    if form is None or not form.is_valid():
        return _render_late_entry_page(request, event, byes, form, back=True)
    late = form.cleaned_data["late_entry"]
    plan = PreviewedAction(
        event=event,
        title=_("Remove %(name)s from the bracket") % {"name": late.entrant.name},
        act=partial(late_entries.undo_late_entry, late),
        label=_("Undo the late entry"),
        explanation=_("The bye is a bye again. The entry stays on the list, and both stay on record."),
        form=form,
        success_message=_("The late entry is undone. It stays on record."),
        next_url=make_event_url(event, "pairing:desk_results"),
        danger=True,
    )
    return preview_or_apply_action(request, plan)


def _list_entries_outside_bracket(event: Event, byes: OpenByes) -> list[int]:
    return [number for number in load_current_entry_numbers(event) if number not in byes.entries]


def _load_valid_late_entries(byes: OpenByes) -> QuerySet[LateEntry]:
    return load_late_entries(byes.stage.draw).filter(taken_back__isnull=True)


def _render_late_entry_page(
    request: ActorRequest, event: Event, byes: OpenByes | None, form: forms.Form | None, *, back: bool = False
) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "back": back}
    if byes is not None:
        numbers, names = _list_entries_outside_bracket(event, byes), load_entry_names(event)
        came = bool(_load_valid_late_entries(byes))
        context["late"] = {"numbers": numbers, "came": came}
        context["byes"] = [(entry, names[entry], format_match_name(match)) for entry, match in byes.byes.items()]
        context["may"] = came if back else bool(byes.byes and numbers)
    status = 422 if form is not None and form.errors else 200
    return render(request, "pairing/results/late_entries/console.html", context, status=status)
