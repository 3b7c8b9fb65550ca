from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from scoring.rules.hand.cards import DECK, PlayingCard
from scoring.rules.hand.hands import (
    HandOutcome,
    HandResult,
    HandScore,
    PointsOnlyHand,
    TypedGinOptions,
    UnscoredHand,
    compute_max_deadwood,
    score_hand,
)
from scoring.rules.sheet.sheets import judge_line, make_empty_sheet, make_variant_rules
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import LineTally
from tournament.errors import InputProblem, InvalidInput


def judged(line: dict[str, Any], rules: str = "gra-singles", **options: Any) -> LineTally:
    return judge_line(make_empty_sheet(make_variant_rules(rules, options), ["Ann", "Bob"]), line).line_tally


def refused(line: Any, rules: str = "gra-singles", **options: Any) -> list[InputProblem]:
    with pytest.raises(InvalidInput) as caught:
        judged(line, rules, **options)
    return caught.value.problems


def finish(outcome: str, own: int, other: int, **more: Any) -> dict[str, Any]:
    return {"up": "TH", "outcome": outcome, "by": "Ann", "counts": {"Ann": own, "Bob": other}, **more}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (finish("knock", 5, 20), "knock: 5 against 20, difference 15: 15 to Ann, GRA singles rule 6"),
        (finish("knock", 8, 8), "undercut: 8 against 8, difference 0, bonus 25: 25 to Bob, GRA singles rule 6"),
        (finish("gin", 0, 20), "gin: 20 unmatched, bonus 25: 45 to Ann, GRA singles rule 6"),
        (
            finish("gin", 0, 20, missing={"Bob": 1}),
            "gin: 30 unmatched (20 counted, 1 card missing 10, GRA singles rule 8), bonus 25: 55 to Ann, "
            "GRA singles rule 6",
        ),
        (
            finish("knock", 9, 20, missing={"Bob": 2}, extra={"Bob": ["KH", "3C"]}),
            "knock: 9 against 53 (20 counted, 2 cards missing 20, KH too many 10, 3C too many 3, GRA singles rule 8), "
            "difference 44: 44 to Ann, GRA singles rule 6",
        ),
        ({"outcome": "stock"}, "dead hand: the stock ran out, nobody scores, GRA singles rule 6"),
        ({"outcome": "void"}, "thrown in by a ruling: nobody scores"),
        ({"outcome": "points", "to": "Bob", "points": 32}, "points as recorded: 32 to Bob"),
        ({"outcome": "points", "points": 0}, "points as recorded: nobody scores"),
    ],
)
def test_the_calculation_is_explained(line: dict[str, Any], words: str) -> None:
    assert judged(line).explanation == words


def test_a_hand_without_a_score_gives_nobody_points() -> None:
    terms, book = (
        TypedGinOptions.from_options(make_variant_rules("gra-singles").options),
        VARIANTS["gra-singles"].rulebook,
    )
    for hand, event in (
        (UnscoredHand(outcome=HandOutcome.STOCK), HandResult.DEAD),
        (UnscoredHand(outcome=HandOutcome.VOID), HandResult.VOID),
        (PointsOnlyHand(to="Ann", points=0), HandResult.POINTS),
    ):
        verdict = score_hand(hand, terms, book)
        assert verdict == HandScore(event, None, 0, verdict.explanation)


def test_points_need_a_side() -> None:
    assert [(p.code, p.path) for p in refused({"outcome": "points", "points": 1})] == [("missing-field", "to")]
    assert judged({"outcome": "points", "points": 1, "to": "Bob"}).points == {"Ann": 0, "Bob": 1}


def test_big_gin_may_be_played_without_a_bonus() -> None:
    assert judged(finish("big-gin", 0, 20), big_gin_bonus=0).points == {"Ann": 20, "Bob": 0}


def test_counts_of_an_unknown_side_are_not_read_further() -> None:
    line = finish("gin", 0, 5, missing={"Cy": "x"}, extra={"Cy": 5})
    line["counts"]["Cy"] = "x"
    assert [(p.code, p.path) for p in refused(line)] == [
        ("unknown-side", "counts.Cy"),
        ("unknown-side", "missing.Cy"),
        ("unknown-side", "extra.Cy"),
    ]


def test_house_rules_are_not_cited() -> None:
    assert judged(finish("gin", 0, 20), "standard").explanation == "gin: 20 unmatched, bonus 25: 45 to Ann"
    doubled = judged(finish("big-gin", 0, 20, up="TS"), "oklahoma", big_gin_bonus=31).explanation
    assert doubled == "big-gin: 20 unmatched, bonus 31, doubled, spades up: 102 to Ann"
    nothing = judged(finish("knock", 5, 5), "standard", undercut_bonus=0)
    assert nothing.explanation == "undercut: 5 against 5, difference 0: nobody scores"
    assert (nothing.event, dict(nothing.points)) == ("undercut", {"Ann": 0, "Bob": 0})


@pytest.mark.parametrize(
    ("line", "code", "path", "sentence"),
    [
        (
            finish("knock", 10, 8, up="8H"), "knock-too-high", "counts.Ann",
            "You cannot knock with 10. The up card is 8♥, so 8 is the most. See GRA singles rule 4. "
            "It is played open, or the opponent accepts it. See GRA singles rule 9.",
        ),
        (
            finish("knock", 0, 8, up="AH"), "ace-requires-gin", "outcome",
            "The up card is an ace: the hand is played for gin, nobody can knock. See GRA singles rule 4.",
        ),
        (
            {"outcome": "knock", "by": "Ann", "counts": {"Ann": 2, "Bob": 8}}, "missing-field", "up",
            "“up” is missing: a knock is limited by the up card. See GRA singles rule 4.",
        ),
        (
            finish("gin", 3, 8), "bad-value", "counts.Ann",
            "3 does not go with gin: the player who gins has no unmatched points.",
        ),
        (
            finish("gin", 0, 8, missing={"Ann": 1}), "bad-value", "missing.Ann",
            "Only the opponent of Ann, who finished the hand, can have cards missing. See GRA singles rule 8.",
        ),
        (
            finish("gin", 0, 8, extra={"Ann": []}), "bad-value", "extra.Ann",
            "Only the opponent of Ann, who finished the hand, can have cards too many. See GRA singles rule 8.",
        ),
        (
            finish("gin", 0, 8, extra={"Bob": ["KH", "KH"]}), "bad-card", "extra.Bob[1]",
            "KH stands here twice: a deck has one king of hearts.",
        ),
        (
            finish("big-gin", 0, 8), "bad-value", "outcome",
            "Big gin is not played: this rule sheet has no bonus for it. Record it as gin.",
        ),
        (
            finish("gin", 0, 8, by="Cy"), "unknown-side", "by",
            '"Cy" is not a side of this sheet: Ann, Bob.',
        ),
        (finish("gin", 0, 8, by=["Ann"]), "bad-value", "by", "A list is not the name of a side."),
        (finish("gin", 0, 8, by=None), "bad-value", "by", "null is not the name of a side."),
        (
            {"outcome": "gin", "by": "Ann", "counts": {"Ann": 0}}, "missing-field", "counts.Bob",
            "The count of Bob is missing.",
        ),
    ],
)  # fmt: skip
def test_an_impossible_hand_is_refused_with_a_sentence(
    line: dict[str, Any], code: str, path: str, sentence: str
) -> None:
    assert refused(line) == [InputProblem(code, path, sentence)]


def test_the_refusal_under_a_fixed_knock_limit_does_not_name_the_up_card() -> None:
    [problem] = refused(finish("knock", 11, 20), "standard")
    assert problem == InputProblem("knock-too-high", "counts.Ann", "You cannot knock with 11. The most is 10.")


def test_a_fixed_knock_limit_applies_under_an_unreadable_up_card() -> None:
    line = finish("knock", 11, 20, up="1H")
    assert [p.code for p in refused(line, "standard")] == ["bad-card", "knock-too-high"]
    assert [p.code for p in refused(line, "gra-singles")] == ["bad-card"]


def test_an_ace_requires_gin_under_any_knock_limit() -> None:
    line = finish("knock", 3, 20, up="AD")
    assert [p.code for p in refused(line, "gra-singles", knock=5)] == ["ace-requires-gin"]
    assert judged(line, "gra-singles", knock=5, ace="one").points == {"Ann": 17, "Bob": 0}


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ({"outcome": "stock", "counts": {}}, ["counts"]),
        ({"outcome": "void", "missing": {}, "points": 0}, ["missing", "points"]),
        ({"outcome": "points", "points": 0, "by": "Ann"}, ["by"]),
        (finish("gin", 0, 5, to="Ann", points=30), ["to", "points"]),
        ({"outcome": "stock", "Up": "8H"}, ["Up"]),
    ],
)
def test_a_field_of_another_outcome_is_unknown(line: dict[str, Any], paths: list[str]) -> None:
    assert [(p.code, p.path) for p in refused(line)] == [("unknown-field", path) for path in paths]


def test_with_an_unknown_outcome_the_other_fields_are_not_judged() -> None:
    line = {"outcome": "tie", "by": "Ann", "counts": {}, "missing": {}, "extra": {}, "to": "Ann", "points": 1, "x": 1}
    assert [(p.code, p.path) for p in refused(line)] == [("bad-value", "outcome"), ("unknown-field", "x")]


@pytest.mark.parametrize("cards", [-1, 11, 1.0, None])
def test_a_hand_can_miss_up_to_ten_cards(cards: Any) -> None:
    assert [(p.code, p.path) for p in refused(finish("gin", 0, 5, missing={"Bob": cards}))] == [
        ("bad-value", "missing.Bob")
    ]
    assert judged(finish("gin", 0, 0, missing={"Bob": 10})).points["Ann"] == 125


def test_counts_and_points_have_an_upper_limit() -> None:
    assert judged(finish("gin", 0, 10**9)).points["Ann"] == 10**9 + 25
    assert [p.code for p in refused(finish("gin", 0, 10**9 + 1))] == ["bad-value"]
    assert [p.code for p in refused({"outcome": "points", "to": "Ann", "points": 10**9 + 1})] == ["bad-value"]
    assert [p.code for p in refused({"outcome": "points", "to": "Ann", "points": -1})] == ["bad-value"]
    assert [p.code for p in refused(finish("gin", 0, -1))] == ["bad-value"]


# --- How much a hand can count --------------------------------------------------------------------------------------


def is_meld(cards: tuple[PlayingCard, ...]) -> bool:
    ranks = sorted("A23456789TJQK".index(card.rank) for card in cards)
    one_suit = len({card.suit for card in cards}) == 1
    return len(set(ranks)) == 1 or (one_suit and ranks == list(range(ranks[0], ranks[0] + len(cards))))


def test_ten_cards_can_count_98_and_no_more() -> None:
    highest = [DECK[c] for c in ["TC", "TD", "JC", "JD", "QH", "QS", "KH", "KS", "9H", "9S"]]
    assert not any(is_meld(three) for three in combinations(highest, 3))
    assert sum(card.value for card in highest) == compute_max_deadwood() == 98
    # For any ten cards: at most two a rank stay loose, so no more than the ten best of two a rank.
    two_a_rank = sorted((card.value for card in DECK.values() if card.suit in "CD"), reverse=True)
    assert [compute_max_deadwood(n) for n in range(11)] == [sum(two_a_rank[:n]) for n in range(11)]


def test_the_most_points_of_one_hand() -> None:
    def most(up: str | None, rules: str = "gra-singles", **options: Any) -> int:
        terms = TypedGinOptions.from_options(make_variant_rules(rules, options).options)
        return terms.compute_max_points(DECK[up] if up else None)

    assert most("8H") == most(None) == 98 + 25
    assert most("8H", gin_bonus=0, undercut_bonus=0) == 98
    assert most("8H", big_gin_bonus=31) == 98 + 31
    assert most("8H", undercut_bonus=200) == 8 + 200
    assert most(None, undercut_bonus=200) == 10 + 200
    assert most("8H", "standard", undercut_bonus=200) == 10 + 200
    assert most("8S", "oklahoma") == most(None, "oklahoma") == 2 * 123
    assert most("8H", "oklahoma") == most("8S") == 123
