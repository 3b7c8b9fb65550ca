"""Separate entries that should be kept apart into different groups, by exchanges between the groups."""

from collections.abc import Mapping, Sequence
from typing import Final

from pairing.draws.placement.places import Move, MoveReason
from pairing.draws.separation.avoid import AvoidList
from pairing.draws.separation.avoid_chains import moves_between
from pairing.draws.separation.kit import Seats, left_together, part_each
from pairing.draws.separation.seating_exact import least_repeats
from tournament.said import worded

MOST_ROUNDS: Final = 50
"""The most passes through the groups. Each separates at least one pair, and a handful is usual."""

STEPS: Final = 300_000
"""The limit for the exact search, about a second of work."""

Groups = tuple[tuple[int, ...], ...]


def separate_groups(
    groups: Sequence[Sequence[int]], avoid: AvoidList, *, levels: Mapping[int, int] | None = None
) -> tuple[Groups, tuple[Move, ...]]:
    """Return the groups, and the entries that moved or had to stay.

    With `levels`, only entries of one level change places.

    The passes through the groups end when nothing improves. Of two entries that should be apart, the later in its
    group changes places with an entry of another group, otherwise the earlier does. The partner is the one that leaves
    the fewest together, the first of equals. An exact search tries to separate the rest. In small fields it is
    complete.

    >>> separate_groups([(1, 4), (2, 3)], AvoidList([(1, 4)]))
    (((1, 2), (4, 3)), (Move(entry=4, other=2, reason=<MoveReason.AVOID: 'avoid'>, opponent=1, round=1),))
    """
    opponents = avoid.opponents()
    hall = Seats(groups, opponents)

    def choose(entry: int, _stays: int) -> int | None:
        equals = (other for other in hall.entries if levels is None or levels.get(other) == levels.get(entry))
        return hall.best_exchange(entry, equals)

    moves: list[Move] = []
    for _turn in range(MOST_ROUNDS):
        walked = part_each(hall, list(hall.together()), choose, opponents)
        found = [move for move in walked if move.other is not None]
        moves += found
        if not found:
            break
    if levels is None and hall.repeats:
        before = hall.entries
        hall = Seats(_exactly(hall), opponents)
        moves += moves_between(before, hall.entries)
    return tuple(map(tuple, hall.tables)), (*moves, *left_together(hall, opponents))


def move_in_groups(move: Move) -> str:
    """Return the words for a move between groups.

    >>> from pairing.draws.placement.places import MoveReason
    >>> print(move_in_groups(Move(4, 2, MoveReason.AVOID, 1)))
    Entry 4 changed groups with entry 2, to be kept apart from entry 1.
    >>> print(move_in_groups(Move(4, None, MoveReason.SAME_PERSON, 1)))
    Entry 4 and entry 1 are the same person, in one group: they do not play each other.
    """
    if move.other is None and move.reason is MoveReason.SAME_PERSON:
        return worded(
            "%(first)s and %(opponent)s are the same person, in one group: they do not play each other.",
            **move.words,
        )
    if move.other is None:
        return str(move)
    if move.reason is MoveReason.CHAIN:
        return worded(
            "%(first)s changed groups with %(other)s. Several exchanges together keep everyone apart who should be.",
            **move.words,
        )
    return move.with_why(
        worded(
            "%(first)s changed groups with %(other)s, to be kept apart from %(opponent)s.",
            **move.words,
        )
    )


def _exactly(hall: Seats) -> list[list[int]]:
    """Return the groups with the fewest pairs together, as similar as possible to the groups before.

    Return the groups unchanged if none are better.
    """
    turn = {entry: at for at, entry in enumerate(hall.entries)}
    known = {entry: {other for other in hall.known[entry] if other in turn} for entry in turn}
    sizes = sorted(map(len, hall.tables), reverse=True)
    found, _is_certain = least_repeats(known, sizes, below=hall.repeats, steps=STEPS)
    if found is None:
        return hall.tables
    after = []
    for group in hall.tables:
        best = max((one for one in found if len(one) == len(group)), key=lambda one: len(set(one) & set(group)))
        found.remove(best)
        new = iter(sorted(set(best) - set(group), key=turn.__getitem__))
        after.append([entry if entry in best else next(new) for entry in group])
    return after
