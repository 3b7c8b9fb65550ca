"""The best play of a hand against a knocker: which cards to meld and which to lay off, decided together.

A card that completes a set may be worth more on the knocker's run, and a laid-off card may let the next one follow.
Still, only sets connect the suits (`scoring.rules.hand.melds`), because a run stays in its suit and a set lacks only a
single card. Once the own sets are chosen, each suit can be solved separately by the lay-offs that leave the fewest
points.

Hands, melds and lay-offs are numbers of 52 bits, or of 13 within a suit.
"""

from collections.abc import Sequence
from functools import reduce
from operator import or_

from scoring.rules.hand.melds import LAID_OFF, RANK, RANK_COUNT, SUIT_STARTS, Melds, by_suit, is_set


class _Suit(dict[int, tuple[int, int]]):
    """A suit of the search. It maps the cards held to their least cost and the lay-offs that reach it."""

    def __init__(self, cost: Sequence[int]) -> None:
        super().__init__()
        self.cost = cost
        self.layoffs = [0]
        """All sets of cards that can be laid off together, beginning with none."""

    def __missing__(self, held: int) -> tuple[int, int]:
        cost = self.cost
        possible = [laid for laid in self.layoffs if held & laid == laid]
        self[held] = least = min([(cost[held ^ laid] + (laid.bit_count() << LAID_OFF), laid) for laid in possible])
        return least


def find_best(hand: int, knocker: Sequence[int], melds: Melds) -> tuple[list[int], list[int]]:
    """Return the best melds of a hand, and its lay-offs on each of the knocker's melds."""
    suits = _suits_with_layoffs(hand, knocker, melds)
    wanted = reduce(or_, [laid for suit in suits for laid in suit.layoffs])

    def cost(rest: int) -> int:
        return sum([suit[held][0] for suit, held in zip(suits, by_suit(rest), strict=True)])

    rest = min(melds.without_sets(hand, wanted), key=cost)
    sets = [taken for rank in range(RANK_COUNT) if (taken := (hand ^ rest) & RANK << rank)]
    runs, laid_off = [], 0
    for suit, start, held in zip(suits, SUIT_STARTS, by_suit(rest), strict=True):
        laid = suit[held][1]
        laid_off |= laid << start
        runs += [run << start for run in melds.runs_of(held ^ laid)]
    return sets + runs, _by_meld(laid_off, knocker, melds)


def _suits_with_layoffs(hand: int, knocker: Sequence[int], melds: Melds) -> list[_Suit]:
    """Return the four suits, each with its possible lay-offs. All cards that fit on one meld are of one suit."""
    suits = [_Suit(melds.cost) for _start in SUIT_STARTS]
    for meld in knocker:
        fitting = [cards for cards in melds.extensions[meld] if hand & cards == cards]
        if fitting:
            number = (fitting[0].bit_length() - 1) // RANK_COUNT
            layoffs = suits[number].layoffs
            layoffs += [cards >> SUIT_STARTS[number] | others for cards in fitting for others in layoffs]
    return suits


def _by_meld(laid_off: int, knocker: Sequence[int], melds: Melds) -> list[int]:
    """Assign the laid-off cards to melds.

    Runs come first, because the missing card of a set may be the next step on a run.
    """
    found = dict.fromkeys(knocker, 0)
    for meld in sorted(knocker, key=is_set) if laid_off else ():
        found[meld] = next((cards for cards in melds.extensions[meld] if laid_off & cards == cards), 0)
        laid_off ^= found[meld]
    return list(found.values())
