"""The public prizes page, and the card provider's webhook."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django_ratelimit.decorators import ratelimit

from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version, follows_topics
from tournament.errors import DomainError
from tournament.models import Event
from tournament.models.topic import ENTRANTS_TOPIC, PRIZES_TOPIC, STANDINGS_TOPIC
from tournament.money.providers import get_card_payment_service
from tournament.money.selectors.finances import load_expenses
from tournament.money.selectors.prizes import load_bracket_prizes, load_possible_tie_shares, load_prizes
from tournament.money.services.transfers_and_cards import record_card_event


@public_event_view
@follows_topics(PRIZES_TOPIC, ENTRANTS_TOPIC, STANDINGS_TOPIC)
@cached_by_version
def public_prizes(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the prize pool, the prize for each place, and the amounts that tied players would share.

    The page is also updated when the standings change, because a new result can change which ties are still possible.
    """
    event_prizes = load_prizes(event)
    expenses = load_expenses(event, event_prizes.side_pools)
    context = {
        "prizes": event_prizes,
        "ties": load_possible_tie_shares(event, event_prizes),
        "bracket": load_bracket_prizes(event, event_prizes),
        "expenses": expenses,
    }
    return render(request, "tournament/money/public.html", context)


MAX_WEBHOOKS_PER_MINUTE: Final = 300
"""The number of messages accepted from one address per minute.

The provider sends rejected messages again later.
"""


@csrf_exempt
@require_POST
@ratelimit(key="ip", rate=f"{MAX_WEBHOOKS_PER_MINUTE}/m", method="POST", block=False)
def receive_card_webhook(request: HttpRequest) -> HttpResponse:
    """Accept a message from the card provider.

    The response is 200 if the signature is valid, so that the provider does not send the message again. Otherwise the
    response is 400. A signed message that cannot be parsed is stored for the desk. If one address sends too many
    messages, they are rejected unread with 429.
    """
    service = get_card_payment_service()
    if service is None:
        raise Http404
    if getattr(request, "limited", False):
        refusal = _("Too many messages at once. Send this one again in a minute.")
        return JsonResponse(
            {"error": {"code": "too-many", "message": refusal}}, status=429, headers={"Retry-After": "60"}
        )
    try:
        message = service.read(request.body, request.headers, timezone.now())
    except DomainError as refused:
        return JsonResponse({"error": {"code": refused.code, "message": refused.message}}, status=400)
    return JsonResponse({"received": True, "state": record_card_event(message).state})
