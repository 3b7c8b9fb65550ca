"""Teams in the partnership game play boards side by side under one up card, and score the difference."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings

from scoring.rules.book.layout import CellMark
from scoring.rules.sheet.paper import judge_totals_line
from scoring.rules.sheet.sheets import (
    ScoreSheet,
    judge_line,
    make_empty_sheet,
    make_variant_rules,
    run_tally_case,
    sheet_from_json,
    tally_sheet,
)
from scoring.rules.variants.variant import FieldKind
from tests.chance import examples
from tests.scoring.rules.garbage import assert_is_a_fair_refusal, spoil
from tests.scoring.rules.helpers import cell_texts, problems_of
from tests.scoring.rules.sheet.recount import ended, recount
from tests.scoring.rules.sheet.sheet_strategies import endless_cases
from tournament.errors import InvalidInput

pure = settings(max_examples=examples(150), deadline=None)
cases = endless_cases(among=("gra-partnership",))
STOCK = {"outcome": "stock"}
WEIRD: list[Any] = [
    None, True, 0, 1.5, "", "A", "boards", [], {}, [[]], [{}], {"outcome": "stock"}, 10**30, ["ß" * 9000],
]  # fmt: skip


def empty(**options: Any) -> ScoreSheet:
    return make_empty_sheet(make_variant_rules("gra-partnership", options), ["A", "B"])


def finish(outcome: str, by: str, own: int, other: int, **more: Any) -> dict[str, Any]:
    return {"outcome": outcome, "by": by, "counts": {by: own, "B" if by == "A" else "A": other}, **more}


def points(to: str, worth: int, **more: Any) -> dict[str, Any]:
    return {"outcome": "points", "to": to, "points": worth, **more}


def doubts(sheet: ScoreSheet, *boards: dict[str, Any], up: str | None = "8H") -> dict[str, str]:
    line = {"boards": list(boards)} | ({} if up is None else {"up": up})
    return {doubt.code: doubt.message for doubt in judge_line(sheet, line).warnings}


@pure
@given(cases)
def test_a_line_is_worth_the_difference_of_its_boards_each_scored_as_a_singles_hand(case: dict[str, Any]) -> None:
    case = ended(case)
    options = {name: value for name, value in case["options"].items() if name != "boards"} | {"target": 10**9}
    for line, counted in zip(case["lines"], run_tally_case(case)["lines"], strict=True):
        up = {"up": line["up"]} if "up" in line else {}
        hands = [{**up, **board} for board in line["boards"]]
        sums = run_tally_case({"rules": "gra-singles", "options": options, "sides": case["sides"], "lines": hands})[
            "totals"
        ]
        ahead, behind = sorted(case["sides"], key=lambda side: sums[side], reverse=True)
        assert counted["points"] == {ahead: sums[ahead] - sums[behind], behind: 0}
        assert counted["event"] == ("level" if sums[ahead] == sums[behind] else "net")


@pure
@given(cases)
def test_the_order_of_the_boards_does_not_matter(case: dict[str, Any]) -> None:
    case = ended(case)
    turned = [{**line, "boards": line["boards"][::-1]} for line in case["lines"]]
    assert run_tally_case(case | {"lines": turned}) == run_tally_case(case)


@pure
@given(cases)
def test_each_board_shows_its_result(case: dict[str, Any]) -> None:
    sheet = sheet_from_json(ended(case))
    (block,) = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))
    count = case["options"].get("boards", 2)
    for shown, line in zip(block.lines, sheet.lines, strict=True):
        assert len(shown.cells) == 2 + count + 4
        for cell, board in zip(shown.cells[2 : 2 + count], line.boards, strict=True):
            assert cell.text and cell.why
            if board.outcome == "points" and board.points:
                assert cell.text.endswith(f"{board.points} to {board.to}")


@pytest.mark.parametrize("seed", range(3))
def test_spoilt_cases_are_counted_right_or_refused_with_code_and_path(seed: int) -> None:
    chance = random.Random(seed)
    lines = [
        {"up": "8H", "boards": [finish("knock", "A", 5, 20, missing={"B": 1}), finish("gin", "B", 0, 14, dealer="A")]},
        {"up": "9S", "boards": [STOCK, points("B", 30)]},
    ]
    case = {"rules": "gra-partnership", "options": {"boards": 2}, "sides": ["A", "B"], "lines": lines}
    for _ in range(600):
        spoilt = spoil(case, chance)
        try:
            answer = run_tally_case(spoilt)
        except InvalidInput as bad:
            assert_is_a_fair_refusal(bad.problems, spoilt)
        else:
            assert answer == recount(spoilt)[0]


@pytest.mark.parametrize("value", WEIRD, ids=lambda value: repr(value)[:20])
def test_strange_boards_are_refused_at_their_path(value: Any) -> None:
    for line, place in (
        ({"boards": value}, "lines[0].boards"),
        ({"boards": [STOCK, value]}, "lines[0].boards[1]"),
        ({"boards": [{"outcome": value}, STOCK]}, "lines[0].boards[0].outcome"),
        ({"boards": [STOCK, STOCK], "up": value}, "lines[0].up"),
    ):
        case = {"rules": "gra-partnership", "sides": ["A", "B"], "lines": [line]}
        if value == STOCK and place == "lines[0].boards[1]":
            assert run_tally_case(case)["lines"][0]["event"] == "level"
            continue
        assert all(path.startswith(place) for _code, path in problems_of(run_tally_case, case))


@pytest.mark.parametrize("boards", [True, 1.0, "2", None, 0, -1, 11, [2]])
def test_the_number_of_boards_is_a_small_whole_number(boards: Any) -> None:
    assert problems_of(make_variant_rules, "gra-partnership", {"boards": boards}) == [("bad-value", "options.boards")]


def test_a_line_explains_its_net() -> None:
    line = {"up": "8H", "boards": [finish("knock", "A", 5, 20), finish("knock", "A", 8, 8)]}
    assert judge_line(empty(), line).line_tally.explanation == (
        "net: A 15, B 25, difference 10: 10 to B (board 1: knock: 5 against 20, difference 15: 15 to A, GRA singles"
        " rule 6; board 2: undercut: 8 against 8, difference 0, bonus 25: 25 to B, GRA singles rule 6)"
    )
    level = judge_line(empty(), {"boards": [points("B", 3), points("A", 3)]}).line_tally
    assert level.explanation.startswith(
        "level: A 3, B 3, difference 0: nobody scores (board 1: points as recorded: 3 to B"
    )


def test_the_sheet_shows_the_boards_then_net_and_running() -> None:
    sheet = empty()
    for line in (
        {"up": "TH", "boards": [finish("knock", "A", 5, 20), finish("gin", "B", 0, 14)]},
        {"up": "9S", "boards": [STOCK, points("A", 30)]},
        {"boards": [STOCK, {"outcome": "void"}]},
    ):
        sheet = judge_line(sheet, line).sheet
    (block,) = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))
    assert [(group.text, group.span) for group in block.groups] == [("", 4), ("A", 2), ("B", 2)]
    assert [heading.text for heading in block.headings][:4] == ["Hand", "Up card", "Board 1", "Board 2"]
    assert cell_texts(block.lines) == [
        ["1", "10♥", "knock, 5 against 20: 15 to A", "gin, 14: 39 to B", "", "0", "24", "24"],
        ["2", "9♠", "dead hand", "points only: 30 to A", "30", "30", "", "24"],
        ["3", "", "dead hand", "thrown in", "", "30", "", "24"],
    ]
    first = block.lines[0].cells
    assert first[2].why == "knock: 5 against 20, difference 15: 15 to A, GRA singles rule 6"
    assert first[3].why == "gin: 14 unmatched, bonus 25: 39 to B, GRA singles rule 6"
    assert [cell.mark for cell in first] == [CellMark.NONE] * 6 + [CellMark.BOX, CellMark.NONE]
    assert [heading.key for heading in block.headings][2:4] == ["outcome", "board"]


def test_blank_paper_has_a_column_a_board() -> None:
    (block,) = empty(boards=3).variant.blocks((), blank=12)
    assert [heading.text for heading in block.headings][2:5] == ["Board 1", "Board 2", "Board 3"]
    assert len(block.lines) == 12
    assert empty().variant.signers == "One of each team signs."


def test_a_line_asks_for_the_up_card_once_and_for_a_hand_on_every_board() -> None:
    up, boards = empty(boards=3).variant.line_fields()
    assert (up.name, up.kind, up.required) == ("up", FieldKind.CARD, True)
    assert (boards.name, boards.kind, boards.fewest, boards.most) == ("boards", FieldKind.GROUP, 3, 3)
    asked = [field.name for field in boards.fields]
    assert asked == ["outcome", "by", "counts", "missing", "extra", "to", "points", "dealer"]
    assert "big-gin" not in dict(boards.fields[0].choices)
    assert not empty(knock=10).variant.line_fields()[0].required


def test_the_published_sheet_names_the_rules() -> None:
    published = {
        line.option.name: (line.value, line.source)
        for line in make_variant_rules("gra-partnership").list_published_options()
    }
    assert published == {
        "target": (250, "GRA partnership rule 1"),
        "knock": ("up-card", "GRA singles rule 4"),
        "ace": ("gin", "GRA singles rule 4"),
        "gin_bonus": (25, "GRA singles rule 6"),
        "undercut_bonus": (25, "GRA singles rule 6"),
        "boards": (2, "set by the director"),
    }


def test_totals_from_paper_have_no_boards() -> None:
    entered = judge_totals_line(make_variant_rules("gra-partnership"), ["A", "B"], {"A": 98, "B": 263})
    assert entered.as_json() == {"totals": {"A": 98, "B": 263}}
    assert tally_sheet(entered.sheet).winner == "B" and entered.warnings == ()
    [doubt] = judge_totals_line(make_variant_rules("gra-partnership"), ["A", "B"], {"A": 98, "B": 496}).warnings
    assert "under 250 before the last hand, which brings 246 at most" in doubt.message


def test_ordinary_boards_raise_no_doubt() -> None:
    sheet = judge_line(empty(), {"up": "9H", "boards": [points("A", 30), STOCK]}).sheet
    assert doubts(sheet, finish("knock", "A", 5, 20, dealer="B"), finish("gin", "B", 0, 98)) == {}
    assert doubts(sheet, {"outcome": "void"}, {"outcome": "void"}, up=None) == {}


def test_what_is_improbable_is_doubted_on_its_board() -> None:
    assert doubts(empty(), STOCK, finish("gin", "A", 0, 99)) == {
        "count-too-high": "Board 2: 10 cards cannot count 99 when they are laid out at their best: 98 is the most."
    }
    assert list(doubts(empty(), finish("knock", "A", 0, 5), STOCK)) == ["knock-with-nothing"]
    assert doubts(empty(), points("A", 24), STOCK, up="AH")["points-under-ace"].startswith("Board 1: Under an ace")


def test_the_up_card_of_a_line_is_doubted_once() -> None:
    said = "No up card is recorded; the scorer records it at once. See GRA singles rule 4."
    assert doubts(empty(), STOCK, points("A", 30), up=None) == {"no-up-card": said}
    line = {"boards": [STOCK, STOCK]}
    assert len(judge_line(empty(), line).warnings) == 1
    sheet = judge_line(empty(), {"up": "8H", **line}).sheet
    assert list(doubts(sheet, STOCK, STOCK)) == ["same-up-card"]
    assert doubts(sheet, STOCK, STOCK, up="8D") == {}
    assert doubts(empty(knock=10), STOCK, STOCK, up=None) == {}


def test_the_team_that_won_the_hand_before_does_not_deal() -> None:
    sheet = judge_line(empty(), {"up": "9H", "boards": [points("A", 30), points("B", 10)]}).sheet
    assert doubts(sheet, STOCK, {**STOCK, "dealer": "A"}) == {
        "winner-deals": "A won the hand before: the team that lost the points deals, GRA partnership rule 8."
    }
    assert doubts(sheet, {**STOCK, "dealer": "B"}, STOCK) == {}
    level = judge_line(sheet, {"up": "7H", "boards": [STOCK, STOCK]}).sheet
    assert doubts(level, {**STOCK, "dealer": "A"}, STOCK) == {}
    assert doubts(empty(), {**STOCK, "dealer": "A"}, STOCK) == {}
