"""The director's pages that start an event as a ready event or as a copy of a former one."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from scoring.ready_events.pictures import draw_paper
from scoring.ready_events.selectors import READY, EventTemplate, find_ready, load_former_events, template_from_event
from scoring.ready_events.services import restart_draft, start_event
from tournament.core.forms import KeyedForm
from tournament.core.pages.access import ActorRequest, console_tournament, signed_in
from tournament.core.pages.responses import refusals_on
from tournament.models import Event, Tournament, User

A_DAY = 24 * 60 * 60


class ReadyForm(KeyedForm):
    ready = forms.ChoiceField(choices=[(ready.name, ready.title) for ready in READY])


class FormerForm(KeyedForm):
    former = forms.TypedChoiceField(coerce=int)

    def __init__(self, data: Any = None, *, events: list[Event]) -> None:
        super().__init__(data)
        field = self.fields["former"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = [(event.pk, event.name) for event in events]


@console_tournament("direct")
def ready_events(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    """Show the ready events, and start one. `instead` names a draft that is to be started over."""
    form = ReadyForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        ready = find_ready(form.cleaned_data["ready"])
        assert ready is not None
        with refusals_on(form):
            return _start(request, ready.template(tournament, timezone.now()), form)
    context = {
        "form": form,
        "ready_events": READY,
        "former": bool(load_former_events(cast(User, request.user))),
        "draft": _draft(request, tournament),
    }
    return render(request, "scoring/ready_events/console.html", context, status=422 if form.errors else 200)


@console_tournament("direct")
def former_events(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    draft = _draft(request, tournament)
    events = [event for event in load_former_events(cast(User, request.user)) if event != draft]
    form = FormerForm(request.POST or None, events=events)
    if request.method == "POST" and form.is_valid():
        former = next(event for event in events if event.pk == form.cleaned_data["former"])
        with refusals_on(form):
            return _start(request, template_from_event(former, tournament), form)
    context = {"form": form, "events": events, "draft": draft}
    return render(request, "scoring/ready_events/former.html", context, status=422 if form.errors else 200)


@signed_in
@require_safe
def paper(request: HttpRequest, name: str) -> HttpResponse:
    picture = draw_paper(name)
    if picture is None:
        raise Http404
    headers = {"Cache-Control": f"private, max-age={A_DAY}"}
    return HttpResponse(picture, content_type="image/svg+xml", headers=headers)


def _draft(request: ActorRequest, tournament: Tournament) -> Event | None:
    asked = request.GET.get("instead", "")
    return tournament.events.filter(slug=asked, state=Event.State.DRAFT).first() if asked else None


def _start(request: ActorRequest, template: EventTemplate, form: ReadyForm | FormerForm) -> HttpResponse:
    draft = _draft(request, request.tournament)
    if draft is not None:
        event = restart_draft(draft, template, by=request.actor)
    else:
        event = start_event(request.tournament, template, by=request.actor, key=form.cleaned_data["key"])
    messages.success(request, _("“%(name)s” is ready. Four short steps are left.") % {"name": event.name})
    return redirect("tournament:event_setup", tournament=request.tournament.slug, event=event.slug, step="what")
