"""Keep entries apart in groups and among seeds.

Entries that should be kept apart are moved to different groups by exchanges. Equal seeds change places, if possible, so
that seeds from the same group do not meet in round one.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pairing.draws.places import EntryMove, EntryMoveReason, iter_first_round_pairs, place_seeds
from pairing.draws.separation.draw import AvoidList, DrawnBracket
from pairing.draws.separation.exchanges import (
    AvoidedOpponents,
    SeatingArrangement,
    find_moves_between_arrangements,
    find_seating_with_fewest_repeats,
    list_remaining_conflicts,
    separate_pairs,
)
from tournament.lazy_text import lazy_text

_MAX_PASSES: Final = 50
"""The maximum number of passes over the groups."""

_MAX_GROUP_SEARCH_STEPS: Final = 300_000

EntryGroups = tuple[tuple[int, ...], ...]


def separate_groups(
    groups: Sequence[Sequence[int]], avoid: AvoidList, *, levels: Mapping[int, int] | None = None
) -> tuple[EntryGroups, tuple[EntryMove, ...]]:
    """Separate entries that should be kept apart. Return the groups, and the entries that moved or had to stay.

    If `levels` is given, entries change places only within the same level.

    If two entries of a group should be kept apart, the later one changes places with an entry of another group. If that
    is impossible, the earlier one does. The exchange that leaves the fewest pairs together is chosen, and the first one
    wins a tie. An exact search then tries to separate the remaining pairs.

    >>> separate_groups([(1, 4), (2, 3)], AvoidList([(1, 4)]))
    (((1, 2), (4, 3)), (EntryMove(entry=4, other=2, reason=<EntryMoveReason.AVOID: 'avoid'>, opponent=1, round=1),))
    """
    opponents = avoid.reasons_by_opponent()
    hall = SeatingArrangement(groups, opponents)

    def choose(entry: int, _stays: int) -> int | None:
        equals = (other for other in hall.entries if levels is None or levels.get(other) == levels.get(entry))
        return hall.find_best_exchange(entry, equals)

    moves: list[EntryMove] = []
    for _turn in range(_MAX_PASSES):
        walked = separate_pairs(hall, list(hall.iter_conflicts()), choose, opponents)
        found = [move for move in walked if move.other is not None]
        moves += found
        if not found:
            break
    if levels is None and hall.conflict_count:
        before = hall.entries
        hall = SeatingArrangement(_search_best_groups(hall), opponents)
        moves += find_moves_between_arrangements(before, hall.entries)
    return tuple(map(tuple, hall.tables)), (*moves, *list_remaining_conflicts(hall, opponents))


def describe_group_move(move: EntryMove) -> str:
    """Describe a move between groups in a sentence.

    >>> print(describe_group_move(EntryMove(4, 2, EntryMoveReason.AVOID, 1)))
    Entry 4 changed groups with entry 2, to be kept apart from entry 1.
    >>> print(describe_group_move(EntryMove(4, None, EntryMoveReason.SAME_PERSON, 1)))
    Entry 4 and entry 1 are the same person, in one group: they do not play each other.
    """
    if move.other is None and move.reason is EntryMoveReason.SAME_PERSON:
        return lazy_text(
            "%(first)s and %(opponent)s are the same person, in one group: they do not play each other.",
            **move.placeholder_values,
        )
    if move.other is None:
        return str(move)
    if move.reason is EntryMoveReason.CHAIN:
        return lazy_text(
            "%(first)s changed groups with %(other)s. Several exchanges together keep everyone apart who should be.",
            **move.placeholder_values,
        )
    return move.with_shared_reason(
        lazy_text(
            "%(first)s changed groups with %(other)s, to be kept apart from %(opponent)s.", **move.placeholder_values
        )
    )


def _search_best_groups(hall: SeatingArrangement) -> list[list[int]]:
    """Return the groups with the fewest pairs that should be kept apart, as similar as possible to the given groups.

    If no better groups are found, return the given ones.
    """
    turn = {entry: at for at, entry in enumerate(hall.entries)}
    known = {entry: {other for other in hall.known[entry] if other in turn} for entry in turn}
    sizes = sorted(map(len, hall.tables), reverse=True)
    found, _is_certain = find_seating_with_fewest_repeats(
        known, sizes, below=hall.conflict_count, steps=_MAX_GROUP_SEARCH_STEPS
    )
    if found is None:
        return hall.tables
    after = []
    for group in hall.tables:
        best = max((one for one in found if len(one) == len(group)), key=lambda one: len(set(one) & set(group)))
        found.remove(best)
        new = iter(sorted(set(best) - set(group), key=turn.__getitem__))
        after.append([entry if entry in best else next(new) for entry in group])
    return after


# --- Seeds -----------------------------------------------------------------------------------------------------------

_MAX_SEED_SEARCH_STEPS: Final = 200_000
"""The maximum number of entries that the exact search tries at positions, which takes about half a second."""

_SAME_PERSON_WEIGHT: Final = 1_000_000
"""The weight of a pair of entries of the same person, relative to other pairs that should be kept apart."""


def separate_seeds(
    ranked: Sequence[int],
    levels: Collection[Collection[int]],
    avoid: AvoidList,
    mates: Collection[Collection[int]] = (),
) -> DrawnBracket:
    """Put ranked entries at their positions, and separate first-round pairs by exchanging seeds of the same level.

    Pairs are handled from the top. The lower seed changes places with the next lower seed of its level that plays in
    round one, if that makes no new conflict. Otherwise the next higher seeds are tried. If none is possible, the pair's
    higher seed is tried in the same way. An exact search tries to separate the rest.

    >>> found = separate_seeds([1, 2, 3, 4, 5, 6, 7, 8], [[1, 2, 3, 4], [5, 6, 7, 8]], AvoidList(), [(1, 8), (2, 7)])
    >>> found.places
    (1, 7, 5, 4, 3, 6, 8, 2)
    >>> print(found.moves[0])
    Entry 8 changed places with entry 7, to be kept apart from entry 1 in round one. Both come from the same group.

    Raises:
        ValueError: there are fewer than two entries, or one occurs twice.
    """
    places = place_seeds(ranked)
    opponents = replace(avoid, former_groups=(*avoid.former_groups, *mates)).reasons_by_opponent()
    rank = {entry: turn for turn, entry in enumerate(ranked)}
    level_of = {entry: turn for turn, level in enumerate(levels) for entry in level}
    hall = SeatingArrangement(iter_first_round_pairs(places), opponents)

    def equals(entry: int, others: Iterable[int]) -> Iterator[int]:
        return (other for other in others if other != entry and level_of.get(other, -1) == level_of.get(entry, -2))

    def choose(entry: int, _stays: int) -> int | None:
        turn = rank[entry]
        return hall.find_first_fit(entry, equals(entry, (*ranked[turn + 1 :], *reversed(ranked[:turn]))))

    walked = separate_pairs(hall, hall.iter_conflicts(rank.__getitem__), choose, opponents)
    moves = [move for move in walked if move.other is not None]
    is_least = True
    if hall.conflict_count:
        before = hall.entries
        playing = sorted(before, key=rank.__getitem__)
        found, is_least = _search_best_seed_order(
            hall, [[entry, *equals(entry, playing)] for entry in before], opponents
        )
        hall = SeatingArrangement(zip(found[::2], found[1::2], strict=True), opponents)
        moves += find_moves_between_arrangements(before, hall.entries)
    moves += list_remaining_conflicts(hall, opponents, rank.__getitem__)
    return DrawnBracket(hall.fill_places(places), tuple(moves), is_least)


def _search_best_seed_order(
    hall: SeatingArrangement, choices: Sequence[Sequence[int]], opponents: AvoidedOpponents
) -> tuple[Sequence[int], bool]:
    def weight(one: int, other: int) -> int:
        reason = opponents.get(one, {}).get(other)
        return 0 if reason is None else _SAME_PERSON_WEIGHT if reason is EntryMoveReason.SAME_PERSON else 1

    def more(chosen: Sequence[int], entry: int) -> int:
        return weight(chosen[-1], entry) if len(chosen) % 2 else 0

    now = sum(weight(*pair) for pair in hall.iter_conflicts())
    found, is_certain = _find_cheapest_choice(choices, more, below=now, steps=_MAX_SEED_SEARCH_STEPS)
    return found or hall.entries, is_certain


def _find_cheapest_choice(
    choices: Sequence[Sequence[int]], more: Callable[[Sequence[int], int], int], *, below: int, steps: int
) -> tuple[tuple[int, ...] | None, bool]:
    """Choose one entry from each list, and no entry twice, so that the total cost is lowest.

    Return the choice, and whether the search was complete. The choice is None if no total cost below `below` was found.
    The search is incomplete if it stopped after `steps` entries, and a better choice may then exist.

    `more` returns the cost of adding an entry to those already chosen. The first choice in list order wins a tie.
    """
    best: tuple[int, ...] | None = None
    chosen: list[int] = []
    used: set[int] = set()

    def fill(cost: int) -> None:
        nonlocal best, below, steps
        if cost >= below or steps <= 0:
            return
        if len(chosen) == len(choices):
            best, below = tuple(chosen), cost
            return
        for entry in choices[len(chosen)]:
            if entry not in used:
                steps -= 1
                beyond = cost + more(chosen, entry)
                chosen.append(entry)
                used.add(entry)
                fill(beyond)
                used.discard(chosen.pop())

    fill(0)
    return best, steps > 0
