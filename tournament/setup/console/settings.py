from typing import Any, cast
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event, console_tournament, signed_in
from tournament.core.pages.confirming import Confirm, ask_once
from tournament.core.pages.links import event_link
from tournament.core.pages.refusals import refusals_on
from tournament.core.permissions import staff
from tournament.errors import DomainError
from tournament.models import Event, Tournament, User
from tournament.registration.selectors.approvals import asked_in_words
from tournament.setup.forms.event_presets import PRESETS, preset_values
from tournament.setup.forms.settings import EventForm, TournamentForm
from tournament.setup.forms.steps import parts_of
from tournament.setup.selectors import ALL
from tournament.setup.services.event_states import open_registration
from tournament.setup.services.tournaments import (
    change_event,
    change_tournament,
    create_event,
    create_tournament,
    remove_demo,
)

FORM_PAGE = "tournament/setup/settings_form.html"


@signed_in
def new_tournament(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    form = TournamentForm(request.POST or None, asks_own_name=not user.is_named)
    if request.method == "POST" and form.is_valid():
        facts = dict(form.cleaned_data)
        if own_name := facts.pop("your_name", ""):
            user.name, user.is_named = own_name, True
        with refusals_on(form), transaction.atomic():
            user.save(update_fields=["name", "is_named"])
            made = create_tournament(by=staff(user), **facts)
            return redirect("tournament:today", tournament=made.slug)
    return render(
        request, FORM_PAGE, {"form": form, "heading": _("New tournament"), "next": _("Next: its first event")}
    )


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
        context = {"form": form, "parts": parts_of(form), "presets": PRESETS}
        words = {"heading": _("A new event"), "next": _("Next: rule sheet")}
        return render(request, FORM_PAGE, context | words)


@console_event("direct")
def event_settings(request: ActorRequest, event: Event) -> HttpResponse:
    with timezone.override(ZoneInfo(event.tournament.time_zone)):
        form = EventForm(request.POST or None, instance=Event.objects.get(pk=event.pk))
        if request.method == "POST" and form.is_valid():
            with refusals_on(form):
                reason = form.cleaned_data.get("reason", "")
                saved = change_event(event, _facts(form), by=request.actor, reason=reason, step=ALL)
                messages.success(request, _("Saved."))
                return redirect("tournament:desk_settings", tournament=event.tournament.slug, event=saved.slug)
        context = {"form": form, "parts": parts_of(form), "heading": _("Settings"), "told": asked_in_words(event)}
        return render(request, FORM_PAGE, context)


@console_event("direct")
def open_event(request: ActorRequest, event: Event) -> HttpResponse:
    """Open a draft right away. Reopening a closed registration needs a confirmation with a reason."""
    desk = event_link(event, "tournament:desk_event")
    reason, error = request.POST.get("reason", ""), ""
    if request.method == "POST":
        try:
            open_registration(event, by=request.actor, reason=reason)
        except DomainError as refused:
            if refused.code != "reason-needed":
                raise
            error = refused.message
        else:
            messages.success(request, _("Registration is open."))
            return redirect(desk)
    elif event.state != Event.State.CLOSED:
        return redirect(desk)
    words = {"event": event.name}
    confirm = Confirm(
        title=_("Open registration for %(event)s again?") % words,
        text=_("Players can enter again. Closing it the next time makes a new seal for the draw."),
        label=_("Open registration for %(event)s") % words,
        reason=True,
        typed=reason,
        error=error,
        back=desk,
    )
    return ask_once(request, confirm)


@console_tournament("direct")
def remove_demo_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    if request.method == "POST":
        remove_demo(tournament, by=request.actor)
        messages.success(request, _("The demo is removed."))
        return redirect("tournament:home")
    words = {"name": tournament.name}
    confirm = Confirm(
        title=_("Remove %(name)s?") % words,
        text=_("The demo goes with everything in it. This cannot be undone."),
        happens=(
            _("Its entrants, score cards, prizes and log are deleted."),
            _("Your own tournaments stay."),
        ),
        label=_("Remove %(name)s") % words,
        danger=True,
        back=reverse("tournament:today", kwargs={"tournament": tournament.slug}),
    )
    return ask_once(request, confirm)


def _facts(form: EventForm) -> dict[str, Any]:
    return {name: value for name, value in form.cleaned_data.items() if name != "reason"}
