"""Helpers for a single table in an event without a bracket, for any rule set and number of players."""

from __future__ import annotations

import itertools
from typing import Any

from pairing.models import Commitment, Draw, Match
from scoring.card_state.selectors.players import SeatedMatch
from scoring.models import Card
from scoring.posting.services.opening import get_or_open_card
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.factories import a_tournament, an_entrant, an_event
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import fresh_card
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

_numbers = itertools.count(1)


@prebuilt
def a_table_event(names: tuple[str, ...], rules: str, *, seats: str = "event", **options: Any) -> Event:
    """Return an event in play for one table. If `seats` is “table”, the players draw for their seats and roles."""
    event = an_event(a_tournament(), state=Event.State.IN_PLAY, format="tables")
    for name in names:
        an_entrant(event, name)
    save_rule_sheet(event, ChosenRules(rules, options, seats=seats), by=SYSTEM_ACTOR)
    return event


def a_table(event: Event) -> SeatedMatch:
    """Return a match in which everybody in the event sits at one table."""
    number = next(_numbers)
    commitment = Commitment.objects.create(
        event=event, draw_id=f"tables-{number}", numbers=[], commitment="0" * 64, secret="0" * 64, by_name="t"
    )
    draw = Draw.objects.create(commitment=commitment, order=[], places=[], by_name="t")
    stage = draw.stages.create(number=1, kind="tables", name="Tables", entries=[], by_name="t")
    match = Match.objects.create(event=event, draw=draw, stage=stage, ident=f"T{number}", round=1, position=1)
    return SeatedMatch(match, tuple(event.entrants.order_by("number")))


@prebuilt
def a_table_card(names: tuple[str, ...], rules: str, *, seats: str = "event", **options: Any) -> Card:
    return fresh_card(
        get_or_open_card(a_table(a_table_event(names, rules, seats=seats, **options)), 1, by=SYSTEM_ACTOR)
    )
