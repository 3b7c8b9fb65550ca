"""Pages on which a player pays by card."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from tournament.core.pages.access import ActorRequest, private_link_view
from tournament.models import CardEvent, CardPayment, Entrant
from tournament.money.providers import DevelopmentCardService, get_card_payment_service
from tournament.money.selectors.transfers_and_cards import PAYMENT_REFUNDED_KIND, PAYMENT_SUCCEEDED_KIND
from tournament.money.services.transfers_and_cards import record_card_event, start_card_payment

_MESSAGE_KINDS_BY_BUTTON = {"pay": PAYMENT_SUCCEEDED_KIND, "refund": PAYMENT_REFUNDED_KIND}


@require_POST
@private_link_view
def pay_by_card(request: ActorRequest, entrant: Entrant) -> HttpResponse:
    """Start a card payment of the amount that the entry owes, and redirect to the provider's page."""
    service = get_card_payment_service()
    if service is None:
        raise Http404
    payment = start_card_payment(entrant, by=request.actor, key=request.POST.get("key", "")[:100])
    return redirect(service.make_payment_url(payment))


@never_cache
@private_link_view
def show_development_payment(request: ActorRequest, entrant: Entrant, ident: str) -> HttpResponse:
    """Show the development provider's payment page, with buttons that trigger its webhook."""
    service = get_card_payment_service()
    if not isinstance(service, DevelopmentCardService):
        raise Http404
    payments = CardPayment.objects.select_related("event__tournament", "entrant")
    payment = get_object_or_404(payments, ident=ident, entrant=entrant.joined_to or entrant)
    kind = _MESSAGE_KINDS_BY_BUTTON.get(request.POST.get("act", ""))
    if request.method == "POST" and kind is not None:
        at = timezone.now()
        body, headers = service.make_webhook(payment, kind, at)
        row = record_card_event(service.read(body, headers, at))
        messages.success(request, _("The message was sent. %(state)s.") % {"state": row.get_state_display()})
        return redirect(request.path)
    card_events = payment.told.all()
    paid = any(row.kind == PAYMENT_SUCCEEDED_KIND and row.state == CardEvent.State.RECORDED for row in card_events)
    return render(
        request,
        "tournament/money/providers/card_page.html",
        {"entrant": entrant, "payment": payment, "told": card_events, "paid": paid},
    )
