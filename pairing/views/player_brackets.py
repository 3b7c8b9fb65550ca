from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from tournament.models import Entrant
from tournament.views.access import entrant_page


@entrant_page
def my_path(request: HttpRequest, entrant: Entrant) -> HttpResponse:
    """The public bracket with this entrant's way through it; the private link stays out of that address."""
    slugs = {"tournament": entrant.event.tournament.slug, "event": entrant.event.slug}
    return redirect(f"{reverse('pairing:bracket', kwargs=slugs)}?me={entrant.number}")
