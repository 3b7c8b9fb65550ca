"""Decorators that load the tournament, event or entrant of a view and check who asks.

    @public_event              view(request, event)              /t/<tournament>/<event>/…   a draft is not found
    @console_event("desk")     view(request, event)              /desk/<tournament>/<event>/…   signed in, with the role
    @console_tournament("look")  view(request, tournament)       /desk/<tournament>/…
    @entrant_page              view(request, entrant)            /my/<token>/…

Services get `request.actor` as `by`. The page frame uses `request.tournament` and `request.event`.
"""

import hashlib
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, Final, cast
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from tournament.core.middleware import LINK_MAKER_KEY
from tournament.core.pages.following import load_shared_entrant
from tournament.core.permissions import Actor, LinkMaker, allowed_acts, may, player_actor, require, staff_actor
from tournament.core.selectors.events import group_token, load_entrant, load_event, load_tournament
from tournament.errors import NotAllowed, NotFound
from tournament.models import Entrant, Event, SignInLink, Tournament, User

View = Callable[..., HttpResponseBase]


class ActorRequest(HttpRequest):
    """A request after one of these decorators."""

    actor: Actor
    acts: frozenset[str]
    tournament: Tournament
    event: Event


def _ask_to_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect to the sign-in page and back.

    If a form was sent after the session ended, the user is told that nothing was recorded.

    Raises:
        NotAllowed: `signed-out`, if a script sent the request and would not show the sign-in page.
    """
    is_script = getattr(request, "htmx", False) or "application/json" in request.headers.get("Accept", "")
    if request.method in ("GET", "HEAD"):
        if getattr(request, "htmx", False):
            return HttpResponseClientRefresh()
        return redirect_to_login(request.get_full_path())
    said = _("You were signed out, so nothing was recorded. Sign in, then fill in the form again.")
    if is_script:
        raise NotAllowed("signed-out", said)
    messages.error(request, said)
    return redirect_to_login(referring_page(request) or request.get_full_path())


def referring_page(request: HttpRequest) -> str:
    """Return the page of this site that sent the request, or "" if the browser does not tell."""
    sent_from = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(sent_from, allowed_hosts={request.get_host()}):
        return ""
    page = urlsplit(sent_from)
    return page.path + (f"?{page.query}" if page.query else "")


def remember_link_maker(request: HttpRequest, link: SignInLink) -> None:
    """Store in the session that another person made the sign-in link."""
    if link.link_by and link.link_at:
        request.session[LINK_MAKER_KEY] = {"by": link.link_by, "at": link.link_at.isoformat()}


def link_maker(request: HttpRequest) -> LinkMaker | None:
    """Return the maker of the link that opened this session, if it was another person."""
    kept = request.session.get(LINK_MAKER_KEY)
    return LinkMaker(kept["by"], datetime.fromisoformat(kept["at"])) if kept else None


def acting_staff(request: HttpRequest) -> Actor:
    """Return the signed-in member of staff as an actor.

    Until the account has its own password, the actor names the maker of the sign-in link.
    """
    user = cast(User, request.user)
    return staff_actor(user, None if user.has_usable_password() else link_maker(request))


def signed_in(view: View) -> View:
    """Guard a page that belongs to no tournament: everybody with an account may see it."""

    @wraps(view)
    def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        return view(request, **kwargs) if request.user.is_authenticated else _ask_to_sign_in(request)

    return wrapped


def public_event(view: View) -> View:
    @wraps(view)
    def wrapped(request: HttpRequest, tournament: str, event: str, **kwargs: Any) -> HttpResponseBase:
        found = load_event(tournament, event)
        if found.state == Event.State.DRAFT and not (
            request.user.is_authenticated and may(request.user, "look", found.tournament)
        ):
            raise NotFound("no-event", _("This event is not published yet. Look at the tournament's page."))
        _show(request, found.tournament, found)
        return view(request, found, **kwargs)

    return wrapped


def console_event(act: str) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, tournament: str, event: str, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _ask_to_sign_in(request)
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
                return _ask_to_sign_in(request)
            found = load_tournament(tournament)
            _show(request, found)
            _enter(request, act, found)
            return view(request, found, **kwargs)

        return wrapped

    return decorate


def entrant_page(view: View) -> View:
    @wraps(view)
    def wrapped(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponseBase:
        try:
            entrant = load_entrant(token) if request.method == "POST" else load_shared_entrant(request, token)
        except NotFound:
            typed, match = group_token(token), request.resolver_match
            if request.method != "GET" or typed == token or match is None:
                raise
            load_entrant(typed)
            return redirect(match.view_name, **{**match.kwargs, "token": typed})
        cast(ActorRequest, request).actor = player_actor(entrant)
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
    framed.acts = allowed_acts(user, tournament)
    if act not in framed.acts:
        require(staff_actor(user), act, tournament)
    framed.actor = acting_staff(request)


# --- Links that this browser has opened ------------------------------------------------------------------------------
REMEMBERED: Final = "opened_links"
"""The session key: the entrants' primary keys as text, each with the hash of its link."""


def remember_link(request: HttpRequest, entrant: Entrant) -> None:
    """Remember the private link in the session, so that this browser finds its page again."""
    if request.headers.get("HX-Request"):
        return  # this browser opened the whole page before it fetches parts of it
    if not is_link_remembered(request, entrant):
        known = request.session.get(REMEMBERED, {})
        request.session[REMEMBERED] = {**known, str(entrant.pk): _mark_of(entrant)}


def is_link_remembered(request: HttpRequest, entrant: Entrant) -> bool:
    return bool(request.session.get(REMEMBERED, {}).get(str(entrant.pk)) == _mark_of(entrant))


def forget_links(request: HttpRequest) -> None:
    request.session.pop(REMEMBERED, None)


def load_remembered_entrants(request: HttpRequest, event: Event) -> list[Entrant]:
    known = [int(pk) for pk in request.session.get(REMEMBERED, {})]
    found = event.entrants.filter(pk__in=known) if known else ()
    return [entrant for entrant in found if is_link_remembered(request, entrant)]


def _mark_of(entrant: Entrant) -> str:
    return hashlib.sha256(entrant.token.encode()).hexdigest()[:16]
