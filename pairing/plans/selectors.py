"""By which format an event is played, and what that means for its pages."""

from __future__ import annotations

import json
from enum import StrEnum
from functools import lru_cache
from typing import Final

from pairing.draws.plans.reading import read_plan
from pairing.draws.stages.kinds import StageKind, Traits
from pairing.draws.stages.plan import Plan
from pairing.draws.table_rounds.rounds import TableTerms
from pairing.models import RulesAtTables
from tournament.models import Event

BRACKET: Final = "single-elimination"
TABLES: Final = "tables"
STAGES: Final = "stages"


def load_plan(event: Event) -> Plan:
    """The stages of an event."""
    return _read(json.dumps(event.plan))


@lru_cache(maxsize=256)
def _read(plan: str) -> Plan:
    return read_plan(json.loads(plan))


def traits_of(event: Event) -> Traits:
    """What the kind of the first stage means for the event."""
    return load_plan(event).first.kind.traits


def has_desk(event: Event) -> bool:
    """Whether the director has written a plan of stages, and the desk follows it; a knockout needs none."""
    return traits_of(event).two_meet and not load_plan(event).is_knockout


def kind_of(event: Event) -> StageKind:
    """Of the first stage; where not two meet, it is the only one."""
    return load_plan(event).first.kind


class Shape(StrEnum):
    """Which pages an event has: of one bracket, of stages with a desk, of rounds at tables, of two sides that turn."""

    BRACKET = "bracket"
    STAGES = "stages"
    TABLES = "tables"
    SIDES = "sides"


def shape_of(event: Event) -> Shape:
    plan = load_plan(event)
    if plan.first.kind.traits.one_card:
        return Shape.SIDES
    if plan.first.kind is StageKind.TABLES:
        return Shape.TABLES
    return Shape.BRACKET if plan.is_knockout else Shape.STAGES


def format_of(event: Event) -> str:
    """What the director chose on the list of formats."""
    plan = load_plan(event)
    if not plan.first.kind.traits.two_meet:
        return plan.first.kind.value
    return BRACKET if plan.is_knockout and not plan.is_seeded else STAGES


def has_bracket(event: Event) -> bool:
    """Whether it is, or ends in, an elimination of which there is a picture."""
    return traits_of(event).two_meet and any(stage.kind.traits.goes_on for stage in load_plan(event).stages)


def has_groups(event: Event) -> bool:
    return has_desk(event) and any(stage.kind.traits.all_meet for stage in load_plan(event).stages)


def table_terms(event: Event) -> TableTerms | None:
    """The terms of an event over rounds at tables."""
    return load_plan(event).first.tables


def load_rules_at_tables(event: Event) -> RulesAtTables | None:
    """What its rule sheet means for the tables; None while nobody has chosen one."""
    return event.rules_at_tables.order_by("-pk").first()
