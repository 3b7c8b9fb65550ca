from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.refusals import refusals_on
from tournament.models import Event
from tournament.money.forms import AddedMoneyForm, CategoriesForm, ExpenseForm, RemittanceForm
from tournament.money.selectors.expenses import load_expenses, other_money_of
from tournament.money.selectors.withheld import withheld_here
from tournament.money.services.other_money import (
    Sum,
    record_expense,
    remit_withheld,
    set_categories,
    take_added_money,
)


@console_event("desk")
def expenses(request: ActorRequest, event: Event) -> HttpResponse:
    act = request.POST.get("act", "")
    forms = {name: _form(name, event, request if name == act else None) for name in ACTS}
    form = forms.get(act)
    if form is not None and form.is_valid():
        with refusals_on(form):
            ACTS[act](request, event, form)
            messages.success(request, _("Recorded."))
            return redirect(request.path)
    context = {
        "expenses": load_expenses(event),
        "rows": list(other_money_of(event)),
        "forms": forms,
        "act": act,
        "directs": "direct" in request.acts,
    }
    return render(request, "tournament/money/expenses.html", context)


def _form(name: str, event: Event, request: ActorRequest | None) -> Form:
    sent = request.POST if request is not None else None
    if name == "expense":
        return ExpenseForm(sent, prefix=name, categories=event.tournament.expense_categories)
    if name == "added":
        return AddedMoneyForm(sent, prefix=name)
    if name == "remittance":
        return RemittanceForm(sent, prefix=name, initial={"cents": withheld_here(event)})
    return CategoriesForm(sent, prefix=name, initial={"names": "\n".join(event.tournament.expense_categories)})


def _expense(request: ActorRequest, event: Event, form: Form) -> None:
    facts = dict(form.cleaned_data)
    record_expense(event, by=request.actor, key=facts.pop("key"), spent=Sum(**facts))


def _added(request: ActorRequest, event: Event, form: Form) -> None:
    facts = dict(form.cleaned_data)
    take_added_money(event, by=request.actor, key=facts.pop("key"), given=Sum(**facts))


def _remittance(request: ActorRequest, event: Event, form: Form) -> None:
    facts = dict(form.cleaned_data)
    key, reason = facts.pop("key"), facts.pop("reason")
    remit_withheld(event, by=request.actor, key=key, reason=reason, sent=Sum(**facts))


def _categories(request: ActorRequest, event: Event, form: Form) -> None:
    set_categories(event.tournament, form.cleaned_data["names"].splitlines(), by=request.actor)


ACTS = {"expense": _expense, "added": _added, "remittance": _remittance, "categories": _categories}
