"""Who is asking for which event: the first lines of every view, in one place.

    @public_event              view(request, event)              /t/<tournament>/<event>/…   a draft is not there
    @console_event("desk")     view(request, event)              /desk/<tournament>/<event>/…   signed in, with the role
    @console_tournament("look")  view(request, tournament)       /desk/<tournament>/…
    @entrant_page              view(request, entrant)            /my/<token>/…

`request.actor` is who writes, for the `by=` of services; `request.tournament` and `request.event` are for the frame.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from tournament.core.pages.following import seen_entrant
from tournament.core.permissions import Actor, acts_of, may, player, require, staff
from tournament.core.selectors.events import load_entrant, load_event, load_tournament
from tournament.errors import NotFound
from tournament.models import Event, Tournament, User

View = Callable[..., HttpResponseBase]


class ActorRequest(HttpRequest):
    """A request after one of the decorators below."""

    actor: Actor
    acts: frozenset[str]
    tournament: Tournament
    event: Event


def is_staff_of(request: HttpRequest, tournament: Tournament) -> bool:
    return request.user.is_authenticated and may(request.user, "look", tournament)


def public_event(view: View) -> View:
    @wraps(view)
    def wrapped(request: HttpRequest, tournament: str, event: str, **kwargs: Any) -> HttpResponseBase:
        found = load_event(tournament, event)
        if found.state == Event.State.DRAFT and not is_staff_of(request, found.tournament):
            raise NotFound("no-event", _("This event is not published yet. Look at the tournament's page."))
        _show(request, found.tournament, found)
        return view(request, found, **kwargs)

    return wrapped


def console_event(act: str) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, tournament: str, event: str, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            found = load_event(tournament, event)
            _show(request, found.tournament, found)
            _enter(request, act, found.tournament)
            return view(request, found, **kwargs)

        return wrapped

    return decorate


def console_tournament(act: str) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, tournament: str, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            found = load_tournament(tournament)
            _show(request, found)
            _enter(request, act, found)
            return view(request, found, **kwargs)

        return wrapped

    return decorate


def entrant_page(view: View) -> View:
    @wraps(view)
    def wrapped(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponseBase:
        entrant = load_entrant(token) if request.method == "POST" else seen_entrant(request, token)
        cast(ActorRequest, request).actor = player(entrant)
        _show(request, entrant.event.tournament, entrant.event)
        return view(request, entrant, **kwargs)

    return wrapped


def _show(request: HttpRequest, tournament: Tournament, event: Event | None = None) -> None:
    framed = cast(ActorRequest, request)
    framed.tournament = tournament
    if event is not None:
        framed.event = event


def _enter(request: HttpRequest, act: str, tournament: Tournament) -> None:
    user, framed = cast(User, request.user), cast(ActorRequest, request)
    framed.acts = acts_of(user, tournament)
    if act not in framed.acts:
        require(staff(user), act, tournament)
    framed.actor = staff(user)
