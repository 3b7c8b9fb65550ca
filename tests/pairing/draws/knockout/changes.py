"""Compare two states of the same bracket."""

from typing import NamedTuple

from pairing.draws.knockout.progress import BracketMatchState, BracketProgress


class Changes(NamedTuple):
    """The matches of a bracket that a new result or removal changes, as match IDs in bracket order.

    `sides`: a side has a different entry, or no entry anymore. `ready`: the match can be played and could not be played
    before, or its sides changed. `decided`: the match has a new outcome or a different winner. `reopened`: the match
    was decided and is no longer decided.
    """

    sides: tuple[str, ...]
    ready: tuple[str, ...]
    decided: tuple[str, ...]
    reopened: tuple[str, ...]


def changes(before: BracketProgress, after: BracketProgress) -> Changes:
    sides, ready, decided, reopened = [], [], [], []
    for match, now in after.views.items():
        was = before.views[match]
        moved = [side.occupancy for side in now.sides] != [side.occupancy for side in was.sides]
        if moved:
            sides.append(match)
        if now.state is BracketMatchState.READY and (was.state is not BracketMatchState.READY or moved):
            ready.append(match)
        if now.state is BracketMatchState.DECIDED and (
            was.state is not BracketMatchState.DECIDED or now.winner != was.winner
        ):
            decided.append(match)
        if now.state is not BracketMatchState.DECIDED and was.state is BracketMatchState.DECIDED:
            reopened.append(match)
    return Changes(tuple(sides), tuple(ready), tuple(decided), tuple(reopened))
