from typing import Any, cast
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from tournament.core.pages.access import ActorRequest, console_event, console_tournament
from tournament.core.pages.refusals import refusals_on
from tournament.core.permissions import staff
from tournament.models import Event, Tournament, User
from tournament.registration.selectors.approvals import asked_in_words
from tournament.setup.forms.event_presets import PRESETS, preset_values
from tournament.setup.forms.settings import DoorForm, EventForm, TournamentForm
from tournament.setup.services.event_states import open_registration
from tournament.setup.services.tournaments import (
    change_event,
    change_tournament,
    create_event,
    create_tournament,
    remove_demo,
)

FORM_PAGE = "tournament/setup/settings_form.html"


@login_required
def new_tournament(request: HttpRequest) -> HttpResponse:
    form = TournamentForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusals_on(form):
            made = create_tournament(by=staff(cast(User, request.user)), **form.cleaned_data)
            return redirect("tournament:today", tournament=made.slug)
    return render(request, FORM_PAGE, {"form": form, "heading": _("A new tournament")})


@console_tournament("direct")
def tournament_settings(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    form = TournamentForm(request.POST or None, instance=Tournament.objects.get(pk=tournament.pk))
    if request.method == "POST" and form.is_valid():
        with refusals_on(form):
            change_tournament(tournament, form.cleaned_data, by=request.actor)
            messages.success(request, _("Saved."))
            return redirect("tournament:today", tournament=form.cleaned_data["slug"])
    return render(request, FORM_PAGE, {"form": form, "heading": _("Settings of the tournament")})


@console_tournament("direct")
def new_event(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    with timezone.override(ZoneInfo(tournament.time_zone)):
        initial = preset_values(request.GET.get("preset", ""))
        form = EventForm(request.POST or None, instance=Event(tournament=tournament), initial=initial)
        if request.method == "POST" and form.is_valid():
            with refusals_on(form):
                made = create_event(tournament, by=request.actor, **_facts(form))
                return redirect("tournament:desk_event", tournament=tournament.slug, event=made.slug)
        return render(
            request,
            FORM_PAGE,
            {"form": form, "heading": _("A new event"), "next": _("Next: rule sheet"), "presets": PRESETS},
        )


@console_event("direct")
def event_settings(request: ActorRequest, event: Event) -> HttpResponse:
    with timezone.override(ZoneInfo(event.tournament.time_zone)):
        form = EventForm(request.POST or None, instance=Event.objects.get(pk=event.pk))
        if request.method == "POST" and form.is_valid():
            with refusals_on(form):
                reason = form.cleaned_data.get("reason", "")
                saved = change_event(event, _facts(form), by=request.actor, reason=reason)
                messages.success(request, _("Saved."))
                return redirect("tournament:desk_settings", tournament=event.tournament.slug, event=saved.slug)
        context = {"form": form, "heading": _("Settings"), "told": asked_in_words(event)}
        return render(request, FORM_PAGE, context)


@require_POST
@console_event("direct")
def open_event(request: ActorRequest, event: Event) -> HttpResponse:
    form = DoorForm(request.POST)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    open_registration(event, by=request.actor, reason=reason)
    messages.success(request, _("Registration is open."))
    return redirect("tournament:desk_event", tournament=event.tournament.slug, event=event.slug)


@console_tournament("direct")
def remove_demo_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    if request.method == "POST":
        remove_demo(tournament, by=request.actor)
        messages.success(request, _("The demo is removed."))
        return redirect("tournament:home")
    return render(request, "tournament/setup/remove_demo.html")


def _facts(form: EventForm) -> dict[str, Any]:
    return {name: value for name, value in form.cleaned_data.items() if name != "reason"}
