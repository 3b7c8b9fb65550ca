from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.book.layout import Cell, CellMark, SheetBlock
from scoring.rules.sheet.paper import judge_totals_line
from scoring.rules.sheet.sheets import (
    judge_line,
    make_empty_sheet,
    make_variant_rules,
    run_tally_case,
    sheet_from_json,
    tally_sheet,
)
from scoring.rules.variants.variant import FieldKind
from tests.chance import examples
from tests.scoring.rules.helpers import cell_texts
from tests.scoring.rules.sheet.recount import ended
from tests.scoring.rules.variants.golden_rows import read_metzker_row
from tests.scoring.rules.variants.variant_strategies import couples_cases
from tournament.errors import InvalidInput

pure = settings(max_examples=examples(100), deadline=None)
TEAMS = ["Guys", "Girls"]


def beginnings(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the answers of `tally` after each round, and before the first one."""
    lines = ended(case)["lines"]
    return [run_tally_case(case | {"lines": lines[:length]}) for length in range(len(lines) + 1)]


@pure
@given(couples_cases())
def test_one_team_at_most_has_points_and_a_column_grows_by_them_or_not_at_all(case: dict[str, Any]) -> None:
    above = [dict.fromkeys(case["sides"], 0)] * 3
    for line in run_tally_case(ended(case))["lines"]:
        assert min(line["points"].values()) == 0
        for game, before in zip(line["columns"], above, strict=True):
            for side, points in line["points"].items():
                assert game[side] - before[side] in (0, points)
        above = line["columns"]


@pure
@given(couples_cases())
def test_a_closed_game_never_changes(case: dict[str, Any]) -> None:
    answers = beginnings(case)
    for before, after in pairwise(answers):
        for old, new in zip(before["games"], after["games"], strict=True):
            assert old["winner"] is None or old == new


@pure
@given(couples_cases())
def test_gins_enter_only_games_in_which_the_team_had_points(case: dict[str, Any]) -> None:
    answers = beginnings(case)
    for before, after in pairwise(answers):
        gained = [
            {side: new["gins"][side] - old["gins"][side] for side in case["sides"]}
            for old, new in zip(before["games"], after["games"], strict=True)
        ]
        for old, gins in zip(before["games"], gained, strict=True):
            assert all(not gins[side] or old[side] for side in gins)
            assert min(gins.values()) == 0, "one team at most has the net gins"
        assert len({tuple(gins.items()) for gins in gained if any(gins.values())}) <= 1


@pure
@given(couples_cases())
def test_totals_are_200_a_closed_game_and_25_a_gin_in_one(case: dict[str, Any]) -> None:
    answer = run_tally_case(ended(case))
    closed = [game for game in answer["games"] if game["winner"] is not None]
    gins = sum(game["gins"][side] for game in closed for side in case["sides"])
    assert sum(answer["totals"].values()) == 200 * len(closed) + 25 * gins
    assert answer["complete"] == (len(closed) == 3)


@pure
@given(couples_cases(), st.randoms(use_true_random=False))
def test_the_order_of_reports_does_not_matter(case: dict[str, Any], chance: Any) -> None:
    case = ended(case)
    answer = run_tally_case(case)
    for line in case["lines"]:
        chance.shuffle(line["results"])
    other = run_tally_case(case)
    for line in (*answer["lines"], *other["lines"]):
        line["event"] = sorted(line["event"].split(", "))
    assert other == answer


@pure
@given(couples_cases())
def test_a_column_of_the_score_sheet_ends_in_its_points_and_has_a_circle_a_gin(case: dict[str, Any]) -> None:
    sheet = sheet_from_json(ended(case))
    counted = tally_sheet(sheet)
    score_sheet, worksheet = sheet.variant.blocks(sheet.list_rows(), counted)
    games = counted.as_json()["games"]
    places = [(side, game) for side in case["sides"] for game in range(3)]
    for place, (side, game) in enumerate(places, start=1):
        column = [line.cells[place] for line in score_sheet.lines]
        scores = [int(cell.text) for cell in column if cell.text]
        assert scores == sorted(scores)
        assert (scores or [0])[-1] == games[game][side]
        assert sum(cell.circle_count for cell in column) == games[game]["gins"][side]
        empty = [cell.circle_count for cell in column if not cell.text]
        assert empty == sorted(empty, reverse=True), "circles still empty stand right below the last score"
    assert [line.number for line in worksheet.lines if line.number] == list(range(1, len(sheet.lines) + 1))


def rounds(*records: str, **options: Any) -> Any:
    """Return a score sheet with these rounds, which are written in the notation of the golden sheets."""
    lines = [read_metzker_row(TEAMS, f"{record} | 0 0")[0] for record in records]
    return sheet_from_json({"rules": "metzker", "options": options, "sides": TEAMS, "lines": lines})


def written(cell: Cell) -> str:
    """Return the text of a cell, with one pair of parentheses for each circle around it.

    A closed game has # at the end, and the winner's score has an exclamation mark.
    """
    mark = {CellMark.CLOSED: "#", CellMark.WON: "!"}.get(cell.mark, "")
    return "(" * cell.circle_count + cell.text + ")" * cell.circle_count + mark


def drawn(block: SheetBlock) -> list[list[str]]:
    return [[written(cell) for cell in line.cells] for line in block.lines]


SAMPLE = ("Guys run 4-9", "Girls run 2-12", "Guys run 5-15", "Girls run 3-18", "Guys run 1-16", "Girls run 2-22")


def test_the_score_sheet_is_the_sample_of_the_book() -> None:
    sheet = rounds(*SAMPLE)
    block = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))[0]
    assert [(group.text, group.span) for group in block.groups] == [("", 1), ("Guys", 3), ("Girls", 3)]
    assert [heading.text for heading in block.headings] == ["No.", *["Game 1", "Game 2", "Game 3"] * 2]
    assert drawn(block) == [
        ["1", "5", "10", "15", "10", "15", "20"],
        ["2", "15", "25", "", "25", "35", ""],
        ["3", "30", "", "", "45", "", ""],
    ]
    assert block.lines[1].cells[1].why == "round 3: 10 more"
    assert not any(cell.write for line in (*block.lines, *block.footer) for cell in line.cells)


def test_gins_are_circles_and_empty_ones_are_written_into() -> None:
    # 5; circled, two circles more below; 9 more into the first of them; 1 more into the second; 1 more below, bare
    sheet = rounds("Guys run 0-5", "Guys double-gin 0; Guys gin 0", "Guys run 0-9", "Guys run 0-1", "Guys run 0-1")
    block = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))[0]
    assert [row[1:4] for row in drawn(block)] == [
        ["(5)", "9", "1"],
        ["(14)", "10", "2"],
        ["(15)", "11", ""],
        ["16", "", ""],
    ]
    more = judge_line(sheet, read_metzker_row(TEAMS, "Guys double-gin 0 | 0 0")[0]).sheet
    block = more.variant.blocks(more.list_rows(), tally_sheet(more))[0]
    assert [row[1:4] for row in drawn(block)] == [
        ["(5)", "9", "1"],
        ["(14)", "10", "(2)"],
        ["(15)", "(11)", "()"],
        ["(16)", "()", ""],
        ["()", "", ""],
    ]


def test_a_closed_game_is_crossed_and_its_award_stands_at_the_foot() -> None:
    sheet = rounds("Girls run 0-6", "Girls gin 4; Girls gin 1", "Guys run 1-9", "Girls run 1-5", target=10)
    counted = tally_sheet(sheet)
    block = sheet.variant.blocks(sheet.list_rows(), counted, blank=1)[0]
    assert drawn(block) == [
        ["1", "#", "8", "", "(6)", "5", "4"],
        ["2", "#", "", "", "(11)!", "9", ""],
        ["3", "#", "", "", "#", "", ""],
    ]
    award, total = block.footer
    assert [cell.text for cell in award.cells] == ["Award", "0", "", "", "250", "", ""]
    assert (award.cells[4].why, award.cells[1].why) == ("game won 200, 2 gins at 25", "0 gins at 25")
    assert [(cell.text, cell.span, cell.mark) for cell in total.cells] == [
        ("Total", 1, CellMark.NONE), ("0", 3, CellMark.NONE), ("250", 3, CellMark.NONE),
    ]  # fmt: skip
    assert [cell.write for cell in block.lines[2].cells] == [False, False, True, True, False, True, True]


def test_the_winner_of_the_tournament_is_marked() -> None:
    sheet = rounds("Guys run 0-6", "Guys gin 6", "Girls run 0-7", target=5)
    total = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))[0].footer[1]
    assert [(cell.text, cell.mark) for cell in total.cells] == [
        ("Total", CellMark.NONE), ("400", CellMark.WON), ("200", CellMark.NONE),
    ]  # fmt: skip


def test_the_worksheet_lists_the_reports_their_sums_and_what_was_awarded() -> None:
    sheet = rounds(
        "Guys gin 10; Girls run 3-20; stock 12-4", "stock 3-3", "Girls gin 1; Girls double-gin 2", "Guys run 6-6"
    )
    block = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))[1]
    assert [heading.text for heading in block.headings] == [
        "Round", "Results", "Points", "Gins", "Points", "Gins", "Awarded", "Deal next",
    ]  # fmt: skip
    assert cell_texts(block.lines) == [
        ["1", "Guys gin, 10 unmatched", "10", "1", "", "", "", ""],
        ["", "Girls ran with 3 against 20", "", "", "17", "", "", ""],
        ["", "the stock ran out, Girls 4, Guys 12", "", "", "8", "", "", ""],
        ["1", "Sum", "10", "1", "25", "", "15 to Girls", "Girls"],
        ["2", "the stock ran out, Guys 3, Girls 3", "", "", "", "", "", ""],
        ["2", "Sum", "0", "", "0", "", "–", "Girls"],
        ["3", "Girls gin, 1 unmatched", "", "", "1", "1", "", ""],
        ["", "Girls double gin, 2 unmatched", "", "", "2", "2", "", ""],
        ["3", "Sum", "0", "", "3", "3", "3 to Girls, 3 gins to Girls", "Girls"],
        ["4", "Guys ran with 6 against 6", "", "", "37", "", "", ""],
        ["4", "Sum", "0", "", "37", "", "37 to Girls", "Girls"],
    ]
    assert [line.number for line in block.lines] == [None, None, None, 1, None, 2, None, None, 3, None, 4]
    assert block.lines[9].cells[1].why == "Guys ran with 6 against 6: twice 6 and 25, 37 to Girls"


def test_both_papers_can_be_printed_blank() -> None:
    variant = make_empty_sheet(make_variant_rules("metzker"), TEAMS).variant
    for block in variant.blocks((), blank=12):
        assert len(block.lines) == 12
        assert all(line.cells[-1].write for line in (*block.lines, *block.footer))


def test_nobody_deals_next_before_the_first_cut_is_decided() -> None:
    sheet = rounds("stock 3-3", "Guys run 1-2")
    assert [row.line_tally.dealers for row in sheet.list_rows()] == [None, "Guys"]


def test_the_explanation_has_each_result_and_its_games() -> None:
    sheet = rounds("Guys run 6-6", "Guys double-gin 9; Girls gin 2", "Girls double-gin 5", "stock 1-1")
    source = ", Metzker, “Gin Rummy – Tournament Rules”, “Scoring”"
    assert [row.line_tally.explanation for row in sheet.list_rows()] == [
        "Guys ran with 6 against 6: twice 6 and 25, 37 to Girls. Awarded: net 37 to Girls, game 1; "
        f"no gins more on either side{source}",
        "Guys double gin, 9 unmatched: 9 and 2 gins to Guys; Girls gin, 2 unmatched: 2 and 1 gin to Girls. "
        f"Awarded: net 7 to Guys, game 1; net 1 gin to Guys, in no game: no points before this round{source}",
        "Girls double gin, 5 unmatched: 5 and 2 gins to Girls. "
        f"Awarded: net 5 to Girls, games 1 and 2; net 2 gins to Girls, game 1{source}",
        "the stock ran out, Guys 1, Girls 1: nothing. "
        f"Awarded: the points are level; no gins more on either side{source}",
    ]


def doubted(record: str, *earlier: str) -> list[str]:
    line = read_metzker_row(TEAMS, f"{record} | 0 0")[0]
    return [doubt.code for doubt in judge_line(rounds(*earlier), line).warnings]


@pytest.mark.parametrize(
    ("record", "codes"),
    [
        ("Guys gin 10; Girls run 9-114; stock 0-0", []),
        ("Guys gin 115", ["count-too-high"]),
        ("stock 115-115", ["count-too-high"] * 2),
        ("Guys run 0-5", ["run-with-nothing"]),
        ("Guys run 5-0", []),
        ("Guys double-gin 0; Girls gin 0", ["gin-against-nothing"] * 2),
    ],
)
def test_improbable_values_give_warnings(record: str, codes: list[str]) -> None:
    assert doubted(record) == codes


def test_a_duplicate_round_or_another_number_of_results_gives_a_warning() -> None:
    assert doubted("Guys gin 10; Girls gin 5", "Guys gin 9; Girls gin 5") == []
    assert doubted("Guys gin 10; Girls gin 5", "Guys gin 10; Girls gin 5") == ["same-round"]
    assert doubted("Guys gin 10", "Guys gin 9; Girls gin 5") == ["other-number-of-results"]
    assert doubted("Guys gin 10; stock 1-2", "Guys gin 9") == ["other-number-of-results"]


def test_a_round_asks_for_a_result_of_each_couple() -> None:
    [group] = make_empty_sheet(make_variant_rules("metzker"), TEAMS).variant.line_fields()
    assert (group.name, group.kind, group.fewest) == ("results", FieldKind.GROUP, 1)
    assert [(f.name, f.required, f.outcomes) for f in group.fields] == [
        ("outcome", True, ()), ("by", True, ("gin", "double-gin", "run")), ("counts", True, ()),
    ]  # fmt: skip
    assert dict(group.fields[0].choices) == {
        "gin": "gin", "double-gin": "double gin", "run": "run", "stock": "stock ran out",
    }  # fmt: skip
    assert (group.fields[2].zero_count_player_field, group.fields[2].zero_count_outcomes) == (
        "by",
        ("gin", "double-gin"),
    )


def test_the_team_names_and_the_target_are_the_books() -> None:
    rules = make_variant_rules("metzker")
    assert rules.variant.side_names == ("Guys", "Girls")
    assert [(o.option.name, o.value, o.source) for o in rules.list_published_options()] == [
        ("target", 200, "Metzker, “Gin Rummy – Tournament Rules”, “Object of the Game”")
    ]


def test_a_sheet_cannot_be_entered_by_totals() -> None:
    with pytest.raises(InvalidInput, match="a sheet cannot be entered by its totals"):
        judge_totals_line(make_variant_rules("metzker"), TEAMS, {"Guys": 400, "Girls": 225})
