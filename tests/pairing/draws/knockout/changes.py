"""The differences between two states of one bracket."""

from typing import NamedTuple

from pairing.draws.knockout.progress import Progress, State


class Changes(NamedTuple):
    """The effects of a new fact, as match ids in the bracket's order.

    `sides`: a side has another entry, or none. `ready`: the match can be played and could not before, or has other
    sides. `decided`: the match has an outcome and had none, or has another winner. `reopened`: the match was decided
    and no longer is.
    """

    sides: tuple[str, ...]
    ready: tuple[str, ...]
    decided: tuple[str, ...]
    reopened: tuple[str, ...]


def changes(before: Progress, after: Progress) -> Changes:
    """Return the differences between two states of one bracket."""
    sides, ready, decided, reopened = [], [], [], []
    for match, now in after.views.items():
        was = before.views[match]
        moved = [side.occupancy for side in now.sides] != [side.occupancy for side in was.sides]
        if moved:
            sides.append(match)
        if now.state is State.READY and (was.state is not State.READY or moved):
            ready.append(match)
        if now.state is State.DECIDED and (was.state is not State.DECIDED or now.winner != was.winner):
            decided.append(match)
        if now.state is not State.DECIDED and was.state is State.DECIDED:
            reopened.append(match)
    return Changes(tuple(sides), tuple(ready), tuple(decided), tuple(reopened))
