"""The plan and the format of an event, and the traits that follow for its pages."""

import json
from functools import lru_cache
from typing import Final

from pairing.draws.desk.desk import USUAL_DESK, DeskTerms, read_desk_terms
from pairing.draws.stages.plan import Plan, Traits, read_plan
from pairing.draws.table_rounds import TableTerms
from pairing.models import DeskSettings, RulesAtTables
from tournament.errors import BadCase
from tournament.models import Event

BRACKET: Final = "single-elimination"
TABLES: Final = "tables"
STAGES: Final = "stages"


def load_plan(event: Event) -> Plan:
    return _read(json.dumps(event.plan))


@lru_cache(maxsize=256)
def _read(plan: str) -> Plan:
    return read_plan(json.loads(plan))


def traits_of(event: Event) -> Traits:
    """Return the traits of the event's first stage."""
    return load_plan(event).first.kind.traits


def format_of(event: Event) -> str:
    """Return the format that the director chose in the list of formats."""
    plan = load_plan(event)
    if not plan.first.kind.traits.two_meet:
        return plan.first.kind.value
    return BRACKET if plan.is_knockout and not plan.is_seeded else STAGES


def table_terms(event: Event) -> TableTerms | None:
    """Return the terms of an event that is played in rounds at tables, or None for other formats."""
    return load_plan(event).first.tables


def load_rules_at_tables(event: Event) -> RulesAtTables | None:
    """Return what the rule sheet allows at the tables, or None if no rule sheet is chosen."""
    return event.rules_at_tables.order_by("-pk").first()


def load_desk_terms(event: Event, number: int) -> DeskTerms:
    """Return the latest desk settings of a stage, or the usual ones if they cannot be read."""
    last = DeskSettings.objects.filter(event=event, number=number).values_list("settings", flat=True).last()
    try:
        return read_desk_terms(last) if last else USUAL_DESK
    except BadCase:
        return USUAL_DESK
