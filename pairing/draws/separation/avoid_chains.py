"""Rearrange the pairs of round one by several exchanges together, if one exchange does not keep two entries apart.

The pairs of round one that may meet are a matching. An augmenting path (Edmonds) leaves it and comes back in turn. A
path from an entry in a bad pair to another such entry makes one more good pair. If there is no such path from any
entry, no arrangement has more good pairs.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from pairing.draws.pairs.alternating import Forest
from pairing.draws.placement.places import Move, MoveReason, Places, first_round, neighbour
from pairing.draws.separation.kit import Standing, following

Meets = Callable[[int, int], bool]


def rearrange_round_one(
    order: Sequence[int],
    places: Places,
    may_meet: Meets,
    *,
    at_worst: Meets = lambda one, other: True,
    fixed: Collection[int] = (),
) -> Places:
    """Return the places with as many allowed pairs in round one as possible, by chains of exchanges of any length.

    The search starts from the bad pairs, top to bottom. It takes the shortest chain first, and candidates in the order
    drawn after each entry. Entries left over stay as they were, or two of them meet if `at_worst` allows it. `fixed`
    entries stay on their places.

    >>> rearrange_round_one([1, 2, 3, 4], (1, 2, 3, 4), lambda one, other: {one, other} != {1, 2})
    (1, 3, 2, 4)
    """
    partner: dict[int, int] = {}
    for one, other in first_round(places):
        if one not in fixed or other not in fixed:
            partner[one], partner[other] = other, one

    def unless_fixed(meets: Meets) -> Meets:
        return lambda one, other: (one not in fixed or other not in fixed) and meets(one, other)

    edge, left = unless_fixed(may_meet), unless_fixed(at_worst)
    playing = [entry for entry in order if entry in partner]
    gone: set[int] = set()
    for root in [entry for entry in places if entry is not None and entry in partner]:
        if root not in gone and not edge(root, partner[root]):
            path, cannot_help = _path_from(root, [one for one in playing if one not in gone], partner, edge, left)
            gone |= cannot_help
            if path:
                _change(partner, path)
    return _seat(order, places, partner, fixed)


def moves_between(before: Places, after: Places) -> tuple[Move, ...]:
    """Return the exchanges that lead from one arrangement to the other, from the top.

    >>> [str(move) for move in moves_between((1, 2, 3, 4), (1, 3, 2, 4))]
    ['Entry 3 changed places with entry 2. Several exchanges together keep everyone apart who should be.']
    """
    standing, moves = Standing(before), []
    for place, entry in enumerate(after):
        other = standing.places[place]
        if entry is not None and other is not None and entry != other:
            standing.exchange(entry, other)
            moves.append(Move(entry, other, MoveReason.CHAIN))
    return tuple(moves)


def _path_from(
    root: int, playing: Sequence[int], partner: Mapping[int, int], edge: Meets, left: Meets
) -> tuple[list[int], set[int]]:
    """Return the entries of the path, `root` last. Without a path, return the entries that no other path can pass."""
    turn = {entry: turn for turn, entry in enumerate(playing)}
    beside = {entry: partner[entry] for entry in playing if edge(entry, partner[entry])}
    refused: list[int] = []

    def near(entry: int) -> Iterator[int]:
        return (other for other in following(playing, turn[entry]) if edge(entry, other))

    def ends(other: int) -> bool:
        may_end = other == partner[root] or left(partner[root], partner[other])
        if not may_end:
            refused.append(other)
        return may_end

    forest = Forest(playing, [root], near, beside, ends)
    path = forest.grow()
    return path, set() if path or refused else forest.outer | forest.came.keys()


def _change(partner: dict[int, int], path: Sequence[int]) -> None:
    """Exchange the pairs along the path. The two entries whose opponents were taken meet each other."""
    end, root = path[0], path[-1]
    rest = partner[root], partner[end]
    for one, other in zip(path[::2], path[1::2], strict=True):
        partner[one], partner[other] = other, one
    if rest[0] != end:
        partner[rest[0]], partner[rest[1]] = rest[1], rest[0]


def _seat(order: Sequence[int], places: Places, partner: Mapping[int, int], fixed: Collection[int]) -> Places:
    """Put the pairs on the places of round one.

    A fixed entry stays on its place. Otherwise the earlier drawn of a pair stays, if its place is free.
    """
    place_of = {entry: place for place, entry in enumerate(places) if entry is not None}
    drawn = {entry: turn for turn, entry in enumerate(order)}
    after = list(places)
    changed = {entry for entry, beside in partner.items() if place_of[beside] != neighbour(place_of[entry])}
    free = {place_of[entry] & ~1 for entry in changed}
    waiting: list[tuple[int, int]] = []
    pairs = [(one, partner[one]) for one in order if one in changed and drawn[one] < drawn[partner[one]]]
    for pair in sorted(pairs, key=lambda pair: pair[0] not in fixed and pair[1] not in fixed):
        held = [entry for entry in pair if entry in fixed] or [one for one in pair if place_of[one] & ~1 in free]
        if held:
            free.discard(place_of[held[0]] & ~1)
            after[place_of[held[0]]], after[neighbour(place_of[held[0]])] = held[0], partner[held[0]]
        else:
            waiting.append(pair)
    for top, pair in zip(sorted(free), waiting, strict=True):
        after[top : top + 2] = pair
    return tuple(after)
