"""The address of a table's sign, /t/<tournament>/table/<number>/, which opens the match being played at that table."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django_htmx.http import HttpResponseClientRedirect

from scoring.card_state.selectors.table_now import load_cards_at
from tournament.core.selectors.events import load_tournament


@never_cache
def table_now(request: HttpRequest, tournament: str, table: int) -> HttpResponse:
    found = load_tournament(tournament)
    cards = load_cards_at(found, table)
    if len(cards) == 1:
        here = reverse("scoring:table_card", kwargs={"card": cards[0].card.token})
        return HttpResponseClientRedirect(here) if request.headers.get("HX-Request") else redirect(here)
    return render(request, "scoring/cards/public/table_now.html", {"tournament": found, "table": table, "cards": cards})
