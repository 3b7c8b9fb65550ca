"""The card on the table at /c/<card>/, opened by its QR code. Players identify themselves by link or by code."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from scoring.card_state.selectors.cards import load_card_state
from scoring.cards.pages.seats import find_seen, forget, frame, players_of, remembered, say_who, seat_at
from scoring.cards.player.card import show_card
from scoring.cards.public.card import card_context
from scoring.signing.forms import WhoForm
from scoring.signing.services import check_code
from tournament.errors import DomainError


def table_card(request: HttpRequest, card: str) -> HttpResponse:
    found = find_seen(request, card)
    frame(request, found)
    if request.method == "POST" and "leave" in request.POST:
        forget(request, found)
        return redirect("scoring:table_card", card=card)
    sitting = remembered(request, found)
    if sitting is not None:
        return show_card(request, seat_at(request, sitting, card, by_link=False))
    players = players_of(found)
    form = WhoForm(request.POST or None, players=players)
    if request.method == "POST" and form.is_valid():
        who = next(w for w in players if str(w.pk) == form.cleaned_data["who"])
        try:
            check_code(who, form.cleaned_data["code"])
        except DomainError as error:
            form.add_error("code", error.message)
        else:
            say_who(request, found, who)
            return redirect("scoring:table_card", card=card)
    context = {**card_context(request, load_card_state(found)), "form": form}
    return render(request, "scoring/cards/public/table_card.html", context, status=422 if form.errors else 200)
