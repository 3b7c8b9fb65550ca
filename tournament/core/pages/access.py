"""Decorators that load a view's tournament, event or entrant, and check the user's permissions.

    @public_event_view              view(request, event)        /t/<tournament>/<event>/…     404 for a draft
    @staff_event_view("desk")       view(request, event)        /desk/<tournament>/<event>/…  staff with permission
    @staff_tournament_view("look")  view(request, tournament)   /desk/<tournament>/…          staff with permission
    @private_link_view              view(request, entrant)      /my/<token>/…

Views pass `request.actor` to services as `by`. The base templates use `request.tournament` and `request.event`.
"""

import hashlib
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, Final, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from tournament.core.middleware import SIGN_IN_LINK_CREATOR_SESSION_KEY
from tournament.core.pages.following import load_cached_entrant
from tournament.core.permissions import (
    Actor,
    SignInLinkAttribution,
    is_allowed,
    load_allowed_actions,
    make_player_actor,
    make_staff_actor,
    require_permission,
)
from tournament.core.selectors.addresses import is_local_machine_address
from tournament.core.selectors.copies import mark_files_of_copy
from tournament.core.selectors.events import load_entrant, load_event, load_tournament, normalize_link_token
from tournament.errors import NotAllowed, NotFound
from tournament.models import Entrant, Event, SignInLink, Tournament, User

View = Callable[..., HttpResponseBase]


class ActorRequest(HttpRequest):
    """A request to a view that is decorated with one of this module's decorators."""

    actor: Actor
    acts: frozenset[str]
    tournament: Tournament
    event: Event


def _ask_to_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect to the sign-in page. If a form was submitted, tell the user that nothing was saved.

    Raises:
        NotAllowed: `signed-out`: the form was submitted by a script, which would not show the sign-in page.
    """
    is_script = getattr(request, "htmx", False) or "application/json" in request.headers.get("Accept", "")
    if request.method in ("GET", "HEAD"):
        if getattr(request, "htmx", False):
            return HttpResponseClientRefresh()
        return redirect_to_login(request.get_full_path())
    message = _("You were signed out, so nothing was recorded. Sign in, then fill in the form again.")
    if is_script:
        raise NotAllowed("signed-out", message)
    messages.error(request, message)
    return redirect_to_login(find_referring_page(request) or request.get_full_path())


def find_referring_page(request: HttpRequest) -> str:
    """Return the path of the referring page, or "" if it is unknown or on another site."""
    referrer = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(referrer, allowed_hosts={request.get_host()}):
        return ""
    page = urlsplit(referrer)
    return page.path + (f"?{page.query}" if page.query else "")


def remember_sign_in_link_creator(request: HttpRequest, link: SignInLink) -> None:
    """Remember in the session who created the sign-in link, unless it was the user or the program."""
    if link.link_by and link.link_at:
        request.session[SIGN_IN_LINK_CREATOR_SESSION_KEY] = {"by": link.link_by, "at": link.link_at.isoformat()}


def find_sign_in_link_creator(request: HttpRequest) -> SignInLinkAttribution | None:
    """Return the person who created this session's sign-in link, or None if the user created it."""
    stored = request.session.get(SIGN_IN_LINK_CREATOR_SESSION_KEY)
    return SignInLinkAttribution(stored["by"], datetime.fromisoformat(stored["at"])) if stored else None


def get_staff_actor(request: HttpRequest) -> Actor:
    """Return the signed-in staff member as an actor.

    A user without a password signs in with a link that another person may have created. In this case, the actor also
    contains that person.
    """
    user = cast(User, request.user)
    return make_staff_actor(user, None if user.has_usable_password() else find_sign_in_link_creator(request))


def sign_in_required(view: View) -> View:
    """Decorate a view that belongs to no tournament, so that every signed-in user can open it."""

    @wraps(view)
    def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        return view(request, **kwargs) if request.user.is_authenticated else _ask_to_sign_in(request)

    return wrapped


def public_event_view(view: View) -> View:
    @wraps(view)
    def wrapped(request: HttpRequest, tournament: str, event: str, **kwargs: Any) -> HttpResponseBase:
        loaded = load_event(tournament, event)
        if loaded.state == Event.State.DRAFT and not (
            request.user.is_authenticated and is_allowed(request.user, "look", loaded.tournament)
        ):
            raise NotFound("no-event", _("This event is not published yet. Look at the tournament's page."))
        _set_tournament_and_event(request, loaded.tournament, loaded)
        with mark_files_of_copy(loaded.tournament):
            return view(request, loaded, **kwargs)

    return wrapped


def staff_event_view(act: str) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, tournament: str, event: str, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _ask_to_sign_in(request)
            loaded = load_event(tournament, event)
            _set_tournament_and_event(request, loaded.tournament, loaded)
            _set_actor(request, act, loaded.tournament)
            with mark_files_of_copy(loaded.tournament):
                return view(request, loaded, **kwargs)

        return wrapped

    return decorate


def staff_tournament_view(act: str) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, tournament: str, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _ask_to_sign_in(request)
            loaded = load_tournament(tournament)
            _set_tournament_and_event(request, loaded)
            _set_actor(request, act, loaded)
            with mark_files_of_copy(loaded):
                return view(request, loaded, **kwargs)

        return wrapped

    return decorate


def private_link_view(view: View) -> View:
    @wraps(view)
    def wrapped(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponseBase:
        try:
            entrant = load_entrant(token) if request.method == "POST" else load_cached_entrant(request, token)
        except NotFound:
            typed, match = normalize_link_token(token), request.resolver_match
            if request.method != "GET" or typed == token or match is None:
                raise
            load_entrant(typed)
            return redirect(match.view_name, **{**match.kwargs, "token": typed})
        cast(ActorRequest, request).actor = make_player_actor(entrant)
        set_csrf_cookie(request)
        _set_tournament_and_event(request, entrant.event.tournament, entrant.event)
        with mark_files_of_copy(entrant.event.tournament):
            return view(request, entrant, **kwargs)

    return wrapped


def set_csrf_cookie(request: HttpRequest) -> None:
    """Give a new browser its CSRF cookie before it loads a form.

    A phone can load several forms at the same time. If each response set a cookie of its own, only one form would work.
    Django's `ensure_csrf_cookie` would set the cookie with each page, and such a page cannot be cached.
    """
    if settings.CSRF_COOKIE_NAME not in request.COOKIES:
        get_token(request)


def _set_tournament_and_event(request: HttpRequest, tournament: Tournament, event: Event | None = None) -> None:
    request = cast(ActorRequest, request)
    request.tournament = tournament
    if event is not None:
        request.event = event


def _set_actor(request: HttpRequest, act: str, tournament: Tournament) -> None:
    user, request = cast(User, request.user), cast(ActorRequest, request)
    request.acts = load_allowed_actions(user, tournament)
    if act not in request.acts:
        require_permission(make_staff_actor(user), act, tournament)
    request.actor = get_staff_actor(request)


# --- Links that this browser has opened ------------------------------------------------------------------------------
OPENED_LINKS_SESSION_KEY: Final = "opened_links"
"""The session key of a dictionary with the primary keys of entrants (as strings) and hashes of their private links."""


def remember_private_link(request: HttpRequest, entrant: Entrant) -> None:
    """Remember the private link in the session, so that this browser can find the player's page again."""
    if request.headers.get("HX-Request"):
        return  # this browser has opened the whole page before
    if not is_private_link_remembered(request, entrant):
        known = request.session.get(OPENED_LINKS_SESSION_KEY, {})
        request.session[OPENED_LINKS_SESSION_KEY] = {**known, str(entrant.pk): _hash_private_link(entrant)}


def is_private_link_remembered(request: HttpRequest, entrant: Entrant) -> bool:
    return bool(request.session.get(OPENED_LINKS_SESSION_KEY, {}).get(str(entrant.pk)) == _hash_private_link(entrant))


def forget_private_links(request: HttpRequest) -> None:
    request.session.pop(OPENED_LINKS_SESSION_KEY, None)


def load_remembered_entrants(request: HttpRequest, event: Event) -> list[Entrant]:
    known = [int(pk) for pk in request.session.get(OPENED_LINKS_SESSION_KEY, {})]
    entrants = event.entrants.filter(pk__in=known) if known else ()
    return [entrant for entrant in entrants if is_private_link_remembered(request, entrant)]


def _hash_private_link(entrant: Entrant) -> str:
    return hashlib.sha256(entrant.token.encode()).hexdigest()[:16]


def is_request_from_this_computer(request: HttpRequest) -> bool:
    """Return whether the request comes from a browser on this computer.

    Requests through a proxy do not count, because the proxy may run on this computer and serve everybody.
    """
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    return is_local_machine_address(request.META.get("REMOTE_ADDR", ""))
