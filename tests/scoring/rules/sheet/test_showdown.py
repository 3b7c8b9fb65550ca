"""Two hands are laid on the table. The program checks the knock, lays off cards, and returns the line to record."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.hand.arrangement import AcePosition
from scoring.rules.hand.cards import DECK, PlayingCard, parse_card
from scoring.rules.hand.hands import HandOutcome, KnockVerdict
from scoring.rules.sheet.sheets import ScoreSheet, make_empty_sheet, make_variant_rules
from scoring.rules.sheet.showdown import JudgedHands, ShowdownHands, judge_hands
from scoring.rules.variants import VARIANTS
from tests.chance import examples
from tests.scoring.rules.helpers import problems_of
from tournament.errors import InvalidInput

HAS_HANDS = {"gra-singles", "gra-partnership", "standard", "oklahoma", "hollywood", "captain", "metzker"}
FIVE = "AS 2S 3S 7H 7D 7C 9D 9H 9S 5C"
GIN = "AS 2S 3S 7H 7D 7C 9D 9H 9S 9C"
OTHER = "4S 5S KD KC KH QH QS 8C 2D 2H"


def cards(text: str) -> tuple[PlayingCard, ...]:
    return tuple(parse_card(card) for card in text.split())


def a_sheet(rules: str = "gra-singles", **options: object) -> ScoreSheet:
    variant = VARIANTS[rules]
    names = ("Ann", "Bob", "Cy")[: variant.fewest_sides]
    return make_empty_sheet(make_variant_rules(rules, options), names)


def judged(hand: str, other: str = OTHER, up: str = "8H", said: HandOutcome | None = None, **of: object) -> JudgedHands:
    sheet = a_sheet(**of) if of else a_sheet()
    shown = ShowdownHands(by="Ann", against="Bob", hand=cards(hand), opponent_hand=cards(other), announced=said,
                       up=parse_card(up) if up else None)  # fmt: skip
    return judge_hands(sheet, shown)


def test_the_rule_sets_whose_hands_can_be_judged() -> None:
    assert {name for name in VARIANTS if _variant(name).make_knock_rule(None) is not None} == HAS_HANDS


def _variant(name: str) -> object:
    variant = VARIANTS[name]
    return variant(("Ann", "Bob", "Cy", "Di")[: variant.fewest_sides], variant.defaults())


def test_a_knock_with_lay_offs() -> None:
    found = judged(FIVE)
    assert (found.knock.knock_verdict, found.outcome, found.laid_arrangement.deadwood) == (
        KnockVerdict.KNOCK,
        HandOutcome.KNOCK,
        5,
    )
    assert found.opponent_without_layoffs is not None
    assert found.opponent_with_layoffs is not None
    assert (found.opponent_without_layoffs.deadwood, found.opponent_with_layoffs.deadwood) == (41, 32)
    assert found.opponent_with_layoffs.layoffs[0] == cards("4S 5S")
    assert found.judged_line is not None
    assert found.judged_line.as_json() == {"up": "8H", "outcome": "knock", "by": "Ann", "counts": {"Ann": 5, "Bob": 32}}
    assert found.judged_line.line_tally.points == {"Ann": 27, "Bob": 0}


def test_a_knock_over_the_up_card_is_refused_as_on_the_sheet() -> None:
    found = judged(FIVE, up="4D")
    assert found.knock.knock_verdict is KnockVerdict.TOO_HIGH
    assert found.judged_line is None
    assert "You cannot knock with 5. The up card is 4♦, so 4 is the most" in found.problems[0].message
    assert found.problems[0].code == "knock-too-high"


def test_an_ace_requires_gin_and_a_missing_up_card_leaves_it_open() -> None:
    assert judged(FIVE, up="AD").problems[0].code == "ace-requires-gin"
    assert judged(FIVE, up="").knock.knock_verdict is KnockVerdict.NO_UP_CARD
    assert judged(FIVE, up="").problems[0].path == "up"


def test_nothing_is_laid_off_on_a_gin() -> None:
    found = judged(GIN)
    assert found.outcome is HandOutcome.GIN
    assert found.opponent_with_layoffs is not None
    assert (found.opponent_with_layoffs.deadwood, found.opponent_with_layoffs.layoffs) == (41, ())
    assert found.judged_line is not None
    assert found.judged_line.line_tally.points == {"Ann": 66, "Bob": 0}


def test_a_player_who_could_have_gone_gin_may_have_knocked() -> None:
    found = judged(GIN, said=HandOutcome.KNOCK)
    assert found.judged_line is not None
    assert found.judged_line.line_tally.points == {"Ann": 32, "Bob": 0}
    assert judged(GIN, up="AD", said=HandOutcome.KNOCK).problems[0].code == "ace-requires-gin"


def test_a_false_gin_is_refused_at_the_announcement() -> None:
    found = judged(FIVE, said=HandOutcome.GIN)
    assert (found.problems[0].path, found.problems[0].message) == ("said", "This is not gin: 5 unmatched.")
    assert found.judged_line is None


def test_big_gin_exists_only_if_it_is_played() -> None:
    eleven = "AS 2S 3S 7H 7D 7C 9D 9H 9S 9C 4S"
    other = OTHER.replace("4S", "4D")
    big = judged(eleven, other, rules="standard")
    assert (big.knock.knock_verdict, big.laid_arrangement.melds[0]) == (KnockVerdict.BIG_GIN, cards("AS 2S 3S 4S"))
    assert big.judged_line is not None
    assert big.judged_line.as_json()["outcome"] == "big-gin"
    gin = judged(eleven, other, rules="standard", said=HandOutcome.GIN)
    assert gin.judged_line is not None
    assert sum(map(len, gin.laid_arrangement.melds)) == 10
    assert big.judged_line.line_tally.points["Ann"] == gin.judged_line.line_tally.points["Ann"] + 6
    assert judged(eleven, other).outcome is HandOutcome.GIN
    assert "This is not big gin" in judged(FIVE, rules="standard", said=HandOutcome.BIG_GIN).problems[0].message


def test_aces_are_high_or_low_as_the_rule_set_declares() -> None:
    assert {name for name, variant in VARIANTS.items() if variant.aces is AcePosition.BOTH} == {"metzker"}
    twelve = "QS KS AS 7H 7D 7C 9D 9H 9S 5C 5D 5H"
    found = judged(twelve, "4S 6S KD KC KH QH 8S 8C 2D 2H 3C TC", rules="metzker")
    assert found.outcome is HandOutcome.GIN
    assert found.judged_line is not None
    assert found.judged_line.as_json()["results"][0]["outcome"] == "gin"
    drawn = judged(f"{twelve} TH", "4S 6S KD KC KH QH 8S 8C 2D 2H 3C TC", rules="metzker", said=HandOutcome.KNOCK)
    assert drawn.judged_line is not None
    assert drawn.judged_line.as_json()["results"][0]["outcome"] == "run"
    assert "This is not double gin" in judged(
        f"{twelve} TH", "4S 6S KD KC KH QH 8S 8C 2D 2H 3C TC", rules="metzker", said=HandOutcome.BIG_GIN
    ).problems[0].message  # fmt: skip


def test_a_missing_card_costs_ten_and_is_on_the_line() -> None:
    found = judged(FIVE, OTHER.removesuffix(" 2H"))
    assert found.judged_line is not None
    assert found.judged_line.as_json()["missing"] == {"Bob": 1}
    assert found.judged_line.line_tally.points == {"Ann": 35, "Bob": 0}


def test_a_board_of_a_partnership_is_judged_alone() -> None:
    board = judged(FIVE, rules="gra-partnership")
    assert board.judged_line is not None
    assert board.judged_line.line_tally.points == {"Ann": 27, "Bob": 0}
    captain = judged(FIVE, up="", rules="captain")
    assert captain.judged_line is not None
    assert captain.judged_line.line_tally.points == {"Ann": 27, "Bob": 0, "Cy": 0}


def test_melds_count_as_they_were_laid_down() -> None:
    hand, other = "4S 5S 6S 7S 7H 7D 7C 2D 2H 2C", "3S 8S KD KC KH QH QS JD JC 9D"
    for laid, laid_off, count in (
        (("4S 5S 6S 7S", "7H 7D 7C", "2D 2H 2C"), {"3S", "8S"}, 49),
        (("4S 5S 6S", "7S 7H 7D 7C", "2D 2H 2C"), {"3S"}, 57),
    ):
        melds = tuple(cards(meld) for meld in laid)
        shown = ShowdownHands(by="Ann", against="Bob", hand=cards(hand), melds=melds, opponent_hand=cards(other),
                           up=parse_card("8H"), announced=HandOutcome.KNOCK)  # fmt: skip
        found = judge_hands(a_sheet(), shown)
        assert found.opponent_with_layoffs is not None
        assert {str(card) for group in found.opponent_with_layoffs.layoffs for card in group} == laid_off
        assert found.opponent_with_layoffs.deadwood == count


def test_a_poor_arrangement_counts_as_laid_down() -> None:
    shown = ShowdownHands(by="Ann", against="Bob", hand=cards(FIVE), melds=(cards("AS 2S 3S"), cards("7H 7D 7C")),
                       opponent_hand=cards(OTHER), up=parse_card("KD"))  # fmt: skip
    found = judge_hands(a_sheet(), shown)
    assert (found.knock.best.deadwood, found.laid_arrangement.deadwood, found.knock_verdict) == (
        5,
        32,
        KnockVerdict.TOO_HIGH,
    )
    assert found.problems[0].code == "knock-too-high"


@pytest.mark.parametrize(
    ("hand", "melds", "message"),
    [(FIVE, ("AS 2S 7H",), "AS 2S 7H is not a meld"), (f"{FIVE} KS", ("AS 2S 3S",), "leave the discard out: 10 cards")],
)
def test_invalid_melds_are_refused_at_the_hand(hand: str, melds: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        judge_hands(a_sheet(), ShowdownHands(by="Ann", against="Bob", hand=cards(hand), melds=tuple(map(cards, melds))))
    assert [problem.path for problem in refused.value.problems] == ["hand"]
    assert message in refused.value.problems[0].message


def test_without_the_other_hand_only_the_knock_is_judged() -> None:
    found = judged(FIVE, "")
    assert (found.knock.knock_verdict, found.opponent_with_layoffs, found.judged_line) == (
        KnockVerdict.KNOCK,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("hand", "other", "paths"),
    [
        (FIVE.replace("5C", "AS"), OTHER, ["hand"]),
        (FIVE, OTHER.replace("2D", "2H"), ["other"]),
        (FIVE, OTHER.replace("2D", "5C"), ["other"]),
        (FIVE.removesuffix(" 5C"), OTHER, ["hand"]),
        ("AS AS", "KD KC", ["hand", "other", "hand"]),
    ],
)
def test_impossible_cards_are_refused_at_their_hand(hand: str, other: str, paths: list[str]) -> None:
    assert [path for _code, path in problems_of(judged, hand, other)] == paths


@settings(max_examples=examples(150), deadline=None)
@given(deal=st.permutations(sorted(DECK)), up=st.sampled_from(sorted(DECK)), drawn=st.booleans())
def test_any_two_hands_are_scored_or_refused(deal: list[str], up: str, drawn: bool) -> None:
    taken = 11 if drawn else 10
    found = judged(" ".join(deal[:taken]), " ".join(deal[20:30]), up=up, rules="standard", knock=10)
    assert found.opponent_without_layoffs is not None
    assert found.opponent_with_layoffs is not None
    assert found.opponent_with_layoffs.deadwood <= found.opponent_without_layoffs.deadwood
    assert (found.judged_line is None) == bool(found.problems) == (not found.knock.knock_verdict.is_legal)
    if found.judged_line is not None:
        assert sum(found.judged_line.line_tally.points.values()) >= abs(
            found.laid_arrangement.deadwood - found.opponent_with_layoffs.deadwood
        )
