"""Pages that add a late entry to a bracket, or undo it, after showing what that changes."""

from functools import partial
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from pairing.results.forms import GiveByeBackForm, LateForm
from pairing.results.pages import PlannedAct, preview_or_apply
from pairing.results.selectors.late_entries import LateByes, load_late_byes, load_late_terms
from pairing.results.services.late_entries import take_bye, undo_late_entry
from pairing.stages.pictures.boxes import match_name
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import event_link
from tournament.models import Event


@console_event("desk")
def take(request: ActorRequest, event: Event) -> HttpResponse:
    """List the open byes in the order in which they are given, and add a late entry. Pools have their own page."""
    late = load_late_byes(event)
    if late is None and load_late_terms(event) is not None:
        return redirect(event_link(event, "pairing:desk_late"))
    form = LateForm(request.POST or None, event=event, numbers=late.numbers) if late is not None else None
    if form is None or not form.is_valid():
        return _page(request, late, form)
    entrant = form.cleaned_data["entrant"]
    plan = PlannedAct(
        event=event,
        title=_("Add %(name)s to the bracket") % {"name": entrant.name},
        act=partial(take_bye, entrant),
        label=_("Add the late entry"),
        explanation=_(
            "They take the first open bye, in the order of the draw, and are checked in. The draw stays as it is."
        ),
        form=form,
        success_message=_("%(name)s is in the bracket.") % {"name": entrant.name},
        next_url=event_link(event, "pairing:desk_results"),
    )
    return preview_or_apply(request, plan)


@console_event("direct")
def give_back(request: ActorRequest, event: Event) -> HttpResponse:
    """Undo a late entry, so that the bye is a bye again. Its match must not be called or begun."""
    late = load_late_byes(event)
    form = GiveByeBackForm(request.POST or None, late=late) if late is not None else None
    if form is None or not form.is_valid():
        return _page(request, late, form, back=True)
    one = form.cleaned_data["late_entry"]
    plan = PlannedAct(
        event=event,
        title=_("Remove %(name)s from the bracket") % {"name": one.entrant.name},
        act=partial(undo_late_entry, one),
        label=_("Undo the late entry"),
        explanation=_("The bye is a bye again. The entry stays on the list, and both stay on record."),
        form=form,
        success_message=_("The late entry is undone. It stays on record."),
        next_url=event_link(event, "pairing:desk_results"),
        danger=True,
    )
    return preview_or_apply(request, plan)


def _page(request: ActorRequest, late: LateByes | None, form: forms.Form | None, *, back: bool = False) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "late": late, "back": back}
    if late is not None:
        context["byes"] = [(bye.entry, late.names[bye.entry], match_name(bye.match)) for bye in late.open.byes]
        context["may"] = bool(late.came) if back else bool(late.open.byes and late.numbers)
    status = 422 if form is not None and form.errors else 200
    return render(request, "pairing/results/late_entries/console.html", context, status=status)
