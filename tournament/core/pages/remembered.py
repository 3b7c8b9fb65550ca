"""Remember the private links that this browser has opened, so that it finds their pages again.

A renewed link must be opened again, because the session stores a hash of the link and not only the entry.
"""

import hashlib
from typing import Final

from django.http import HttpRequest

from tournament.models import Entrant, Event

REMEMBERED: Final = "opened_links"
"""The session key: the entrants' primary keys as text, each with the hash of its link."""


def remember(request: HttpRequest, entrant: Entrant) -> None:
    if request.headers.get("HX-Request"):
        return  # this browser opened the whole page before it fetches parts of it
    if not is_remembered(request, entrant):
        known = request.session.get(REMEMBERED, {})
        request.session[REMEMBERED] = {**known, str(entrant.pk): _mark_of(entrant)}


def is_remembered(request: HttpRequest, entrant: Entrant) -> bool:
    return bool(request.session.get(REMEMBERED, {}).get(str(entrant.pk)) == _mark_of(entrant))


def forget_all(request: HttpRequest) -> None:
    request.session.pop(REMEMBERED, None)


def load_remembered(request: HttpRequest, event: Event) -> list[Entrant]:
    known = [int(pk) for pk in request.session.get(REMEMBERED, {})]
    found = event.entrants.filter(pk__in=known) if known else ()
    return [entrant for entrant in found if is_remembered(request, entrant)]


def _mark_of(entrant: Entrant) -> str:
    return hashlib.sha256(entrant.token.encode()).hexdigest()[:16]
