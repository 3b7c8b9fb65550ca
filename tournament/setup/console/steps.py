"""Set up an event in four steps, and change it later in the Setup section."""

from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.links import event_link, qr_of, site_of
from tournament.core.pages.refusals import refusals_on
from tournament.errors import NotFound
from tournament.models import Event
from tournament.registration.selectors.approvals import asked_in_words
from tournament.setup.forms.steps import STEPS, Step, StepForm, find_step
from tournament.setup.services.tournaments import change_event


@console_event("look")
def setup(request: HttpRequest, event: Event) -> HttpResponse:
    context = {"setup_steps": STEPS, "told": asked_in_words(event)}
    return render(request, "tournament/setup/setup.html", context)


@console_event("look")
def share(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the event's public page as a link and a poster with a QR code."""
    link = site_of(request) + event_link(event, "tournament:event")
    is_only_here = urlsplit(link).hostname in ("localhost", "127.0.0.1", "::1")
    context = {"link": link, "qr": qr_of(link), "is_only_here": is_only_here}
    return render(request, "tournament/setup/share.html", context)


@console_event("direct")
def event_setup(request: ActorRequest, event: Event, step: str) -> HttpResponse:
    found = find_step(step)
    if found is None:
        raise NotFound("no-step", _("There is no such step. Go on under Setup."))
    with timezone.override(ZoneInfo(event.tournament.time_zone)):
        form = StepForm(request.POST or None, step=found, event=Event.objects.get(pk=event.pk))
        if request.method == "POST":
            saved = _saved(request, event, form)
            if saved is not None or "back" in request.POST or "later" in request.POST:
                return redirect(_next_page(request, saved or event, found, saved=saved is not None))
        status = 422 if form.errors else 200
        return render(request, "tournament/setup/step.html", _context(event, found, form), status=status)


def _saved(request: ActorRequest, event: Event, form: StepForm) -> Event | None:
    """Save the step, or return None if the form has errors."""
    if not form.is_valid():
        return None
    changes = {name: value for name, value in form.cleaned_data.items() if name != "reason"}
    with refusals_on(form):
        reason = form.cleaned_data.get("reason", "")
        return change_event(event, changes, by=request.actor, reason=reason, step=form.step.name)
    return None


def _next_page(request: HttpRequest, event: Event, step: Step, *, saved: bool) -> str:
    if not saved:
        messages.warning(request, _("“%(step)s” was not saved. Correct the marked entries.") % {"step": step.title})
    turn, place = STEPS.index(step), {"tournament": event.tournament.slug, "event": event.slug}
    if "back" in request.POST:
        return _before(event, turn)
    if "later" in request.POST:
        if saved:
            messages.success(request, _("Saved. Go on at any time under Setup."))
        return reverse("tournament:desk_event", kwargs=place)
    if event.state != Event.State.DRAFT:
        messages.success(request, _("Saved."))
        return reverse("tournament:desk_setup", kwargs=place)
    if turn + 1 < len(STEPS):
        return reverse("tournament:event_setup", kwargs={**place, "step": STEPS[turn + 1].name})
    messages.success(request, _("The event is set up. You can change everything under Setup."))
    return reverse("tournament:desk_event", kwargs=place)


def _before(event: Event, turn: int) -> str:
    place = {"tournament": event.tournament.slug, "event": event.slug}
    if event.state != Event.State.DRAFT:
        return reverse("tournament:desk_setup", kwargs=place)
    if turn:
        return reverse("tournament:event_setup", kwargs={**place, "step": STEPS[turn - 1].name})
    gallery = reverse("scoring:ready_events", kwargs={"tournament": event.tournament.slug})
    return f"{gallery}?instead={event.slug}"


def _context(event: Event, step: Step, form: StepForm) -> dict[str, Any]:
    turn = STEPS.index(step)
    return {
        "form": form,
        "step": step,
        "number": turn + 1,
        "following": STEPS[turn + 1] if turn + 1 < len(STEPS) else None,
        "is_draft": event.state == Event.State.DRAFT,
        "told": asked_in_words(event) if step.name == "who" else "",
        "setup_steps": [
            {"label": each.title, "state": "done" if at < turn else "now" if at == turn else "next"}
            for at, each in enumerate(STEPS)
        ],
    }
