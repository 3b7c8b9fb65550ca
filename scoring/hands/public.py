from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from scoring.hands.pages import judged_page
from tournament.core.pages.access import public_event
from tournament.models import Event


@public_event
def hands(request: HttpRequest, event: Event) -> HttpResponse:
    """Two hands as the desk judged them, to be shown around: the address carries them."""
    context = judged_page(request, event)
    return render(request, "scoring/hands/public.html", context)
