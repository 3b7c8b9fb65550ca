"""A player's own page, which is opened through the private link."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from tournament.core.pages.access import ActorRequest, private_link_view, remember_private_link
from tournament.core.pages.following import follow_entrant_topics
from tournament.core.pages.responses import make_private_link, make_qr_data_uri
from tournament.models import Entrant, Event
from tournament.models.topic import ENTRANTS_TOPIC
from tournament.money.providers import load_payment_options
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.selectors.prizes import load_entrant_prize
from tournament.money.selectors.side_pools import count_extras_of_entry
from tournament.ports import stage_provider
from tournament.registration.selectors.entries import (
    ROLE_NAMES,
    get_side_name,
    load_entry_summary,
    load_members,
    load_staff_messages,
    make_partner_seeker_context,
    make_waiting_list_context,
)
from tournament.registration.services.entries import withdraw_entrant

ENDED_ENTRANT_STATES = ("refused", "withdrawn", "removed", "parted")


@never_cache
@private_link_view
def show_entrant_page(request: ActorRequest, entrant: Entrant) -> HttpResponse:
    """Show the entrant's own page. Panels from other apps are loaded from their own URLs."""
    follow_entrant_topics(request, entrant, ENTRANTS_TOPIC)
    remember_private_link(request, entrant)
    link, account = make_private_link(request, entrant), load_entry_account(entrant)
    context = {
        "entrant": entrant,
        "next": stage_provider().load_next_match_summary(entrant),
        "side": get_side_name(entrant),
        "steps": make_entry_steps(entrant),
        "standing": load_entry_summary(entrant),
        "waits": make_waiting_list_context(entrant),
        "seeks": make_partner_seeker_context(entrant),
        "members": load_members(entrant),
        "account": account,
        "extras": count_extras_of_entry(entrant, account),
        "offers": load_payment_options(entrant),
        "key": uuid.uuid4().hex,
        "prize": load_entrant_prize(entrant),
        "copies": load_staff_messages(entrant),
        "link": link,
        "qr": make_qr_data_uri(link),
        "two_meet": stage_provider().has_two_sided_matches(entrant.event),
        "at_tables": bool(stage_provider().find_seat_assignments_url(entrant)),
        "may_withdraw": _can_withdraw(entrant),
    }
    return render(request, "tournament/registration/my.html", context)


def _can_withdraw(entrant: Entrant) -> bool:
    """Return whether the entrant can withdraw on this page. After the event or after elimination, it is too late."""
    if entrant.state not in ("applied", "waiting", "seeking", "in"):
        return False
    if entrant.event.state in (Event.State.DRAWN, Event.State.IN_PLAY):
        return not stage_provider().is_eliminated_or_withdrawn(entrant)
    return entrant.event.state not in (Event.State.FINISHED, Event.State.CALLED_OFF)


@require_POST
@private_link_view
def withdraw_entry(request: ActorRequest, entrant: Entrant) -> HttpResponse:
    withdraw_entrant(entrant, by=request.actor, key=request.POST.get("key", "")[:100])
    messages.success(request, _("You have withdrawn. If that was a mistake, tell the director."))
    return redirect("tournament:my", token=entrant.token)


def make_entry_steps(entrant: Entrant) -> list[dict[str, str]]:
    standing, event = load_entry_summary(entrant), entrant.event
    state = standing.state.value
    steps = [{"label": _("Entered"), "state": "done", "note": _("Number %(n)s") % {"n": entrant.number}}]
    if state in ENDED_ENTRANT_STATES:
        label = str(Entrant.State(state).label)
        return [*steps, {"label": label, "state": "refused", "note": standing.why}]
    for role in standing.asked:
        given = role in standing.given
        label = _("Approved by %(who)s") if given else _("Waiting for approval by %(who)s")
        steps.append({"label": label % {"who": ROLE_NAMES[role]}, "state": "done" if given else "now", "note": ""})
    if state == "waiting":
        steps.append({"label": _("On the waiting list"), "state": "now", "note": ""})
    if state == "joined" and entrant.joined_to is not None:
        return [*steps, {"label": _("Plays in a pair"), "state": "done", "note": str(entrant.joined_to)}]
    if standing.seeking:
        waits = state == "seeking"
        label = _("Looking for a partner") if waits else _("Partner found")
        steps.append({"label": label, "state": "now" if waits else "next", "note": ""})
    steps.append({"label": _("Accepted"), "state": "done" if state == "in" else "next", "note": ""})
    steps.append({"label": _("Checked in"), "state": "done" if standing.arrived else "next", "note": ""})
    is_drawn = event.state in (Event.State.DRAWN, Event.State.IN_PLAY, Event.State.FINISHED)
    if event.state == Event.State.IN_PLAY and state == "in" and not stage_provider().is_in_draw(entrant):
        # A late entry or a re-entry that the desk has not yet added to the draw.
        note = _("The desk adds you to the next open place. You are in no match yet.")
        return [*steps, {"label": _("Waiting for a place"), "state": "now", "note": note}]
    steps.append({"label": _("Drawn"), "state": "done" if is_drawn else "next", "note": ""})
    return steps
