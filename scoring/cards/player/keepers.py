"""Pages for the player who does not keep score: record up cards, check each hand, ask for a new deck."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from scoring.card_state.selectors.side_names import as_start
from scoring.card_state.tables.words import line_in_words
from scoring.cards.forms.keepers import SeenForm, UpCardForm
from scoring.cards.forms.lines import PhoneLineForm
from scoring.cards.pages.seats import Seat, seated
from scoring.cards.pages.tried import Tried
from scoring.cards.selectors.keepers import CheckedHand, load_keeping
from scoring.cards.services.keepers import (
    Seen,
    ask_new_deck,
    confirm_hand,
    dispute_hand,
    record_up_card,
    take_other_figures,
)
from tournament.errors import Conflict
from tournament.spreadsheets.names import typed_number


@seated
def up(request: HttpRequest, seat: Seat) -> HttpResponse:
    form = UpCardForm(request.POST or None, hand=len(seat.state.lines) + 1)
    if request.method == "POST" and form.is_valid():
        with Tried(form):
            made = record_up_card(seat.card, form.turned, by=seat.actor)
            messages.success(request, _("The up card of hand %(hand)s is recorded.") % {"hand": made.hand})
            return redirect(seat.url("card"))
    context = {"seat": seat, "urls": seat.urls, "state": seat.state, "form": form, "number": len(seat.state.lines) + 1}
    return render(request, "scoring/cards/player/up_card.html", context, status=422 if form.errors else 200)


@require_POST
@seated
def confirm(request: HttpRequest, seat: Seat) -> HttpResponse:
    seen = _seen(request)
    confirm_hand(seat.card, seen, by=seat.actor)
    messages.success(request, _("%s is confirmed.") % as_start(seat.state.name_line(seen.hand)))
    return redirect(seat.url("card"))


@seated
def other(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Enter the player's own figures for a hand that somebody else entered. `hand` is its number."""
    if request.method == "GET" and "hand" not in request.GET:
        return redirect(seat.url("card"))
    checked = _checked(seat, request)
    initial = PhoneLineForm.initial_for(seat.state, checked.line.line)
    form = PhoneLineForm(request.POST or None, state=seat.state, initial=initial)
    form.fields["hand"].initial = checked.hand
    if request.method == "POST" and "more" not in request.POST and form.is_valid():
        seen = Seen(checked.hand, _line(request, checked), form.cleaned_data["key"])
        with Tried(form):
            after = dispute_hand(seat.card, seen, form.line(), by=seat.actor)
            messages.success(request, _said(seat, after.hands[checked.hand - 1]))
            return redirect(seat.url("card"))
    context: dict[str, Any] = {"seat": seat, "urls": seat.urls, "state": seat.state, "form": form}
    context |= {"number": checked.hand, "line": _line(request, checked), "last_step": form.steps[-1].name}
    context["written"] = line_in_words(seat.state, checked.line.line)
    failed = request.method == "POST" and bool(form.errors)
    return render(request, "scoring/cards/player/other_figures.html", context, status=422 if failed else 200)


@require_POST
@seated
def take(request: HttpRequest, seat: Seat) -> HttpResponse:
    check = typed_number(request.POST.get("check", ""))
    take_other_figures(seat.card, check or 0, by=seat.actor, key=request.POST.get("key", ""))
    messages.success(request, _("The hand is corrected. Both players now have the same figures."))
    return redirect(seat.url("card"))


@require_POST
@seated
def deck(request: HttpRequest, seat: Seat) -> HttpResponse:
    ask_new_deck(seat.card, by=seat.actor, key=request.POST.get("key", ""))
    messages.success(request, _("Recorded. Take a new deck, and do not use the old one again."))
    return redirect(seat.url("card"))


def _said(seat: Seat, checked: CheckedHand) -> str:
    line = as_start(seat.state.name_line(checked.hand))
    if checked.is_different:
        return _("%s: both figures are on the card. Settle it before you sign.") % line
    return _("%s is confirmed. You both have the same figures.") % line


def _seen(request: HttpRequest) -> Seen:
    form = SeenForm(request.POST)
    if not form.is_valid():
        raise Conflict("line-changed", _("Look at the card again: this hand has been changed."))
    return form.seen


def _checked(seat: Seat, request: HttpRequest) -> CheckedHand:
    typed = request.POST.get("hand") or request.GET.get("hand") or ""
    for checked in load_keeping(seat.state).hands:
        if str(checked.hand) == typed:
            return checked
    raise Conflict("line-changed", _("This hand is no longer on the card. Look at the card again."))


def _line(request: HttpRequest, checked: CheckedHand) -> int:
    """Return the key of the line that the player saw. The service refuses if there is a later one."""
    typed = typed_number(request.POST.get("seen", ""))
    return checked.line.pk if typed is None else typed
