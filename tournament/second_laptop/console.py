"""The director's pages *Second laptop* and *Recorded on the old laptop*.

On the first page, a director adds a second laptop, and sees whether it is up to date. The other page lists actions that
only the old laptop recorded. There, a director decides which of them are added to this laptop.
"""

from typing import Any, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from tournament.core.pages.access import ActorRequest, staff_tournament_view
from tournament.core.pages.responses import find_site_url, make_qr_data_uri, render_confirmation
from tournament.core.permissions import may_direct_installation, require_installation_permission
from tournament.errors import DomainError, NotFound
from tournament.models import Event, Tournament, User
from tournament.second_laptop.pages import serve_emergency_sheet
from tournament.second_laptop.selectors import (
    ActionDecision,
    LaptopRole,
    MissingAction,
    count_seconds_behind,
    describe_clock_difference,
    describe_link_problem,
    is_sign_in_unknown,
    load_undecided_actions,
    read_link,
    read_link_problem,
    read_second_laptop_status,
)
from tournament.second_laptop.services.missing_acts import add_missing_action, log_missing_action_decision
from tournament.second_laptop.services.roles import offer_pairing, read_pairing_offer, remove_second_laptop


@staff_tournament_view("direct")
def second_laptop_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    """Show the state of the second laptop, or the six words with which a second laptop can be connected.

    A POST request makes new words. They are entered on the other laptop. The open page polls this view for changes.
    """
    if request.method == "POST":
        offer_pairing(by=request.actor)
        return redirect("tournament:desk_second_laptop", tournament=tournament.slug)
    link, status = read_link(), read_second_laptop_status()
    may_change = may_direct_installation(cast(User, request.user))
    offer = read_pairing_offer() if may_change else None
    is_first = link is not None and link.role is LaptopRole.FIRST
    shown = f"{is_first}-{status.is_connected}-{offer.made_at if offer else 0}"
    if getattr(request, "htmx", False) and request.GET.get("shown") != shown:
        return HttpResponseClientRefresh()
    link_address = f"{urlsplit(find_site_url(request)).hostname or ''}:{settings.LINK_PORT}"
    context = {
        "shown": shown,
        "is_first": is_first,
        "may_change": may_change,
        "offer": offer,
        "link_address": link_address,
        "qr": make_qr_data_uri(f"{link_address} {offer.words}") if offer is not None else "",
        "status": status,
        "problem": describe_link_problem(read_link_problem()),
        "clocks": describe_clock_difference() if is_first and status.is_connected else "",
        "behind": round(count_seconds_behind()) if is_first else 0,
        "missing": len(_load_visible_acts(request, tournament)),
        "can_follow": settings.DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3",
    }
    return render(request, "tournament/second_laptop/second_laptop.html", context)


@staff_tournament_view("direct")
def print_emergency_sheet(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    return serve_emergency_sheet(request, tournament)


@staff_tournament_view("direct")
def remove_second_laptop_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    back = reverse("tournament:desk_second_laptop", args=[tournament.slug])
    require_installation_permission(request.actor)
    if request.method == "POST":
        remove_second_laptop(by=request.actor)
        messages.success(request, _("This laptop works alone now."))
        return redirect(back)
    return render_confirmation(
        request,
        title=_("Work with one laptop again?"),
        text=_("From then on, everything that is recorded is only on this laptop."),
        happens=(
            _("The second laptop keeps what it has, but gets nothing new."),
            _("To use it again, you add it again. It then gets a new copy of everything."),
        ),
        label=_("Work with one laptop again"),
        danger=True,
        back=back,
    )


# --- What only the old laptop has ------------------------------------------------------------------------------------


@staff_tournament_view("direct")
def old_laptop_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    """List the actions that only the old laptop recorded. The director adds each action or leaves it out.

    The query parameter `refused` is the key of an action that could not be added. The director can then enter that
    action by hand.
    """
    here = reverse("tournament:desk_old_laptop", args=[tournament.slug])
    acts = _load_visible_acts(request, tournament)
    if request.method == "POST":
        key = request.POST.get("act", "")
        try:
            decided, *replaced = _decide(request, tournament, key, acts)
            messages.success(request, decided)
            for sentence in replaced:
                messages.warning(request, sentence)
        except DomainError as error:
            messages.error(request, error.message)
            return redirect(f"{here}?refused={key}" if error.code == "not-added" else here)
        return redirect(here)
    events = {event.slug: event for event in tournament.events.all()}
    rows = [_make_act_context(act, tournament, events.get(act.event)) for act in acts]
    for row in rows:
        row["is_refused"] = request.GET.get("refused") == row["act"].key
        row["can_add"] = row["act"].request is not None and not row["is_refused"]
    return render(request, "tournament/second_laptop/old_laptop.html", {"rows": rows})


def _load_visible_acts(request: ActorRequest, tournament: Tournament) -> list[MissingAction]:
    """Return the actions that only the old laptop recorded and that still need a director's decision.

    These are actions in this tournament. If the user may direct all tournaments, the actions in tournaments that this
    laptop does not have are also returned.
    """
    return load_undecided_actions(tournament, with_unknown=may_direct_installation(cast(User, request.user)))


def _decide(request: ActorRequest, tournament: Tournament, key: str, acts: list[MissingAction]) -> list[str]:
    """Carry out the director's decision, and return sentences about it.

    The first sentence describes the decision. The others are about links and numbers from the old laptop that could not
    be kept.

    Raises:
        NotFound: `decided`: somebody has already decided, or there is no such action.
        DomainError: any that `add_missing_action` raises.
    """
    act = next((act for act in acts if act.key == key), None)
    if act is None:
        raise NotFound("decided", _("This was already decided. The log shows by whom."))
    words = {"what": act.describe()}
    match request.POST.get("decision"):
        case "add" if act.request is not None:
            decision, replaced = add_missing_action(act, tournament, by=request.actor, site=request)
            if decision is ActionDecision.FOUND:
                return [_("This laptop already had it, so it was not added again: %(what)s") % words, *replaced]
            return [_("Added: %(what)s") % words, *replaced]
        case "by-hand":
            log_missing_action_decision(act, tournament, ActionDecision.BY_HAND, by=request.actor)
            return [_("Noted as entered by hand: %(what)s") % words]
    log_missing_action_decision(act, tournament, ActionDecision.LEFT_OUT, by=request.actor)
    return [_("Left out: %(what)s") % words]


def _make_act_context(act: MissingAction, tournament: Tournament, event: Event | None) -> dict[str, Any]:
    """Return the template context for an action, with the URL of the page where it can be entered by hand."""
    form_page = act.request.page if act.request is not None else ""
    if not form_page.startswith("/desk/"):  # a player's private page would let the director act as that player
        place = [tournament.slug, event.slug] if event is not None else [tournament.slug]
        form_page = reverse("scoring:desk_today" if event is not None else "tournament:today", args=place)
    return {"act": act, "event": event, "url": form_page, "is_sign_in_unknown": is_sign_in_unknown(act)}
