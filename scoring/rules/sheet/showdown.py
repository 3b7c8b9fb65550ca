"""Judge two hands laid on the table in a dispute, and determine the resulting line of the score sheet.

ShowdownHands ──judge_hands──► JudgedHands: the knock, the opponent's lay-offs, the line and who scores
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.rules.hand.arrangement import (
    MAX_HAND_CARDS,
    MIN_HAND_CARDS,
    Arrangement,
    CardGroup,
    arrange_against_knocker,
    arrange_hand,
    collect_hand_problems,
)
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import (
    FinishedHand,
    HandOutcome,
    KnockOptions,
    KnockRule,
    KnockVerdict,
    classify_knock,
    find_knock_options,
)
from scoring.rules.sheet.sheets import JudgedLine, ScoreSheet, judge_line
from tournament.cases import ProblemCollector
from tournament.errors import InputProblem, InvalidInput
from tournament.lazy_text import lazy_text

_ANNOUNCEMENTS: Final = {KnockVerdict.BIG_GIN: HandOutcome.BIG_GIN, KnockVerdict.GIN: HandOutcome.GIN}
"""The best possible announcement for a hand with this verdict.

A hand with any other verdict is announced as a knock.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowdownHands:
    """Two hands laid on the table. `by` is the side that laid down `hand`, which may still include the discard.

    If `announced` is None, the best possible announcement is assumed. `melds` are the melds as laid down after the
    discard. If `melds` is empty, the best arrangement is used. `opponent_hand` is the hand of the side `against`, or
    empty if that hand is unknown.
    """

    by: str
    against: str
    hand: tuple[PlayingCard, ...]
    melds: tuple[CardGroup, ...] = ()
    opponent_hand: tuple[PlayingCard, ...] = ()
    up: PlayingCard | None = None
    announced: HandOutcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedHands:
    """The verdict on two hands laid on the table.

    `knock` contains the best way to lay down the hand, and all possible discards. `laid_arrangement` is the hand as it
    was laid down, and `knock_verdict` is the verdict on it. `opponent_without_layoffs` is the opponent's hand without
    lay-offs, and `opponent_with_layoffs` is the same hand with lay-offs. Both are None if the opponent's hand is
    unknown. `judged_line` is the resulting line. If the line is rejected, `judged_line` is None and `problems` lists
    the reasons.
    """

    rule: KnockRule
    outcome: HandOutcome
    knock: KnockOptions
    laid_arrangement: Arrangement
    knock_verdict: KnockVerdict
    opponent_without_layoffs: Arrangement | None = None
    opponent_with_layoffs: Arrangement | None = None
    judged_line: JudgedLine | None = None
    problems: tuple[InputProblem, ...] = ()


def judge_hands(sheet: ScoreSheet, hands: ShowdownHands) -> JudgedHands:
    """Decide which side scores when two hands are laid on the table, and score them as the sheet's next line.

    >>> from scoring.rules.hand.cards import parse_card
    >>> from scoring.rules.sheet.sheets import make_empty_sheet, make_variant_rules
    >>> def cards(text): return tuple(parse_card(card) for card in text.split())
    >>> sheet = make_empty_sheet(make_variant_rules("gra-singles"), ["Ann", "Bob"])
    >>> verdict = judge_hands(sheet, ShowdownHands(by="Ann", against="Bob", up=parse_card("8H"),
    ...     hand=cards("AS 2S 3S 7H 7D 7C 9D 9H 9S 5C"), opponent_hand=cards("4S 5S KD KC KH QH QS 9C 2D 2H")))
    >>> verdict.judged_line.line_tally.explanation
    'knock: 5 against 24, difference 19: 19 to Ann, GRA singles rule 6'

    Raises:
        InvalidInput: the cards in `hand` or `other` are impossible: too few, too many, duplicates, or a card in both
            hands.
        ValueError: the sheet's game is not played with sets and runs.
    """
    rule = sheet.variant.make_knock_rule(hands.up)
    if rule is None:
        raise ValueError("this game has no hands of sets and runs")
    _require_possible_hands(hands, rule)
    knock = find_knock_options(hands.hand, rule)
    standing = classify_knock(_arrange_as_laid(hands).deadwood, rule) if hands.melds else knock.knock_verdict
    outcome = hands.announced or _ANNOUNCEMENTS.get(standing, HandOutcome.KNOCK)
    laid = _arrange_as_laid(hands) if hands.melds else _arrange_best(hands.hand, outcome, knock, rule)
    verdict = JudgedHands(rule=rule, outcome=outcome, knock=knock, laid_arrangement=laid, knock_verdict=standing)
    wrongly_announced = tuple(_check_announcement(outcome, sheet.variant.finishes[outcome], verdict))
    if not hands.opponent_hand:
        return replace(verdict, problems=wrongly_announced)
    melds = laid.melds if outcome is HandOutcome.KNOCK else ()
    other = arrange_against_knocker(hands.opponent_hand, melds, ace=rule.ace)
    verdict = replace(
        verdict,
        opponent_without_layoffs=arrange_hand(hands.opponent_hand, ace=rule.ace),
        opponent_with_layoffs=other,
        problems=wrongly_announced,
    )
    return verdict if wrongly_announced else _judge_as_line(sheet, hands, verdict)


def _arrange_best(
    hand: Sequence[PlayingCard], outcome: HandOutcome, knock: KnockOptions, rule: KnockRule
) -> Arrangement:
    """Return the best arrangement of the hand that fits the announcement.

    If the hand is big gin but was announced as something else, the best discard is removed first.
    """
    if knock.knock_verdict is not KnockVerdict.BIG_GIN or outcome is HandOutcome.BIG_GIN:
        return knock.best
    thrown = knock.discards[0].card
    return arrange_hand([card for card in hand if card != thrown], ace=rule.ace)


def _arrange_as_laid(hands: ShowdownHands) -> Arrangement:
    matched = {card for meld in hands.melds for card in meld}
    return Arrangement(melds=hands.melds, loose=tuple(card for card in hands.hand if card not in matched))


def _check_announcement(outcome: HandOutcome, word: str, verdict: JudgedHands) -> list[InputProblem]:
    if outcome is HandOutcome.BIG_GIN and verdict.knock_verdict is not KnockVerdict.BIG_GIN:
        message = lazy_text("This is not %(word)s: not every card is matched before a discard.", word=word)
    elif outcome is HandOutcome.GIN and verdict.laid_arrangement.deadwood:
        message = lazy_text("This is not gin: %(deadwood)s unmatched.", deadwood=verdict.laid_arrangement.deadwood)
    else:
        return []
    return [InputProblem("bad-value", "said", message)]


def _judge_as_line(sheet: ScoreSheet, hands: ShowdownHands, verdict: JudgedHands) -> JudgedHands:
    assert verdict.opponent_with_layoffs is not None
    finished = FinishedHand(
        outcome=verdict.outcome,
        by=hands.by,
        against=hands.against,
        own_count=verdict.laid_arrangement.deadwood,
        other_count=verdict.opponent_with_layoffs.deadwood,
        up=hands.up,
        missing=max(0, verdict.rule.hand_size - len(hands.opponent_hand)),
    )
    try:
        return replace(verdict, judged_line=judge_line(sheet, sheet.variant.make_showdown_line(finished)))
    except InvalidInput as refused:
        return replace(verdict, problems=tuple(refused.problems))


def _require_possible_hands(hands: ShowdownHands, rule: KnockRule) -> None:
    """Raise an error if a hand is impossible or both hands have the same card.

    Each problem has the path of its hand.
    """
    size, problems = rule.hand_size, ProblemCollector()
    if len(hands.hand) not in (size, size + 1):
        message = lazy_text(
            "A hand has %(size)s cards, or %(size_2)s before its discard; here are %(hand)s.",
            size=size,
            size_2=size + 1,
            hand=len(hands.hand),
        )
        problems.add_bad_value("hand", message)
    if hands.opponent_hand and not MIN_HAND_CARDS <= len(hands.opponent_hand) <= MAX_HAND_CARDS:
        problems.add_bad_value(
            "other",
            lazy_text("A hand has %(size)s cards; here are %(other)s.", size=size, other=len(hands.opponent_hand)),
        )
    _add_duplicate_problems(hands.hand, "hand", problems)
    _add_duplicate_problems(hands.opponent_hand, "other", problems)
    for card in dict.fromkeys(card for card in hands.opponent_hand if card in hands.hand):
        problems.add(
            "bad-card", "other", lazy_text("The %(name)s is in the other hand too: a deck has one.", name=card.name)
        )
    if hands.melds and len(hands.hand) > size:
        problems.add_bad_value(
            "hand", lazy_text("Where the melds are laid apart, leave the discard out: %(size)s cards.", size=size)
        )
    problems.raise_if_any()
    collect_hand_problems(None, hands.melds, rule.ace, problems)
    if problems:
        raise InvalidInput([replace(problem, path="hand") for problem in problems.found])


def _add_duplicate_problems(hand: Sequence[PlayingCard], path: str, problems: ProblemCollector) -> None:
    for card in dict.fromkeys(card for card in hand if hand.count(card) > 1):
        problems.add("bad-card", path, lazy_text("The %(name)s stands here twice: a deck has one.", name=card.name))
