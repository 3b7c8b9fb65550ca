"""By which format an event is played, and what that means for its pages."""

from __future__ import annotations

from typing import Final

from pairing.draws.rounds import TableTerms, terms_of
from pairing.models import RulesAtTables
from tournament.models import Event

BRACKET: Final = "single-elimination"
TABLES: Final = "tables"


def plays_bracket(event: Event) -> bool:
    """Whether who wins goes on and who loses is out; else everybody plays every round."""
    return event.format == BRACKET


def plays_at_tables(event: Event) -> bool:
    return event.format == TABLES


def table_terms(event: Event) -> TableTerms:
    """The terms of an event at tables."""
    return terms_of(event.format_options)


def load_rules_at_tables(event: Event) -> RulesAtTables | None:
    """What its rule sheet means for the tables; None while nobody has chosen one."""
    return event.rules_at_tables.order_by("-pk").first()
