"""Refuse to record anything on a laptop whose database only the other laptop may change."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from tournament.core.middleware import render_refusal
from tournament.errors import DomainError
from tournament.second_laptop.selectors import LaptopRole, is_read_only, read_link

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
THIS_LAPTOP_VIEW = "tournament:this_laptop"


class ReadOnlyLaptop(DomainError):
    """Refusal of a form on a laptop that may not write. A phone keeps its hands, and sends them again later."""

    http_status = 503


class ReadOnlyLaptopMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, *_arguments: Any) -> HttpResponse | None:
        if request.method in SAFE_METHODS or _is_for_this_laptop(request):
            return None
        if not settings.READ_ONLY_DATABASE and not is_read_only():  # shut out, but not started again yet
            return None
        link = read_link()
        if link is not None and link.role is LaptopRole.SHUT_OUT:
            message = _(
                "The second laptop has taken over, so nothing was recorded here. Open this page on that laptop, and "
                "send it there."
            )
            return render_refusal(request, ReadOnlyLaptop("shut-out", message))
        message = _(
            "This is the second laptop, which only follows the first one. Nothing was recorded. Send it to the first "
            "laptop, or take over on this laptop’s own screen."
        )
        return render_refusal(request, ReadOnlyLaptop("second-laptop", message))


def _is_for_this_laptop(request: HttpRequest) -> bool:
    """Return whether the form is on the page *This laptop*, which writes only files."""
    return request.resolver_match is not None and request.resolver_match.view_name == THIS_LAPTOP_VIEW
