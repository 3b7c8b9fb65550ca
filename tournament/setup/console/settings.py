"""Console pages that create and change tournaments and events, including the four-step setup of an event."""

from typing import Any, cast
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.core.pages.access import (
    ActorRequest,
    is_request_from_this_computer,
    sign_in_required,
    staff_event_view,
    staff_tournament_view,
)
from tournament.core.pages.responses import (
    domain_errors_as_form_errors,
    find_site_url,
    make_event_url,
    make_qr_data_uri,
    render_confirmation,
)
from tournament.core.permissions import is_allowed, make_staff_actor, may_direct_installation
from tournament.errors import DomainError, NotFound
from tournament.models import Event, Tournament, User
from tournament.ports import higher_app_url_names
from tournament.registration.selectors.entries import explain_approvals
from tournament.setup.forms import (
    EVENT_PRESETS,
    SETUP_STEPS,
    EventForm,
    SetupStep,
    SetupStepForm,
    TournamentForm,
    find_preset_values,
    find_setup_step,
    group_fields_by_step,
)
from tournament.setup.selectors import ALL_SETUP_STEPS
from tournament.setup.services.tournaments import (
    change_event,
    change_tournament,
    create_event,
    create_tournament,
    open_registration,
    remove_tournament,
)
from tournament.setup.words import find_first_setup_step


@sign_in_required
def list_user_tournaments(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    mine = Tournament.objects.all() if user.is_superuser else Tournament.objects.filter(roles__user=user).distinct()
    first = None if mine else find_first_setup_step(0, 0)
    context = {
        "tournaments": mine,
        "first": first,
        "can_open_this_computer": is_request_from_this_computer(request) and may_direct_installation(user),
    }
    return render(request, "tournament/setup/console_tournaments.html", context)


@staff_tournament_view("look")
def tournament_desk(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    directs = is_allowed(cast(User, request.user), "direct", tournament)
    events = tournament.events.order_by("pk")
    context = {"events": events, "directs": directs, "first": find_first_setup_step(1, len(events))}
    return render(request, "tournament/setup/console_tournament.html", context)


@staff_event_view("look")
def redirect_to_event_desk(request: ActorRequest, event: Event) -> HttpResponse:
    """Redirect to the event's desk page, which belongs to another app that this app may not import."""
    return redirect(higher_app_url_names().desk, tournament=event.tournament.slug, event=event.slug)


SETTINGS_FORM_TEMPLATE = "tournament/setup/settings_form.html"


@sign_in_required
def new_tournament(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    form = TournamentForm(request.POST or None, asks_own_name=not user.is_named)
    if request.method == "POST" and form.is_valid():
        facts = dict(form.cleaned_data)
        if own_name := facts.pop("your_name", ""):
            user.name, user.is_named = own_name, True
        with domain_errors_as_form_errors(form), transaction.atomic():
            user.save(update_fields=["name", "is_named"])
            made = create_tournament(by=make_staff_actor(user), **facts)
            return redirect("tournament:today", tournament=made.slug)
    return render(
        request,
        SETTINGS_FORM_TEMPLATE,
        {"form": form, "heading": _("New tournament"), "next": _("Next: its first event")},
    )


@staff_tournament_view("direct")
def tournament_settings(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    form = TournamentForm(request.POST or None, instance=Tournament.objects.get(pk=tournament.pk))
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            change_tournament(tournament, form.cleaned_data, by=request.actor)
            messages.success(request, _("Saved."))
            return redirect("tournament:today", tournament=form.cleaned_data["slug"])
    return render(request, SETTINGS_FORM_TEMPLATE, {"form": form, "heading": _("Settings of the tournament")})


@staff_tournament_view("direct")
def new_event(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    with timezone.override(ZoneInfo(tournament.time_zone)):
        initial = find_preset_values(request.GET.get("preset", ""))
        form = EventForm(request.POST or None, instance=Event(tournament=tournament), initial=initial)
        if request.method == "POST" and form.is_valid():
            with domain_errors_as_form_errors(form):
                made = create_event(tournament, by=request.actor, **_list_changes(form))
                return redirect("tournament:desk_event", tournament=tournament.slug, event=made.slug)
        context = {"form": form, "parts": group_fields_by_step(form), "presets": EVENT_PRESETS}
        words = {"heading": _("A new event"), "next": _("Next: rule sheet")}
        return render(request, SETTINGS_FORM_TEMPLATE, context | words)


@staff_event_view("direct")
def event_settings(request: ActorRequest, event: Event) -> HttpResponse:
    with timezone.override(ZoneInfo(event.tournament.time_zone)):
        form = EventForm(request.POST or None, instance=Event.objects.get(pk=event.pk))
        if request.method == "POST" and form.is_valid():
            with domain_errors_as_form_errors(form):
                reason = form.cleaned_data.get("reason", "")
                saved = change_event(event, _list_changes(form), by=request.actor, reason=reason, step=ALL_SETUP_STEPS)
                messages.success(request, _("Saved."))
                return redirect("tournament:desk_settings", tournament=event.tournament.slug, event=saved.slug)
        context = {
            "form": form,
            "parts": group_fields_by_step(form),
            "heading": _("Settings"),
            "told": explain_approvals(event),
        }
        return render(request, SETTINGS_FORM_TEMPLATE, context)


def _list_changes(form: EventForm) -> dict[str, Any]:
    return {name: value for name, value in form.cleaned_data.items() if name != "reason"}


@staff_event_view("direct")
def open_event(request: ActorRequest, event: Event) -> HttpResponse:
    """Open a draft event for registration. Reopening a closed registration requires confirmation and a reason."""
    desk = make_event_url(event, "tournament:desk_event")
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
    return render_confirmation(
        request,
        title=_("Open registration for %(event)s again?") % words,
        text=_("Players can enter again. Closing it the next time makes a new seal for the draw."),
        label=_("Open registration for %(event)s") % words,
        reason=True,
        typed=reason,
        error=error,
        back=desk,
    )


@staff_tournament_view("direct")
def remove_demo_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    if request.method == "POST":
        remove_tournament(tournament, by=request.actor)
        messages.success(request, _("The demo is removed."))
        return redirect("tournament:home")
    words = {"name": tournament.name}
    return render_confirmation(
        request,
        title=_("Remove %(name)s?") % words,
        text=_("The demo goes with everything in it. This cannot be undone."),
        happens=(_("Its entrants, score cards, prizes and log are deleted."), _("Your own tournaments stay.")),
        label=_("Remove %(name)s") % words,
        danger=True,
        back=reverse("tournament:today", kwargs={"tournament": tournament.slug}),
    )


@staff_tournament_view("direct")
def remove_copy_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    if not tournament.is_copy:
        raise NotFound("not-a-copy", _("This tournament is no copy, so it stays on record. Go back to its events."))
    if request.method == "POST":
        remove_tournament(tournament, by=request.actor)
        messages.success(request, _("The copy is removed."))
        return redirect("tournament:desk")
    words = {"name": tournament.name}
    return render_confirmation(
        request,
        title=_("Remove the copy of %(name)s?") % words,
        text=_("This copy goes with everything that was tried out in it. This cannot be undone."),
        happens=(_("The original stays as it is. So do your other tournaments."),),
        label=_("Remove the copy of %(name)s") % words,
        danger=True,
        back=reverse("tournament:today", kwargs={"tournament": tournament.slug}),
    )


# --- Setup in four steps ---------------------------------------------------------------------------------------------
# The same pages change the event later, in the Setup section.


@staff_event_view("look")
def show_setup_steps(request: HttpRequest, event: Event) -> HttpResponse:
    context = {"setup_steps": SETUP_STEPS, "told": explain_approvals(event)}
    return render(request, "tournament/setup/setup.html", context)


@staff_event_view("look")
def share_event(request: HttpRequest, event: Event) -> HttpResponse:
    """Show a link to the event's public page, and a poster with a QR code."""
    link = find_site_url(request) + make_event_url(event, "tournament:event")
    is_only_here = urlsplit(link).hostname in ("localhost", "127.0.0.1", "::1")
    context = {"link": link, "qr": make_qr_data_uri(link), "is_only_here": is_only_here}
    return render(request, "tournament/setup/share.html", context)


@staff_event_view("direct")
def event_setup(request: ActorRequest, event: Event, step: str) -> HttpResponse:
    found = find_setup_step(step)
    if found is None:
        raise NotFound("no-step", _("There is no such step. Go on under Setup."))
    with timezone.override(ZoneInfo(event.tournament.time_zone)):
        form = SetupStepForm(request.POST or None, step=found, event=Event.objects.get(pk=event.pk))
        if request.method == "POST":
            saved = _save_step(request, event, form)
            if saved is not None or "back" in request.POST or "later" in request.POST:
                return redirect(_find_next_page_url(request, saved or event, found, saved=saved is not None))
        status = 422 if form.errors else 200
        return render(request, "tournament/setup/step.html", _make_step_context(event, found, form), status=status)


def _save_step(request: ActorRequest, event: Event, form: SetupStepForm) -> Event | None:
    """Save the setup step, or return None if the form has errors."""
    if not form.is_valid():
        return None
    with domain_errors_as_form_errors(form):
        reason = form.cleaned_data.get("reason", "")
        return change_event(event, _list_changes(form), by=request.actor, reason=reason, step=form.step.name)
    return None


def _find_next_page_url(request: HttpRequest, event: Event, step: SetupStep, *, saved: bool) -> str:
    if not saved:
        messages.warning(request, _("“%(step)s” was not saved. Correct the marked entries.") % {"step": step.title})
    turn, place = SETUP_STEPS.index(step), {"tournament": event.tournament.slug, "event": event.slug}
    if "back" in request.POST:
        return _find_previous_page_url(event, turn)
    if "later" in request.POST:
        if saved:
            messages.success(request, _("Saved. Go on at any time under Setup."))
        return reverse("tournament:desk_event", kwargs=place)
    if event.state != Event.State.DRAFT:
        messages.success(request, _("Saved."))
        return reverse("tournament:desk_setup", kwargs=place)
    if turn + 1 < len(SETUP_STEPS):
        return reverse("tournament:event_setup", kwargs={**place, "step": SETUP_STEPS[turn + 1].name})
    messages.success(request, _("The event is set up. You can change everything under Setup."))
    return reverse("tournament:desk_event", kwargs=place)


def _find_previous_page_url(event: Event, turn: int) -> str:
    place = {"tournament": event.tournament.slug, "event": event.slug}
    if event.state != Event.State.DRAFT:
        return reverse("tournament:desk_setup", kwargs=place)
    if turn:
        return reverse("tournament:event_setup", kwargs={**place, "step": SETUP_STEPS[turn - 1].name})
    gallery = reverse("scoring:ready_events", kwargs={"tournament": event.tournament.slug})
    return f"{gallery}?instead={event.slug}"


def _make_step_context(event: Event, step: SetupStep, form: SetupStepForm) -> dict[str, Any]:
    turn = SETUP_STEPS.index(step)
    return {
        "form": form,
        "step": step,
        "number": turn + 1,
        "following": SETUP_STEPS[turn + 1] if turn + 1 < len(SETUP_STEPS) else None,
        "is_draft": event.state == Event.State.DRAFT,
        "told": explain_approvals(event) if step.name == "who" else "",
        "setup_steps": [
            {"label": each.title, "state": "done" if at < turn else "now" if at == turn else "next"}
            for at, each in enumerate(SETUP_STEPS)
        ],
    }
