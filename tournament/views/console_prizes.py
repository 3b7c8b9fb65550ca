from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from tournament.forms.money import PrizePaidForm
from tournament.lists.numbers import typed_number
from tournament.models import Event
from tournament.selectors.prizes import load_prizes
from tournament.services.payouts import pay_prize
from tournament.views.access import ActorRequest, console_event


@console_event("look")
def prizes(request: ActorRequest, event: Event) -> HttpResponse:
    if request.method == "POST":
        form = PrizePaidForm(request.POST)
        if form.is_valid():
            entrants = event.entrants.select_related("event__tournament")
            entrant = get_object_or_404(entrants, pk=typed_number(request.POST.get("entrant")) or 0)
            pay_prize(entrant, form.cleaned_data["method"], by=request.actor, key=form.cleaned_data["key"])
            messages.success(request, _("Paid out."))
        return redirect(request.path)
    context = {"prizes": load_prizes(event), "form": PrizePaidForm()}
    return render(request, "tournament/console/prizes.html", context)
