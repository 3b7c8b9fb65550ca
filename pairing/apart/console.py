"""The page on which a director keeps pairs, couples and clubs apart."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.apart import services as apart
from pairing.apart.forms import ClubsForm, CouplesForm, KeepApartForm
from pairing.apart.selectors import clubs_of, load_apart_requests, load_clubs_apart
from pairing.matches.selectors.records import load_posted_draw, open_draw
from pairing.models import AvoidPair
from pairing.plans.selectors import load_plan
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import told
from tournament.errors import DomainError
from tournament.models import Entrant, Event
from tournament.spreadsheets.names import typed_number


class _Page:
    def __init__(self, event: Event) -> None:
        self.event = event
        self.drawn = open_draw(event) is not None or load_posted_draw(event) is not None
        self.two = KeepApartForm(event=event, drawn=self.drawn)
        self.couples = CouplesForm(drawn=self.drawn)
        self.clubs = ClubsForm(until=load_clubs_apart(event))

    def context(self) -> dict[str, Any]:
        listed = self.event.avoid_pairs.filter(ended=None).select_related("one", "other").order_by("pk")
        entrants = self.event.entrants.filter(state=Entrant.State.IN).values_list("number", "club")
        clubs = sorted(clubs_of(dict(entrants)).items(), key=lambda club: (-len(club[1]), club[0].casefold()))
        return {
            "page": self,
            "requests": load_apart_requests(self.event),
            "two": [pair for pair in listed if not pair.is_couple],
            "couples": [pair for pair in listed if pair.is_couple],
            "clubs": [(name, len(members)) for name, members in clubs],
            "clubs_until": load_clubs_apart(self.event),
            "bracket_only": load_plan(self.event).first.knockout is not None,
            "first_round": AvoidPair.Kind.FIRST_ROUND.value,
        }


@console_event("direct")
def apart_page(request: ActorRequest, event: Event) -> HttpResponse:
    page, refused = _Page(event), False
    if request.method == "POST":
        act = ACTS.get(request.POST.get("act", ""), _nothing)
        if told(request, lambda: act(request, page)):
            return redirect(request.path)
        refused = True
    return render(request, "pairing/apart/console.html", page.context(), status=422 if refused else 200)


def _two(request: ActorRequest, page: _Page) -> str | None:
    form = page.two = KeepApartForm(request.POST, event=page.event, drawn=page.drawn)
    if not form.is_valid():
        return None
    facts = form.cleaned_data
    apart.keep_two_apart(facts["one"], facts["other"], by=request.actor, reason=facts["reason"], long=form.long())
    return _("Added to the list.")


def _couples(request: ActorRequest, page: _Page) -> str | None:
    form = page.couples = CouplesForm(request.POST, drawn=page.drawn)
    if not form.is_valid():
        return None
    facts = form.cleaned_data
    long = form.long(is_couple=True)
    added = apart.keep_couples_apart(page.event, facts["couples"], by=request.actor, reason=facts["reason"], long=long)
    return ngettext("One couple was added to the list.", "%(n)s couples were added to the list.", len(added)) % {
        "n": len(added)
    }


def _clubs(request: ActorRequest, page: _Page) -> str | None:
    form = page.clubs = ClubsForm(request.POST)
    if not form.is_valid():
        return None
    apart.keep_clubs_apart(page.event, form.until(), by=request.actor)
    return _("Saved. It takes effect with the next draw, round or pairing.")


def _together(request: ActorRequest, page: _Page) -> str:
    pairs = page.event.avoid_pairs.select_related("event__tournament", "one", "other")
    pair = get_object_or_404(pairs, pk=typed_number(request.POST.get("pair")) or 0)
    apart.end_keep_apart(pair, by=request.actor)
    return _("Removed from the list.")


def _nothing(request: ActorRequest, page: _Page) -> None:
    raise DomainError("no-act", _("Nothing was done. Choose one of the buttons on this page."))


ACTS: dict[str, Callable[[ActorRequest, _Page], str | None]] = {
    "apart": _two,
    "couples": _couples,
    "clubs": _clubs,
    "together": _together,
}
