"""Hollywood gin scores three games at once on one sheet."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from scoring.rules.book.layout import CellMark, SheetBlock
from scoring.rules.sheet.paper import check_running_totals, judge_totals_line
from scoring.rules.sheet.sheets import (
    ScoreSheet,
    judge_line,
    make_empty_sheet,
    make_variant_rules,
    run_tally_case,
    tally_sheet,
)
from scoring.rules.variants.three_games import (
    enter_score,
    find_games_for_next_score,
    find_open_games_with_score,
    start_games,
)
from tests.chance import examples
from tests.scoring.rules.helpers import cell_texts, play_sheet, problems_of
from tests.scoring.rules.sheet.recount import ended
from tests.scoring.rules.sheet.sheet_strategies import endless_cases
from tournament.errors import InvalidInput

pure = settings(max_examples=examples(150), deadline=None)
cases = endless_cases(most=25, among=("hollywood",))


def played(*scores: tuple[str, int], **options: Any) -> ScoreSheet:
    lines = [{"outcome": "points", "to": side, "points": points} for side, points in scores]
    return play_sheet("hollywood", *lines, **options)


def block_of(sheet: ScoreSheet) -> SheetBlock:
    (block,) = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))
    return block


def texts(block: SheetBlock) -> list[list[str]]:
    return cell_texts((*block.lines, *block.footer))


@pure
@given(cases)
def test_a_closed_game_never_changes(case: dict[str, Any]) -> None:
    target = case["options"].get("target", 150)
    before = [dict.fromkeys(case["sides"], 0)] * 3
    for line in run_tally_case(ended(case))["lines"]:
        for was, now in zip(before, line["columns"], strict=True):
            assert now == was or max(was.values()) < target
        before = line["columns"]


@pure
@given(cases)
def test_a_hand_adds_its_points_to_every_game_it_enters_and_nothing_to_the_others(case: dict[str, Any]) -> None:
    before = [dict.fromkeys(case["sides"], 0)] * 3
    for line in run_tally_case(ended(case))["lines"]:
        entered = [game for game in range(3) if line["columns"][game] != before[game]]
        assert bool(entered) == any(line["points"].values())
        for game in entered:
            gained = {side: line["columns"][game][side] - before[game][side] for side in case["sides"]}
            assert gained == line["points"]
        before = line["columns"]


@pure
@given(cases)
def test_an_earlier_game_is_never_behind_while_it_is_open(case: dict[str, Any]) -> None:
    answer = run_tally_case(ended(case))
    first_open = next((i for i, game in enumerate(answer["games"]) if game["winner"] is None), 3)
    for side in case["sides"]:
        open_points = [game[side] for game in answer["games"][first_open:]]
        assert open_points == sorted(open_points, reverse=True)
        assert all(game["winner"] is not None for game in answer["games"][:first_open])


@pure
@given(cases)
def test_totals_are_the_sums_and_the_winner_took_more_games(case: dict[str, Any]) -> None:
    answer = run_tally_case(ended(case))
    for side in case["sides"]:
        assert answer["totals"][side] == sum(game[side] for game in answer["games"])
    takers = [game["winner"] for game in answer["games"]]
    assert answer["complete"] == (None not in takers)
    assert answer["winner"] == (max(case["sides"], key=takers.count) if answer["complete"] else None)


@pure
@given(cases)
def test_the_sheet_shows_what_was_counted(case: dict[str, Any]) -> None:
    sheet = make_empty_sheet(make_variant_rules("hollywood", case["options"]), case["sides"])
    for line in ended(case)["lines"]:
        sheet = judge_line(sheet, line).sheet
    block = block_of(sheet)
    answer = tally_sheet(sheet).as_json()
    last = ["0"] * 6
    for shown, counted in zip(block.lines, answer["lines"], strict=True):
        cells = shown.cells[4:]
        last = [cell.text or text for cell, text in zip(cells, last, strict=True)]
        assert last == [str(column[side]) for column in counted["columns"] for side in case["sides"]]
    assert [cell.text for cell in block.footer[0].cells[1:]] == last


def test_a_score_enters_the_games_scored_in_and_the_next() -> None:
    games = start_games("AB")
    assert find_open_games_with_score(games, "A") == () and find_games_for_next_score(games, "A") == (0,)
    assert enter_score(games, "A", 0, target=150) == games
    games = enter_score(games, "A", 5, target=150)
    assert find_open_games_with_score(games, "A") == (0,) and find_games_for_next_score(games, "A") == (0, 1)
    assert find_games_for_next_score(games, "B") == (0,)
    games = enter_score(games, "A", 145, target=150)
    assert [game.winner for game in games] == ["A", None, None]
    assert [dict(game.entries) for game in games] == [{"A": 2, "B": 0}, {"A": 1, "B": 0}, {"A": 0, "B": 0}]
    assert find_open_games_with_score(games, "A") == (1,) and find_games_for_next_score(games, "A") == (1, 2)
    assert find_games_for_next_score(games, "B") == (1,)


def test_the_sheet_is_three_games_side_by_side() -> None:
    block = block_of(played(("A", 60), ("B", 20), ("A", 95), ("A", 10), ("B", 7)))
    assert [(group.text, group.span) for group in block.groups] == [
        ("", 4), ("Game 1", 2), ("Game 2", 2), ("Game 3", 2),
    ]  # fmt: skip
    assert [heading.text for heading in block.headings] == [
        "Hand", "Up card", "Outcome", "Points", "A", "B", "A", "B", "A", "B",
    ]  # fmt: skip
    assert texts(block) == [
        ["1", "", "points only", "60", "60", "", "", "", "", ""],
        ["2", "", "points only", "20", "", "20", "", "", "", ""],
        ["3", "", "points only", "95", "155", "", "95", "", "", ""],
        ["4", "", "points only", "10", "", "", "105", "", "10", ""],
        ["5", "", "points only", "7", "", "", "", "7", "", ""],
        ["Total", "155", "20", "105", "7", "10", "0"],
        ["Boxes", "2", "1", "2", "1", "1", ""],
        ["Shutout", "0", "0", "", "", "", ""],
        ["Boxes, 25 each", "50", "25", "", "", "", ""],
        ["Game", "100", "0", "", "", "", ""],
        ["Game settled", "305", "45", "", "", "", ""],
        ["Settlement", "A", "B"],
    ]
    assert [line.number for line in (*block.lines, *block.footer)] == [1, 2, 3, 4, 5, *[None] * 7]


def test_a_closed_game_is_marked_from_the_next_hand_on_and_boxes_are_circled() -> None:
    block = block_of(played(("A", 60), ("B", 20), ("A", 95), ("A", 10)))
    marks = [[cell.mark for cell in line.cells[4:]] for line in block.lines]
    assert marks == [*[[CellMark.NONE] * 6] * 3, [CellMark.CLOSED, CellMark.CLOSED, *[CellMark.NONE] * 4]]
    assert [line.cells[3].mark for line in block.lines] == [CellMark.BOX] * 4
    total, boxes = block.footer[:2]
    assert [cell.mark for cell in total.cells] == [CellMark.NONE, CellMark.WON, *[CellMark.NONE] * 5]
    assert [cell.mark for cell in boxes.cells[1:]] == [*[CellMark.BOX] * 3, CellMark.NONE, CellMark.BOX, CellMark.NONE]
    assert [cell.why for cell in boxes.cells[1:4]] == ["2 hands won", "1 hand won", "2 hands won"]
    assert block.lines[0].cells[2].why == "points as recorded: 60 to A, in game 1"


def test_a_finished_sheet_ends_in_its_settlement() -> None:
    sheet = played(("A", 100), ("A", 100), ("B", 40), ("A", 99), ("A", 1), target=100)
    assert texts(block_of(sheet))[-6:] == [
        ["Boxes", "1", "", "1", "", "2", "1"],
        ["Shutout", "100", "0", "100", "0", "0", "0"],
        ["Boxes, 25 each", "25", "0", "25", "0", "50", "25"],
        ["Game", "100", "0", "100", "0", "100", "0"],
        ["Game settled", "325", "0", "325", "0", "250", "65"],
        ["Settlement", "A: 900", "B: 65"],
    ]
    assert tally_sheet(sheet).settlement == {"A": 900, "B": 65}


def test_the_foot_has_only_the_bonuses_played() -> None:
    plain = played(box_bonus=0, game_bonus=0, shutout="none")
    assert [line.cells[0].text for line in block_of(plain).footer] == ["Total", "Boxes"]
    boxes = played(game_bonus=0, shutout="none")
    assert [line.cells[0].text for line in block_of(boxes).footer] == [
        "Total", "Boxes", "Boxes, 25 each", "Game settled", "Settlement",
    ]  # fmt: skip


def test_blank_paper_has_lines_to_write_on_and_a_foot_to_fill_in() -> None:
    (block,) = played().variant.blocks((), blank=20)
    assert [line.cells[0].text for line in block.lines] == [str(n) for n in range(1, 21)]
    assert all(cell.write and not cell.text for line in block.lines for cell in line.cells[1:])
    assert all(cell.write and not cell.text for line in block.footer[:-1] for cell in line.cells[1:])
    assert [line.cells[0].text for line in block.footer][-2:] == ["Game settled", "Settlement"]


def test_a_line_names_the_games_it_entered_and_won() -> None:
    sheet = played(("A", 60), ("A", 95), ("A", 80), ("B", 5), target=150)
    said = [line.explanation for line in tally_sheet(sheet).lines]
    assert said == [
        "points as recorded: 60 to A, in game 1",
        "points as recorded: 95 to A, in games 1 and 2; game 1 is won with 155",
        "points as recorded: 80 to A, in games 2 and 3; game 2 is won with 175",
        "points as recorded: 5 to B, in game 3",
    ]
    dead = judge_line(sheet, {"outcome": "stock"}).line_tally
    assert dead.explanation == "dead hand: the stock ran out, nobody scores"
    third = played(("A", 5), ("A", 5), ("A", 5))
    assert tally_sheet(third).lines[2].explanation == "points as recorded: 5 to A, in games 1, 2 and 3"


def test_the_running_totals_of_the_pages_are_the_sums_of_the_games() -> None:
    sheet = played(("A", 10), ("A", 10), ("B", 4))
    assert [dict(line.running) for line in tally_sheet(sheet).lines] == [
        {"A": 10, "B": 0},
        {"A": 30, "B": 0},
        {"A": 30, "B": 4},
    ]
    assert check_running_totals(sheet, [{"A": 10}, {"A": 30}, {"A": 30, "B": 4}]) == ()
    [slip] = check_running_totals(sheet, [{"A": 10}, {"A": 20}, {"A": 20}])
    assert (slip.number, slip.expected) == (2, 30)


def test_a_sheet_cannot_be_entered_by_totals() -> None:
    assert problems_of(judge_totals_line, make_variant_rules("hollywood"), ["A", "B"], {"A": 500, "B": 100}) == [
        ("bad-value", "totals")
    ]


def test_two_games_won_do_not_end_the_sheet() -> None:
    sheet = played(("A", 150), ("A", 150))
    assert (
        not tally_sheet(sheet).complete and tally_sheet(sheet).winner is None and tally_sheet(sheet).settlement is None
    )
    assert "settlement" not in tally_sheet(sheet).as_json()
    done = played(("A", 150), ("A", 150), ("A", 150))
    assert tally_sheet(done).winner == "A"
    with pytest.raises(InvalidInput) as refused:
        judge_line(done, {"outcome": "stock"})
    assert refused.value.problems[0].message.startswith("The sheet was complete before this line: A has won it.")


def test_an_improbable_hand_is_doubted_as_in_any_two_sided_game() -> None:
    judged = judge_line(played(), {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 99}})
    assert [doubt.code for doubt in judged.warnings] == ["count-too-high"]
    assert [doubt.code for doubt in judge_line(played(), {"outcome": "stock"}).warnings] == ["no-up-card"]
