"""Deal random hands for tests and measurements. Cards are texts such as `8H`."""

from __future__ import annotations

from random import Random

from tests.scoring.rules.hand.every_arrangement import DECK, LOW_TO_HIGH, is_meld

RUNS = [
    [rank + suit for rank in LOW_TO_HIGH[lowest : lowest + length]]
    for suit in "CDHS"
    for length in (3, 4, 5)
    for lowest in range(len(LOW_TO_HIGH) - length + 1)
]
SETS = [[rank + suit for suit in "CDHS" if suit != without] for rank in LOW_TO_HIGH for without in "CDHS-"]
MELDS = [frozenset(meld) for meld in RUNS + SETS]
FITTING = {card: [meld for meld in MELDS if card not in meld and is_meld(meld | {card}, both=True)] for card in DECK}
KINDS = ("any", "neighbours", "melded")


def deal(chance: Random, kind: str, size: int) -> list[str]:
    """Return a random hand of this size.

    The kind “neighbours” gives cards of five neighboring ranks, “melded” gives melds with a few more cards, and other
    kinds give any cards.
    """
    if kind == "neighbours":
        lowest = chance.randrange(len(LOW_TO_HIGH) - 4)
        return chance.sample([card for card in DECK if card[0] in LOW_TO_HIGH[lowest : lowest + 5]], size)
    hand: list[str] = []
    while kind == "melded" and len(hand) < size - 3:
        hand += sorted(chance.choice(MELDS) - set(hand))
    hand += chance.sample([card for card in DECK if card not in hand], max(size - len(hand), 0))
    chance.shuffle(hand)
    return hand[:size]


def deal_against(chance: Random, kind: str, size: int) -> tuple[list[str], list[list[str]]]:
    """Return a random hand, and up to four melds of a knocker, most of which fit a card of the hand."""
    hand = deal(chance, kind, size)
    taken, melds = set(hand), []
    for _try in range(chance.randint(1, 8)):
        meld = chance.choice(FITTING[chance.choice(hand)])
        if not meld & taken and len(melds) < 4:
            taken |= meld
            melds.append(chance.sample(sorted(meld), len(meld)))
    return hand, melds
