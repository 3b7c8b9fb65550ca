"""Who sits at a card: a player by their private link, or at the table's own card by what the session remembers."""

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

from pairing.models.match import match_topic
from pairing.plans.selectors import traits_of
from scoring.card_state.permissions import is_kept_at_desk, plays_on
from scoring.card_state.selectors.cards import CardState, find_card, load_card
from scoring.card_state.selectors.meetings import load_players
from scoring.card_state.selectors.shown_side import ShownSide
from scoring.card_state.selectors.signers import may_sign_for
from scoring.card_state.selectors.turning_seats import RoundSeat, load_round_seat
from scoring.cards.selectors.seat_keys import seat_key
from scoring.cards.selectors.shown_cards import MatchCards, shown_cards
from scoring.models import Card, CardSeat
from tournament.core.folded import folded
from tournament.core.pages.following import follow_own, seen_entrant, versions_seen
from tournament.core.pages.remembered import forget_all, is_remembered, remember
from tournament.core.permissions import Actor, player
from tournament.core.selectors.events import load_entrant
from tournament.errors import DomainError, NotFound
from tournament.models import Entrant, Event

T = TypeVar("T")

ACTS = (
    *("card", "cut", "draw", "hand", "last", "preview", "sign", "call", "up"),
    *("confirm", "other", "take", "deck", "what", "announce"),
)
SOME_LINK, SOME_CARD = "~link~", "~card~"
"""Where a token stands in a kept address; no token has such signs."""
SAID_AT = "said_at"
"""Session key: who gave their code, for one match only: after it they are nobody on somebody else's phone."""


class CardPlace(NamedTuple):
    """Where a card lies, no matter what is written on it: its address, its key and that of its match."""

    token: str
    card: int
    match: int


@dataclass(frozen=True)
class Seat:
    """A player at a card, and the addresses of what they can do there.

    Who sits where is known with the card; what is on it is folded when it is first asked for, once for all who look. A
    write reads it under its lock, and only there. `versions` are those of the topics before anything was read; None:
    everything is read anew.
    """

    entrant: Entrant
    place: CardPlace
    by_link: bool
    versions: Mapping[str, int] | None = field(default=None, repr=False)
    found: Card | None = field(default=None, repr=False)

    @cached_property
    def card(self) -> Card:
        """Of a write its own, as it was found; one that is only looked at is shared, and nobody changes it."""
        return self.found or self.state.card

    @cached_property
    def state(self) -> CardState:
        if self.versions is None:
            return load_card(self.place.token)
        return self.of_match.find(self.place.token) or load_card(self.place.token)

    @cached_property
    def of_match(self) -> MatchCards:
        """All cards of its match."""
        return shown_cards(self.entrant.event, self.place.match, self.versions)

    def folded(self, name: str, make: Callable[[], T]) -> T:
        """What follows from the facts of its match alone, in the words of this language."""
        if self.versions is None:
            return make()
        topics, kept = [match_topic(self.place.match)], (name, self.place.card, get_language())
        return folded(self.entrant.event_id, topics, self.versions, kept, make)

    @property
    def actor(self) -> Actor:
        return player(self.entrant)

    @property
    def outbox(self) -> dict[str, str]:
        """What the player's phone needs to keep hands: the seat's key, and where another phone hands them over."""
        handover = f"{settings.SITE_URL}{reverse('scoring:handover')}"
        return {"key": seat_key(self.card, self.entrant), "handover": handover}

    @cached_property
    def own(self) -> CardSeat | None:
        """Where the player sits on the card; None where they play for a team."""
        return self.state.seat_of(self.entrant.pk)

    @property
    def keeps_score(self) -> bool:
        return self.state.keeper_id == self.entrant.pk

    @property
    def has_signed(self) -> bool:
        """Whether the player has nothing left to sign: their own side, or every team."""
        if self.own is None:
            return not self.signs_for
        return self.own.pk in self.state.signatures.signed_seats

    @property
    def signs_for(self) -> list[tuple[str, str]]:
        """Letter and name of the teams that the player can sign for and nobody has signed for yet."""
        open_to_him = may_sign_for(self.state, self.entrant)
        return [(seat.side, self.state.name_of(seat)) for seat in self.state.signatures.missing if seat in open_to_him]

    @cached_property
    def in_round(self) -> RoundSeat | None:
        """Where the player sits now, in an event of two sides that turn."""
        return load_round_seat(self.entrant) if traits_of(self.entrant.event).one_card else None

    @property
    def is_kept_at_desk(self) -> bool:
        return is_kept_at_desk(self.card)

    @property
    def has_won(self) -> bool:
        return self.own is not None and self.own == self.state.score.winning_seat

    @property
    def sides(self) -> list[ShownSide]:
        """The player's own first."""
        return sorted(self.state.sides, key=lambda side: side.seat != self.own)

    @property
    def others(self) -> list[ShownSide]:
        return [side for side in self.state.sides if side.seat != self.own]

    @property
    def others_names(self) -> str:
        """“Bob”, “Bob – Cleo”; where they play alone, the player's own name."""
        return " – ".join(side.name for side in self.others) or self.entrant.name

    @property
    def keepers(self) -> list[tuple[int, str]]:
        """Who might keep score, the player first: entrant and name."""
        return [(who.pk, who.name) for who in sorted(players_of(self.card), key=lambda who: who != self.entrant)]

    @property
    def drawers(self) -> list[tuple[str, str]]:
        """The sides by letter and name, the player's own first."""
        return [(side.seat.side, side.name) for side in self.sides]

    @property
    def asks_first(self) -> bool:
        """Whether the draw, or who keeps score, is still to be said before a hand is entered."""
        return (self.state.draw.asks_draw and not self.state.lines) or not self.state.keeper_id

    @property
    def corrects_draw(self) -> bool:
        """Until the first hand every player puts the draw right; after that the desk does."""
        state = self.state
        recorded = bool(state.drawn) and state.draw.draws_at_table
        return recorded and not state.entered and not self.is_kept_at_desk

    @property
    def waits_for(self) -> str:
        """Whose signatures are missing."""
        return ", ".join(self.state.signatures.missing_names)

    def url(self, act: str, **about: int) -> str:
        """One of `ACTS`, or of what is `about` a dispute of the card."""
        if not about:
            address = _address_of(act, by_link=self.by_link)
            return address.replace(SOME_CARD, self.place.token).replace(SOME_LINK, self.entrant.token)
        return _reversed(act, self.by_link, token=self.entrant.token, card=self.place.token, **about)

    @property
    def urls(self) -> dict[str, str]:
        return {act: self.url(act) for act in ACTS}


@cache
def _address_of(act: str, *, by_link: bool) -> str:
    """Each panel has all of them, and asking for one takes as long as a box of its template."""
    return _reversed(act, by_link, token=SOME_LINK, card=SOME_CARD)


def _reversed(act: str, by_link: bool, *, token: str, **place: str | int) -> str:
    if by_link:
        return reverse(f"scoring:my_{act}", kwargs={"token": token, **place})
    return reverse(f"scoring:table_{act}", kwargs=place)


View = Callable[..., HttpResponse]


def seated(view: View, *, looks: bool = False) -> View:
    """view(request, seat): under `my/<token>/card/<card>/…` by the link, under `c/<card>/…` by the session.

    `looks`: a form is sent that writes nothing.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, card: str, token: str = "", **kwargs: Any) -> HttpResponse:
        if request.method == "POST" and not looks:
            seat = _writing(request, card, token)
        else:
            entrant = _by_link(request, token) if token else _by_session(request, card)
            seat = seat_at(request, entrant, card, by_link=bool(token)) if entrant is not None else None
        if seat is None:
            return redirect("scoring:table_card", card=card)
        if not plays_on(seat.actor, seat.card):
            raise _not_yours()
        return view(request, seat, **kwargs)

    return wrapped


only_looking = partial(seated, looks=True)


def _writing(request: HttpRequest, card: str, token: str) -> Seat | None:
    """The card is read anew; what is on it, if it is asked for, as it was folded."""
    found = find_card(card)
    frame(request, found)
    entrant = _entrant_at(found, token) if token else remembered(request, found)
    if entrant is None:
        return None
    if token:
        remember(request, entrant)
    versions: Any = SimpleLazyObject(lambda: versions_seen(request, found.match.event_id))
    return Seat(entrant, CardPlace(found.token, found.pk, found.match_id), bool(token), versions, found)


def _entrant_at(card: Card, token: str) -> Entrant:
    """Whose private link this is: mostly of somebody who sits at the card, and is known with it."""
    sitting = next((who for who in card.entrants if who.token == token and who.joined_to_id is None), None)
    if sitting is None:
        return load_entrant(token)
    sitting.event = card.match.event
    return sitting


def _by_link(request: HttpRequest, token: str) -> Entrant:
    entrant = seen_entrant(request, token)
    show_event(request, entrant.event)
    remember(request, entrant)
    return entrant


def _by_session(request: HttpRequest, card: str) -> Entrant | None:
    found = find_seen(request, card)
    frame(request, found)
    entrant = remembered(request, found)
    if entrant is not None:
        entrant.event = found.match.event
    return entrant


def find_seen(request: HttpRequest, token: str) -> Card:
    """The card at this address, and before it the versions: what is on the page is never older than they say."""
    event = folded(0, (), {}, ("event at", token), lambda: find_card(token).match.event_id)
    versions_seen(request, event)
    return find_card(token)


def seat_at(
    request: HttpRequest, entrant: Entrant, card: str, *topics: str, by_link: bool, known: CardState | None = None
) -> Seat:
    """Where the entrant sits: the card at this address, if it is of the same event; the page follows `topics`, too.

    `known`: that card, where it was read already.
    """
    event = entrant.event
    versions = versions_seen(request, event.pk)
    place = folded(event.pk, (), {}, ("place", card), lambda: _place_at(event, card, known))
    if request.method != "POST":
        follow_own(request, entrant, match_topic(place.match), *topics)
    return Seat(entrant, place, by_link, versions)


def _place_at(event: Event, token: str, known: CardState | None) -> CardPlace:
    return _place_of(event, token) if known is None else CardPlace(token, known.card.pk, known.card.match_id)


def _place_of(event: Event, token: str) -> CardPlace:
    found = Card.objects.filter(match__event=event, token=token).values_list("token", "pk", "match_id").first()
    if found is None:
        find_card(token)
        raise _not_yours()
    return CardPlace(*found)


def _not_yours() -> NotFound:
    return NotFound(
        "not-your-card", _("This score card belongs to another match. Open your own from your private page.")
    )


def players_of(card: Card) -> tuple[Entrant, ...]:
    """Everybody who plays on this card: who sits on it, or plays for one of its teams."""
    if all(seat.entrant_id is not None for seat in card.seats.all()):
        return card.entrants
    return load_players(card.match)


def frame(request: HttpRequest, card: Card) -> None:
    """What the base of the page shows."""
    show_event(request, card.match.event)


def show_event(request: HttpRequest, event: Event) -> None:
    request.event, request.tournament = event, event.tournament  # type: ignore[attr-defined]


def say_who(request: HttpRequest, card: Card, entrant: Entrant) -> None:
    """Remember who gave their code, for this match only; the phone's owner has to open their own link again."""
    forget(request, card)
    request.session[SAID_AT] = {**request.session.get(SAID_AT, {}), str(card.match_id): entrant.pk}


def forget(request: HttpRequest, card: Card) -> None:
    forget_all(request)
    match = str(card.match_id)
    request.session[SAID_AT] = {at: who for at, who in request.session.get(SAID_AT, {}).items() if at != match}


def remembered(request: HttpRequest, card: Card) -> Entrant | None:
    """The player of this card who uses this browser; nobody where several do (a shared tablet)."""
    said = request.session.get(SAID_AT, {}).get(str(card.match_id))
    sitting = [who for who in players_of(card) if who.pk == said or is_remembered(request, who)]
    return sitting[0] if len(sitting) == 1 else None


def said_keeper(card: Card, typed: QueryDict) -> Entrant:
    """Who keeps score by a form's `keeper`, an entrant's primary key."""
    found = next((who for who in players_of(card) if str(who.pk) == typed.get("keeper")), None)
    if found is None:
        raise DomainError("not-a-player", _("Only a player on this score card can keep score. Choose one of them."))
    return found
