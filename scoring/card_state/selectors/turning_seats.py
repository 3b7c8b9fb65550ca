"""The seat of a player in the current round of a rotation event, for the player's phone."""

from dataclasses import dataclass

from pairing.draws.stages.plan import StageKind
from pairing.stage_kinds.selectors.stages import load_course
from pairing.stage_kinds.selectors.turning import Turning
from tournament.models import Entrant


@dataclass(frozen=True, slots=True)
class RoundSeat:
    """A seat in a round. `table` is None if the player sits the round out. `partner` is empty if there is none."""

    round: int
    table: int | None = None
    partner: str = ""
    against: tuple[str, ...] = ()


def load_round_seat(entrant: Entrant) -> RoundSeat | None:
    """Return the seat of an entrant in the current round.

    Return None in an event of another format, before the draw, and for an entrant who was not drawn or has left.
    """
    turning = load_course(entrant.event).turning
    if turning is None or not turning.plays(entrant.number):
        return None
    current = turning.current
    for table, numbers in enumerate(current.tables, start=1):
        if entrant.number in numbers:
            return _at_table(turning, table, numbers, entrant.number)
    return RoundSeat(current.round)


def _at_table(turning: Turning, table: int, numbers: list[int], own: int) -> RoundSeat:
    """Return a player's seat at a table. In a rotation two play each other there, in Court Whist two against two."""
    place, number = numbers.index(own), turning.current.round
    if not StageKind(turning.stage.kind).traits.own_cards:
        return RoundSeat(number, table, "", (turning.name(numbers[1 - place]),))
    partner = numbers[place + 1 if place % 2 == 0 else place - 1]
    against = numbers[2:] if place < 2 else numbers[:2]
    return RoundSeat(number, table, turning.name(partner), tuple(map(turning.name, against)))
