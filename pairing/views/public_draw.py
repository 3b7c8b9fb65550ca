from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from pairing.draws import Move
from pairing.selectors.brackets import load_names, load_posted_draw
from pairing.selectors.draws import check_record, current_commitment, load_draws
from tournament.models import Event
from tournament.views.access import public_event
from tournament.views.caching import kept_by_version


@public_event
@kept_by_version
def draw_page(request: HttpRequest, event: Event) -> HttpResponse:
    """The seal before the cut; afterwards the order, the secret, and every draw that was taken back."""
    names = load_names(event)
    made = load_posted_draw(event)
    context = {
        "sealed": current_commitment(event),
        "draw": made,
        "order": [(turn, number, names.get(number, "")) for turn, number in enumerate(made.order, 1)] if made else [],
        "moves": [str(Move.from_json(move)) for move in made.moves] if made else [],
        "earlier": [old for old in load_draws(event) if made is None or old.pk != made.pk],
    }
    return render(request, "pairing/public/draw.html", context)


@public_event
@kept_by_version
def check_page(request: HttpRequest, event: Event) -> HttpResponse:
    made = load_posted_draw(event)
    record = check_record(made) if made else None
    return render(request, "pairing/public/check_draw.html", {"draw": made, "record": record})


@public_event
@kept_by_version
def draw_json(request: HttpRequest, event: Event) -> JsonResponse:
    """What `manage.py verify_draw` takes."""
    made = load_posted_draw(event)
    if made is None:
        raise Http404
    record = check_record(made)
    return JsonResponse(
        {name: record[name] for name in ("secret", "commitment", "public", "draw_id", "numbers", "order")}
    )
