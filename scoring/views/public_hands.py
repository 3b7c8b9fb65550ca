from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from scoring.views.shown_hands import judged_page
from tournament.models import Event
from tournament.views.access import public_event


@public_event
def hands(request: HttpRequest, event: Event) -> HttpResponse:
    """Two hands as the desk judged them, to be shown around: the address carries them."""
    context = judged_page(request, event)
    return render(request, "scoring/public/hands.html", context)
