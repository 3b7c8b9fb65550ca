"""The program's best arrangement of a hand is compared with a search that tries every arrangement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest

from scoring.rules.hand.arrangement import (
    AcePosition,
    Arrangement,
    arrange_against_knocker,
    arrange_hand,
    combine_card_bits,
    get_meld_lookup_tables,
)
from scoring.rules.hand.cards import PlayingCard, parse_card
from tests.chance import examples
from tests.scoring.rules.hand.every_arrangement import DECK, best_key, every_meld, is_meld, is_run
from tests.scoring.rules.hand.random_hands import KINDS, deal, deal_against

SIZES = range(7, 15)
HANDS = examples(540)
ACES = pytest.mark.parametrize("ace", list(AcePosition))
OF_ALL_KINDS = pytest.mark.parametrize("kind", KINDS)


def texts(cards: Iterable[PlayingCard]) -> list[str]:
    return [str(card) for card in cards]


def key_of(found: Arrangement, *, both: bool) -> tuple[int, int, int, int]:
    laid_off = sum(map(len, found.layoffs))
    runs = sum(is_run(texts(meld), both=both) for meld in found.melds)
    return found.deadwood, len(found.loose), laid_off, runs


def assert_legal(found: Arrangement, hand: list[str], knocker: list[list[str]], *, both: bool) -> None:
    """Assert that every card of the hand is exactly once in a meld, laid off, or loose."""
    groups = [*found.melds, *found.layoffs, found.loose]
    assert Counter(texts(card for group in groups for card in group)) == Counter(hand)
    assert all(is_meld(texts(meld), both=both) for meld in found.melds)
    for meld, cards in zip(knocker, found.layoffs, strict=True):
        assert is_meld([*meld, *texts(cards)], both=both)


@pytest.mark.sample("arrangements", 2)
@ACES
@OF_ALL_KINDS
@pytest.mark.parametrize("size", SIZES)
def test_no_arrangement_of_a_hand_is_better(size: int, kind: str, ace: AcePosition) -> None:
    chance, both = Random(size), ace is AcePosition.BOTH
    for _ in range(HANDS):
        hand = deal(chance, kind, size)
        found = arrange_hand([parse_card(card) for card in hand], ace=ace)
        assert_legal(found, hand, [], both=both)
        assert key_of(found, both=both) == best_key(hand, both=both), hand


@pytest.mark.sample("arrangements", 2)
@ACES
@OF_ALL_KINDS
@pytest.mark.parametrize("size", SIZES)
def test_no_arrangement_against_a_knocker_is_better(size: int, kind: str, ace: AcePosition) -> None:
    chance, both = Random(size), ace is AcePosition.BOTH
    laid_off = 0
    for _ in range(HANDS):
        hand, knocker = deal_against(chance, kind, size)
        on_table = [[parse_card(card) for card in meld] for meld in knocker]
        found = arrange_against_knocker([parse_card(card) for card in hand], on_table, ace=ace)
        assert_legal(found, hand, knocker, both=both)
        assert key_of(found, both=both) == best_key(hand, knocker, both=both), (hand, knocker)
        laid_off += any(found.layoffs)
    assert laid_off > HANDS // 10, "there should be something to lay off"


@ACES
@OF_ALL_KINDS
def test_the_quick_count_is_the_count_of_the_arrangement(kind: str, ace: AcePosition) -> None:
    chance, melds = Random(kind), get_meld_lookup_tables(ace)
    for _ in range(HANDS * len(SIZES)):
        hand = [parse_card(card) for card in deal(chance, kind, chance.choice(SIZES))]
        assert melds.compute_least_deadwood(combine_card_bits(hand)) == arrange_hand(hand, ace=ace).deadwood, hand


@ACES
def test_the_melds_are_those_of_the_rules(ace: AcePosition) -> None:
    rules = {combine_card_bits(map(parse_card, meld)) for meld in every_meld(DECK, both=ace is AcePosition.BOTH)}
    assert set(get_meld_lookup_tables(ace).extensions) == rules
