"""Seeds from groups: entries of one group do not meet in round one if equal seeds can change places.

Seeds of one level are equal: the winners of the groups, the seconds, and so on. An entry with a bye keeps it, and
nobody leaves its level.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pairing.draws.placement.places import Move, MoveReason, Places, first_round
from pairing.draws.placement.seeding import seeded_places
from pairing.draws.separation.avoid import AvoidList
from pairing.draws.separation.avoid_chains import moves_between
from pairing.draws.separation.kit import Opponents, Seats, fill_best, left_together, part_each

STEPS: Final = 200_000
"""The most entries that the exact search tries on places, about half a second of work."""

ONE_PERSON: Final = 1_000_000
"""The weight of a pair of two entries of one person, in other pairs."""


@dataclass(frozen=True, slots=True)
class SeededBracket:
    """The places, and the entries that moved or had to stay.

    `is_least`: no exchange of equal seeds leaves fewer together.
    """

    places: Places
    moves: tuple[Move, ...] = ()
    is_least: bool = True


def separate_seeds(
    ranked: Sequence[int],
    levels: Collection[Collection[int]],
    avoid: AvoidList,
    mates: Collection[Collection[int]] = (),
) -> SeededBracket:
    """Put the entries in rank order on their places, and separate pairs in round one by exchanges within a level.

    From the top, the lower seed of two that should be apart moves. It changes places with the next lower seed of its
    level that plays in round one, if that breaks nothing, otherwise with the next higher. If there is none, the higher
    of the two moves in the same way. An exact search tries to separate the rest.

    >>> found = separate_seeds([1, 2, 3, 4, 5, 6, 7, 8], [[1, 2, 3, 4], [5, 6, 7, 8]], AvoidList(), [(1, 8), (2, 7)])
    >>> found.places
    (1, 7, 5, 4, 3, 6, 8, 2)
    >>> print(found.moves[0])
    Entry 8 changed places with entry 7, to be kept apart from entry 1 in round one. Both come from the same group.

    Raises:
        ValueError: there are fewer than two entries, or one occurs twice.
    """
    places = seeded_places(ranked)
    opponents = replace(avoid, mates=(*avoid.mates, *mates)).opponents()
    rank = {entry: turn for turn, entry in enumerate(ranked)}
    level_of = {entry: turn for turn, level in enumerate(levels) for entry in level}
    hall = Seats(first_round(places), opponents)

    def equals(entry: int, others: Iterable[int]) -> Iterator[int]:
        return (other for other in others if other != entry and level_of.get(other, -1) == level_of.get(entry, -2))

    def choose(entry: int, _stays: int) -> int | None:
        turn = rank[entry]
        return hall.first_fit(entry, equals(entry, (*ranked[turn + 1 :], *reversed(ranked[:turn]))))

    walked = part_each(hall, hall.together(rank.__getitem__), choose, opponents)
    moves = [move for move in walked if move.other is not None]
    is_least = True
    if hall.repeats:
        before = hall.entries
        playing = sorted(before, key=rank.__getitem__)
        found, is_least = _least(hall, [[entry, *equals(entry, playing)] for entry in before], opponents)
        hall = Seats(zip(found[::2], found[1::2], strict=True), opponents)
        moves += moves_between(before, hall.entries)
    moves += left_together(hall, opponents, rank.__getitem__)
    return SeededBracket(hall.on_places(places), tuple(moves), is_least)


def _least(hall: Seats, choices: Sequence[Sequence[int]], opponents: Opponents) -> tuple[Sequence[int], bool]:
    """Return the entries on the places of round one with the fewest pairs together, and whether that is certain."""

    def weight(one: int, other: int) -> int:
        reason = opponents.get(one, {}).get(other)
        return 0 if reason is None else ONE_PERSON if reason is MoveReason.SAME_PERSON else 1

    def more(chosen: Sequence[int], entry: int) -> int:
        return weight(chosen[-1], entry) if len(chosen) % 2 else 0

    now = sum(weight(*pair) for pair in hall.together())
    found, is_certain = fill_best(choices, more, below=now, steps=STEPS)
    return found or hall.entries, is_certain
