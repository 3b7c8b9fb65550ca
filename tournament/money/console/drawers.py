from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.refusals import refusals_on
from tournament.models import Drawer, Event
from tournament.money.forms import CashForm, DrawerCountForm, OpenDrawerForm
from tournament.money.selectors.drawers import (
    CASH,
    InDrawer,
    cash_moved_of,
    cashiers_of,
    closed_drawers,
    in_safe,
    open_drawers,
    with_sums,
)
from tournament.money.services.drawers import DrawerCount, close_drawer, move_bank, move_float, open_drawer
from tournament.money.words import cash_from, cash_to, method_labels, should_be_in_drawer
from tournament.spreadsheets.numbers import typed_number

MOST_ROWS = 50


@console_event("desk")
def drawers(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the open drawers with their contents, one's own first, and open, empty, fill, count or hand them over."""
    act, pk = request.POST.get("act", ""), typed_number(request.POST.get("drawer")) or 0
    whole = {name: _whole_form(name, request if name == act else None) for name in WHOLE}
    rows = [
        (
            found,
            method_labels(dict(found.sums)),
            should_be_in_drawer(dict(found.sums), event.tournament.currency),
            _forms(event, found.drawer, request, act, pk),
        )
        for found in _open(request, event)
    ]
    sent = whole.get(act) or next((forms.get(act) for found, *_words, forms in rows if found.drawer.pk == pk), None)
    if request.method == "POST" and act in OF_DRAWER and sent is None:
        get_object_or_404(event.tournament.drawers, pk=pk)
        messages.error(request, _("This drawer was closed before. Nothing was changed."))
        return redirect(request.path)
    if sent is not None and sent.is_valid():
        with refusals_on(sent):
            _carry_out(request, event, act, sent, pk)
            messages.success(request, _("Recorded."))
            return redirect(request.path)
    safe = in_safe(event.tournament)
    context = {
        "rows": rows,
        "whole": whole,
        "act": act,
        "has_own": any(found.drawer.cashier_id == request.user.pk for found, *_more in rows),
        "safe": method_labels(safe),
        "closed": closed_drawers(event.tournament)[:MOST_ROWS],
        "moved": [(row, cash_from(row), cash_to(row)) for row in cash_moved_of(event.tournament)[:MOST_ROWS]],
        "directs": "direct" in request.acts,
        "safe_cash": safe.get(CASH, 0),
    }
    return render(request, "tournament/money/drawers.html", context)


WHOLE = ("open", "bring", "bank")
OF_DRAWER = ("drop", "fill", "count")


def _open(request: ActorRequest, event: Event) -> list[InDrawer]:
    found = with_sums(open_drawers(event.tournament))
    return sorted(found, key=lambda one: one.drawer.cashier_id != request.user.pk)


def _whole_form(name: str, request: ActorRequest | None) -> Form:
    sent = request.POST if request is not None else None
    return OpenDrawerForm(sent, prefix=name) if name == "open" else CashForm(sent, prefix=name)


def _forms(event: Event, drawer: Drawer, request: ActorRequest, act: str, pk: int) -> dict[str, Form]:
    def sent(name: str) -> object:
        return request.POST if name == act and drawer.pk == pk else None

    cashiers = cashiers_of(event.tournament).exclude(pk=drawer.cashier_id)
    count = DrawerCountForm(
        sent("count"), prefix=f"count{drawer.pk}", currency=event.tournament.currency, cashiers=cashiers
    )
    cash = {name: CashForm(sent(name), prefix=f"{name}{drawer.pk}") for name in ("drop", "fill")}
    return {**cash, "count": count}


def _carry_out(request: ActorRequest, event: Event, act: str, form: Form, pk: int) -> None:
    facts, by, tournament = dict(form.cleaned_data), request.actor, event.tournament
    if act == "open":
        brought = facts["source"] == "brought"
        open_drawer(tournament, facts["cents"], by=by, key=facts["key"], name=facts["name"], brought=brought)
    elif act in ("bring", "bank"):
        move_bank(tournament, facts["cents"], to_bank=act == "bank", by=by, key=facts["key"])
    else:
        drawer = get_object_or_404(tournament.drawers.select_related("tournament"), pk=pk)
        if isinstance(form, DrawerCountForm):
            count = DrawerCount(form.pieces, facts["next_cashier"])
            close_drawer(drawer, count, by=by, key=facts["key"], reason=facts["reason"])
        else:
            move_float(drawer, facts["cents"], to_safe=act == "drop", by=by, key=facts["key"])
