"""The best arrangement of a hand, alone or against a knocker, in cards. `scoring.rules.hand.layoffs` does the search.

Among arrangements with equal points, the one with the fewest loose cards wins, then the fewest laid off, then the
fewest runs. Remaining ties are always broken the same way, whatever the order of the hand.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final

from scoring.rules.hand.cards import DECK, PlayingCard
from scoring.rules.hand.layoffs import find_best
from scoring.rules.hand.melds import RANK, Ace, ends_with_ace, is_set, melds_with
from tournament.cases import Problems
from tournament.said import worded

FEWEST_CARDS: Final = 7
MOST_CARDS: Final = 14

BITS: Final = {str(card): 1 << place for place, card in enumerate(DECK.values())}
"""The bit of each card. DECK has its suits in the same order as the bits of a hand."""

CardGroup = tuple[PlayingCard, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """Every card of a hand exactly once: melded, loose or laid off.

    Melds are in the order of their first cards in the hand. Runs go upwards. Sets and loose cards keep the order of the
    hand. `layoffs` has the cards laid off on each of the knocker's melds, in their order. It is empty if nobody
    knocked.
    """

    melds: tuple[CardGroup, ...]
    loose: CardGroup
    layoffs: tuple[CardGroup, ...] = ()

    @property
    def deadwood(self) -> int:
        """The points of the loose cards."""
        return sum(card.value for card in self.loose)


def arrange(hand: Sequence[PlayingCard], *, ace: Ace = Ace.LOW) -> Arrangement:
    """Return the arrangement of 7 to 14 cards that leaves the fewest points.

    >>> from scoring.rules.hand.cards import parse_card
    >>> best = arrange([parse_card(card) for card in "AS 2S 3S 7H 7D 7C KD QD 4C 9H".split()])
    >>> best.deadwood, " ".join(map(str, best.loose))
    (33, 'KD QD 4C 9H')

    Raises:
        BadCase: the hand has too few or too many cards, or the same card twice.
    """
    return arrange_against(hand, (), ace=ace)


def arrange_against(
    hand: Sequence[PlayingCard], knocker: Sequence[Sequence[PlayingCard]], *, ace: Ace = Ace.LOW
) -> Arrangement:
    """Return the best arrangement for the opponent of a knocker who has these melds on the table.

    >>> from scoring.rules.hand.cards import parse_card
    >>> hand, run = ([parse_card(card) for card in cards.split()] for cards in ("4S 8S 8D 8C 8H KD 2C", "5S 6S 7S"))
    >>> best = arrange_against(hand, [run])
    >>> best.deadwood, " ".join(map(str, best.layoffs[0]))
    (12, '4S')

    Raises:
        BadCase: as in `arrange`, or `knocker[i]` is not a meld or has a card that appears elsewhere.
    """
    problems = Problems()
    refuse_hands(hand, knocker, ace, problems)
    problems.check()
    placed = {bit(card): card for card in hand}
    on_table = [bits(meld) for meld in knocker]
    own, laid_off = find_best(sum(placed), on_table, melds_with(ace))
    matched = sum(own) + sum(laid_off)
    places = list(placed)
    own.sort(key=lambda meld: [not place & meld for place in places])
    return Arrangement(
        melds=tuple([_in_order(meld, meld, placed) for meld in own]),
        loose=tuple([card for place, card in placed.items() if not place & matched]),
        layoffs=tuple([_in_order(cards, cards | meld, placed) for cards, meld in zip(laid_off, on_table, strict=True)]),
    )


def refuse_hands(
    hand: Sequence[PlayingCard | None] | None,
    knocker: Sequence[Sequence[PlayingCard | None]],
    ace: Ace,
    problems: Problems,
) -> None:
    """Add the problems of a hand and a knocker's melds, at `hand` and `knocker[i]`. None is an unreadable card."""
    if hand is not None and not FEWEST_CARDS <= len(hand) <= MOST_CARDS:
        problems.bad(
            "hand",
            worded(
                "A hand has %(fewest_cards)s to %(most_cards)s cards; here are %(hand)s.",
                fewest_cards=FEWEST_CARDS,
                most_cards=MOST_CARDS,
                hand=len(hand),
            ),
        )
    in_hand = _refuse_twice(hand or (), "hand", 0, 0, problems)
    on_table = 0
    for i, meld in enumerate(knocker):
        own = _refuse_twice(meld, f"knocker[{i}]", in_hand, on_table, problems)
        on_table |= own
        if None not in meld and own not in melds_with(ace).extensions:
            written = " ".join(map(str, meld)) or worded("Nothing")
            problems.bad(
                f"knocker[{i}]",
                worded("%(written)s is not a meld: no three or four of a rank, no run in a suit.", written=written),
            )


def _refuse_twice(
    cards: Sequence[PlayingCard | None], path: str, in_hand: int, on_table: int, problems: Problems
) -> int:
    """Return the bits of the readable cards.

    A card that appears twice, or already in the hand or on the table, is refused.
    """
    own = 0
    for card in cards:
        place = bit(card) if card else 0
        if card and place & (own | in_hand | on_table):
            if place & own:
                message = worded("The %(name)s stands here twice: a deck has one.", name=card.name)
            elif place & in_hand:
                message = worded("The %(name)s is in the hand too: a deck has one.", name=card.name)
            else:
                message = worded(
                    "The %(name)s is in another of the knocker's melds too: a deck has one.", name=card.name
                )
            problems.add("bad-card", path, message)
        own |= place
    return own


def _in_order(cards: int, meld: int, placed: Mapping[int, PlayingCard]) -> CardGroup:
    """Return these cards in the order of their meld: a run upwards, a set as in the hand."""
    places = [place for place in placed if place & cards]
    if places and not is_set(meld):
        places.sort()
        if ends_with_ace(meld) and cards & RANK:
            places.append(places.pop(0))
    return tuple([placed[place] for place in places])


def is_meld(cards: Sequence[PlayingCard], ace: Ace) -> bool:
    """Return whether these cards are a set or a run, with no card twice."""
    return len(set(cards)) == len(cards) and bits(cards) in melds_with(ace).extensions


def bit(card: PlayingCard) -> int:
    """Return the card's bit among the 52 bits of a hand."""
    return BITS[card.rank + card.suit]


def bits(cards: Iterable[PlayingCard]) -> int:
    return reduce(or_, map(bit, cards), 0)
