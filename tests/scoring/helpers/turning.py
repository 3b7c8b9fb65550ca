"""Helpers for events in which a left and a right side meet, played through the services that the pages use."""

from __future__ import annotations

from typing import Any

from pairing.blind_draw.services import close_registration, make_draw, post_draw
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.rotation import CouplesWorksheet, load_couples_worksheet
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.signing import SigningContext, sign_on_paper
from scoring.models import Card
from scoring.posting.services.opening import start_play
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from scoring.scorekeeping.services import RoundReport, post_round
from tests.factories import a_tournament, an_entrant, an_event
from tests.kit import fresh
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR, Actor
from tournament.models import Event
from tournament.registration.services.entries import keep_entrants_in_draw

VARIANTS = {"rotation": "metzker", "court-whist": "court-whist"}
LEFT, RIGHT = ("Tom", "Ben", "Kurt", "Alan", "Paul", "Max", "Otto"), ("Ann", "Eva", "Ida", "Mia", "Zoe", "Liv", "Una")


@prebuilt
def an_open_event(left: int = 2, right: int = 2, *, format: str = "rotation", **fields: Any) -> Event:
    """Return an event with open registration, and with these numbers of players on its two sides.

    The left side has the first entry numbers.
    """
    event = an_event(a_tournament(), fee_cents=0, format=format, **fields)
    for name in LEFT[:left]:
        an_entrant(event, name, side="left", arrived=True)
    for name in RIGHT[:right]:
        an_entrant(event, name, side="right", arrived=True)
    return event


@prebuilt
def a_closed_event(left: int = 2, right: int = 2, **fields: Any) -> Event:
    event = an_open_event(left, right, **fields)
    close_registration(event, by=SYSTEM_ACTOR)
    keep_entrants_in_draw(fresh(event), list(event.entrants.values_list("number", flat=True)), by=SYSTEM_ACTOR)
    return fresh(event)


@prebuilt
def a_posted_event(left: int = 2, right: int = 2, **fields: Any) -> Event:
    event = a_closed_event(left, right, **fields)
    make_draw(event, "7H QS 2D", by=SYSTEM_ACTOR)
    post_draw(event, by=SYSTEM_ACTOR)
    return fresh(event)


@prebuilt
def an_event_in_play(left: int = 2, right: int = 2, *, target: int = 0, **fields: Any) -> Event:
    event = a_posted_event(left, right, **fields)
    options = {"target": target} if target else {}
    save_rule_sheet(event, ChosenRules(VARIANTS[event.plan["stages"][0]["kind"]], options), by=SYSTEM_ACTOR)
    start_play(event, by=SYSTEM_ACTOR)
    return fresh(event)


def the_sheet(event: Event) -> CouplesWorksheet:
    sheet = load_couples_worksheet(fresh(event))
    assert sheet is not None
    return sheet


def the_card(event: Event) -> CardState:
    return load_card_state_by_pk(Card.objects.get(match__event=event).pk)


def gin(by: str = "A", count: int = 10) -> dict[str, Any]:
    other = "B" if by == "A" else "A"
    return {"outcome": "gin", "by": by, "counts": {by: 0, other: count}}


def stock(left: int, right: int) -> dict[str, Any]:
    return {"outcome": "stock", "counts": {"A": left, "B": right}}


def report(event: Event, *results: dict[str, Any], **fields: Any) -> RoundReport:
    """Return a report on the current round. The first result is that of table 1, the second that of table 2."""
    facts = {"number": the_sheet(event).round_number, "results": dict(enumerate(results, start=1)), **fields}
    return RoundReport(**facts)


@prebuilt
def play_round(event: Event, *results: dict[str, Any], by: Actor = SYSTEM_ACTOR, **fields: Any) -> CardState:
    return post_round(fresh(event), report(event, *results, **fields), by=by)


@prebuilt
def play_all_rounds(event: Event, by: str = "A") -> CardState:
    """Let one side win every hand at every table until all games are over.

    Return the state of the score card. An event with rotating sides has only one.
    """
    tables = len(the_sheet(event).couples)
    count = 20
    while not the_sheet(event).is_over:
        play_round(event, *(gin(by, count) for _table in range(tables)))
        count += 1
    return the_card(event)


@prebuilt
def sign_both_sides(event: Event) -> CardState:
    state = the_card(event)
    for side, _name in state.signatures.missing_signers:
        state = sign_on_paper(state.card, side, "the desk", SigningContext(state.digest), by=SYSTEM_ACTOR)
    return state
