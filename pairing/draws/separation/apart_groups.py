"""Groups in which as few as can be are together who should be kept apart: by exchanges between the groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from pairing.draws.placement.places import Move, MoveReason
from pairing.draws.separation.avoid import AvoidList, Opponents
from pairing.draws.separation.avoid_chains import moves_between
from pairing.draws.separation.seating_exact import least_repeats

MOST_ROUNDS: Final = 50
"""So many times the groups are gone through; each brings at least one pair apart, and a handful is usual."""

STEPS: Final = 300_000
"""How much the exact search may weigh: about a second."""

Groups = tuple[tuple[int, ...], ...]


def separate_groups(
    groups: Sequence[Sequence[int]], avoid: AvoidList, *, levels: Mapping[int, int] | None = None
) -> tuple[Groups, tuple[Move, ...]]:
    """The groups, and what was moved or had to stay; with `levels` only entries of one level change places.

    The groups are gone through until nothing gets better: of two who should be apart the later in its group, else the
    earlier, changes places with whoever of another group leaves the fewest together, the first of equals. What is left
    then is searched for exactly, in small fields to the end.

    >>> separate_groups([(1, 4), (2, 3)], AvoidList([(1, 4)]))
    (((1, 2), (4, 3)), (Move(entry=4, other=2, reason=<MoveReason.AVOID: 'avoid'>, opponent=1, round=1),))
    """
    hall = _Groups([list(group) for group in groups], avoid.opponents(), levels)
    moves: list[Move] = []
    for _turn in range(MOST_ROUNDS):
        found = list(hall.exchange_all())
        moves += found
        if not found:
            break
    if levels is None and any(hall.together()):
        before = hall.flat()
        hall.groups = _exactly(hall)
        moves += moves_between(before, hall.flat())
    stays = [Move(later, None, hall.opponents[one][later], one) for one, later in hall.together()]
    return tuple(tuple(group) for group in hall.groups), (*moves, *stays)


def move_in_groups(move: Move) -> str:
    """The move in words, where it was between groups.

    >>> from pairing.draws.placement.places import MoveReason
    >>> print(move_in_groups(Move(4, 2, MoveReason.AVOID, 1)))
    Entry 4 changed groups with entry 2, to be kept apart from entry 1.
    >>> print(move_in_groups(Move(4, None, MoveReason.SAME_PERSON, 1)))
    Entry 4 and entry 1 are the same person, in one group: they do not play each other.
    """
    if move.other is None and move.reason is MoveReason.SAME_PERSON:
        return (
            f"Entry {move.entry} and entry {move.opponent} are the same person, in one group: "
            "they do not play each other."
        )
    return str(move).replace("changed places", "changed groups").replace(" in round one", "")


def _exactly(hall: _Groups) -> list[list[int]]:
    """The groups with the fewest together, each as like the one before as can be; the same where none is better."""
    entries = [entry for group in hall.groups for entry in group]
    turn = {entry: at for at, entry in enumerate(entries)}
    known = [{turn[other] for other in hall.opponents.get(entry, ()) if other in turn} for entry in entries]
    sizes = sorted(map(len, hall.groups), reverse=True)
    fewest = sum(1 for _pair in hall.together())
    found, _is_certain = least_repeats(known, sizes, below=fewest, steps=STEPS)
    if found is None:
        return hall.groups
    left = [[entries[place] for place in table] for table in found]
    after = []
    for group in hall.groups:
        best = max((one for one in left if len(one) == len(group)), key=lambda one: len(set(one) & set(group)))
        left.remove(best)
        new = iter(sorted(set(best) - set(group), key=turn.__getitem__))
        after.append([entry if entry in best else next(new) for entry in group])
    return after


class _Groups:
    def __init__(self, groups: list[list[int]], opponents: Opponents, levels: Mapping[int, int] | None) -> None:
        self.groups, self.opponents, self.levels = groups, opponents, levels

    def flat(self) -> tuple[int, ...]:
        return tuple(entry for group in self.groups for entry in group)

    def together(self) -> Iterator[tuple[int, int]]:
        for group in self.groups:
            for one, later in combinations(group, 2):
                if later in self.opponents.get(one, ()):
                    yield one, later

    def exchange_all(self) -> Iterator[Move]:
        for one, later in list(self.together()):
            for entry, stays in ((later, one), (one, later)):
                here = self._group_of(entry)
                if stays not in here:
                    break
                other = self._best(entry, here)
                if other is not None:
                    reason = self.opponents[entry][stays]
                    self._exchange(entry, other)
                    yield Move(entry, other, reason, stays)
                    break

    def _group_of(self, entry: int) -> list[int]:
        return next(group for group in self.groups if entry in group)

    def _bad(self, entry: int, group: Sequence[int], *, without: int) -> int:
        avoided = self.opponents.get(entry, {})
        return sum(other in avoided for other in group if other not in (entry, without))

    def _best(self, entry: int, here: Sequence[int]) -> int | None:
        """With whom of another group an exchange brings most apart; None where none does."""
        best, most = None, 0
        for there in self.groups:
            for other in () if there is here else there:
                if self.levels is not None and self.levels.get(other) != self.levels.get(entry):
                    continue
                before = self._bad(entry, here, without=entry) + self._bad(other, there, without=other)
                after = self._bad(entry, there, without=other) + self._bad(other, here, without=entry)
                if before - after > most:
                    best, most = other, before - after
        return best

    def _exchange(self, one: int, other: int) -> None:
        for group in self.groups:
            group[:] = [{one: other, other: one}.get(entry, entry) for entry in group]
