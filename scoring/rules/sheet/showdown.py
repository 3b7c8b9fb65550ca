"""Two hands on the table in a dispute: what each amounts to, and the line that they make on the sheet.

     ShownHands ──judge_hands──► JudgedHands: the knock, the opponent's lay-offs, the line and who scores

This module counts nothing itself. `scoring.rules.hand.arrangement` arranges the hands, `scoring.rules.hand.hands`
checks the knock, and `judge_line` judges the line like a scorer's line.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.rules.hand.arrangement import (
    FEWEST_CARDS,
    MOST_CARDS,
    Arrangement,
    CardGroup,
    add_hand_problems,
    arrange,
    arrange_against,
)
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import (
    FinishedHand,
    KnockOptions,
    KnockRule,
    KnockStanding,
    Outcome,
    knock_options,
    knock_standing,
)
from scoring.rules.sheet.sheets import JudgedLine, Sheet, judge_line
from tournament.cases import Problems
from tournament.errors import BadCase, Problem
from tournament.lazy_text import lazy_text

_ANNOUNCEMENTS: Final = {KnockStanding.BIG_GIN: Outcome.BIG_GIN, KnockStanding.GIN: Outcome.GIN}
"""The announcement for a hand at its best. Every other hand is a knock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHands:
    """Two hands laid on the table. `by` laid down `hand`, before the discard or after it.

    `said` is the announcement, or None for the best one. `melds` are the melds as laid apart (after the discard), or
    empty for the arrangement that is best for `by`. `other` is the hand of `against`, or empty if it is not known.
    """

    by: str
    against: str
    hand: tuple[PlayingCard, ...]
    melds: tuple[CardGroup, ...] = ()
    other: tuple[PlayingCard, ...] = ()
    up: PlayingCard | None = None
    said: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedHands:
    """The verdict on two hands.

    `knock` is the hand at its best, with every discard. `laid` is its arrangement as laid down, and `standing` its
    standing. `alone` is the other hand by itself. `other` is the other hand against the hand laid down, with lay-offs.
    Nothing is laid off on a gin. Both are None if the other hand is not known. `judged` is the line and its worth, or
    None if the line is refused, and `refused` has the reasons.
    """

    rule: KnockRule
    outcome: Outcome
    knock: KnockOptions
    laid: Arrangement
    standing: KnockStanding
    alone: Arrangement | None = None
    other: Arrangement | None = None
    judged: JudgedLine | None = None
    refused: tuple[Problem, ...] = ()


def judge_hands(sheet: Sheet, shown: ShownHands) -> JudgedHands:
    """Judge two hands as the next line of the sheet.

    >>> from scoring.rules.hand.cards import parse_card
    >>> from scoring.rules.sheet.sheets import open_sheet, rule_sheet
    >>> def cards(text): return tuple(parse_card(card) for card in text.split())
    >>> sheet = open_sheet(rule_sheet("gra-singles"), ["Ann", "Bob"])
    >>> found = judge_hands(sheet, ShownHands(by="Ann", against="Bob", up=parse_card("8H"),
    ...     hand=cards("AS 2S 3S 7H 7D 7C 9D 9H 9S 5C"), other=cards("4S 5S KD KC KH QH QS 9C 2D 2H")))
    >>> found.judged.counted.explanation
    'knock: 5 against 24, difference 19: 19 to Ann, GRA singles rule 6'

    Raises:
        BadCase: the cards are impossible (`hand`, `other`): too few, too many, one twice, or one in both hands.
        ValueError: the sheet's game has no hands of sets and runs.
    """
    rule = sheet.variant.knock_rule(shown.up)
    if rule is None:
        raise ValueError("this game has no hands of sets and runs")
    _refuse_cards(shown, rule)
    knock = knock_options(shown.hand, rule)
    standing = knock_standing(_arrange_as_laid(shown).deadwood, rule) if shown.melds else knock.standing
    outcome = shown.said or _ANNOUNCEMENTS.get(standing, Outcome.KNOCK)
    laid = _arrange_as_laid(shown) if shown.melds else _arrange_best(shown.hand, outcome, knock, rule)
    found = JudgedHands(rule=rule, outcome=outcome, knock=knock, laid=laid, standing=standing)
    wrongly_announced = tuple(_check_announcement(outcome, sheet.variant.finishes[outcome], found))
    if not shown.other:
        return replace(found, refused=wrongly_announced)
    melds = laid.melds if outcome is Outcome.KNOCK else ()
    other = arrange_against(shown.other, melds, ace=rule.ace)
    found = replace(found, alone=arrange(shown.other, ace=rule.ace), other=other, refused=wrongly_announced)
    return found if wrongly_announced else _judge_as_line(sheet, shown, found)


def _arrange_best(hand: Sequence[PlayingCard], outcome: Outcome, knock: KnockOptions, rule: KnockRule) -> Arrangement:
    """Return the arrangement as laid down.

    A player who could have big gin but announced something else has discarded.
    """
    if knock.standing is not KnockStanding.BIG_GIN or outcome is Outcome.BIG_GIN:
        return knock.best
    thrown = knock.discards[0].card
    return arrange([card for card in hand if card != thrown], ace=rule.ace)


def _arrange_as_laid(shown: ShownHands) -> Arrangement:
    matched = {card for meld in shown.melds for card in meld}
    return Arrangement(melds=shown.melds, loose=tuple(card for card in shown.hand if card not in matched))


def _check_announcement(outcome: Outcome, word: str, found: JudgedHands) -> list[Problem]:
    if outcome is Outcome.BIG_GIN and found.standing is not KnockStanding.BIG_GIN:
        message = lazy_text("This is not %(word)s: not every card is matched before a discard.", word=word)
    elif outcome is Outcome.GIN and found.laid.deadwood:
        message = lazy_text("This is not gin: %(deadwood)s unmatched.", deadwood=found.laid.deadwood)
    else:
        return []
    return [Problem("bad-value", "said", message)]


def _judge_as_line(sheet: Sheet, shown: ShownHands, found: JudgedHands) -> JudgedHands:
    assert found.other is not None
    finished = FinishedHand(
        outcome=found.outcome,
        by=shown.by,
        against=shown.against,
        own_count=found.laid.deadwood,
        other_count=found.other.deadwood,
        up=shown.up,
        missing=max(0, found.rule.hand_size - len(shown.other)),
    )
    try:
        return replace(found, judged=judge_line(sheet, sheet.variant.showdown_line(finished)))
    except BadCase as refused:
        return replace(found, refused=tuple(refused.problems))


def _refuse_cards(shown: ShownHands, rule: KnockRule) -> None:
    """Refuse hands that `arrange` would refuse, and a card in both hands, each at the hand where it is."""
    size, problems = rule.hand_size, Problems()
    if len(shown.hand) not in (size, size + 1):
        message = lazy_text(
            "A hand has %(size)s cards, or %(size_2)s before its discard; here are %(hand)s.",
            size=size,
            size_2=size + 1,
            hand=len(shown.hand),
        )
        problems.bad("hand", message)
    if shown.other and not FEWEST_CARDS <= len(shown.other) <= MOST_CARDS:
        problems.bad(
            "other", lazy_text("A hand has %(size)s cards; here are %(other)s.", size=size, other=len(shown.other))
        )
    _refuse_duplicates(shown.hand, "hand", problems)
    _refuse_duplicates(shown.other, "other", problems)
    for card in dict.fromkeys(card for card in shown.other if card in shown.hand):
        problems.add(
            "bad-card", "other", lazy_text("The %(name)s is in the other hand too: a deck has one.", name=card.name)
        )
    if shown.melds and len(shown.hand) > size:
        problems.bad(
            "hand", lazy_text("Where the melds are laid apart, leave the discard out: %(size)s cards.", size=size)
        )
    problems.check()
    add_hand_problems(None, shown.melds, rule.ace, problems)
    if problems:
        raise BadCase([replace(problem, path="hand") for problem in problems.found])


def _refuse_duplicates(hand: Sequence[PlayingCard], path: str, problems: Problems) -> None:
    for card in dict.fromkeys(card for card in hand if hand.count(card) > 1):
        problems.add("bad-card", path, lazy_text("The %(name)s stands here twice: a deck has one.", name=card.name))
