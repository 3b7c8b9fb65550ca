"""Play events that have several stages, with the services that the pages use."""

from __future__ import annotations

import random

from django.core.cache import cache
from django.test import Client

from pairing.desk.services.pairings import PairsToSend, give_bye
from pairing.desk.services.sending import call_match_to_table
from pairing.draws.knockout.progress import BracketProgress
from pairing.draws.pairs.record import pair_by_record
from pairing.draws.results import MatchOutcome
from pairing.draws.stages.play_off import PlayOff
from pairing.draws.stages.pools import Pool
from pairing.results.services.results import record_result, remove_entrant
from pairing.stages.selectors.course import EventStages, load_event_stages, load_persons_by_entry
from pairing.stages.services.stages import open_next_stage
from tests.kit import client_as, fresh
from tests.pairing.helpers.events import an_event_in_play, send_pairs, the_match
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import EntrantFact, Event

QUALIFIER = {"kind": "record", "games": 5, "losses": 2, "wins": 4, "byes_to": [5]}


FINALS = {"kind": "single-elimination", "byes_to": [5]}


def staged(entrants: int, *stages: dict[str, object]) -> Event:
    return an_event_in_play(entrants, format="stages", format_options={"stages": list(stages)})


def course_of(event: Event) -> EventStages:
    return load_event_stages(fresh(event))


def pool_of(event: Event) -> Pool:
    pool = course_of(event).pool
    assert pool is not None
    return pool


def play_off_of(event: Event) -> PlayOff:
    play_off = course_of(event).current_stage.play_off
    assert play_off is not None
    return play_off


def progress_of(event: Event) -> BracketProgress:
    progress = course_of(event).progress
    assert progress is not None
    return progress


@prebuilt
def won(event: Event, ident: str, winner: int, loser: int) -> None:
    with writing(fresh(event), verb="card.posted", by=SYSTEM_ACTOR) as write:
        record_result(
            write, the_match(event, ident), MatchOutcome.won(ident, winner, loser), score={winner: 250, loser: 180}
        )


def decide_ready(event: Event, dice: random.Random) -> None:
    """Record a result for every match that can be played now.

    The entry with the lower number wins with a probability of 0.75.
    """
    stage = course_of(event).current_stage
    for ident in stage.ready_matches:
        low, high = sorted(stage.match_states[ident].sides)
        won(event, ident, *((low, high) if dice.random() < 0.75 else (high, low)))


def play_pool(event: Event, dice: random.Random) -> None:
    """Pair all waiting entries and record their results, until the pool is complete."""
    while not course_of(event).current_stage.is_complete:
        pool = pool_of(event)
        persons = load_persons_by_entry(event, pool.qualifying.ready_entries)
        waiting = [
            pool.qualifying[entry].make_entry_with_record(persons[entry]) for entry in pool.qualifying.ready_entries
        ]
        if len(waiting) == 1:
            give_bye(event.entrants.get(number=waiting[0].number), by=SYSTEM_ACTOR, reason="nobody is left")
            continue
        if waiting:
            send_pairs(event, PairsToSend(pairs=pair_by_record(waiting, seed="x").pairs), by=SYSTEM_ACTOR)
        decide_ready(event, dice)


PLAN = ({"kind": "fixed", "games": 1}, {"kind": "play-off", "places": 1}, {"kind": "double-elimination"})


@prebuilt
def a_play_off(entrants: int, places: int) -> Event:
    event, dice = staged(entrants, PLAN[0], {**PLAN[1], "places": places}, PLAN[2]), random.Random(2)
    play_pool(event, dice)
    open_next_stage(event, by=SYSTEM_ACTOR)
    return event


@prebuilt
def out(event: Event, entry: int, kind: str = EntrantFact.Kind.NO_SHOW) -> None:
    remove_entrant(event.entrants.get(number=entry), kind, by=SYSTEM_ACTOR, reason="called three times")


def in_groups(entrants: int = 8, groups: int = 2) -> Event:
    plan = {"kind": "round-robin", "groups": groups, "best": 2}, {"kind": "single-elimination"}
    return staged(entrants, *plan)


@prebuilt
def begun(entrants: int = 8, groups: int = 2) -> Event:
    """Return an event with groups in which one game has been played and another was called to table 7."""
    event = in_groups(entrants, groups)
    ident, later = course_of(event).current_stage.ready_matches[:2]
    one, other = course_of(event).current_stage.matches[ident].meeting.sides
    won(event, ident, one, other)
    call_match_to_table(the_match(event, later), 7, by=SYSTEM_ACTOR)
    return fresh(event)


PUBLIC = (
    "",
    "stages/",
    "bracket/",
    "pairings/",
    "standings/",
    "wall/",
    "draw/",
    "draw/check/",
    "entrants/",
    "prizes/",
    "seatings/",
)


DESK = ("stages/", "draw/", "format/", "tables/", "results/", "seatings/", "prizes/", "cards/")


def path(event: Event, page: str, at: str = "t") -> str:
    return f"/{at}/{event.tournament.slug}/{event.slug}/{page}"


def shown(event: Event, page: str, client: Client | None = None, at: str = "t") -> str:
    answer = (client or Client()).get(path(fresh(event), page, at), follow=True)
    assert answer.status_code == 200, (page, answer.status_code)
    return answer.content.decode()


def walk(event: Event) -> None:
    """Check that every page of the event opens for the public and for the director."""
    cache.clear()
    for name in PUBLIC:
        shown(event, name)
    client = client_as("director", event)
    for name in DESK:
        shown(event, name, client, "desk")
    client.get("/")
