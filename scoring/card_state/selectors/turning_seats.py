"""Where a player of two sides sits in the round that is played: for their phone."""

from dataclasses import dataclass

from pairing.draws.stages.kinds import StageKind
from pairing.stage_kinds.selectors.stages import load_course
from pairing.stage_kinds.selectors.turning import Turning
from tournament.models import Entrant


@dataclass(frozen=True, slots=True)
class RoundSeat:
    """`table` None: the player sits the round out. `partner` is empty where they have none."""

    round: int
    table: int | None = None
    partner: str = ""
    against: tuple[str, ...] = ()


def load_round_seat(entrant: Entrant) -> RoundSeat | None:
    """None in an event of another format, before the draw, and for who was not drawn or has gone."""
    turning = load_course(entrant.event).turning
    if turning is None or not turning.plays(entrant.number):
        return None
    current = turning.current
    for table, numbers in enumerate(current.tables, start=1):
        if entrant.number in numbers:
            return _at_table(turning, table, numbers, entrant.number)
    return RoundSeat(current.round)


def _at_table(turning: Turning, table: int, numbers: list[int], own: int) -> RoundSeat:
    """In a rotation the two at a table play against each other; in Court Whist two and two."""
    place, number = numbers.index(own), turning.current.round
    if not StageKind(turning.stage.kind).traits.own_cards:
        return RoundSeat(number, table, "", (turning.name(numbers[1 - place]),))
    partner = numbers[place + 1 if place % 2 == 0 else place - 1]
    against = numbers[2:] if place < 2 else numbers[:2]
    return RoundSeat(number, table, turning.name(partner), tuple(map(turning.name, against)))
