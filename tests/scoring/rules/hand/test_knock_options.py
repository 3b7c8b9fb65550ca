"""An up card limits how a player may lay down a hand, before and after the discard."""

from __future__ import annotations

from random import Random

import pytest

from scoring.rules.hand.arrangement import AcePosition, arrange_hand
from scoring.rules.hand.cards import PlayingCard, parse_card
from scoring.rules.hand.hands import KnockOptions, KnockRule, KnockVerdict, TypedGinOptions, find_knock_options
from scoring.rules.variants import VARIANTS
from tests.scoring.rules.hand.random_hands import KINDS, deal
from tests.scoring.rules.helpers import problems_of
from tournament.errors import InvalidInput

TEN = "AS 2S 3S 7H 7D 7C 2D 4C AH AC"  # 8 points: 2, 4 and two aces


def cards(text: str) -> list[PlayingCard]:
    return [parse_card(card) for card in text.split()]


def under(up: str | None, rules: str = "gra-singles") -> KnockRule:
    terms = TypedGinOptions.from_options(VARIANTS[rules].defaults())
    return KnockRule.for_up_card(None if up is None else parse_card(up), terms)


def found(hand: str, rule: KnockRule) -> KnockOptions:
    return find_knock_options(cards(hand), rule)


@pytest.mark.parametrize(
    ("up", "standing", "is_legal"),
    [
        ("8H", KnockVerdict.KNOCK, True),
        ("KH", KnockVerdict.KNOCK, True),
        ("7H", KnockVerdict.TOO_HIGH, False),
        ("AH", KnockVerdict.ACE_REQUIRES_GIN, False),
        (None, KnockVerdict.NO_UP_CARD, None),
    ],
)
def test_a_hand_laid_down_is_judged_under_the_up_card(
    up: str | None, standing: KnockVerdict, is_legal: bool | None
) -> None:
    options = found(TEN, under(up))
    assert (options.knock_verdict, options.knock_verdict.is_legal) == (standing, is_legal)
    assert (options.best.deadwood, options.discards) == (8, ())


@pytest.mark.parametrize("up", ["2H", "AH", None])
def test_gin_is_legal_under_any_up_card_and_none(up: str | None) -> None:
    options = found("AS 2S 3S 7H 7D 7C KD QD JD TD", under(up))
    assert options.knock_verdict is KnockVerdict.GIN
    assert options.knock_verdict.is_legal is True


def test_standard_rules_knock_with_ten_under_any_card_even_an_ace() -> None:
    ten, many = "AS 2S 3S 7H 7D 7C 9S 8S 7S TD", "AS 2S 3S 7H 7D 7C JS 8C 5D KC"
    assert found(ten, under("AH", "standard")).knock_verdict is KnockVerdict.KNOCK
    assert found(ten, under("5H")).knock_verdict is KnockVerdict.TOO_HIGH
    assert found(many, under("AH", "standard")).knock_verdict is KnockVerdict.TOO_HIGH


def test_before_the_discard_every_card_is_tried_best_first() -> None:
    options = found(f"{TEN} KD", under("8H"))
    first, second, *_others, last = options.discards
    assert (str(first.card), first.deadwood, first.knock_verdict) == ("KD", 8, KnockVerdict.KNOCK)
    assert (str(second.card), second.deadwood, second.knock_verdict) == ("4C", 14, KnockVerdict.TOO_HIGH)
    assert (len(options.discards), last.deadwood) == (11, 32)
    assert options.best == arrange_hand(cards(TEN))


def test_a_matched_card_can_be_the_best_discard() -> None:
    options = found("AS 2S 3S 4S 7H 7D 7C KD QD JD TD", under("AH"))
    assert options.knock_verdict is KnockVerdict.GIN
    assert {str(d.card) for d in options.discards if d.deadwood == 0} == {"AS", "4S", "KD", "TD"}


def test_big_gin_counts_only_if_it_is_played() -> None:
    hand = "AS 2S 3S 4S 7H 7D 7C KD QD JD TD"
    assert found(hand, under("5H", "standard")).knock_verdict is KnockVerdict.BIG_GIN
    assert len(found(hand, under("5H", "standard")).best.melds) == 3
    assert not found(hand, under("5H", "standard")).best.loose
    assert found(hand, under("5H", "gra-singles")).knock_verdict is KnockVerdict.GIN
    assert found(TEN, under("8H", "standard")).knock_verdict is KnockVerdict.KNOCK


def test_twelve_cards_and_high_aces_in_the_couples_game() -> None:
    couples = KnockRule(limit=9, allows_big_gin=True, hand_size=12, ace=AcePosition.BOTH)
    twelve = "QS KS AS 7H 7D 7C 2D 3D 4D 5D 6D 8C"
    assert found(twelve, couples).knock_verdict is KnockVerdict.KNOCK
    assert found(f"{twelve} 7S", couples).knock_verdict is KnockVerdict.GIN
    assert found(f"{twelve} 7S".replace("8C", "AD"), couples).knock_verdict is KnockVerdict.BIG_GIN
    with pytest.raises(InvalidInput):
        found(TEN, couples)


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_discard_leaves_the_fewest_points(kind: str) -> None:
    chance = Random(kind)
    for _ in range(200):
        hand = [parse_card(card) for card in deal(chance, kind, 11)]
        options = find_knock_options(hand, under("5H"))
        left = {card: arrange_hand([other for other in hand if other != card]).deadwood for card in hand}
        assert {discard.card: discard.deadwood for discard in options.discards} == left
        assert options.best.deadwood == min(left.values())


@pytest.mark.parametrize("size", [7, 9, 12])
def test_too_few_or_too_many_cards_are_refused(size: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        find_knock_options(cards(f"{TEN} KD QD")[:size], under("8H"))
    assert [(p.code, p.path) for p in refused.value.problems] == [("bad-value", "hand")]
    assert f"A hand has 10 cards, or 11 before its discard; here are {size}." == refused.value.problems[0].message


def test_a_card_twice_is_refused() -> None:
    assert problems_of(found, f"{TEN} AC", under("8H")) == [("bad-card", "hand")]
