"""By which format an event is played, and what that means for its pages."""

from __future__ import annotations

import json
from enum import StrEnum
from functools import lru_cache
from typing import Final

from pairing.draws.stages.plan import Plan, StageKind, read_plan
from pairing.draws.table_rounds.rounds import TableTerms
from pairing.models import RulesAtTables
from tournament.models import Event

BRACKET: Final = "single-elimination"
TABLES: Final = "tables"
STAGES: Final = "stages"


def plays_bracket(event: Event) -> bool:
    """Whether who wins goes on and who loses is out; else everybody plays every round."""
    return load_plan(event).is_knockout


def plays_stages(event: Event) -> bool:
    """Whether the director has written a plan: pools of games, a play-off, a bracket at the end."""
    return two_meet(event) and not load_plan(event).is_knockout


def two_meet(event: Event) -> bool:
    """Whether two play each match, stage by stage; a knockout is one stage."""
    return kind_of(event).two_meet


def load_plan(event: Event) -> Plan:
    """The stages of an event."""
    return _read(json.dumps(event.plan))


@lru_cache(maxsize=256)
def _read(plan: str) -> Plan:
    return read_plan(json.loads(plan))


def kind_of(event: Event) -> StageKind:
    """Of the first stage; where not two meet, it is the only one."""
    return load_plan(event).first.kind


def turns(event: Event) -> bool:
    """Whether two sides turn against each other: one match for the whole event, and a seating for each round."""
    return kind_of(event).turns


class Shape(StrEnum):
    """Which pages an event has: of one bracket, of stages with a desk, of rounds at tables, of two sides that turn."""

    BRACKET = "bracket"
    STAGES = "stages"
    TABLES = "tables"
    SIDES = "sides"


def shape_of(event: Event) -> Shape:
    plan = load_plan(event)
    if plan.first.kind.turns:
        return Shape.SIDES
    if plan.first.kind is StageKind.TABLES:
        return Shape.TABLES
    return Shape.BRACKET if plan.is_knockout else Shape.STAGES


def format_of(event: Event) -> str:
    """What the director chose on the list of formats."""
    plan = load_plan(event)
    if not plan.first.kind.two_meet:
        return plan.first.kind.value
    return BRACKET if plan.is_knockout and not plan.is_seeded else STAGES


def has_bracket(event: Event) -> bool:
    """Whether it is, or ends in, an elimination of which there is a picture."""
    return two_meet(event) and any(stage.kind.is_elimination for stage in load_plan(event).stages)


def has_groups(event: Event) -> bool:
    return plays_stages(event) and any(stage.kind is StageKind.ROUND_ROBIN for stage in load_plan(event).stages)


def plays_at_tables(event: Event) -> bool:
    return kind_of(event) is StageKind.TABLES


def table_terms(event: Event) -> TableTerms:
    """The terms of an event at tables."""
    terms = load_plan(event).first.tables
    assert terms is not None
    return terms


def load_rules_at_tables(event: Event) -> RulesAtTables | None:
    """What its rule sheet means for the tables; None while nobody has chosen one."""
    return event.rules_at_tables.order_by("-pk").first()
