from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from pairing.selectors.formats import plays_bracket
from tournament.models import Entrant
from tournament.views.access import entrant_page


@entrant_page
def my_path(request: HttpRequest, entrant: Entrant) -> HttpResponse:
    """The public bracket with this entrant's way through it, or his tables; the private link stays out of that."""
    slugs = {"tournament": entrant.event.tournament.slug, "event": entrant.event.slug}
    page = "pairing:bracket" if plays_bracket(entrant.event) else "pairing:seatings"
    return redirect(f"{reverse(page, kwargs=slugs)}?me={entrant.number}")
