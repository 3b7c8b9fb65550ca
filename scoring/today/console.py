from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from scoring.card_list.selectors import load_open_and_posted
from scoring.models import Ruling
from scoring.rulesheets.selectors.approvals import approvals_told
from scoring.rulings.selectors.since import ChangedSince, load_changed_since, load_rulings_in
from scoring.rulings.tables.since import rulings_changed
from scoring.today.selectors.attention import AttentionItem, load_attention, next_door
from tournament.core.folded import folded_here
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.following import follow, versions_seen
from tournament.models import Event
from tournament.models.topic import DESK


def _address(row: AttentionItem, place: dict[str, str]) -> str:
    kwargs = {**place, **({"ident": row.ident} if row.ident else {}), **({"token": row.token} if row.token else {})}
    return reverse(row.page, kwargs=kwargs) + row.query


def _rulings_in(event: Event) -> tuple[list[Ruling], dict[int, tuple[ChangedSince, ...]]]:
    rulings = load_rulings_in(event)
    return rulings, load_changed_since(rulings)


SHORT = (_("Draft"), _("Open"), _("Closed"), _("Drawn"), _("In play"), _("Finished"))


@console_event("look")
def today(request: ActorRequest, event: Event) -> HttpResponse:
    versions_seen(request, event.pk)
    follow(request, event, DESK)
    place = {"tournament": event.tournament.slug, "event": event.slug}
    door = next_door(event)
    here = Event.State.values.index(event.state)
    rulings, changed = folded_here(event.pk, (DESK,), ("rulings", get_language()), lambda: _rulings_in(event))
    cards, posted = load_open_and_posted(event, timezone.now())
    waiting = load_attention(event, cards, rulings, changed)
    context = {
        "steps": [
            {"label": label, "state": "done" if turn < here else "now" if turn == here else "next"}
            for turn, label in enumerate(SHORT)
        ],
        "door": door,
        "approvals": approvals_told(event) if event.state in (Event.State.DRAFT, Event.State.OPEN) else [],
        "door_url": reverse(door.page, kwargs=place) if door else "",
        "waiting": [(row, _address(row, place)) for row in waiting],
        "posted": posted,
        "changed_rulings": rulings_changed(rulings, changed),
    }
    return render(request, "scoring/today/console.html", context)
