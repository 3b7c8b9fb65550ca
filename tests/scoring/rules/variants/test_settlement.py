from __future__ import annotations

from typing import Any

from scoring.rules.book.layout import CellMark, SheetBlock
from scoring.rules.sheet.sheets import ScoreSheet, judge_line, make_empty_sheet, make_variant_rules, tally_sheet
from tests.scoring.rules.helpers import cell_texts


def played(rules: str, *scores: tuple[str, int], **options: Any) -> ScoreSheet:
    sheet = make_empty_sheet(make_variant_rules(rules, options), ["A", "B"])
    for side, points in scores:
        sheet = judge_line(sheet, {"outcome": "points", "to": side, "points": points}).sheet
    return sheet


def block_of(sheet: ScoreSheet) -> SheetBlock:
    (block,) = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))
    return block


def foot_of(sheet: ScoreSheet) -> list[list[str]]:
    return cell_texts(block_of(sheet).footer)


def test_an_open_game_shows_its_boxes_as_circled_counts_and_nothing_else() -> None:
    sheet = played("standard", ("A", 30), ("B", 20), ("A", 0), ("A", 10))
    assert foot_of(sheet) == [["Boxes", "", "2", "", "1"]]
    [line] = block_of(sheet).footer
    assert [(cell.span, cell.mark, cell.why) for cell in line.cells] == [
        (3, CellMark.NONE, ""), (1, CellMark.NONE, ""), (1, CellMark.BOX, "2 hands won"),
        (1, CellMark.NONE, ""), (1, CellMark.BOX, "1 hand won"),
    ]  # fmt: skip
    assert foot_of(played("standard")) == [["Boxes", "", "", "", ""]]


def test_a_finished_game_shows_the_parts_of_its_settlement() -> None:
    sheet = played("standard", ("A", 30), ("B", 20), ("A", 75))
    assert foot_of(sheet) == [
        ["Boxes", "", "2", "", "1"],
        ["Shutout", "", "0", "", "0"],
        ["Boxes, 25 each", "", "50", "", "25"],
        ["Game", "", "100", "", "0"],
        ["Settlement", "", "255", "", "45"],
    ]
    assert tally_sheet(sheet).settlement == {"A": 255, "B": 45}
    assert [line.cells[2].strong for line in block_of(sheet).footer] == [False, False, False, False, True]
    shut_out = played("standard", ("B", 60), ("B", 40))
    assert foot_of(shut_out)[1] == ["Shutout", "", "0", "", "100"]


def test_bonuses_that_are_not_played_are_not_shown() -> None:
    assert foot_of(played("gra-singles", ("A", 150))) == []
    boxes = played("gra-singles", ("A", 150), box_bonus=10)
    assert [line[0] for line in foot_of(boxes)] == ["Boxes", "Boxes, 10 each", "Settlement"]
    game = played("gra-singles", ("A", 150), game_bonus=10)
    assert [line[0] for line in foot_of(game)] == ["Boxes", "Game", "Settlement"]


def test_blank_paper_has_the_settlement_to_fill_in() -> None:
    (block,) = played("oklahoma").variant.blocks((), blank=10)
    words = [line.cells[0].text for line in block.footer]
    assert words == ["Boxes", "Shutout", "Boxes, 25 each", "Game", "Settlement"]
    assert all(line.cells[i].write and not line.cells[i].text for line in block.footer for i in (2, 4))
    assert not any(cell.write for line in block_of(played("oklahoma")).footer for cell in line.cells)
