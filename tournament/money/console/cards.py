from typing import Any, cast

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.refusals import refusals_on
from tournament.models import CardEvent, Event, User
from tournament.money.forms import MatchForm, ReasonForm
from tournament.money.selectors.card_events import (
    PAID,
    UNREAD,
    card_events_of,
    is_another_amount,
    settled_card_events,
    unknown_card_events,
)
from tournament.money.services.card_payments import try_card_event_again
from tournament.money.services.unknown_cards import match_card_event, set_card_event_aside
from tournament.spreadsheets.numbers import typed_number

MOST_SHOWN = 100


@console_event("direct")
def cards(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the card provider's messages about this event, and settle those that wait or have no entry."""
    act, pk = request.POST.get("act", ""), typed_number(request.POST.get("told")) or 0
    if request.method == "POST" and act not in ("match", "aside"):
        return _try_again(request, event, pk)
    forms = _forms(request, event, act)
    form = forms.get(act)
    if form is not None:
        row = get_object_or_404(_to_settle(request, event, act), pk=pk)
        if form.is_valid():
            with refusals_on(form):
                messages.success(request, _settle(request, event, row, form))
                return redirect(request.path)
    unknown = list(_unknown(request, event).filter(state=CardEvent.State.WAITING)[:MOST_SHOWN])
    told = list(card_events_of(event)[:MOST_SHOWN])
    context = {
        "told": told,
        "differing": {row.pk for row in told if is_another_amount(row, event.tournament.currency)},
        "unknown": unknown,
        "has_unread": any(row.kind == UNREAD for row in unknown),
        "settled": settled_card_events(event)[:MOST_SHOWN],
        "waiting": CardEvent.State.WAITING.value,
        "is_paid": PAID,
        "is_unread": UNREAD,
        "forms": forms,
        "sent": pk,
    }
    return render(request, "tournament/money/cards.html", context)


def _unknown(request: ActorRequest, event: Event) -> QuerySet[CardEvent]:
    return unknown_card_events(event.tournament, cast(User, request.user))


def _to_settle(request: ActorRequest, event: Event, act: str) -> QuerySet[CardEvent]:
    """Return the messages that the act may settle.

    Only messages without an entry can be matched. Messages about this event can also be set aside.
    """
    found = Q(pk__in=_unknown(request, event).values("pk"))
    return CardEvent.objects.filter(found | Q(payment__event=event) if act == "aside" else found)


def _forms(request: ActorRequest, event: Event, act: str) -> dict[str, Form]:
    def sent(name: str) -> Any:
        return request.POST if name == act else None

    return {
        "match": MatchForm(sent("match"), prefix="match", entrants=event.entrants.order_by("number")),
        "aside": ReasonForm(sent("aside"), prefix="aside"),
    }


def _settle(request: ActorRequest, event: Event, row: CardEvent, form: Form) -> str:
    if isinstance(form, MatchForm):
        entrant = form.cleaned_data["entrant"]
        match_card_event(row, entrant, by=request.actor, key=form.cleaned_data["key"])
        return _("This is recorded as a payment of %(name)s.") % {"name": entrant.name}
    set_card_event_aside(row, event.tournament, by=request.actor, **form.cleaned_data)
    return _("The payment is set aside.")


def _try_again(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    row = get_object_or_404(card_events_of(event).select_related("payment__event__tournament"), pk=pk)
    accepts, key = request.POST.get("act") == "accept", request.POST.get("key", "")[:100]
    row = try_card_event_again(row, by=request.actor, key=key, accepts=accepts)
    messages.info(request, f"{row.get_state_display()}. {row.note}".strip())
    return redirect(request.path)
