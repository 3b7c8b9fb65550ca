"""The page that shows what an act would change before it is done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from pairing.corrections.selectors import Effects
from pairing.corrections.services import apply_change, preview_effects
from pairing.corrections.words import effect_rows
from pairing.results.forms.decisions import ChoicesForm, WalkoversForm
from tournament.core.pages.access import ActorRequest
from tournament.errors import DomainError
from tournament.models import Event


@dataclass(frozen=True, kw_only=True)
class Plan:
    """An act and the texts of the page that previews it.

    `act` takes the actor (`by`), the `reason` from the form, and the `key` of the request, empty for a preview.
    `first` is the match in question, and `says` explains the act in a sentence. `form` is resent as hidden fields.
    If `only_look` is set, the act cannot be done yet, and `only_look` returns the effects it would have.
    """

    event: Event
    title: str
    act: Callable[..., object]
    label: str
    form: forms.Form
    done: str
    to: str
    first: str = ""
    says: str = ""
    danger: bool = False
    only_look: Callable[[], Effects] | None = None
    choices: ChoicesForm | WalkoversForm | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


def show_effects(request: ActorRequest, plan: Plan) -> HttpResponse:
    """Do the act if the user confirmed its preview, or show the preview."""
    error, said = "", {name: request.POST.get(plan.form.add_prefix(name), "") for name in plan.form.fields}
    act = partial(plan.act, by=request.actor, reason=plan.form.cleaned_data["reason"])
    if request.POST.get("act") == "do" and plan.only_look is None:
        try:
            apply_change(plan.event, partial(act, key=said.get("key", "")), shown=request.POST.get("shown", ""))
        except DomainError as refused:
            error = refused.message
        else:
            messages.success(request, plan.done)
            return redirect(plan.to)
    effects: Effects | None = None
    try:
        effects = plan.only_look() if plan.only_look else preview_effects(plan.event, partial(act, key=""))
    except DomainError as refused:
        error = error or refused.message
    context = {
        "plan": plan,
        "hidden": [(plan.form.add_prefix(name), value) for name, value in said.items()],
        "reason": said.get("reason", ""),
        "effects": effects,
        "rows": effect_rows(effects, first=plan.first) if effects is not None else None,
        "error": error,
        **plan.more,
    }
    return render(request, "pairing/corrections/effects.html", context, status=422 if error else 200)
