"""Pages for side pools and extras: set them up, sell them, take them back, and record results."""

from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.forms import CentsField, EntrantField, IdempotentForm, PercentField, PrizeScaleField
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import domain_errors_as_form_errors, run_and_flash_result
from tournament.models import Entrant, Event, EventExtra, SidePool, SidePoolEntry
from tournament.models.side_pools import MAX_SIDE_POOL_NAME_LENGTH
from tournament.money.selectors.ledger import STATES_ALLOWING_PURCHASES
from tournament.money.selectors.side_pools import (
    EventExtraSales,
    SidePoolEntrant,
    SidePoolOverview,
    load_charges_for_extras,
    load_event_extra_sales,
    load_side_pools,
    read_side_pool_terms,
)
from tournament.money.services.side_pools import (
    EventExtraTerms,
    SidePoolTerms,
    add_event_extra,
    add_side_pool,
    change_event_extra,
    change_side_pool,
    join_side_pool,
    leave_side_pool,
    record_side_pool_result,
    remove_event_extra,
    remove_side_pool,
    reverse_event_extra_sale,
    sell_event_extra,
)
from tournament.spreadsheets.names import parse_number

# --- Side pools ------------------------------------------------------------------------------------------------------


class _SidePoolForm(IdempotentForm):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=MAX_SIDE_POOL_NAME_LENGTH,
        help_text=gettext_lazy("Such as Sweepstake, or Best game."),
    )
    fee_cents = CentsField(label=gettext_lazy("Fee for each entry"))
    condition = forms.CharField(
        label=gettext_lazy("Who may be in it"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("Leave empty for everybody."),
    )
    places_by = forms.ChoiceField(label=gettext_lazy("How its places come about"), choices=SidePool.PlacesBy.choices)
    prize_percent = PercentField(label=gettext_lazy("Percent that is paid out"), max_length=20, initial="100")
    prize_scale = PrizeScaleField(
        label=gettext_lazy("Percent for each place, first place first"),
        help_text=gettext_lazy("Percents that add up to 100, for example 60, 40."),
        initial="60, 40",
    )

    @property
    def terms(self) -> dict[str, Any]:
        facts = {name: value for name, value in self.cleaned_data.items() if name not in ("key", "reason")}
        return {**facts, "prize_scale": tuple(facts["prize_scale"])}


class _SidePoolChangeForm(_SidePoolForm):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=1_000,
        help_text=gettext_lazy("Needed once somebody is in the side pool."),
    )


class _SidePoolEntryForm(IdempotentForm):
    def __init__(self, *args: Any, entrants: QuerySet[Entrant], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["entrant"] = EntrantField(entrants, label=gettext_lazy("Entry"))


class _SidePoolResultForm(IdempotentForm):
    """A form with a field for each entry's place in a side pool. Tied entries get the same place number."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=1_000,
        help_text=gettext_lazy("Needed if a result is replaced, or a director names the winners."),
    )

    def __init__(self, *args: Any, entrants: Sequence[SidePoolEntrant], places: dict[int, int], **options: Any) -> None:
        super().__init__(*args, **options)
        self.numbers = {f"place_{entrant.number}": entrant.number for entrant in entrants}
        for entrant in entrants:
            field = forms.IntegerField(
                label=f"{entrant.number} {entrant.name}", min_value=1, max_value=9_999, required=False,
                initial=places.get(entrant.number),
            )  # fmt: skip
            field.widget.attrs |= {"inputmode": "numeric", "class": "form-control"}
            self.fields[f"place_{entrant.number}"] = field

    @property
    def places(self) -> list[list[int]]:
        """Return the entry numbers by place, best first.

        Only the order of the typed numbers matters, so gaps are allowed.
        """
        by_place: dict[int, list[int]] = {}
        for name, number in self.numbers.items():
            if (place := self.cleaned_data.get(name)) is not None:
                by_place.setdefault(place, []).append(number)
        return [by_place[place] for place in sorted(by_place)]

    @property
    def place_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.numbers]


@staff_event_view("desk")
def side_pools(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the side pools, and add or remove their entries."""
    act, states = request.POST.get("act", ""), load_side_pools(event)
    pk = parse_number(request.POST.get("pool")) or 0
    if act in _POOL_ACTS:
        run_and_flash_result(request, lambda: _POOL_ACTS[act](request, event))
        return redirect(request.path)
    add = _SidePoolForm(request.POST if act == "add" else None, prefix="add")
    pools = [_make_pool_context(event, state, request, act if state.pool.pk == pk else "") for state in states]
    requested: dict[str, Any] = next((page for page in pools if page["state"].pool.pk == pk), {})
    form = add if act == "add" else requested.get(act) if act in _POOL_FORM_ACTS else None
    if form is not None and form.is_valid():
        with domain_errors_as_form_errors(form):
            messages.success(request, _POOL_FORM_ACTS[act](request, event, form, pk))
            return redirect(request.path)
    context = {"pools": pools, "add": add, "act": act, "directs": "direct" in request.acts}
    return render(request, "tournament/money/side_pools.html", context)


def _make_pool_context(event: Event, state: SidePoolOverview, request: ActorRequest, act: str) -> dict[str, Any]:
    """Return the template context for a side pool and its forms.

    `act` is the name of the form that was submitted for this pool, or "". The page shows this form with its errors.
    """
    inside = [entrant.entrant_id for entrant in state.entrants]
    others = (
        event.entrants.filter(state__in=STATES_ALLOWING_PURCHASES, joined_to=None)
        .exclude(pk__in=inside)
        .order_by("number")
    )
    prefix = f"pool-{state.pool.pk}"
    sent = {name: request.POST if name == act else None for name in ("join", "change", "result")}
    result = None
    if (state.is_ranked_by_desk and state.entrants) or (state.has_no_placed_entry and "direct" in request.acts):
        places = _number_places(state.result)
        result = _SidePoolResultForm(sent["result"], prefix=f"result-{prefix}", entrants=state.entrants, places=places)
    terms = {**read_side_pool_terms(state.pool), "prize_scale": list(state.pool.prize_scale)}
    return {
        "state": state,
        "join": _SidePoolEntryForm(sent["join"], prefix=f"join-{prefix}", entrants=others),
        "change": _SidePoolChangeForm(sent["change"], prefix=f"change-{prefix}", initial=terms),
        "result": result,
        "open": act,
    }


def _number_places(groups: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return each entry's place number, where tied entries share a number: 1, 2, 2, 4."""
    places: dict[int, int] = {}
    for group in groups:
        places |= dict.fromkeys(group, len(places) + 1)
    return places


def _add_pool(request: ActorRequest, event: Event, form: Any, pk: int) -> str:
    pool = add_side_pool(event, SidePoolTerms(**form.terms), by=request.actor, key=form.cleaned_data["key"])
    return _("%(pool)s is set up. Add its entries here, or when they pay.") % {"pool": pool.name}


def _change_pool(request: ActorRequest, event: Event, form: Any, pk: int) -> str:
    terms, reason = SidePoolTerms(**form.terms), form.cleaned_data["reason"]
    pool = change_side_pool(_load_requested_pool(event, pk), terms, by=request.actor, reason=reason)
    return _("%(pool)s is changed.") % {"pool": pool.name}


def _join_pool(request: ActorRequest, event: Event, form: Any, pk: int) -> str:
    facts, pool = form.cleaned_data, _load_requested_pool(event, pk)
    join_side_pool(pool, facts["entrant"], by=request.actor, key=facts["key"])
    return _("%(name)s is in %(pool)s.") % {"name": facts["entrant"].name, "pool": pool.name}


def _record_result(request: ActorRequest, event: Event, form: Any, pk: int) -> str:
    facts, pool = form.cleaned_data, _load_requested_pool(event, pk)
    record_side_pool_result(pool, form.places, by=request.actor, reason=facts["reason"], key=facts["key"])
    return _("The result of %(pool)s is recorded.") % {"pool": pool.name}


def _leave_pool(request: ActorRequest, event: Event) -> str:
    rows = SidePoolEntry.objects.filter(pool__event=event).select_related("pool__event__tournament", "entrant")
    entry = get_object_or_404(rows, pk=parse_number(request.POST.get("entry")) or 0)
    leave_side_pool(entry, by=request.actor, reason=request.POST.get("reason", "")[:1_000], key=f"leave-{entry.pk}")
    return _("%(name)s is out of %(pool)s.") % {"name": entry.entrant.name, "pool": entry.pool.name}


def _remove_pool(request: ActorRequest, event: Event) -> str:
    pool = _load_requested_pool(event, parse_number(request.POST.get("pool")) or 0)
    remove_side_pool(pool, by=request.actor)
    return _("%(pool)s is removed.") % {"pool": pool.name}


def _load_requested_pool(event: Event, pk: int) -> SidePool:
    pool: SidePool = get_object_or_404(event.side_pools.select_related("event__tournament"), pk=pk)
    return pool


_POOL_FORM_ACTS: dict[str, Callable[[ActorRequest, Event, Any, int], str]] = {
    "add": _add_pool,
    "change": _change_pool,
    "join": _join_pool,
    "result": _record_result,
}
_POOL_ACTS: dict[str, Callable[[ActorRequest, Event], str]] = {"leave": _leave_pool, "remove": _remove_pool}


# --- Extras ----------------------------------------------------------------------------------------------------------


class _ExtraForm(IdempotentForm):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=60, help_text=gettext_lazy("Such as Dinner."))
    price_cents = CentsField(label=gettext_lazy("Price of one"))

    @property
    def terms(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("name", "price_cents")}


class _ExtraSaleForm(_SidePoolEntryForm):
    count = forms.IntegerField(label=gettext_lazy("How many"), initial=1, min_value=1)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.order_fields(["entrant", "count"])


@staff_event_view("desk")
def extras(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the extras with their buyers. Extras can be sold and taken back."""
    act, pk = request.POST.get("act", ""), parse_number(request.POST.get("extra")) or 0
    if act in _EXTRA_ACTS:
        run_and_flash_result(request, lambda: _EXTRA_ACTS[act](request, event, pk))
        return redirect(request.path)
    add = _ExtraForm(request.POST if act == "add" else None, prefix="add")
    on_page = [
        _make_extra_context(event, state, request, act if state.extra.pk == pk else "")
        for state in load_event_extra_sales(event)
    ]
    requested: dict[str, Any] = next((page for page in on_page if page["state"].extra.pk == pk), {})
    form = add if act == "add" else requested.get({"sell": "sale", "change": "change"}.get(act, ""))
    if form is not None and form.is_valid():
        with domain_errors_as_form_errors(form):
            messages.success(request, _EXTRA_FORM_ACTS[act](request, event, form, pk))
            return redirect(request.path)
    context = {"extras": on_page, "add": add, "act": act, "directs": "direct" in request.acts}
    return render(request, "tournament/money/extras.html", context)


def _make_extra_context(event: Event, state: EventExtraSales, request: ActorRequest, act: str) -> dict[str, Any]:
    """Return the template context for an extra item on sale, such as a dinner, and for its forms."""
    entrants = event.entrants.filter(state__in=STATES_ALLOWING_PURCHASES, joined_to=None).order_by("number")
    terms = {"name": state.extra.name, "price_cents": state.extra.price_cents}
    sent = {name: request.POST if name == act else None for name in ("sell", "change")}
    return {
        "state": state,
        "sale": _ExtraSaleForm(sent["sell"], prefix=f"sell-{state.extra.pk}", entrants=entrants),
        "change": _ExtraForm(sent["change"], prefix=f"change-{state.extra.pk}", initial=terms),
        "open": act,
    }


def _add_extra(request: ActorRequest, event: Event, form: Any, pk: int) -> str:
    extra = add_event_extra(event, EventExtraTerms(**form.terms), by=request.actor, key=form.cleaned_data["key"])
    return _("%(extra)s is set up. Sell it here, or when a player pays.") % {"extra": extra.name}


def _change_extra(request: ActorRequest, event: Event, form: Any, pk: int) -> str:
    extra = change_event_extra(_load_requested_extra(event, pk), EventExtraTerms(**form.terms), by=request.actor)
    return _("%(extra)s is changed.") % {"extra": extra.name}


def _sell_extra(request: ActorRequest, event: Event, form: Any, pk: int) -> str:
    facts, extra = form.cleaned_data, _load_requested_extra(event, pk)
    lines = sell_event_extra(extra, facts["entrant"], facts["count"], by=request.actor, key=facts["key"])
    return _("%(name)s: %(count)s × %(extra)s.") % {
        "name": facts["entrant"].name,
        "count": len(lines),
        "extra": extra.name,
    }


def _give_back_extra(request: ActorRequest, event: Event, pk: int) -> str:
    lines = load_charges_for_extras(event).select_related("event__tournament", "entrant")
    line = get_object_or_404(lines, pk=parse_number(request.POST.get("line")) or 0)
    reverse_event_extra_sale(
        line, by=request.actor, reason=request.POST.get("reason", "")[:1_000], key=f"back-{line.pk}"
    )
    return _("%(name)s has given back one %(extra)s.") % {"name": line.entrant.name, "extra": line.reference}


def _remove_extra(request: ActorRequest, event: Event, pk: int) -> str:
    extra = _load_requested_extra(event, pk)
    remove_event_extra(extra, by=request.actor)
    return _("%(extra)s is removed.") % {"extra": extra.name}


def _load_requested_extra(event: Event, pk: int) -> EventExtra:
    extra: EventExtra = get_object_or_404(event.extras.select_related("event__tournament"), pk=pk)
    return extra


_EXTRA_FORM_ACTS: dict[str, Callable[[ActorRequest, Event, Any, int], str]] = {
    "add": _add_extra,
    "change": _change_extra,
    "sell": _sell_extra,
}
_EXTRA_ACTS: dict[str, Callable[[ActorRequest, Event, int], str]] = {"back": _give_back_extra, "remove": _remove_extra}
