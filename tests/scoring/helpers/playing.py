"""Helpers that create an event in play with its bracket and score cards, and record hands and signatures."""

from __future__ import annotations

import itertools
from typing import Any, Final

from django.urls import reverse

from pairing.draws.knockout.bracket import make_bracket
from pairing.models import Commitment, Draw, DrawPosted, Match, MatchResult, TableCall
from scoring.card_state.selectors.cards import load_card_state_by_pk, prefetch_seats, select_cards_with_facts
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import LineEntry, add_line, record_scorekeeper
from scoring.cards.services.signing import SigningContext, sign_by_code
from scoring.models import Card, CardPosted
from scoring.posting.services.opening import start_play
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.factories import a_director, a_tournament, an_entrant, an_event
from tests.kit import event_url
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.models import Entrant, Event

_numbers = itertools.count(1)


@prebuilt
def a_drawn_event(names: tuple[str, ...] = ("Ada", "Alan"), **fields: Any) -> Event:
    """Return an event with entrants 1, 2, … in drawn order.

    The number of entrants must be a power of two, so that nobody has a bye.
    """
    event = an_event(a_tournament(), state=Event.State.DRAWN, **fields)
    for name in names:
        an_entrant(event, name)
    places = list(range(1, len(names) + 1))
    commitment = Commitment.objects.create(
        event=event, draw_id=f"draw-{next(_numbers)}", numbers=places, commitment="0" * 64, secret="0" * 64, by_name="t"
    )
    draw = Draw.objects.create(commitment=commitment, order=places, places=places, by_name="t")
    DrawPosted.objects.create(draw=draw, by_name="t")
    stage = draw.stages.create(number=1, kind="single-elimination", name="Bracket", entries=places, by_name="t")
    for match in make_bracket(tuple(places)).matches:
        made = Match.objects.create(
            event=event, draw=draw, stage=stage, ident=match.id, round=match.round, position=match.position
        )
        if match.round == 1:
            TableCall.objects.create(match=made, table=10 + match.position, by_name="t")
    return event


@prebuilt
def an_event_in_play(
    names: tuple[str, ...] = ("Ada", "Alan"), *, target: int = 50, games_to_win: int = 1, rules: str = "gra-singles"
) -> Event:
    event = a_drawn_event(names)
    save_rule_sheet(event, ChosenRules(rules, {"target": target}, games_to_win), by=SYSTEM_ACTOR)
    return start_play(event, by=SYSTEM_ACTOR)


DESERT: Final = "America/Los_Angeles"


@prebuilt
def in_the_desert(card: Card) -> None:
    """Move the card's tournament to a time zone that is eight hours (in summer seven) behind the server's clock."""
    tournament = card.match.event.tournament
    tournament.time_zone = DESERT
    tournament.save(update_fields=["time_zone"])


def fresh_card(card: Card) -> Card:
    """Load the card again with the same query that the views use."""
    return select_cards_with_facts().get(pk=card.pk)


def the_card(event: Event, ident: str = "R1M1", game: int = 1) -> Card:
    return (
        Card.objects.select_related("match__event__tournament", "sheet")
        .prefetch_related(prefetch_seats())
        .get(match__event=event, match__ident=ident, game=game)
    )


def gin(by: str = "A", count: int = 20, up: str = "8H") -> dict[str, Any]:
    other = "B" if by == "A" else "A"
    return {"up": up, "outcome": "gin", "by": by, "counts": {by: 0, other: count}}


def knock(by: str = "A", own: int = 5, count: int = 20, up: str = "8H") -> dict[str, Any]:
    other = "B" if by == "A" else "A"
    return {"up": up, "outcome": "knock", "by": by, "counts": {by: own, other: count}}


@prebuilt
def cut_for(card: Card, keeper: Entrant | None = None) -> CardState:
    return record_scorekeeper(card, keeper or card.entrants[0], by=SYSTEM_ACTOR)


@prebuilt
def play(card: Card, *lines: dict[str, Any], by: Entrant | None = None) -> CardState:
    """Record the cut if it is missing, then record these lines as the scorekeeper, and return the card's new state."""
    state = load_card_state_by_pk(card.pk)
    if state.keeper_id is None:
        state = cut_for(card, by)
    for line in lines:
        state = add_line(card, LineEntry(line), by=make_player_actor(by or card.entrants[0]))
    return state


@prebuilt
def play_out(card: Card, winner: str = "A") -> CardState:
    """Record two gins with 45 and 46 points, so that this side reaches the target of 50 and wins."""
    return play(card, gin(winner, 20, "8H"), gin(winner, 21, "9C"))


@prebuilt
def sign(card: Card, entrant: Entrant) -> CardState:
    state = load_card_state_by_pk(card.pk)
    return sign_by_code(card, entrant.sign_code, SigningContext(state.digest), by=make_player_actor(entrant))


@prebuilt
def sign_both(card: Card) -> CardState:
    sign(card, card.entrants[0])
    return sign(card, card.entrants[1])


@prebuilt
def post(card: Card, winner: str = "A") -> CardState:
    play_out(card, winner)
    return sign_both(card)


def post_before_seals(card: Card) -> CardPosted:
    """Post a card (Ada 91 – 0 Alan) without a version and without a seal, as before the program had seals."""
    digest = play_out(card).digest
    for seat in card.seats.all():
        card.signatures.create(seat=seat, entrant=seat.entrant, digest=digest, method="code", by_name=seat.name)
    posted = CardPosted.objects.create(card=card, digest=digest, by_name="t")
    winner, loser = card.entrants
    credits = {winner.number: ("win", "played"), loser.number: ("loss", "played")}
    MatchResult.objects.create(match=card.match, winner=winner, credits=credits, at=posted.at, by_name="t")
    return posted


@prebuilt
def the_director(event: Event) -> Any:
    return a_director(event.tournament)


def card_desk_url(card: Card, name: str, **more: Any) -> str:
    return event_url(f"scoring:{name}", card.match.event, **more)


def my_card_url(card: Card, act: str, who: int = 0, **more: int) -> str:
    """Return the URL of a card's page for one of its players, whose index is `who`."""
    return reverse(f"scoring:my_{act}", kwargs={"token": card.entrants[who].token, "card": card.token, **more})
