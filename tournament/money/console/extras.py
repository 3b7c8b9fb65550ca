"""Extras at the desk: set them up, sell them, and take them back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.refusals import refusals_on, told
from tournament.models import Event, EventExtra
from tournament.money.forms import ExtraForm, ExtraSaleForm
from tournament.money.selectors.extras import ExtraState, lines_of_extras, load_extras
from tournament.money.selectors.ledger import MAY_JOIN
from tournament.money.services.extras import (
    ExtraTerms,
    add_extra,
    change_extra,
    give_back_extra,
    remove_extra,
    sell_extra,
)
from tournament.spreadsheets.numbers import typed_number


@dataclass(frozen=True, slots=True)
class ExtraOnPage:
    """An extra with its forms. `open` names the form that was sent and refused."""

    state: ExtraState
    sale: ExtraSaleForm
    change: ExtraForm
    open: str = ""


@console_event("desk")
def extras(request: ActorRequest, event: Event) -> HttpResponse:
    """Show each extra with the entries that bought it, to sell it and to take it back."""
    act, asked = request.POST.get("act", ""), typed_number(request.POST.get("extra")) or 0
    if act in PLAIN_ACTS:
        told(request, lambda: PLAIN_ACTS[act](request, event, asked))
        return redirect(request.path)
    add = ExtraForm(request.POST if act == "add" else None, prefix="add")
    shown = [_on_page(event, one, request, act if one.extra.pk == asked else "") for one in load_extras(event)]
    own = next((one for one in shown if one.state.extra.pk == asked), None)
    form = add if act == "add" else {"sell": own.sale, "change": own.change}.get(act) if own is not None else None
    if form is not None and form.is_valid():
        with refusals_on(form):
            messages.success(request, FORM_ACTS[act](request, event, form, asked))
            return redirect(request.path)
    context = {"extras": shown, "add": add, "act": act, "directs": "direct" in request.acts}
    return render(request, "tournament/money/extras.html", context)


def _on_page(event: Event, state: ExtraState, request: ActorRequest, act: str) -> ExtraOnPage:
    entrants = event.entrants.filter(state__in=MAY_JOIN, joined_to=None).order_by("number")
    terms = {"name": state.extra.name, "price_cents": state.extra.price_cents}
    sent = {name: request.POST if name == act else None for name in ("sell", "change")}
    return ExtraOnPage(
        state,
        ExtraSaleForm(sent["sell"], prefix=f"sell-{state.extra.pk}", entrants=entrants),
        ExtraForm(sent["change"], prefix=f"change-{state.extra.pk}", initial=terms),
        act,
    )


def _add(request: ActorRequest, event: Event, form: Any, asked: int) -> str:
    extra = add_extra(event, ExtraTerms(**form.terms), by=request.actor, key=form.cleaned_data["key"])
    return _("%(extra)s is set up. Sell it here, or when a player pays.") % {"extra": extra.name}


def _change(request: ActorRequest, event: Event, form: Any, asked: int) -> str:
    extra = change_extra(_extra(event, asked), ExtraTerms(**form.terms), by=request.actor)
    return _("%(extra)s is changed.") % {"extra": extra.name}


def _sell(request: ActorRequest, event: Event, form: Any, asked: int) -> str:
    facts, extra = form.cleaned_data, _extra(event, asked)
    lines = sell_extra(extra, facts["entrant"], facts["count"], by=request.actor, key=facts["key"])
    return _("%(name)s: %(count)s × %(extra)s.") % {
        "name": facts["entrant"].name,
        "count": len(lines),
        "extra": extra.name,
    }


def _give_back(request: ActorRequest, event: Event, asked: int) -> str:
    lines = lines_of_extras(event).select_related("event__tournament", "entrant")
    line = get_object_or_404(lines, pk=typed_number(request.POST.get("line")) or 0)
    give_back_extra(line, by=request.actor, reason=request.POST.get("reason", "")[:1_000], key=f"back-{line.pk}")
    return _("%(name)s has given back one %(extra)s.") % {"name": line.entrant.name, "extra": line.reference}


def _remove(request: ActorRequest, event: Event, asked: int) -> str:
    extra = _extra(event, asked)
    remove_extra(extra, by=request.actor)
    return _("%(extra)s is removed.") % {"extra": extra.name}


def _extra(event: Event, asked: int) -> EventExtra:
    found: EventExtra = get_object_or_404(event.extras.select_related("event__tournament"), pk=asked)
    return found


FORM_ACTS: dict[str, Callable[[ActorRequest, Event, Any, int], str]] = {"add": _add, "change": _change, "sell": _sell}
PLAIN_ACTS: dict[str, Callable[[ActorRequest, Event, int], str]] = {"back": _give_back, "remove": _remove}
