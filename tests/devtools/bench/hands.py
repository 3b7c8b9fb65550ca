from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random

from scoring.rules.hand.arrangement import (
    AcePosition,
    arrange_against_knocker,
    combine_card_bits,
    find_best_arrangement,
    get_meld_lookup_tables,
)
from scoring.rules.hand.cards import PlayingCard, parse_card
from tests.devtools.bench.timing import Figure, NotMeasured, best
from tests.scoring.rules.hand.every_arrangement import DECK, best_key, is_meld
from tests.scoring.rules.hand.random_hands import deal, deal_against

try:
    from pyspiel import gin_rummy
except ImportError:
    gin_rummy = None

HANDS = 20_000
TRIED_OUT = 500
QUESTIONS = 2_000
ASKED_FOR_A_QUESTION = 50.0
KINDS = {"any": "ten random cards", "melded": "ten cards rich in melds"}

Question = tuple[list[PlayingCard], list[list[PlayingCard]]]


def each(work: Callable[..., object], hands: Sequence[object]) -> float:
    """Return the processor time of `work` per hand in microseconds, from the fastest of several passes."""

    def all_hands() -> None:
        for hand in hands:
            work(hand)

    return best(all_hands, clock=time.process_time) / len(hands) * 1000


def measure_counts(kind: str) -> list[Figure | NotMeasured]:
    """Measure the time to count deadwood, and compare it with OpenSpiel and with a search of all arrangements."""
    chance, count = Random(kind), get_meld_lookup_tables(AcePosition.LOW).compute_least_deadwood
    written = [deal(chance, kind, 10) for _ in range(HANDS)]
    hands = [combine_card_bits(map(parse_card, hand)) for hand in written]
    few = slice(TRIED_OUT)
    if [count(hand) for hand in hands[few]] != [best_key(hand)[0] for hand in written[few]]:
        raise ValueError("trying every arrangement counts otherwise")
    ours, tried = each(count, hands), each(best_key, written[few])
    name = f"deadwood of {KINDS[kind]}"
    numbers = [[DECK.index(card) for card in hand] for hand in written]
    found = _against_openspiel(name, ours, hands, numbers)
    every = f"trying every arrangement, {1000 / tried:.0f} thousand a second"
    return [*found, Figure(f"{name}, compared with a search", ours, tried, unit="µs", against=every, asked=False)]


def _against_openspiel(
    name: str, ours: float, hands: list[int], numbers: list[list[int]]
) -> list[Figure] | list[NotMeasured]:
    rated = f"{name} ({1 / ours:.2f} million hands a second)"
    if gin_rummy is None:
        return [NotMeasured(rated, "OpenSpiel is not installed")]
    count, theirs = (
        get_meld_lookup_tables(AcePosition.LOW).compute_least_deadwood,
        gin_rummy.GinRummyUtils(13, 4, 10).min_deadwood,
    )
    if [count(hand) for hand in hands] != [theirs(hand) for hand in numbers]:
        raise ValueError("OpenSpiel counts otherwise")
    bit_of = [1 << number for number in range(len(DECK))].__getitem__
    from_list = each(lambda hand: count(sum(map(bit_of, hand))), numbers)
    limit = each(theirs, numbers)
    return [
        Figure(rated, ours, limit, unit="µs", against=f"OpenSpiel, {1 / limit:.2f} million a second"),
        Figure(f"{name}, from a list of card numbers", from_list, limit, unit="µs", against="OpenSpiel", asked=False),
    ]


def measure_questions() -> list[Figure]:
    """Measure the time to find the best arrangement of a hand against a knocker's melds.

    The first figure is for the search alone. The second figure also includes reading, checking, and sorting the cards.
    """
    chance, melds = Random(0), get_meld_lookup_tables(AcePosition.LOW)
    in_cards: list[Question] = []
    while len(in_cards) < QUESTIONS:
        hand, knocker = deal_against(chance, "any", 10)
        if all(is_meld(meld, both=False) for meld in knocker):
            in_cards.append((list(map(parse_card, hand)), [list(map(parse_card, meld)) for meld in knocker]))
    in_bits = [(combine_card_bits(hand), [combine_card_bits(meld) for meld in knocker]) for hand, knocker in in_cards]
    searched = each(lambda question: find_best_arrangement(*question, melds), in_bits)
    whole = each(lambda question: arrange_against_knocker(*question), in_cards)
    name = "a lay-off question with ten cards and up to four melds"
    return [
        Figure(name, searched, ASKED_FOR_A_QUESTION, unit="µs"),
        Figure(
            "lay-off questions, including reading, checking, and sorting",
            whole,
            ASKED_FOR_A_QUESTION,
            unit="µs",
            asked=False,
        ),
    ]


def measure_hands() -> list[Figure | NotMeasured]:
    return [*measure_counts("any"), *measure_counts("melded"), *measure_questions()]
