"""First rounds that are seated together with the draw: rounds at tables, and rounds with two sides."""

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
    """Return the tables of round 1, or None if the first stage is not seated with the draw."""
    found = room_of(load_plan(event).first.kind).first_round
    return found.seat(event, made) if found is not None else None


def refuse_unfit_draw(event: Event, made: Draw) -> None:
    """Refuse a draw that the first round cannot seat.

    Raises:
        Conflict: `wrong-sides` if the rule sheet does not allow these table sizes.
        DomainError: `too-few`, `no-side` and others from the room of the stage kind.
    """
    found = room_of(load_plan(event).first.kind).first_round
    if found is not None:
        found.refuse(event, made)
