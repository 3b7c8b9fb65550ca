"""Where chains of exchanges may have left too many together: all of round one matched anew.

With two entries of one person on the list, a chain that would put them together is refused, and the fewest of all may
lie behind it. Then the pairs of round one are the matching of the least cost (Edmonds' blossoms, by rustworkx).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations
from typing import Final

from pairing.draws.order.lots import pair_lot
from pairing.draws.pairs.record_matching import Edge, least_matching
from pairing.draws.placement.places import Places, first_round
from pairing.draws.separation.avoid_chains import seat_pairs

Together = Callable[[int, int], bool]

LOT_BITS: Final = 48


def rearrange_exactly(
    order: Sequence[int],
    places: Places,
    *,
    is_one_person: Together,
    is_listed: Together,
    fixed: Collection[int] = (),
) -> Places:
    """The places with the fewest pairs of one person in round one, and of those arrangements the fewest on the list.

    Of what is equal then, the one with the most pairs that stay; last, the lots of its pairs decide, whose seed is the
    drawn order (`"7,3,9"`). Entries that are `fixed` stay on their places.

    >>> together = {(1, 2), (3, 4), (1, 3)}
    >>> def listed(one, other): return (min(one, other), max(one, other)) in together
    >>> rearrange_exactly([1, 2, 3, 4], (1, 2, 3, 4), is_one_person=lambda one, other: False, is_listed=listed)
    (1, 4, 3, 2)
    """
    now = [pair for pair in first_round(places) if pair[0] not in fixed or pair[1] not in fixed]
    playing = sorted({entry for pair in now for entry in pair}, key=order.index)
    stays = {frozenset(pair) for pair in now}
    more, seed = len(now) + 1, ",".join(map(str, order))

    def edges() -> Iterator[Edge]:
        for (turn, one), (later, other) in combinations(enumerate(playing), 2):
            if one in fixed and other in fixed:
                continue
            cost = (is_one_person(one, other) * more + is_listed(one, other)) * more
            cost = (cost + (frozenset((one, other)) not in stays)) * (more << LOT_BITS)
            yield turn, later, cost + pair_lot(seed, (one, other), bits=LOT_BITS)

    partner: dict[int, int] = {}
    for turn, later in least_matching(len(playing), list(edges())):
        one, other = playing[turn], playing[later]
        partner[one], partner[other] = other, one
    return seat_pairs(order, places, partner, fixed)
