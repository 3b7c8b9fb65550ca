"""Public pages of the draw of partners: who looks for a partner, each draw, and its check in the browser."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairing.blind_draw.pages import named, undone_partner_draws
from pairing.blind_draw.selectors.partners import load_partner_draws, load_public_seal, partners_record
from pairing.models import PartnerDraw
from pairing.stages.selectors.records import load_names
from tournament.core.pages.access import public_event
from tournament.core.pages.following import cached_by_version, follows
from tournament.errors import NotFound
from tournament.models import Entrant, EntrantFact, Event
from tournament.models.topic import ENTRANTS
from tournament.registration.selectors.entries import draws_partners, has_two_pools, load_put_together, load_seeking


@public_event
@follows(ENTRANTS)
@cached_by_version
def partners(request: HttpRequest, event: Event) -> HttpResponse:
    """Show who looks for a partner, the seal, and each posted draw with its secret, order and pairs.

    A preview is never shown here.
    """
    names = load_names(event)
    made_pairs = load_put_together(event)
    together = {frozenset(half.number for half in halves): pair for pair, halves in made_pairs}
    entered = EntrantFact.objects.filter(entrant__event=event, kind=EntrantFact.Kind.ENTERED)
    by_lot = {pk for pk, data in entered.values_list("entrant_id", "data") if data.get("draw")}
    found = load_partner_draws(event)
    sealed = load_public_seal(event)
    context: dict[str, Any] = {
        "draws_partners": draws_partners(event),
        "two_pools": has_two_pools(event),
        "seeking": list(load_seeking(event)),
        "sealed": sealed,
        "listed": named(sealed.numbers, names) if sealed is not None else [],
        "pools": [(pool, named(numbers, names)) for pool, numbers in sealed.pools.items()] if sealed else [],
        "before": [named(pair, names) for pair in sealed.before] if sealed is not None else [],
        "posted": [_draw_context(made, names, together) for made in found if not hasattr(made, "taken_back")],
        "old": undone_partner_draws(event, found, names),
        "by_hand": [pair for pair, _halves in made_pairs if pair.pk not in by_lot],
    }
    return render(request, "pairing/blind_draw/partners/public.html", context)


def _draw_context(made: PartnerDraw, names: dict[int, str], together: dict[frozenset[int], Entrant]) -> dict[str, Any]:
    before = {frozenset(pair) for pair in made.seal.before}
    return {
        "draw": made,
        "pairs": [
            {"halves": named(pair, names), "entry": together.get(frozenset(pair)), "again": frozenset(pair) in before}
            for pair in made.pairs
        ],
        "left": named(made.left, names),
        "order": named(made.order, names),
        "pools": [(pool, named(numbers, names)) for pool, numbers in made.seal.pools.items()],
        "before": [named(pair, names) for pair in made.seal.before],
    }


@public_event
@follows()
@cached_by_version
def partners_json(request: HttpRequest, event: Event) -> HttpResponse:
    """Return the record of a draw of partners as one line of input for `manage.py verify_partners`."""
    return JsonResponse(partners_record(_requested_draw(request, event)))


@public_event
@follows()
@cached_by_version
def check_partners(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the page that recomputes the seal and the order in the browser. The pairs follow from the order."""
    made = _requested_draw(request, event)
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    context = {
        "drawn": made,
        "taken_back": getattr(made, "taken_back", None),
        "record": partners_record(made),
        "fields": {"numbers": " ".join(map(str, made.seal.numbers)), "order": " ".join(map(str, made.order))},
        "back_url": reverse("pairing:partners", kwargs=slugs),
        "of_partners": True,
    }
    return render(request, "pairing/blind_draw/check_draw.html", context)


def _requested_draw(request: HttpRequest, event: Event) -> PartnerDraw:
    """Return the requested draw of partners by its name, or the newest that counts."""
    found, wanted = load_partner_draws(event), request.GET.get("draw", "")
    named = next((made for made in found if made.seal.draw_id == wanted), None)
    made = named or next((made for made in found if not hasattr(made, "taken_back")), None)
    if made is None:
        raise NotFound("no-draw", _("No draw of partners is posted yet. See the Partners page."))
    return made
