"""Find the best way to arrange a hand into melds, by itself or with cards laid off on a knocker's melds.

The best arrangement has the fewest unmatched points. Ties are broken by the fewest loose cards, then the fewest cards
laid off, then the fewest runs. The order of the cards does not affect the choice.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, reduce
from operator import or_
from typing import Any, Final, cast

from scoring.rules.hand.cards import DECK, RANKS, SUITS, PlayingCard, read_card
from tournament.cases import FieldReader, ProblemCollector, read_text, read_unchecked_list
from tournament.lazy_text import lazy_text


class AcePosition(StrEnum):
    """The positions that an ace can have in a run. An ace always counts one point."""

    LOW = "low"
    """Only before the two: A-2-3."""
    BOTH = "both"
    """Before the two or after the king: A-2-3 and Q-K-A, but not K-A-2."""


MIN_HAND_CARDS: Final = 7
MAX_HAND_CARDS: Final = 14

BIT_BY_CARD: Final = {str(card): 1 << place for place, card in enumerate(DECK.values())}
"""Each card's bit, keyed by the card's two-character code.

The suits are in the same order as in a hand's bit set.
"""

CardGroup = tuple[PlayingCard, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """A way to arrange a hand, in which every card is melded, laid off, or loose (unmatched).

    Melds are in the order of their first cards in the hand. Within a run, cards are ascending. Sets and loose cards
    keep the order of the hand. `layoffs` contains the cards laid off on each of the knocker's melds.
    """

    melds: tuple[CardGroup, ...]
    loose: CardGroup
    layoffs: tuple[CardGroup, ...] = ()

    @property
    def deadwood(self) -> int:
        return sum(card.value for card in self.loose)


def arrange_hand(hand: Sequence[PlayingCard], *, ace: AcePosition = AcePosition.LOW) -> Arrangement:
    """Return the arrangement of 7 to 14 cards with the fewest unmatched points.

    >>> from scoring.rules.hand.cards import parse_card
    >>> best = arrange_hand([parse_card(card) for card in "AS 2S 3S 7H 7D 7C KD QD 4C 9H".split()])
    >>> best.deadwood, " ".join(map(str, best.loose))
    (33, 'KD QD 4C 9H')

    Raises:
        InvalidInput: the hand has too few or too many cards, or the same card twice.
    """
    return arrange_against_knocker(hand, (), ace=ace)


def arrange_against_knocker(
    hand: Sequence[PlayingCard], knocker: Sequence[Sequence[PlayingCard]], *, ace: AcePosition = AcePosition.LOW
) -> Arrangement:
    """Return the best arrangement for the opponent of a knocker who has these melds on the table.

    >>> from scoring.rules.hand.cards import parse_card
    >>> hand, run = ([parse_card(card) for card in cards.split()] for cards in ("4S 8S 8D 8C 8H KD 2C", "5S 6S 7S"))
    >>> best = arrange_against_knocker(hand, [run])
    >>> best.deadwood, " ".join(map(str, best.layoffs[0]))
    (12, '4S')

    Raises:
        InvalidInput: as in `arrange_hand`, or `knocker[i]` is not a meld or has a card that appears elsewhere.
    """
    problems = ProblemCollector()
    collect_hand_problems(hand, knocker, ace, problems)
    problems.raise_if_any()
    placed = {get_card_bit(card): card for card in hand}
    on_table = [combine_card_bits(meld) for meld in knocker]
    own, laid_off = find_best_arrangement(sum(placed), on_table, get_meld_lookup_tables(ace))
    matched = sum(own) + sum(laid_off)
    places = list(placed)
    own.sort(key=lambda meld: [not place & meld for place in places])
    return Arrangement(
        melds=tuple([_sort_meld(meld, meld, placed) for meld in own]),
        loose=tuple([card for place, card in placed.items() if not place & matched]),
        layoffs=tuple(
            [_sort_meld(cards, cards | meld, placed) for cards, meld in zip(laid_off, on_table, strict=True)]
        ),
    )


def collect_hand_problems(
    hand: Sequence[PlayingCard | None] | None,
    knocker: Sequence[Sequence[PlayingCard | None]],
    ace: AcePosition,
    problems: ProblemCollector,
) -> None:
    """Add a problem to `problems` for each invalid card in the hand or in the knocker's melds.

    The problems have the paths `hand` and `knocker[i]`. A card that could not be read is given as None.
    """
    if hand is not None and not MIN_HAND_CARDS <= len(hand) <= MAX_HAND_CARDS:
        problems.add_bad_value(
            "hand",
            lazy_text(
                "A hand has %(fewest_cards)s to %(most_cards)s cards; here are %(hand)s.",
                fewest_cards=MIN_HAND_CARDS,
                most_cards=MAX_HAND_CARDS,
                hand=len(hand),
            ),
        )
    in_hand = _combine_distinct_cards(hand or (), "hand", 0, 0, problems)
    on_table = 0
    for i, meld in enumerate(knocker):
        own = _combine_distinct_cards(meld, f"knocker[{i}]", in_hand, on_table, problems)
        on_table |= own
        if None not in meld and own not in get_meld_lookup_tables(ace).extensions:
            written = " ".join(map(str, meld)) or lazy_text("Nothing")
            problems.add_bad_value(
                f"knocker[{i}]",
                lazy_text("%(written)s is not a meld: no three or four of a rank, no run in a suit.", written=written),
            )


def _combine_distinct_cards(
    cards: Sequence[PlayingCard | None], path: str, in_hand: int, on_table: int, problems: ProblemCollector
) -> int:
    """Return the readable cards as a bit set, and add a problem for each card that appears more than once."""
    own = 0
    for card in cards:
        place = get_card_bit(card) if card else 0
        if card and place & (own | in_hand | on_table):
            if place & own:
                message = lazy_text("The %(name)s stands here twice: a deck has one.", name=card.name)
            elif place & in_hand:
                message = lazy_text("The %(name)s is in the hand too: a deck has one.", name=card.name)
            else:
                message = lazy_text(
                    "The %(name)s is in another of the knocker's melds too: a deck has one.", name=card.name
                )
            problems.add("bad-card", path, message)
        own |= place
    return own


def _sort_meld(cards: int, meld: int, placed: Mapping[int, PlayingCard]) -> CardGroup:
    """Return a meld's cards in display order: a run ascending, a set in the order of the hand."""
    places = [place for place in placed if place & cards]
    if places and not _is_set(meld):
        places.sort()
        if _ends_with_ace(meld) and cards & ACE_BITS:
            places.append(places.pop(0))
    return tuple([placed[place] for place in places])


def is_meld(cards: Sequence[PlayingCard], ace: AcePosition) -> bool:
    return len(set(cards)) == len(cards) and combine_card_bits(cards) in get_meld_lookup_tables(ace).extensions


def get_card_bit(card: PlayingCard) -> int:
    return BIT_BY_CARD[card.rank + card.suit]


def combine_card_bits(cards: Iterable[PlayingCard]) -> int:
    return reduce(or_, map(get_card_bit, cards), 0)


# --- The `deadwood` command ------------------------------------------------------------------------------------------
# The command reads a hand from JSON and answers with its best arrangement (CONTRACTS.md, deadwood).

_MAX_TEXT_LENGTH: Final = 200
"""The maximum length of a string of cards, which is enough for a whole deck."""

_Cards = list[PlayingCard | None]
_NO_MELDS: Final[list[_Cards]] = []


def run_deadwood_case(case: dict[str, Any]) -> dict[str, Any]:
    """Return the response to a case of the `deadwood` command, without the field `ok`.

    >>> run_deadwood_case({"hand": "KD 4S 8S QD 2C 7H 7D 7C", "knocker": ["5S 6S 7S"]})
    {'deadwood': 22, 'melds': ['7H 7D 7C'], 'loose': 'KD QD 2C', 'layoffs': {'5S 6S 7S': '4S 8S'}}

    Raises:
        InvalidInput: the case has problems, and the error lists all of them.
    """
    problems = ProblemCollector()
    fields = FieldReader(case, problems)
    hand = fields.read("hand", _read_cards)
    knocker = fields.read("knocker", _read_melds, _NO_MELDS)
    # If the ace option cannot be read, allow both ways, so that no meld is refused because of it.
    ace = AcePosition(
        fields.choice("ace", list(AcePosition), default=AcePosition.BOTH if "ace" in fields else AcePosition.LOW)
    )
    fields.finish()
    collect_hand_problems(hand, knocker, ace, problems)
    problems.raise_if_any()
    best = arrange_against_knocker(cast("list[PlayingCard]", hand), cast("list[list[PlayingCard]]", knocker), ace=ace)
    melds = [_write_cards(meld) for meld in best.melds]
    answer = {"deadwood": best.deadwood, "melds": melds, "loose": _write_cards(best.loose)}
    if "knocker" not in case:
        return answer
    layoffs = zip(case["knocker"], best.layoffs, strict=True)
    return answer | {"layoffs": {meld: _write_cards(cards) for meld, cards in layoffs if cards}}


def _read_cards(value: object, path: str, problems: ProblemCollector) -> _Cards | None:
    """Read a string of cards. An unreadable card becomes None."""
    text = read_text(value, path, problems, longest=_MAX_TEXT_LENGTH)
    return None if text is None else [read_card(written, path, problems) for written in text.split()]


def _read_melds(value: object, path: str, problems: ProblemCollector) -> list[_Cards] | None:
    melds = read_unchecked_list(value, path, problems)
    if melds is None:
        return None
    read = [_read_cards(meld, f"{path}[{i}]", problems) for i, meld in enumerate(melds)]
    return [[None] if cards is None else cards for cards in read]


def _write_cards(cards: Iterable[PlayingCard]) -> str:
    return " ".join(map(str, cards))


# --- Melds -----------------------------------------------------------------------------------------------------------
# The search is exact, and fast enough to try every discard of every hand.

RANK_COUNT: Final = len(RANKS)
SUIT_BITS: Final = (1 << RANK_COUNT) - 1
"""The bit set with all cards of a suit."""
SUIT_BIT_OFFSETS: Final = (0, 13, 26, 39)
ACE_BITS: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39
"""The bit set of all four aces. Its product with a bit set of ranks contains these ranks in every suit."""
MIN_RUN_LENGTH: Final = 3
RANK_VALUES: Final = tuple(DECK[rank + SUITS[0]].value for rank in RANKS)

# The cost of an arrangement is one number that compares like a tuple, so that ties in points are also broken:
# points of the loose cards, number of loose cards, number of cards laid off, number of runs.
POINTS_BIT_SHIFT: Final = 12
LOOSE_CARDS_BIT_SHIFT: Final = 8
LAID_OFF_CARDS_BIT_SHIFT: Final = 4
RUN_COST: Final = 1


def _split_by_suit(hand: int) -> tuple[int, int, int, int]:
    return hand & SUIT_BITS, hand >> 13 & SUIT_BITS, hand >> 26 & SUIT_BITS, hand >> 39


def _is_set(meld: int) -> bool:
    return sum(map(bool, _split_by_suit(meld))) > 1


def _ends_with_ace(run: int) -> bool:
    ace_without_two = 0b01
    return any(held & 0b11 == ace_without_two for held in _split_by_suit(run))


def _iter_runs(ace: AcePosition) -> Iterator[int]:
    """Yield every possible run in a suit, longest first."""
    places = RANK_COUNT + (ace is AcePosition.BOTH)  # the last place is the ace again, above the king
    for length in range(RANK_COUNT, MIN_RUN_LENGTH - 1, -1):
        for lowest in range(places - length + 1):
            yield sum(1 << place % RANK_COUNT for place in range(lowest, lowest + length))


SET_MELDS_BY_RANK: Final = tuple(
    (ACE_BITS << rank, *((ACE_BITS ^ 1 << start) << rank for start in SUIT_BIT_OFFSETS)) for rank in range(RANK_COUNT)
)
"""The five possible sets of each rank: all four cards, or any three."""


@dataclass(frozen=True, slots=True)
class _MeldLookupTables:
    """All possible melds for given ace positions, with lookup tables for the search.

    Use `get_meld_lookup_tables` to create an instance.
    """

    cost: Sequence[int]
    """The cost of a suit's best arrangement, indexed by the bit set of the cards held."""
    in_runs: Sequence[int]
    """The cards of a suit that are part of at least one run, indexed by the bit set of the cards held."""
    runs_from: Sequence[Sequence[int]]
    """The runs of a suit, indexed by their lowest bit, longest first.

    Runs that end with a high ace are listed under the ace.
    """
    extensions: Mapping[int, Sequence[int]]
    """For each meld, the groups of cards that can be laid off on it, largest first."""

    def compute_least_deadwood(self, hand: int) -> int:
        cost = self.cost
        clubs, diamonds, hearts, spades = hand & SUIT_BITS, hand >> 13 & SUIT_BITS, hand >> 26 & SUIT_BITS, hand >> 39
        if not (clubs & diamonds & (hearts | spades) or hearts & spades & (clubs | diamonds)):
            return (cost[clubs] + cost[diamonds] + cost[hearts] + cost[spades]) >> POINTS_BIT_SHIFT
        costs = [
            cost[rest & SUIT_BITS] + cost[rest >> 13 & SUIT_BITS] + cost[rest >> 26 & SUIT_BITS] + cost[rest >> 39]
            for rest in self.list_hands_without_sets(hand)
        ]
        return min(costs) >> POINTS_BIT_SHIFT

    def list_hands_without_sets(self, hand: int, wanted: int = 0) -> list[int]:
        """Try every useful choice of sets, and return the remaining cards for each choice.

        A set is always melded if its rank is not in `wanted` and none of its cards fits a run. `wanted` is a bit set of
        the ranks of cards that could be laid off.
        """
        clubs, diamonds, hearts, spades = _split_by_suit(hand)
        threes = clubs & diamonds & (hearts | spades) | hearts & spades & (clubs | diamonds)
        in_runs = self.in_runs
        contested = threes & (wanted | in_runs[clubs] | in_runs[diamonds] | in_runs[hearts] | in_runs[spades])
        left = [hand & ~((threes ^ contested) * ACE_BITS)]
        while contested:
            rank = contested.bit_length() - 1
            contested ^= 1 << rank
            sets = [meld for meld in SET_MELDS_BY_RANK[rank] if hand & meld == meld]
            left += [rest ^ meld for rest in left for meld in sets]
        return left

    def iter_best_runs(self, held: int) -> Iterator[int]:
        """Yield the runs in the best arrangement of the cards held in a suit."""
        cost = self.cost
        held = self.in_runs[held]
        while held:
            lowest = held & -held
            possible = (run for run in self.runs_from[lowest.bit_length() - 1] if held & run == run)
            run = next((run for run in possible if cost[held] == cost[held ^ run] + RUN_COST), 0)
            if run:
                yield run
            held ^= run or lowest


@cache
def get_meld_lookup_tables(ace: AcePosition) -> _MeldLookupTables:
    """Return the lookup tables for these ace positions.

    The tables are cached, because computing them takes about 20 ms.
    """
    runs_from: list[list[int]] = [[] for _rank in RANKS]
    for run in _iter_runs(ace):
        runs_from[(run & -run).bit_length() - 1].append(run)
    cost, in_runs = [0], [0]
    for held in range(1, SUIT_BITS + 1):
        # The lowest card is loose or starts a run, and what is left is a smaller holding.
        lowest = held & -held
        rank = lowest.bit_length() - 1
        others = held ^ lowest
        possible = [run for run in runs_from[rank] if held & run == run]
        loose = (RANK_VALUES[rank] << POINTS_BIT_SHIFT) + (1 << LOOSE_CARDS_BIT_SHIFT) + cost[others]
        cost.append(min([loose, *(cost[held ^ run] + RUN_COST for run in possible)]))
        in_runs.append(reduce(or_, possible, in_runs[others]))
    return _MeldLookupTables(cost, in_runs, runs_from, dict(_iter_run_extensions(ace)))


def _iter_run_extensions(ace: AcePosition) -> Iterator[tuple[int, tuple[int, ...]]]:
    runs = list(_iter_runs(ace))
    for start in SUIT_BIT_OFFSETS:
        for run in runs:
            yield run << start, tuple((longer ^ run) << start for longer in runs if longer & run == run != longer)
    for whole, *threes in SET_MELDS_BY_RANK:
        yield whole, ()
        yield from ((three, (whole ^ three,)) for three in threes)


# --- Lay-offs --------------------------------------------------------------------------------------------------------
# The cards to meld and the cards to lay off on a knocker's melds are decided together.


class _SuitSearch(dict[int, tuple[int, int]]):
    """The results for one suit during the search, keyed by the bit set of the cards held.

    Each value is the lowest cost for these cards, and the bit set of the cards to lay off at that cost.
    """

    def __init__(self, cost: Sequence[int]) -> None:
        super().__init__()
        self.cost = cost
        self.layoffs = [0]
        """All sets of cards that can be laid off together, beginning with none."""

    def __missing__(self, held: int) -> tuple[int, int]:
        cost = self.cost
        possible = [laid for laid in self.layoffs if held & laid == laid]
        self[held] = least = min(
            [(cost[held ^ laid] + (laid.bit_count() << LAID_OFF_CARDS_BIT_SHIFT), laid) for laid in possible]
        )
        return least


def find_best_arrangement(hand: int, knocker: Sequence[int], melds: _MeldLookupTables) -> tuple[list[int], list[int]]:
    """Return the best melds of a hand, and its lay-offs on each of the knocker's melds."""
    suits = _search_suits_with_layoffs(hand, knocker, melds)
    wanted = reduce(or_, [laid for suit in suits for laid in suit.layoffs])

    def cost(rest: int) -> int:
        return sum([suit[held][0] for suit, held in zip(suits, _split_by_suit(rest), strict=True)])

    rest = min(melds.list_hands_without_sets(hand, wanted), key=cost)
    sets = [taken for rank in range(RANK_COUNT) if (taken := (hand ^ rest) & ACE_BITS << rank)]
    runs, laid_off = [], 0
    for suit, start, held in zip(suits, SUIT_BIT_OFFSETS, _split_by_suit(rest), strict=True):
        laid = suit[held][1]
        laid_off |= laid << start
        runs += [run << start for run in melds.iter_best_runs(held ^ laid)]
    return sets + runs, _assign_layoffs_to_melds(laid_off, knocker, melds)


def _search_suits_with_layoffs(hand: int, knocker: Sequence[int], melds: _MeldLookupTables) -> list[_SuitSearch]:
    """Return the four suits with their possible lay-offs.

    Each suit can be searched separately, because cards that can only be laid off together always have the same suit.
    """
    suits = [_SuitSearch(melds.cost) for _start in SUIT_BIT_OFFSETS]
    for meld in knocker:
        fitting = [cards for cards in melds.extensions[meld] if hand & cards == cards]
        if fitting:
            number = (fitting[0].bit_length() - 1) // RANK_COUNT
            layoffs = suits[number].layoffs
            layoffs += [cards >> SUIT_BIT_OFFSETS[number] | others for cards in fitting for others in layoffs]
    return suits


def _assign_layoffs_to_melds(laid_off: int, knocker: Sequence[int], melds: _MeldLookupTables) -> list[int]:
    """Assign each laid-off card to one of the knocker's melds.

    Return the cards laid off on each meld, in the order of `knocker`. Runs are filled first, because a run may need a
    card that would also complete a set.
    """
    found = dict.fromkeys(knocker, 0)
    for meld in sorted(knocker, key=_is_set) if laid_off else ():
        found[meld] = next((cards for cards in melds.extensions[meld] if laid_off & cards == cards), 0)
        laid_off ^= found[meld]
    return list(found.values())
