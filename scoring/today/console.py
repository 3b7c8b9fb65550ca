"""The page *Today*: the next step of an event, what needs attention, and the latest results."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from pairing.event_pages.pages.now import load_latest
from scoring.disputes.tables.rulings import rulings_changed
from scoring.posting.selectors.card_list import LastPosted
from scoring.rulesheets.selectors.sheets import describe_approvals
from scoring.today.pages import item_contexts, next_step, step_context
from scoring.today.selectors.attention import load_day
from tournament.core.cached import cached
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.following import follow, request_versions
from tournament.models import Event
from tournament.models.topic import DESK
from tournament.templatetags.gin import called_off

STATES = (_("Draft"), _("Open"), _("Closed"), _("Drawn"), _("In play"), _("Finished"))


@console_event("look")
def today(request: ActorRequest, event: Event) -> HttpResponse:
    request_versions(request, event.pk)
    follow(request, event, DESK)
    off = called_off(event)
    here = Event.State.values.index(off.came_from if off is not None else event.state)
    day = load_day(event, timezone.now())
    step, shown = next_step(day.facts, request.acts), item_contexts(request, event, day)
    blocking = [one for one in shown if one["item"].code in step.blocked_by]
    context = {
        "steps": [
            {"label": label, "state": "done" if turn < here or off is not None else "now" if turn == here else "next"}
            for turn, label in enumerate(STATES[: here + 1] if off is not None else STATES)
        ]
        + ([{"label": _("Called off"), "state": "refused"}] if off is not None else []),
        "may_call_off": "direct" in request.acts and event.state not in (Event.State.DRAFT, Event.State.FINISHED),
        "is_off": off is not None,
        "step": step_context(step, event, request.acts),
        "approvals": describe_approvals(event) if event.state in (Event.State.DRAFT, Event.State.OPEN) else [],
        "blocking": blocking,
        "items": [one for one in shown if one not in blocking],
        **_latest_results(event, day.posted),
        "changed_rulings": rulings_changed(day.rulings, day.changed),
    }
    return render(request, "scoring/today/console.html", context)


def _latest_results(event: Event, posted: Sequence[LastPosted]) -> dict[str, Any]:
    """Return the latest results with the cards that decided them, and the posted cards of undecided matches."""
    address = reverse("pairing:desk_decide", args=[event.tournament.slug, event.slug, "MATCH"])
    cards = {address.replace("MATCH", one.state.card.match.ident): one for one in reversed(posted)}
    name = ("latest results", get_language())
    lines = cached(event.pk, (DESK,), name, lambda: load_latest(event, lambda ident: address.replace("MATCH", ident)))
    decided = {line.url for line in lines}
    return {
        "latest": [(line, cards.get(line.url)) for line in lines],
        "posted": [one for url, one in cards.items() if url not in decided and not one.counts],
    }
