"""The status of a signed card depends on the results of its match. These tests need no database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pairing.draws.results import CardStatusKind
from scoring.rules.sheet.card_status import (
    CardOutcome,
    RecordedResult,
    find_valid_results,
    judge_card_by_totals,
    judge_changed_card,
    judge_signed_card,
    matches_result_exactly,
)

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
WON = {4: ("win", "played"), 9: ("loss", "played")}
LOST = {4: ("loss", "played"), 9: ("win", "played")}
VOID = {4: ("none", "void"), 9: ("none", "void")}
POINTS = {4: 150, 9: 90}
SAYS = CardOutcome(winner=4, credits=WON, points={4: 150, 9: 90}, since=NOON)


def at(minutes: int) -> datetime:
    return NOON + timedelta(minutes=minutes)


def row(key: int, minutes: int, winner: int | None, credits: Any, **more: Any) -> RecordedResult:
    return RecordedResult(key=key, at=at(minutes), winner=winner, credits=credits, supersedes=key - 1 or None, **more)


BY_CARD = row(1, 0, 4, WON, points={4: 150, 9: 90}, by_cards=True)
AGAINST = row(2, 5, 9, LOST, points={4: 90, 9: 150})


def test_the_cards_own_result_leaves_it_standing() -> None:
    assert judge_signed_card(NOON, SAYS, find_valid_results([BY_CARD])) == (CardStatusKind.STANDS, None, BY_CARD)


def test_a_card_without_a_result_disagrees_if_the_cards_have_a_winner() -> None:
    """The players signed after a decision, and the decision was undone."""
    assert judge_signed_card(NOON, SAYS, []) == (CardStatusKind.DISAGREES, None, None)
    for open_ in (CardOutcome(winner=None), replace(SAYS, is_fully_signed=False)):
        assert judge_signed_card(NOON, open_, []) == (CardStatusKind.STANDS, None, None)


def test_a_later_decision_against_the_card_supersedes_it() -> None:
    judged = judge_signed_card(NOON, SAYS, find_valid_results([BY_CARD, AGAINST]))
    assert judged == (CardStatusKind.SUPERSEDED, AGAINST, AGAINST)


@pytest.mark.parametrize(
    ("credits", "points", "kind"),
    [
        (WON, {4: 150, 9: 90}, CardStatusKind.STANDS),
        (WON, {}, CardStatusKind.STANDS),
        ({4: ("win", "time"), 9: ("loss", "time")}, {4: 150, 9: 90}, CardStatusKind.STANDS),
        (WON, {4: 150, 9: 91}, CardStatusKind.SUPERSEDED),
        ({4: ("win", "walk-over"), 9: ("loss", "no-show")}, {}, CardStatusKind.SUPERSEDED),
        ({4: ("none", "penalty"), 9: ("loss", "penalty")}, {}, CardStatusKind.SUPERSEDED),
    ],
)
def test_a_decision_for_the_same_winner(credits: Any, points: Any, kind: CardStatusKind) -> None:
    assert judge_signed_card(NOON, SAYS, find_valid_results([BY_CARD, row(2, 5, 4, credits, points=points)]))[0] is kind


NOBODY = {4: ("loss", "no-show"), 9: ("loss", "no-show")}
OF_A_DRAWN_GAME = CardOutcome(winner=None, points={4: 120, 9: 120}, since=NOON)
NOBODY_WINS = row(1, 5, None, NOBODY)


def test_a_result_without_a_winner_supersedes_a_card_with_one() -> None:
    judged = judge_signed_card(NOON, CardOutcome(winner=None), find_valid_results([NOBODY_WINS]), alone=SAYS)
    assert judged == (CardStatusKind.SUPERSEDED, NOBODY_WINS, NOBODY_WINS)


def test_a_result_without_a_winner_agrees_with_the_card_of_a_drawn_game() -> None:
    judged = judge_signed_card(
        NOON, CardOutcome(winner=None), find_valid_results([NOBODY_WINS]), alone=OF_A_DRAWN_GAME, is_drawn=True
    )
    assert judged == (CardStatusKind.STANDS, None, NOBODY_WINS)
    later = CardOutcome(winner=4, credits=WON, points={4: 150, 9: 90}, since=at(9))
    assert (
        judge_signed_card(NOON, later, find_valid_results([NOBODY_WINS]), alone=OF_A_DRAWN_GAME, is_drawn=True)[0]
        is CardStatusKind.STANDS
    )


def test_a_replay_supersedes_the_card_of_a_drawn_game() -> None:
    again = row(1, 5, None, VOID)
    judged = judge_signed_card(
        NOON, CardOutcome(winner=None), find_valid_results([again]), alone=OF_A_DRAWN_GAME, is_drawn=True
    )
    assert judged[:2] == (CardStatusKind.SUPERSEDED, again)


def test_a_card_signed_after_the_result_disagrees() -> None:
    said = CardOutcome(winner=9, credits=LOST, points={4: 90, 9: 150}, since=at(9))
    judged = judge_signed_card(at(9), said, find_valid_results([BY_CARD]))
    assert judged == (CardStatusKind.DISAGREES, None, BY_CARD)


def test_of_several_games_only_the_card_signed_late_disagrees() -> None:
    said = CardOutcome(winner=9, credits=LOST, points={4: 1, 9: 2}, since=at(9))
    assert judge_signed_card(NOON, said, find_valid_results([BY_CARD])) == (CardStatusKind.STANDS, None, BY_CARD)
    assert judge_signed_card(at(9), said, find_valid_results([BY_CARD]))[0] is CardStatusKind.DISAGREES


def test_a_result_that_the_cards_do_not_give_disagrees_with_all_of_them() -> None:
    said = CardOutcome(winner=9, credits=LOST, points={4: 90, 9: 150}, since=NOON)
    assert judge_signed_card(NOON, said, find_valid_results([BY_CARD]))[0] is CardStatusKind.DISAGREES


def test_a_card_stands_while_another_waits_for_its_signatures() -> None:
    """One of the match's two games was corrected and is not signed again, so the cards have no combined outcome."""
    by_both = row(1, 0, 4, WON, points={4: 2, 9: 0}, by_cards=True)
    alone = CardOutcome(winner=None, points={4: 1, 9: 0}, since=NOON, is_fully_signed=False)
    assert judge_signed_card(NOON, alone, find_valid_results([by_both])) == (CardStatusKind.STANDS, None, by_both)
    enough = CardOutcome(winner=4, credits=WON, points={4: 2, 9: 0}, since=NOON, is_fully_signed=False)
    by_three = row(1, 0, 4, WON, points={4: 2, 9: 1}, by_cards=True)
    assert judge_signed_card(NOON, enough, find_valid_results([by_three])) == (CardStatusKind.STANDS, None, by_three)
    turned = CardOutcome(winner=9, credits=LOST, points={4: 0, 9: 2}, since=at(9), is_fully_signed=False)
    assert judge_signed_card(at(9), turned, find_valid_results([by_both]))[0] is CardStatusKind.DISAGREES


def test_a_card_stays_superseded_by_the_void_after_a_replay() -> None:
    void = row(2, 5, None, VOID)
    again = row(3, 9, 9, LOST, points={4: 20, 9: 150}, by_cards=True)
    new = CardOutcome(winner=9, credits=LOST, points={4: 20, 9: 150}, since=at(9))
    judged = judge_signed_card(NOON, new, find_valid_results([BY_CARD, void, again]), alone=SAYS)
    assert judged == (CardStatusKind.SUPERSEDED, void, again)
    assert judge_signed_card(at(9), new, find_valid_results([BY_CARD, void, again]))[0] is CardStatusKind.STANDS
    nothing = CardOutcome(winner=None)
    assert (
        judge_signed_card(NOON, nothing, find_valid_results([BY_CARD, void]), alone=SAYS)[0]
        is CardStatusKind.SUPERSEDED
    )


def test_a_void_card_stands_again_after_a_decision_for_it() -> None:
    rows = find_valid_results([BY_CARD, row(2, 5, None, VOID), row(3, 9, 4, WON, points={4: 150, 9: 90})])
    assert judge_signed_card(NOON, CardOutcome(winner=None), rows, alone=SAYS) == (
        CardStatusKind.STANDS,
        None,
        rows[-1],
    )


def test_an_undone_decision_has_no_effect_until_it_is_redone() -> None:
    undone = row(3, 7, 4, WON, points={4: 150, 9: 90}, undoes=2)
    redone = row(4, 8, 9, LOST, points={4: 90, 9: 150}, undoes=3)
    assert find_valid_results([BY_CARD, AGAINST, undone]) == (BY_CARD,)
    assert find_valid_results([BY_CARD, AGAINST, undone, redone]) == (BY_CARD, AGAINST)


def test_a_restored_result_is_explained_by_the_last_undoing() -> None:
    back = row(3, 6, 4, WON, points={4: 150, 9: 90})
    undone = row(4, 7, 9, LOST, points={4: 90, 9: 150}, undoes=3)
    redone = row(5, 8, 4, WON, points={4: 150, 9: 90}, undoes=4)
    again = row(6, 9, 9, LOST, points={4: 90, 9: 150}, undoes=5)
    rows = find_valid_results([BY_CARD, AGAINST, back, undone, redone, again])
    judged = judge_signed_card(NOON, SAYS, rows)
    assert judged[1] is not None and (judged[1], judged[1].deciding_row) == (AGAINST, again)
    assert BY_CARD.deciding_row is BY_CARD
    void, restored = row(2, 5, None, VOID), row(3, 6, 4, WON, points={4: 150, 9: 90}, undoes=2)
    open_again = row(4, 7, None, VOID, undoes=3)
    judged = judge_signed_card(
        NOON, CardOutcome(winner=None), find_valid_results([BY_CARD, void, restored, open_again]), alone=SAYS
    )
    assert judged[1] is not None and judged[1].deciding_row == open_again


def test_a_decision_after_a_void_is_reported() -> None:
    rows = find_valid_results([BY_CARD, row(2, 5, None, VOID), row(3, 9, 9, LOST, points={4: 20, 9: 150})])
    assert judge_signed_card(NOON, CardOutcome(winner=None), rows, alone=SAYS)[1] == rows[-1]


def test_an_undone_decision_on_an_open_match_leaves_its_games_standing() -> None:
    decided, undone = row(1, 5, 9, LOST), row(2, 7, None, VOID, undoes=1)
    assert find_valid_results([decided, undone]) == ()


def test_undoing_the_card_s_own_result_supersedes_the_card() -> None:
    undone = row(2, 7, None, VOID, undoes=1)
    judged = judge_signed_card(NOON, CardOutcome(winner=None), find_valid_results([BY_CARD, undone]), alone=SAYS)
    assert judged[:2] == (CardStatusKind.SUPERSEDED, undone)


def test_a_decision_during_open_games_leaves_their_cards_standing() -> None:
    games = CardOutcome(winner=None, points={4: 1, 9: 0}, since=NOON)
    left = row(1, 5, 4, {4: ("win", "walk-over"), 9: ("loss", "forfeit")})
    assert judge_signed_card(NOON, games, find_valid_results([left]))[0] is CardStatusKind.STANDS


def test_at_a_table_each_card_is_judged_by_its_own_totals() -> None:
    typed = row(1, 5, None, {4: ("none", "played"), 9: ("none", "played")}, points={4: 150, 9: 80})
    assert judge_card_by_totals(NOON, {4: 150}, find_valid_results([typed]))[0] is CardStatusKind.STANDS
    assert judge_card_by_totals(NOON, {9: 90}, find_valid_results([typed]))[0] is CardStatusKind.SUPERSEDED
    assert judge_card_by_totals(at(9), {9: 90}, find_valid_results([typed]))[0] is CardStatusKind.DISAGREES


def test_a_result_agrees_by_winner_and_points() -> None:
    assert matches_result_exactly(BY_CARD, SAYS)
    assert not matches_result_exactly(row(1, 0, 4, WON, by_cards=True), SAYS), "the points were not recorded"
    assert not matches_result_exactly(row(1, 0, 4, WON, points={4: 150, 9: 91}, by_cards=True), SAYS)
    assert not matches_result_exactly(row(1, 0, 9, LOST, points={4: 150, 9: 90}, by_cards=True), SAYS)
    assert not matches_result_exactly(row(1, 0, None, NOBODY), CardOutcome(winner=None, credits=NOBODY)), (
        "they name no winner"
    )


@pytest.mark.parametrize(
    ("winner", "credits", "played", "is_open"),
    [
        (4, WON, True, False),
        (4, {4: ("win", "time"), 9: ("loss", "time")}, True, False),
        (4, {4: ("win", "walk-over"), 9: ("loss", "no-show")}, False, False),
        (4, {4: ("win", "played"), 9: ("loss", "penalty")}, False, False),
        (None, NOBODY, False, False),
        (None, VOID, False, True),
        (None, {}, False, True),
        (None, {4: ("none", "void"), 9: ("loss", "no-show")}, False, False),
    ],
)
def test_whether_a_result_was_played(winner: int | None, credits: Any, played: bool, is_open: bool) -> None:
    result = row(1, 0, winner, credits)
    assert (result.was_played, result.is_open) == (played, is_open)


def test_totals_stand_if_everybody_s_own_are_on_record() -> None:
    judged = judge_card_by_totals(NOON, POINTS, [BY_CARD])
    assert judged == (CardStatusKind.STANDS, None, BY_CARD)
    other = row(2, 5, None, {}, points={4: 150, 9: 91})
    judged = judge_card_by_totals(NOON, POINTS, [BY_CARD, other])
    assert judged == (CardStatusKind.SUPERSEDED, other, other)


def test_one_of_several_cards_waits_for_the_sum() -> None:
    opened = row(2, 5, None, {}, by_cards=True)
    for rows in ([], [BY_CARD, opened]):
        assert judge_card_by_totals(NOON, POINTS, rows, is_part=True)[0] is CardStatusKind.STANDS
        assert judge_card_by_totals(NOON, POINTS, rows)[0] is CardStatusKind.DISAGREES


def test_the_totals_of_a_game_that_is_played_again_stay_superseded() -> None:
    void = row(2, 5, None, VOID)
    again = row(3, 9, 9, LOST, points={4: 90, 9: 150}, by_cards=True)
    assert judge_card_by_totals(NOON, POINTS, [BY_CARD, void]) == (CardStatusKind.SUPERSEDED, void, void)
    assert judge_card_by_totals(NOON, POINTS, [BY_CARD, void, again]) == (CardStatusKind.SUPERSEDED, void, again)
    assert judge_card_by_totals(at(7), POINTS, [BY_CARD, void, again]) == (CardStatusKind.SUPERSEDED, again, again)
    assert judge_card_by_totals(at(12), POINTS, [BY_CARD, void, again]) == (CardStatusKind.DISAGREES, None, again)


def test_a_card_changed_after_posting_keeps_its_result() -> None:
    rows = find_valid_results([BY_CARD])
    assert judge_changed_card(NOON, at(3), rows) == (CardStatusKind.WAITS, None, BY_CARD)
    assert judge_changed_card(NOON, at(3), []) == (CardStatusKind.NOTHING, None, None)


def test_a_decision_after_the_change_of_a_card_counts() -> None:
    rows = find_valid_results([BY_CARD, AGAINST])
    assert judge_changed_card(NOON, at(3), rows) == (CardStatusKind.DECIDED, AGAINST, AGAINST)
    assert judge_changed_card(NOON, at(8), rows) == (CardStatusKind.WAITS, None, AGAINST)


def test_a_card_changed_after_its_result_was_undone_is_superseded() -> None:
    """The match was played again on another card, so nobody has to sign the changed card."""
    taken_back = row(2, 5, None, VOID)
    again = row(3, 9, 9, LOST, points={4: 90, 9: 150}, by_cards=True)
    assert judge_changed_card(NOON, at(12), find_valid_results([BY_CARD, taken_back]))[0] == CardStatusKind.NOTHING
    assert judge_changed_card(NOON, at(12), find_valid_results([BY_CARD, taken_back, again])) == (
        CardStatusKind.SUPERSEDED,
        taken_back,
        again,
    )
    posted_after_it = judge_changed_card(at(9), at(12), find_valid_results([BY_CARD, taken_back, again]))
    assert posted_after_it == (CardStatusKind.WAITS, None, again)
