"""Create events before, during, and after their draw with the services that the pages use."""

from __future__ import annotations

from typing import Any

from pairing.blind_draw.services import close_registration, make_draw, post_draw
from pairing.desk.services.pairings import PairsToSend, add_pairings
from pairing.draws.results import MatchOutcome
from pairing.models import Match, MatchResult, Pairing, Seating
from pairing.results.services.results import record_result
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.services.stages import require_stages_in_play
from pairing.stages.services.tables import post_previewed_seating
from tests.factories import a_tournament, an_entrant, an_event
from tests.kit import fresh
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR, Actor
from tournament.core.services.record import writing
from tournament.models import Event
from tournament.registration.services.entries import keep_entrants_in_draw
from tournament.setup.services.tournaments import change_event_state


@prebuilt
def an_open_event(entrants: int = 4, **fields: Any) -> Event:
    event = an_event(a_tournament(), fee_cents=0, **fields)
    for number in range(1, entrants + 1):
        an_entrant(event, f"Player {number}", number=number, arrived=True)
    return event


@prebuilt
def a_closed_event(entrants: int = 4, **fields: Any) -> Event:
    return close(an_open_event(entrants, **fields))


@prebuilt
def close(event: Event) -> Event:
    """Close registration, and keep all entrants in the draw."""
    close_registration(event, by=SYSTEM_ACTOR)
    keep_entrants_in_draw(fresh(event), list(event.entrants.values_list("number", flat=True)), by=SYSTEM_ACTOR)
    return fresh(event)


@prebuilt
def a_posted_event(entrants: int = 4, **fields: Any) -> Event:
    return draw_and_post(a_closed_event(entrants, **fields))


@prebuilt
def draw_and_post(event: Event) -> Event:
    make_draw(event, "7H QS 2D", by=SYSTEM_ACTOR)
    post_draw(event, by=SYSTEM_ACTOR)
    return fresh(event)


@prebuilt
def an_event_in_play(entrants: int = 4, **fields: Any) -> Event:
    return start_play(a_posted_event(entrants, **fields))


@prebuilt
def start_play(event: Event) -> Event:
    """Change the event's state to “in play”, even if the event has no rule sheet."""
    with writing(event, verb="event.in-play", by=SYSTEM_ACTOR) as write:
        assert write.event is not None
        change_event_state(write, write.event, Event.State.IN_PLAY)
    return fresh(event)


def the_match(event: Event, ident: str) -> Match:
    return Match.objects.select_related("event__tournament").get(
        event=event, ident=ident, draw__taken_back__isnull=True, stage__taken_back__isnull=True
    )


@prebuilt
def win(event: Event, ident: str, side: int = 0) -> MatchResult:
    """Record that the upper (0) or lower (1) side won a match by 150 to 98."""
    progress = load_event_stages(event).progress
    assert progress is not None
    entries = progress[ident].entries
    won, lost = entries[side], entries[1 - side]
    with writing(event, verb="card.posted", by=SYSTEM_ACTOR) as write:
        outcome = MatchOutcome.won(ident, won, lost)
        return record_result(write, the_match(event, ident), outcome, score={won: 150, lost: 98})


@prebuilt
def play_all(event: Event) -> None:
    progress = load_event_stages(event).progress
    assert progress is not None
    for match in progress.bracket.matches:
        win(event, match.id)


@prebuilt
def send_pairs(event: Event, sending: PairsToSend, *, by: Actor) -> Pairing:
    """Send these pairs to tables, and return the first pairing."""
    with writing(event, verb="pairs.sent", by=by) as write:
        return add_pairings(write, require_stages_in_play(write.the_event).current_stage, sending)[0]


@prebuilt
def post_seating(event: Event, *, by: Actor) -> Seating:
    """Post the seating of a round. Unlike the page, this does not open score cards."""
    with writing(event, verb="seating.posted", by=by) as write:
        return post_previewed_seating(write)
