"""Correct a card that was entered by its totals: swap, replace or strike out the totals, with a reason."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from scoring.card_state.selectors.cards import CardState
from scoring.cards.console.lines import card_of, to_card
from scoring.cards.forms.totals import TotalsForm
from scoring.cards.pages.tried import Tried
from scoring.cards.services.hands import correct_line
from scoring.cards.services.totals import correct_totals
from scoring.cards.tables import describe_change
from scoring.correction_period.tables import clock_shown
from scoring.posting.selectors.statements import load_statement
from scoring.posting.selectors.taken_back import load_void_cards
from scoring.posting.tables.statements import said_of
from scoring.rules.variants.variant import says_totals
from tournament.core.pages.access import ActorRequest, console_event
from tournament.models import Event


@console_event("desk")
def totals(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = card_of(event, token)
    if not state.is_by_totals:
        return to_card(event, token)
    form = TotalsForm(request.POST or None, state=state)
    tried = Tried(form, state, warns=True)
    if request.method == "POST" and form.is_valid():
        with tried:
            _write(request, state, form)
            messages.success(request, describe_change(state.card))
            return to_card(event, token)
    statement = load_statement(state)
    swapped = dict(zip(state.names, reversed(state.score.entered_totals.values()), strict=True))
    context: dict[str, Any] = {"state": state, "card": state.card, "form": form, "swapped": swapped}
    context |= {"warnings": tried.warnings, "decide": tried.decide, "clock": clock_shown(state, timezone.now())}
    context |= {"said": said_of(statement), "by_desk": statement.is_by_desk}
    context |= {"strikes": says_totals(state.lines[0].line), "void": bool(load_void_cards([state.card]))}
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/cards/console/totals.html", context, status=status)


def _write(request: ActorRequest, state: CardState, form: TotalsForm) -> None:
    by, said = request.actor, form.cleaned_data
    if form.strikes:
        correct_line(state.card, 1, None, by=by, reason=said["reason"], key=said["key"])
        return
    kept = {name: said[name] for name in ("seen", "reason", "override", "key")}
    correct_totals(state.card, form.totals(), by=by, **kept)
