"""Helpers for events with rounds at tables, which are drawn and played through the services that the pages use."""

from __future__ import annotations

from typing import Any

from pairing.blind_draw.services import close_registration, make_draw, post_draw
from pairing.stages.selectors.tables import SeatingBoard, load_seating_board
from pairing.stages.services.plans import choose_format
from pairing.stages.services.tables import seat_next_round
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import LineEntry, add_line, record_scorekeeper, record_table_draw
from scoring.models import Card
from scoring.posting.services.opening import begin_round, start_play
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.factories import a_tournament, an_entrant, an_event
from tests.kit import fresh
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import fresh_card, sign
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.models import Event
from tournament.registration.services.entries import keep_entrants_in_draw
from tournament.setup.services.tournaments import open_registration

NAMES = ("Ada", "Alan", "Grace", "Kurt", "Emmy", "Leon", "Sofia", "Paul", "Marie", "Hedy", "Carl", "Rosa")


@prebuilt
def an_open_table_event(entrants: int, rules: str, table: dict[str, Any], **options: Any) -> Event:
    """Create an event with rounds at tables and these entrants through the services, and return it."""
    event = an_event(a_tournament(), state=Event.State.DRAFT, fee_cents=0, added_cents=100_000, name="Side game")
    choose_format(event, "tables", table, by=SYSTEM_ACTOR)
    save_rule_sheet(event, ChosenRules(rules, options), by=SYSTEM_ACTOR)
    open_registration(event, by=SYSTEM_ACTOR)
    for number in range(1, entrants + 1):
        an_entrant(event, NAMES[number - 1], number=number, arrived=True)
    return fresh(event)


@prebuilt
def a_posted_table_event(entrants: int, rules: str, table: dict[str, Any], **options: Any) -> Event:
    event = an_open_table_event(entrants, rules, table, **options)
    close_registration(event, by=SYSTEM_ACTOR)
    keep_entrants_in_draw(fresh(event), list(range(1, entrants + 1)), by=SYSTEM_ACTOR)
    make_draw(event, "7H QS 2D", by=SYSTEM_ACTOR)
    post_draw(event, by=SYSTEM_ACTOR)
    return fresh(event)


@prebuilt
def a_table_event_in_play(entrants: int, rules: str, table: dict[str, Any], **options: Any) -> Event:
    return fresh(start_play(a_posted_table_event(entrants, rules, table, **options), by=SYSTEM_ACTOR))


def the_hall(event: Event) -> SeatingBoard:
    hall = load_seating_board(fresh(event))
    assert hall is not None
    return hall


def open_cards(event: Event) -> list[Card]:
    """Return the cards of the undecided tables, ordered by table."""
    ready = [table.match for table in the_hall(event).rounds.ready_tables]
    cards = Card.objects.filter(match__event=event, match__ident__in=ready).order_by("match__position")
    return [fresh_card(card) for card in cards]


@prebuilt
def draw_by_seats(card: Card) -> CardState:
    """If the table draw is missing, record one in which the players draw places in the order of their seats."""
    state = load_card_state_by_pk(card.pk)
    return record_table_draw(card, sorted(state.letters), by=SYSTEM_ACTOR) if state.draw.is_draw_missing else state


@prebuilt
def play_fort_worth(card: Card, points: dict[str, int], hands: int = 6) -> CardState:
    """Play a very short game of Fort Worth, and return the card's new state.

    The first player goes out in every hand, and the others score these points each time.
    """
    draw_by_seats(card)
    record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
    state = load_card_state_by_pk(card.pk)
    for _hand in range(hands):
        line = {"by": "A", "counts": {side: points[side] for side in state.letters if side != "A"}}
        state = add_line(card, LineEntry(line, override="as played"), by=make_player_actor(card.entrants[0]))
    return state


@prebuilt
def play_captain(card: Card, count: int) -> CardState:
    """Record one gin by the player in the box against a hand of `count` points, which ends a game to 30."""
    draw_by_seats(card)
    record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
    line = {"outcome": "gin", "by": "A", "counts": {"A": 0, "B": count}}
    return add_line(card, LineEntry(line, override="as played"), by=make_player_actor(card.entrants[0]))


@prebuilt
def sign_all(card: Card) -> CardState:
    for who in card.entrants:
        state = sign(card, who)
    return state


@prebuilt
def next_round(event: Event) -> None:
    seat_next_round(fresh(event), by=SYSTEM_ACTOR)
    begin_round(fresh(event), by=SYSTEM_ACTOR)
