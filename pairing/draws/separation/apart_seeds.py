"""Seeds that come out of groups: those of one group do not meet in round one where equal seeds can change places.

Equal are those of one level: the winners of the groups among each other, the seconds, and so on. Who has a bye keeps
it, and nobody leaves its level.
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
"""How many entries the exact search may try on a place: about half a second."""

ONE_PERSON: Final = 1_000_000
"""So many other pairs rather than one of two entries of one person."""


@dataclass(frozen=True, slots=True)
class SeededBracket:
    """Places and what was moved or had to stay. `is_least`: no exchange of equal seeds leaves fewer together."""

    places: Places
    moves: tuple[Move, ...] = ()
    is_least: bool = True


def separate_seeds(
    ranked: Sequence[int],
    levels: Collection[Collection[int]],
    avoid: AvoidList,
    mates: Collection[Collection[int]] = (),
) -> SeededBracket:
    """The entries in rank order on their places; of each level those in round one change places where that parts two.

    From the top: of two who should be apart the lower seed changes places with the next lower seed of its level that
    plays in round one and with whom nothing is broken, else with the next higher; else the higher of the two does so.
    What is left then is searched for exactly.

    >>> found = separate_seeds([1, 2, 3, 4, 5, 6, 7, 8], [[1, 2, 3, 4], [5, 6, 7, 8]], AvoidList(), [(1, 8), (2, 7)])
    >>> found.places
    (1, 7, 5, 4, 3, 6, 8, 2)
    >>> print(found.moves[0])
    Entry 8 changed places with entry 7, to be kept apart from entry 1 in round one. Both come from the same group.

    Raises:
        ValueError: fewer than two entries, or one twice.
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
    """Who stands on the places of round one so that the fewest are together, and whether that is certain."""

    def weight(one: int, other: int) -> int:
        reason = opponents.get(one, {}).get(other)
        return 0 if reason is None else ONE_PERSON if reason is MoveReason.SAME_PERSON else 1

    def more(chosen: Sequence[int], entry: int) -> int:
        return weight(chosen[-1], entry) if len(chosen) % 2 else 0

    now = sum(weight(*pair) for pair in hall.together())
    found, is_certain = fill_best(choices, more, below=now, steps=STEPS)
    return found or hall.entries, is_certain
