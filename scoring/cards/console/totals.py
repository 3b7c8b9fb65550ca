"""The totals of a card that was entered without hands: swapped, replaced or struck out, in one act with a reason."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from scoring.card_state.selectors.cards import CardState
from scoring.cards.console.lines import card_of, to_card, what_became
from scoring.cards.forms.totals import TotalsForm
from scoring.cards.services.hands import BadLine, correct_line
from scoring.cards.services.totals import correct_totals
from scoring.correction_period.services.second_official import Differs
from scoring.correction_period.tables import clock_shown, differs_in_words
from scoring.posting.selectors.statements import load_statement
from scoring.posting.selectors.taken_back import load_void_cards
from scoring.posting.tables.statements import said_of
from scoring.rules.variants.totals import says_totals
from tournament.core.pages.access import ActorRequest, console_event
from tournament.errors import DomainError, NeedsReason
from tournament.models import Event


@console_event("desk")
def totals(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = card_of(event, token)
    if not state.is_by_totals:
        return to_card(event, token)
    form = TotalsForm(request.POST or None, state=state)
    context: dict[str, Any] = {"warnings": [], "decide": {}}
    if request.method == "POST" and form.is_valid() and _done(request, state, form, context):
        messages.success(request, what_became(state.card))
        return to_card(event, token)
    swapped = dict(zip(state.names, reversed(state.score.entered_totals.values()), strict=True))
    context |= {"state": state, "card": state.card, "form": form, "swapped": swapped}
    context["strikes"] = says_totals(state.lines[0].line)
    statement = load_statement(state)
    context |= {"said": said_of(statement), "by_desk": statement.is_by_desk}
    context["void"] = bool(load_void_cards([state.card]))
    context["clock"] = clock_shown(state, timezone.now())
    return render(
        request, "scoring/cards/console/totals.html", context, status=422 if request.method == "POST" else 200
    )


def _done(request: ActorRequest, state: CardState, form: TotalsForm, context: dict[str, Any]) -> bool:
    """Whether it went through, or waits for a second person; else the form and the context say why not."""
    try:
        _write(request, state, form)
    except BadLine as error:
        form.show(error)
    except NeedsReason as error:
        context["warnings"] = list(error.data["warnings"])
        context["decide"] = {name: error.data[name] for name in ("ident", "ending") if name in error.data}
    except Differs as error:
        form.add_error(None, differs_in_words(state, error))
    except DomainError as error:
        form.add_error("reason" if error.code == "reason-needed" else None, error.message)
    else:
        return True
    return False


def _write(request: ActorRequest, state: CardState, form: TotalsForm) -> None:
    said = form.cleaned_data
    reason, override, by = said["reason"], said["override"], request.actor
    if form.strikes:
        correct_line(state.card, 1, None, by=by, reason=reason, key=said["key"])
        return
    correct_totals(
        state.card, form.totals(), seen=said["seen"], by=by, reason=reason, override=override, key=said["key"]
    )
