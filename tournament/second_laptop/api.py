"""Tell pages of the other laptop what this one is."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from tournament.core.selectors.epochs import load_own_epoch
from tournament.second_laptop.dispatch import describe_laptop


@require_safe
def laptop_state(request: HttpRequest) -> JsonResponse:
    """Return this laptop's role, installation and epoch.

    This is the only answer that pages of another address may read (CORS). It is the same for everybody, and it is read
    without cookies.
    """
    headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache"}
    return JsonResponse(describe_laptop(load_own_epoch()), headers=headers)
