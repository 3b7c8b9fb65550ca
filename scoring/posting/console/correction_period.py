"""The periods for corrections, rulings and appeals, and the entries that wait for a second official."""

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from scoring.cards.services.paper_cards import agree_on_card, refuse_on_card
from scoring.models import StaffEntry
from scoring.posting.selectors.correction_period import load_terms, waiting_entries
from scoring.posting.services.correction_period import set_terms
from scoring.posting.tables.correction_period import load_entry_views
from scoring.rules.sheet.card_status import MOST_MINUTES, ClockTerms, Second
from tournament.core.forms import KeyedForm
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import refusals_on
from tournament.errors import NotFound
from tournament.models import Event

PERIODS: Final = ("corrections", "rulings", "appeals")


class TermsForm(KeyedForm):
    corrections = forms.IntegerField(label=gettext_lazy("Time to correct scoring errors (minutes)"), min_value=0)
    rulings = forms.IntegerField(label=gettext_lazy("Time to ask for a ruling (minutes)"), min_value=0)
    appeals = forms.IntegerField(label=gettext_lazy("Time to appeal a ruling (minutes)"), min_value=0)
    second = forms.ChoiceField(
        label=gettext_lazy("A score entered by staff"),
        choices=[
            (Second.NONE.value, gettext_lazy("counts at once")),
            (Second.APPROVAL.value, gettext_lazy("counts after a second person confirms it")),
            (Second.REKEY.value, gettext_lazy("counts after a second person enters the same figures")),
        ],
        widget=forms.RadioSelect,
    )

    def __init__(self, data: Any = None, *, terms: ClockTerms) -> None:
        super().__init__(data, initial=terms.as_json())
        for name in PERIODS:
            self.fields[name].widget.attrs |= {"max": MOST_MINUTES, "class": "field-number"}

    @property
    def terms(self) -> ClockTerms:
        cleaned = self.cleaned_data
        return ClockTerms(**{name: cleaned[name] for name in PERIODS}, second=Second(cleaned["second"]))


@console_event("direct")
def terms(request: ActorRequest, event: Event) -> HttpResponse:
    form = TermsForm(request.POST or None, terms=load_terms(event))
    if request.method == "POST" and form.is_valid():
        with refusals_on(form):
            set_terms(event, form.terms, by=request.actor, key=form.cleaned_data["key"])
            messages.success(request, _("Saved. Cards posted before keep their own times."))
            return redirect(request.path)
    return render(
        request, "scoring/posting/correction_period/console.html", {"form": form}, status=422 if form.errors else 200
    )


@console_event("look")
def entries(request: ActorRequest, event: Event) -> HttpResponse:
    shown = load_entry_views(waiting_entries(event), request.user)
    return render(
        request, "scoring/posting/correction_period/entries.html", {"entries": shown, "terms": load_terms(event)}
    )


@require_POST
@console_event("desk")
def decide(request: ActorRequest, event: Event, entry: int) -> HttpResponse:
    found = StaffEntry.objects.filter(pk=entry, card__match__event=event).select_related("card__match__event").first()
    if found is None:
        raise NotFound("no-entry", _("There is no such entry in this event. Look at Entries to confirm."))
    if "agree" in request.POST:
        state = agree_on_card(found, by=request.actor)
        message = _("Confirmed and posted: %s.") if state.is_posted else _("Confirmed: %s.")
        messages.success(request, message % state.score.line)
    else:
        refuse_on_card(found, by=request.actor, reason=request.POST.get("reason", ""))
        messages.success(request, _("The entry is refused and does not count."))
    return redirect("scoring:desk_entries", tournament=event.tournament.slug, event=event.slug)
