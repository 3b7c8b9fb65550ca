"""Side pools at the desk: their settings, their entries, and the results that the desk records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import refusals_on, told
from tournament.models import Event, EventExtra, SidePool, SidePoolEntry
from tournament.money.forms import (
    ExtraForm,
    ExtraSaleForm,
    SidePoolChangeForm,
    SidePoolForm,
    SidePoolJoinForm,
    SidePoolResultForm,
)
from tournament.money.selectors.ledger import MAY_JOIN
from tournament.money.selectors.side_pools import (
    ExtraState,
    SidePoolState,
    lines_of_extras,
    load_extras,
    load_side_pools,
    side_pool_terms,
)
from tournament.money.services.side_pools import (
    ExtraTerms,
    SidePoolTerms,
    add_extra,
    add_side_pool,
    change_extra,
    change_side_pool,
    give_back_extra,
    join_side_pool,
    leave_side_pool,
    record_pool_result,
    remove_extra,
    remove_side_pool,
    sell_extra,
)
from tournament.spreadsheets.names import typed_number


@dataclass(frozen=True, slots=True)
class PoolOnPage:
    """A side pool with its forms. `open` names the form that was sent and refused."""

    state: SidePoolState
    join: SidePoolJoinForm
    change: SidePoolChangeForm
    result: SidePoolResultForm | None
    open: str = ""


@console_event("desk")
def side_pools(request: ActorRequest, event: Event) -> HttpResponse:
    """Show each side pool with its entries, and put entries in or take them out."""
    act, states = request.POST.get("act", ""), load_side_pools(event)
    asked = typed_number(request.POST.get("pool")) or 0
    if act in PLAIN:
        told(request, lambda: PLAIN[act](request, event))
        return redirect(request.path)
    add = SidePoolForm(request.POST if act == "add" else None, prefix="add")
    pools = [_on_page(event, state, request, act if state.pool.pk == asked else "") for state in states]
    form = _sent(act, add, next((one for one in pools if one.state.pool.pk == asked), None))
    if form is not None and form.is_valid():
        with refusals_on(form):
            messages.success(request, ACTS[act](request, event, form, asked))
            return redirect(request.path)
    context = {"pools": pools, "add": add, "act": act, "directs": "direct" in request.acts}
    return render(request, "tournament/money/side_pools.html", context)


def _on_page(event: Event, state: SidePoolState, request: ActorRequest, act: str) -> PoolOnPage:
    inside = [one.entrant_id for one in state.entrants]
    others = event.entrants.filter(state__in=MAY_JOIN, joined_to=None).exclude(pk__in=inside).order_by("number")
    prefix = f"pool-{state.pool.pk}"
    sent = {name: request.POST if name == act else None for name in ("join", "change", "result")}
    result = None
    if (state.is_by_desk and state.entrants) or (state.lacks_places and "direct" in request.acts):
        places = _typed_places(state.result)
        result = SidePoolResultForm(sent["result"], prefix=f"result-{prefix}", entrants=state.entrants, places=places)
    return PoolOnPage(
        state,
        SidePoolJoinForm(sent["join"], prefix=f"join-{prefix}", entrants=others),
        SidePoolChangeForm(sent["change"], prefix=f"change-{prefix}", initial=_shown(state.pool)),
        result,
        act,
    )


def _typed_places(groups: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return the places as somebody would type them: 1, 2, 2, 4."""
    places: dict[int, int] = {}
    for group in groups:
        places |= dict.fromkeys(group, len(places) + 1)
    return places


def _shown(pool: SidePool) -> dict[str, Any]:
    return {**side_pool_terms(pool), "prize_scale": list(pool.prize_scale)}


def _sent(act: str, add: forms.Form, one: PoolOnPage | None) -> forms.Form | None:
    if act == "add":
        return add
    return {"join": one.join, "change": one.change, "result": one.result}.get(act) if one is not None else None


def _add(request: ActorRequest, event: Event, form: Any, asked: int) -> str:
    pool = add_side_pool(event, SidePoolTerms(**form.terms), by=request.actor, key=form.cleaned_data["key"])
    return _("%(pool)s is set up. Add its entries here, or when they pay.") % {"pool": pool.name}


def _change(request: ActorRequest, event: Event, form: Any, asked: int) -> str:
    terms, reason = SidePoolTerms(**form.terms), form.cleaned_data["reason"]
    pool = change_side_pool(_pool(event, asked), terms, by=request.actor, reason=reason)
    return _("%(pool)s is changed.") % {"pool": pool.name}


def _join(request: ActorRequest, event: Event, form: Any, asked: int) -> str:
    facts, pool = form.cleaned_data, _pool(event, asked)
    join_side_pool(pool, facts["entrant"], by=request.actor, key=facts["key"])
    return _("%(name)s is in %(pool)s.") % {"name": facts["entrant"].name, "pool": pool.name}


def _result(request: ActorRequest, event: Event, form: Any, asked: int) -> str:
    facts, pool = form.cleaned_data, _pool(event, asked)
    record_pool_result(pool, form.places, by=request.actor, reason=facts["reason"], key=facts["key"])
    return _("The result of %(pool)s is recorded.") % {"pool": pool.name}


def _leave(request: ActorRequest, event: Event) -> str:
    rows = SidePoolEntry.objects.filter(pool__event=event).select_related("pool__event__tournament", "entrant")
    entry = get_object_or_404(rows, pk=typed_number(request.POST.get("entry")) or 0)
    leave_side_pool(entry, by=request.actor, reason=request.POST.get("reason", "")[:1_000], key=f"leave-{entry.pk}")
    return _("%(name)s is out of %(pool)s.") % {"name": entry.entrant.name, "pool": entry.pool.name}


def _remove(request: ActorRequest, event: Event) -> str:
    pool = _pool(event, typed_number(request.POST.get("pool")) or 0)
    remove_side_pool(pool, by=request.actor)
    return _("%(pool)s is removed.") % {"pool": pool.name}


def _pool(event: Event, asked: int) -> SidePool:
    found: SidePool = get_object_or_404(event.side_pools.select_related("event__tournament"), pk=asked)
    return found


ACTS: dict[str, Callable[[ActorRequest, Event, Any, int], str]] = {
    "add": _add,
    "change": _change,
    "join": _join,
    "result": _result,
}
PLAIN: dict[str, Callable[[ActorRequest, Event], str]] = {"leave": _leave, "remove": _remove}


# --- Extras ----------------------------------------------------------------------------------------------------------
# Extras at the desk: set them up, sell them, and take them back.


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
    shown = [_extras_on_page(event, one, request, act if one.extra.pk == asked else "") for one in load_extras(event)]
    own = next((one for one in shown if one.state.extra.pk == asked), None)
    form = add if act == "add" else {"sell": own.sale, "change": own.change}.get(act) if own is not None else None
    if form is not None and form.is_valid():
        with refusals_on(form):
            messages.success(request, FORM_ACTS[act](request, event, form, asked))
            return redirect(request.path)
    context = {"extras": shown, "add": add, "act": act, "directs": "direct" in request.acts}
    return render(request, "tournament/money/extras.html", context)


def _extras_on_page(event: Event, state: ExtraState, request: ActorRequest, act: str) -> ExtraOnPage:
    entrants = event.entrants.filter(state__in=MAY_JOIN, joined_to=None).order_by("number")
    terms = {"name": state.extra.name, "price_cents": state.extra.price_cents}
    sent = {name: request.POST if name == act else None for name in ("sell", "change")}
    return ExtraOnPage(
        state,
        ExtraSaleForm(sent["sell"], prefix=f"sell-{state.extra.pk}", entrants=entrants),
        ExtraForm(sent["change"], prefix=f"change-{state.extra.pk}", initial=terms),
        act,
    )


def _extras_add(request: ActorRequest, event: Event, form: Any, asked: int) -> str:
    extra = add_extra(event, ExtraTerms(**form.terms), by=request.actor, key=form.cleaned_data["key"])
    return _("%(extra)s is set up. Sell it here, or when a player pays.") % {"extra": extra.name}


def _extras_change(request: ActorRequest, event: Event, form: Any, asked: int) -> str:
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


def _extras_remove(request: ActorRequest, event: Event, asked: int) -> str:
    extra = _extra(event, asked)
    remove_extra(extra, by=request.actor)
    return _("%(extra)s is removed.") % {"extra": extra.name}


def _extra(event: Event, asked: int) -> EventExtra:
    found: EventExtra = get_object_or_404(event.extras.select_related("event__tournament"), pk=asked)
    return found


FORM_ACTS: dict[str, Callable[[ActorRequest, Event, Any, int], str]] = {
    "add": _extras_add,
    "change": _extras_change,
    "sell": _sell,
}
PLAIN_ACTS: dict[str, Callable[[ActorRequest, Event, int], str]] = {"back": _give_back, "remove": _extras_remove}
