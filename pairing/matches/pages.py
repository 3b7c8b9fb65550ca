"""Addresses of match pages."""

from collections.abc import Callable

from django.urls import reverse

from tournament.models import Event


def match_address(event: Event) -> Callable[[str], str]:
    """Return a function from a match to the address of its page.

    It fills in a pattern, because resolving the URL for every box of a bracket is slow.
    """
    kwargs = {"tournament": event.tournament.slug, "event": event.slug, "ident": "R0M0"}
    before, after = reverse("pairing:match", kwargs=kwargs).rsplit("R0M0", 1)
    return lambda ident: f"{before}{ident}{after}"
