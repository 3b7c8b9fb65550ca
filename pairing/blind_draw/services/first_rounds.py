"""The first round, where tables are seated with the draw: of rounds at tables, and where two sides turn."""

from typing import Final

from pairing.draws.table_rounds.rounds import RoundTables
from pairing.models import Draw
from pairing.plans.selectors import load_plan
from pairing.rotation.services import first_rotation, refuse_uneven
from pairing.stage_kinds.selectors.kind_rooms import FirstRound, room_of
from pairing.table_rounds.services import first_round_of, refuse_unfit_tables
from tournament.models import Event


def _at_tables(event: Event, made: Draw) -> RoundTables:
    return first_round_of(event, made, made.order)


def _refuse_tables(event: Event, made: Draw) -> None:
    refuse_unfit_tables(event, [len(table) for table in _at_tables(event, made).tables])


def _of_sides(event: Event, made: Draw) -> RoundTables:
    tables, sits_out = first_rotation(event, made.order)
    return RoundTables(tuple(map(tuple, tables)), tuple(sits_out))


def _refuse_sides(event: Event, made: Draw) -> None:
    refuse_uneven(event, made.order)


SEATED_AT_TABLES: Final = FirstRound(_at_tables, _refuse_tables)
SEATED_BY_SIDES: Final = FirstRound(_of_sides, _refuse_sides)


def first_round_by(event: Event, made: Draw) -> RoundTables | None:
    """None where two meet: who plays whom follows from the places, or from the stage."""
    found = room_of(load_plan(event).first.kind).first_round
    return found.seat(event, made) if found is not None else None


def refuse_unfit_draw(event: Event, made: Draw) -> None:
    """Raises Conflict `wrong-sides` (tables that the rule sheet is not for); DomainError `too-few`, `no-side`, …"""
    found = room_of(load_plan(event).first.kind).first_round
    if found is not None:
        found.refuse(event, made)
