from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.sheet.closing import (
    ClosingCause,
    ClosingResult,
    ClosingRule,
    EarlyGameEnd,
    closing_as_json,
    judge_closing,
)
from scoring.rules.sheet.sheets import ScoreSheet, make_empty_sheet, make_variant_rules, tally_sheet
from scoring.rules.variants import VARIANTS
from tests.chance import examples
from tests.scoring.rules.helpers import play_sheet

TIME, LEFT = ClosingCause.TIME, ClosingCause.FORFEIT
LEADER, LAST_HAND, REPLAY, DIRECTOR, GIVES_UP = ClosingRule


def points(to: str, how_many: int) -> dict[str, Any]:
    return {"outcome": "points", "to": to, "points": how_many}


def a_sheet(*lines: dict[str, Any], rules: str = "gra-singles", **more: Any) -> ScoreSheet:
    return play_sheet(rules, *lines, **more)


def closing(rule: ClosingRule, cause: ClosingCause = TIME, **more: Any) -> EarlyGameEnd:
    return EarlyGameEnd(cause=cause, rule=rule, **more)


A_LEADS, TIED, NOTHING = [points("A", 32)], [points("A", 32), points("B", 32)], []
GOLDEN = [
    (A_LEADS, closing(LEADER), ClosingResult.WON, "A", "A leads 32–0."),
    (TIED, closing(LEADER), ClosingResult.TIED, None, "Nobody leads: 32–32. The director decides."),
    (NOTHING, closing(LEADER), ClosingResult.TIED, None, "Nobody leads: no hand is on the card. The director decides."),
    (
        A_LEADS,
        closing(LAST_HAND, hands=2),
        ClosingResult.WAITING,
        None,
        "The last hand is played out, then the leader has won.",
    ),
    ([*A_LEADS, points("B", 40)], closing(LAST_HAND, hands=2), ClosingResult.WON, "B", "B leads 40–32."),
    (A_LEADS, closing(LAST_HAND), ClosingResult.WON, "A", "A leads 32–0."),
    (TIED, closing(LAST_HAND, hands=2), ClosingResult.TIED, None, "Nobody leads: 32–32. The director decides."),
    (A_LEADS, closing(REPLAY), ClosingResult.REPLAY, None, "The game is played again."),
    (A_LEADS, closing(DIRECTOR), ClosingResult.UNDECIDED, None, "The director decides."),
    (A_LEADS, closing(DIRECTOR, winner="B"), ClosingResult.WON, "B", "By the director's decision B has won."),
    (A_LEADS, closing(GIVES_UP, LEFT, left="A"), ClosingResult.WON, "B", "A has left and loses."),
    (A_LEADS, closing(LEADER, LEFT, left="A"), ClosingResult.WON, "A", "A leads 32–0."),
    (A_LEADS, closing(LEADER, games={"A": 0, "B": 1}), ClosingResult.WON, "B", "B leads by 1 game to 0."),
    (A_LEADS, closing(LEADER, games={"A": 2, "B": 1}), ClosingResult.WON, "A", "A leads by 2 games to 1."),
    (A_LEADS, closing(LEADER, games={"A": 1, "B": 1}), ClosingResult.WON, "A", "A leads 32–0."),
    (NOTHING, closing(LEADER, games={"A": 0, "B": 1}), ClosingResult.WON, "B", "B leads by 1 game to 0."),
    (A_LEADS, closing(LEADER, games={"B": 1}), ClosingResult.WON, "A", "A leads 32–0."),
]


@pytest.mark.parametrize(("lines", "closed", "ending", "winner", "why"), GOLDEN)
def test_every_rule(
    lines: list[dict[str, Any]], closed: EarlyGameEnd, ending: ClosingResult, winner: str | None, why: str
) -> None:
    verdict = judge_closing(a_sheet(*lines), closed)
    assert (verdict.ending, verdict.winner, verdict.why) == (ending, winner, why)
    assert verdict.is_final == (ending in (ClosingResult.WON, ClosingResult.REPLAY, ClosingResult.STANDS))


def test_the_lowest_total_leads_where_low_wins() -> None:
    hand = {"by": "P1", "counts": {"P2": 30, "P3": 12}}
    sheet = a_sheet(hand, rules="fort-worth", sides="P1 P2 P3")
    verdict = judge_closing(sheet, closing(LEADER, counts_every_total=True))
    assert (verdict.ending, verdict.winner) == (ClosingResult.WON, "P1")
    assert verdict.why == "P1 has the lowest total, -10."


def test_the_highest_total_of_three_leads_where_high_wins() -> None:
    sheet = a_sheet({"points": {"P1": 7, "P2": 3, "P3": 5}}, rules="score-pad", sides="P1 P2 P3")
    assert judge_closing(sheet, closing(LEADER)).why == "P1 has the highest total, 7."


def test_at_a_table_every_total_counts_without_a_leader() -> None:
    pad = {"rules": "score-pad", "sides": "P1 P2 P3"}
    sheet = a_sheet({"points": {"P1": 7, "P2": 7, "P3": 3}}, **pad)
    verdict = judge_closing(sheet, closing(LEADER, counts_every_total=True))
    assert (verdict.ending, verdict.winner) == (ClosingResult.STANDS, None)
    assert judge_closing(sheet, closing(LEADER)).ending is ClosingResult.TIED


def test_nobody_wins_when_a_player_leaves_a_table_of_three() -> None:
    sheet = a_sheet(rules="captain", sides="A B C")
    verdict = judge_closing(sheet, closing(GIVES_UP, LEFT, left="B"))
    assert (verdict.ending, verdict.why) == (ClosingResult.UNDECIDED, "B has left. The director decides.")


def test_in_hollywood_closed_games_decide_before_points() -> None:
    ahead = a_sheet(points("A", 80), rules="hollywood")
    assert judge_closing(ahead, closing(LEADER)).winner == "A"
    lines = [points("B", 100), points("B", 50), points("A", 70), points("A", 70)]
    one_game = a_sheet(*lines, rules="hollywood", target=150)
    assert one_game.variant.find_leaders(tally_sheet(one_game)) == ("B",)
    assert tally_sheet(one_game).totals == {"A": 210, "B": 200}


def test_a_pad_played_back_to_zero_does_not_say_who_leads() -> None:
    sheet = a_sheet({"points": {"A": 7, "B": 3}}, rules="score-pad", target=40, back_to_zero=True)
    assert judge_closing(sheet, closing(LEADER)).ending is ClosingResult.TIED


@pytest.mark.parametrize("rules", list(VARIANTS))
def test_every_rule_set_names_the_leaders_before_the_first_hand(rules: str) -> None:
    variant = VARIANTS[rules]
    names = variant.side_names if variant.sides_are_teams else tuple("ABCDE"[: variant.fewest_sides])
    verdict = judge_closing(make_empty_sheet(make_variant_rules(rules), names), closing(LEADER))
    assert verdict.ending is (ClosingResult.STANDS if len(names) == 1 else ClosingResult.TIED)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.tuples(st.sampled_from("AB"), st.integers(1, 40)), max_size=6))
def test_the_leader_by_points_wins(written: list[tuple[str, int]]) -> None:
    sheet = a_sheet(*(points(side, each) for side, each in written), target=10_000)
    totals = {side: sum(each for who, each in written if who == side) for side in "AB"}
    verdict = judge_closing(sheet, closing(LEADER))
    if totals["A"] == totals["B"]:
        assert verdict.ending is ClosingResult.TIED and verdict.winner is None
    else:
        assert verdict.winner == max(totals, key=lambda side: totals[side])


def test_the_signed_content_says_how_the_game_ended() -> None:
    closed = closing(GIVES_UP, LEFT, left="A", games={"A": 1, "B": 0})
    said = closing_as_json(closed, judge_closing(a_sheet(*A_LEADS), closed))
    assert said == {"cause": "forfeit", "rule": "forfeit", "winner": "B", "left": "A", "games": {"A": 1, "B": 0}}
    plain = closing(LEADER)
    assert closing_as_json(plain, judge_closing(a_sheet(*A_LEADS), plain)) == {
        "cause": "time",
        "rule": "leader",
        "winner": "A",
    }
