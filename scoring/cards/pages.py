"""Helpers for a card's pages: the player's seat, and forms that show the errors of a service."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial, wraps
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pairing.models import get_match_topic
from pairing.stages.selectors.plans import load_stage_traits
from scoring.card_state.permissions import is_player_on_card, is_scored_at_desk
from scoring.card_state.selectors.cards import find_card, load_card_state_by_token
from scoring.card_state.selectors.players import RoundSeat, find_teams_to_sign_for, load_match_players, load_round_seat
from scoring.card_state.selectors.state import CardState, SideSummary
from scoring.cards.selectors.match_cards import MatchCards, load_cached_match_cards
from scoring.cards.services.hands import BadLine
from scoring.cards.services.offline import make_seat_hmac_key
from scoring.models import Card, CardSeat
from scoring.posting.services.correction_period import StaffEntryMismatch
from scoring.posting.tables import describe_staff_entry_mismatch
from tournament.core.cached import cached
from tournament.core.pages.access import (
    forget_private_links,
    is_private_link_remembered,
    remember_private_link,
    set_csrf_cookie,
)
from tournament.core.pages.following import follow_entrant_topics, load_cached_entrant, load_request_topic_versions
from tournament.core.permissions import Actor, make_player_actor
from tournament.core.selectors.events import load_entrant
from tournament.errors import DomainError, NotFound, ReasonRequired
from tournament.models import Entrant, Event

_T = TypeVar("_T")

CARD_ACTIONS = (
    *("card", "cut", "draw", "hand", "last", "preview", "sign", "call", "up"),
    *("confirm", "other", "take", "deck", "what", "announce"),
)
_SOME_LINK, _SOME_CARD = "~link~", "~card~"
"""Placeholders for the tokens in a cached URL. No real token contains these characters."""
_SESSION_KEY = "said_at"
"""The session key under which a browser stores, for each match, the player who entered their signing code."""


class _CardIdentity(NamedTuple):
    """A card's token and primary key, and its match's primary key, without the card's content."""

    token: str
    card: int
    match: int


@dataclass(frozen=True)
class PlayerSeat:
    """A player at a card, and the URLs of everything they can do on it.

    The card's content is loaded on first use, from a cache that all visitors share. `versions` maps each topic to its
    cache version, as read before any other data. If `versions` is None, nothing is cached.
    """

    entrant: Entrant
    place: _CardIdentity
    by_link: bool
    versions: Mapping[str, int] | None = field(default=None, repr=False)
    found: Card | None = field(default=None, repr=False)

    @cached_property
    def card(self) -> Card:
        """The card. Pages share this object through the cache, so they must not modify it."""
        return self.found or self.state.card

    @cached_property
    def state(self) -> CardState:
        if self.versions is None:
            return load_card_state_by_token(self.place.token)
        return self.match_cards.find_card(self.place.token) or load_card_state_by_token(self.place.token)

    @cached_property
    def match_cards(self) -> MatchCards:
        return load_cached_match_cards(self.entrant.event, self.place.match, self.versions)

    def get_or_cache(self, name: str, make: Callable[[], _T]) -> _T:
        """Return the cached value with this name, or call `make` to compute and cache it.

        The value must depend only on the match's records and the language.
        """
        if self.versions is None:
            return make()
        topics, key = [get_match_topic(self.place.match)], (name, self.place.card, get_language())
        return cached(self.entrant.event_id, topics, key, make, versions=self.versions)

    @property
    def actor(self) -> Actor:
        return make_player_actor(self.entrant)

    @property
    def offline_data(self) -> dict[str, str]:
        """The data that a phone needs to store hands without a network: the seat's key and the handover URL."""
        handover = f"{settings.SITE_URL}{reverse('scoring:handover')}"
        return {"key": make_seat_hmac_key(self.card, self.entrant), "handover": handover}

    @cached_property
    def own_seat(self) -> CardSeat | None:
        """The player's own seat on the card, or None if they have no seat because they play for a team."""
        return self.state.find_seat_of_entrant(self.entrant.pk)

    @property
    def is_scorekeeper(self) -> bool:
        return self.state.keeper_id == self.entrant.pk

    @property
    def has_signed(self) -> bool:
        """Whether the player has nothing left to sign, for their own side or for a team."""
        if self.own_seat is None:
            return not self.teams_to_sign_for
        return self.own_seat.pk in self.state.signatures.signed_seats

    @property
    def teams_to_sign_for(self) -> list[tuple[str, str]]:
        """The letter and name of each unsigned team for which the player can sign."""
        teams = find_teams_to_sign_for(self.state, self.entrant)
        return [
            (seat.side, self.state.get_seat_name(seat)) for seat in self.state.signatures.missing_seats if seat in teams
        ]

    @cached_property
    def round_seat(self) -> RoundSeat | None:
        """The player's seat in the current round of a couples event or Court Whist."""
        return load_round_seat(self.entrant) if load_stage_traits(self.entrant.event).one_card else None

    @property
    def is_scored_at_desk(self) -> bool:
        return is_scored_at_desk(self.card)

    @property
    def has_won(self) -> bool:
        return self.own_seat is not None and self.own_seat == self.state.score.winning_seat

    @property
    def sides(self) -> list[SideSummary]:
        """The sides of the card, starting with the player's own."""
        return sorted(self.state.sides, key=lambda side: side.seat != self.own_seat)

    @property
    def others(self) -> list[SideSummary]:
        return [side for side in self.state.sides if side.seat != self.own_seat]

    @property
    def others_names(self) -> str:
        """The names of the other sides (“Bob”, “Bob – Cleo”), or the player's own name if they are alone."""
        return " – ".join(side.name for side in self.others) or self.entrant.name

    @property
    def scorekeeper_choices(self) -> list[tuple[int, str]]:
        """The primary key and name of each player who could keep score, starting with this player."""
        return [(who.pk, who.name) for who in sorted(load_card_players(self.card), key=lambda who: who != self.entrant)]

    @property
    def side_choices(self) -> list[tuple[str, str]]:
        """The letter and name of each side, starting with the player's own."""
        return [(side.seat.side, side.name) for side in self.sides]

    @property
    def must_enter_draw_first(self) -> bool:
        """Whether the draw or the scorekeeper has to be entered before a player can enter hands."""
        return (self.state.draw.is_draw_missing and not self.state.lines) or not self.state.keeper_id

    @property
    def can_correct_draw(self) -> bool:
        """Whether the player can still correct the draw. After the first hand, only the desk can."""
        state = self.state
        recorded = bool(state.drawn) and state.draw.is_drawn_at_table
        return recorded and not state.entered and not self.is_scored_at_desk

    @property
    def missing_signers(self) -> str:
        return ", ".join(self.state.signatures.missing_names)

    def make_url(self, act: str, **about: int) -> str:
        """Return the URL for one of `CARD_ACTIONS`, or for another page about the card, such as a dispute's page.

        `about` has the other arguments in the URL, such as the dispute's primary key.
        """
        if not about:
            pattern = _make_url_pattern(act, by_link=self.by_link)
            return pattern.replace(_SOME_CARD, self.place.token).replace(_SOME_LINK, self.entrant.token)
        return _make_url(act, self.by_link, token=self.entrant.token, card=self.place.token, **about)

    @property
    def urls(self) -> dict[str, str]:
        return {act: self.make_url(act) for act in CARD_ACTIONS}


@cache
def _make_url_pattern(act: str, *, by_link: bool) -> str:
    """Return a URL with placeholders. It is cached because every panel needs the URLs of all `CARD_ACTIONS`."""
    return _make_url(act, by_link, token=_SOME_LINK, card=_SOME_CARD)


def _make_url(act: str, by_link: bool, *, token: str, **place: str | int) -> str:
    if by_link:
        return reverse(f"scoring:my_{act}", kwargs={"token": token, **place})
    return reverse(f"scoring:table_{act}", kwargs=place)


View = Callable[..., HttpResponse]


def player_view(view: View, *, looks: bool = False) -> View:
    """Turn view(request, seat) into a view for a player at a card.

    The view is served at `my/<token>/card/<card>/…` (by private link) and at `c/<card>/…` (by session). Pass
    `looks=True` for a view whose POST requests write nothing.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, card: str, token: str = "", **kwargs: Any) -> HttpResponse:
        set_csrf_cookie(request)
        if request.method == "POST" and not looks:
            seat = _load_seat_for_write(request, card, token)
        else:
            entrant = _load_entrant_by_link(request, token) if token else _find_entrant_by_session(request, card)
            seat = load_player_seat(request, entrant, card, by_link=bool(token)) if entrant is not None else None
        if seat is None:
            return redirect("scoring:table_card", card=card)
        if not is_player_on_card(seat.actor, seat.card):
            raise _make_not_found_error()
        return view(request, seat, **kwargs)

    return wrapped


read_only_player_view = partial(player_view, looks=True)


def _load_seat_for_write(request: HttpRequest, card: str, token: str) -> PlayerSeat | None:
    """Return the seat for a write request, or None if the player is not identified.

    The card is loaded from the database, but its content may come from the cache.
    """
    found = find_card(card)
    set_request_event(request, found)
    entrant = _find_entrant_by_link_token(found, token) if token else find_remembered_player(request, found)
    if entrant is None:
        return None
    if token:
        remember_private_link(request, entrant)
    versions: Any = SimpleLazyObject(lambda: load_request_topic_versions(request, found.match.event_id))
    return PlayerSeat(entrant, _CardIdentity(found.token, found.pk, found.match_id), bool(token), versions, found)


def _find_entrant_by_link_token(card: Card, token: str) -> Entrant:
    """Return the entrant whose private link has this token. If they have a seat at the card, no query is needed."""
    sitting = next((who for who in card.entrants if who.token == token and who.joined_to_id is None), None)
    if sitting is None:
        return load_entrant(token)
    sitting.event = card.match.event
    return sitting


def _load_entrant_by_link(request: HttpRequest, token: str) -> Entrant:
    entrant = load_cached_entrant(request, token)
    _set_request_event_and_tournament(request, entrant.event)
    remember_private_link(request, entrant)
    return entrant


def _find_entrant_by_session(request: HttpRequest, card: str) -> Entrant | None:
    found = find_card_for_request(request, card)
    set_request_event(request, found)
    entrant = find_remembered_player(request, found)
    if entrant is not None:
        entrant.event = found.match.event
    return entrant


def find_card_for_request(request: HttpRequest, token: str) -> Card:
    """Return the card with this token.

    The versions of the event's topics are read first. If the card changes before it is read, the page is newer than
    the version under which it is cached, but it is never older.
    """
    event = cached(0, (), ("event at", token), lambda: find_card(token).match.event_id, versions={})
    load_request_topic_versions(request, event)
    return find_card(token)


def load_player_seat(
    request: HttpRequest, entrant: Entrant, card: str, *topics: str, by_link: bool, known: CardState | None = None
) -> PlayerSeat:
    """Return the seat of an entrant at one of the event's score cards.

    A change to one of the additional `topics` also updates the page. Pass the card's state as `known` if it is already
    loaded.
    """
    event = entrant.event
    versions = load_request_topic_versions(request, event.pk)

    def place_of_card() -> _CardIdentity:
        return (
            _load_card_identity(event, card)
            if known is None
            else _CardIdentity(card, known.card.pk, known.card.match_id)
        )

    place = cached(event.pk, (), ("place", card), place_of_card, versions={})
    if request.method != "POST":
        follow_entrant_topics(request, entrant, get_match_topic(place.match), *topics)
    return PlayerSeat(entrant, place, by_link, versions)


def _load_card_identity(event: Event, token: str) -> _CardIdentity:
    found = Card.objects.filter(match__event=event, token=token).values_list("token", "pk", "match_id").first()
    if found is None:
        find_card(token)
        raise _make_not_found_error()
    return _CardIdentity(*found)


def _make_not_found_error() -> NotFound:
    return NotFound(
        "not-your-card", _("This score card belongs to another match. Open your own from your private page.")
    )


def load_card_players(card: Card) -> tuple[Entrant, ...]:
    """Return all players of the card: those with a seat, and those who play for its teams."""
    if all(seat.entrant_id is not None for seat in card.seats.all()):
        return card.entrants
    return load_match_players(card.match)


def set_request_event(request: HttpRequest, card: Card) -> None:
    """Set the request's event and tournament for the base template."""
    _set_request_event_and_tournament(request, card.match.event)


def _set_request_event_and_tournament(request: HttpRequest, event: Event) -> None:
    request.event, request.tournament = event, event.tournament  # type: ignore[attr-defined]


def remember_player(request: HttpRequest, card: Card, entrant: Entrant) -> None:
    """Remember which player entered their signing code in this browser, for this match only."""
    forget_player(request, card)
    request.session[_SESSION_KEY] = {**request.session.get(_SESSION_KEY, {}), str(card.match_id): entrant.pk}


def forget_player(request: HttpRequest, card: Card) -> None:
    forget_private_links(request)
    match = str(card.match_id)
    request.session[_SESSION_KEY] = {
        at: who for at, who in request.session.get(_SESSION_KEY, {}).items() if at != match
    }


def find_remembered_player(request: HttpRequest, card: Card) -> Entrant | None:
    """Return the only player of this card whom this browser remembers.

    Return None if it remembers nobody, or several players, as on a shared tablet.
    """
    by_code = request.session.get(_SESSION_KEY, {}).get(str(card.match_id))
    sitting = [who for who in load_card_players(card) if who.pk == by_code or is_private_link_remembered(request, who)]
    return sitting[0] if len(sitting) == 1 else None


def find_chosen_scorekeeper(card: Card, typed: QueryDict) -> Entrant:
    """Return the player whose primary key is in the form's `keeper` field."""
    found = next((who for who in load_card_players(card) if str(who.pk) == typed.get("keeper")), None)
    if found is None:
        raise DomainError("not-a-player", _("Only a player on this score card can keep score. Choose one of them."))
    return found


# --- Refusals of services on the form that was sent ------------------------------------------------------------------


class FormErrorHandler:
    """A context manager that shows a service's errors on a form: `with FormErrorHandler(form): …`.

    Pass the card as `state` if a second person may have to type the same entry. If `warns` is True, warnings about an
    entry are collected in `warnings`, so that the form can ask for a reason.

    An entry can change the result of a match although a later match has already started. `decide` then has the name of
    the match whose result would change (`ident`), and a code for how the match would end (`ending`), so that the desk
    can decide it.
    """

    def __init__(self, form: Any, state: CardState | None = None, *, warns: bool = False) -> None:
        self.form, self.state, self.warns = form, state, warns
        self.warnings: list[str] = []
        self.decide: dict[str, str] = {}

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, DomainError):
            return False
        if isinstance(error, BadLine) and hasattr(self.form, "show_error"):
            self.form.show_error(error)
        elif isinstance(error, ReasonRequired) and self.warns:
            self.warnings = list(error.data["warnings"])
            self.decide = {name: error.data[name] for name in ("ident", "ending") if name in error.data}
        elif isinstance(error, StaffEntryMismatch) and self.state is not None:
            self.form.add_error(None, describe_staff_entry_mismatch(self.state, error))
        else:
            asks_why = error.code == "reason-needed" and "reason" in self.form.fields
            self.form.add_error("reason" if asks_why else None, error.message)
        return True
