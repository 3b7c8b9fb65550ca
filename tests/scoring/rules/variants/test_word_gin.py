from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from scoring.rules.book.layout import CellMark, SheetBlock
from scoring.rules.sheet.paper import judge_totals_line
from scoring.rules.sheet.sheets import (
    judge_line,
    make_empty_sheet,
    make_variant_rules,
    run_tally_case,
    sheet_from_json,
    tally_sheet,
)
from tests.chance import examples
from tests.scoring.rules.helpers import cell_texts
from tests.scoring.rules.sheet.recount import ended
from tests.scoring.rules.variants.variant_strategies import word_cases
from tournament.errors import InvalidInput

pure = settings(max_examples=examples(150), deadline=None)


@pure
@given(word_cases())
def test_both_scores_add_up_to_the_cards_laid_down(case: dict[str, Any]) -> None:
    for line, answer in zip(case["lines"], run_tally_case(ended(case))["lines"], strict=False):
        by, against = line["by"], next(side for side in case["sides"] if side != line["by"])
        words = {s: line["words"][s] + 50 * line.get("long_words", {}).get(s, 0) for s in case["sides"]}
        deadwood = line["deadwood"]
        gained = sum(answer["points"].values())
        if line["outcome"] == "gin":
            assert gained == words[by] + words[against] + 10
        elif line["outcome"] == "stock":
            assert gained == words[by] + words[against] - deadwood[by] + deadwood[against]
        elif deadwood[by] > deadwood[against]:
            assert gained == words[against] - deadwood[against]
        elif deadwood[by] == deadwood[against]:
            assert gained == words[by] + words[against]
        else:
            assert gained == words[by] + words[against] - deadwood[by]


@pure
@given(word_cases())
def test_the_sums_in_the_explanation_are_the_points(case: dict[str, Any]) -> None:
    for row in sheet_from_json(ended(case)).list_rows():
        for side, worth in row.line_tally.points.items():
            assert f"= {worth} to {side}".replace("= -", "= −") in row.line_tally.explanation
        assert row.line_tally.explanation.endswith("BWC Gin Rummy, “Scoring”")


KNOCK: dict[str, Any] = {"outcome": "knock", "by": "A", "words": {"A": 20, "B": 15}, "deadwood": {"A": 3, "B": 9}}
GIN: dict[str, Any] = {"outcome": "gin", "by": "B", "words": {"A": 20, "B": 25}, "deadwood": {"A": 3, "B": 0}}
STOCK: dict[str, Any] = {"outcome": "stock", "by": "B", "words": {"A": 4, "B": 5}, "deadwood": {"A": 7, "B": 6}}


def test_the_explanation_has_the_ending_and_every_term() -> None:
    endings = [
        GIN | {"long_words": {"A": 1, "B": 2}},
        KNOCK,
        KNOCK | {"deadwood": {"A": 9, "B": 9}},
        KNOCK | {"deadwood": {"A": 12, "B": 9}},
        STOCK,
    ]
    sheet = sheet_from_json({"rules": "word-gin", "sides": ["A", "B"], "lines": endings})
    source = ", BWC Gin Rummy, “Scoring”"
    assert [row.line_tally.explanation for row in sheet.list_rows()] == [
        "gin: 10 bonus + 25 words + 100 for 2 long words + 3 deadwood of A = 138 to B, "
        f"20 words + 50 for 1 long word − 3 deadwood = 67 to A{source}",
        "knock with 3 against 9: 20 words − 3 deadwood + 9 deadwood of B = 26 to A, "
        f"15 words − 9 deadwood = 6 to B{source}",
        f"knock with 9 against 9: 20 words − 9 deadwood = 11 to A, 15 words + 9 deadwood = 24 to B{source}",
        "knock with 12 against 9: 0 for words − 12 deadwood = −12 to A, "
        f"15 words − 9 deadwood + 12 deadwood of A = 18 to B{source}",
        "the stock ran out, scored like a knock with equal deadwood: "
        f"5 words − 6 deadwood = −1 to B, 4 words + 7 deadwood = 11 to A{source}",
    ]


def doubted(line: dict[str, Any], earlier: int = 0, **options: Any) -> list[str]:
    """Return the codes of the warnings for a line that follows this many other lines."""
    sheet = make_empty_sheet(make_variant_rules("word-gin", options), ["A", "B"])
    for number in range(earlier):
        sheet = judge_line(sheet, STOCK | {"words": {"A": number, "B": 0}}).sheet
    return [doubt.code for doubt in judge_line(sheet, line).warnings]


@pytest.mark.parametrize("line", [KNOCK, GIN, STOCK, GIN | {"long_words": {"A": 1, "B": 1}}])
def test_an_ordinary_hand_gives_no_warning(line: dict[str, Any]) -> None:
    assert doubted(line) == []


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        (KNOCK | {"deadwood": {"A": 0, "B": 9}}, ["knock-with-nothing"]),
        (KNOCK | {"deadwood": {"A": 5, "B": 0}}, []),
        (GIN | {"words": {"A": 20, "B": 0}}, ["gin-without-words"]),
        (GIN | {"words": {"A": 0, "B": 20}}, []),
        (GIN | {"deadwood": {"A": 0, "B": 0}}, ["gin-against-nothing"]),
        (STOCK | {"deadwood": {"A": 0, "B": 0}}, []),
        (KNOCK | {"long_words": {"A": 2}}, ["too-many-long-words"]),
        (KNOCK | {"words": {"A": 20, "B": 0}, "long_words": {"B": 1}}, ["long-word-without-points"]),
    ],
)
def test_improbable_values_give_warnings(line: dict[str, Any], codes: list[str]) -> None:
    assert doubted(line) == codes


def test_a_duplicate_hand_gives_a_warning() -> None:
    sheet = judge_line(make_empty_sheet(make_variant_rules("word-gin"), ["A", "B"]), KNOCK).sheet
    assert [doubt.code for doubt in judge_line(sheet, KNOCK).warnings] == ["same-hand"]
    assert judge_line(sheet, GIN).warnings == ()


def test_words_longer_than_a_progressive_hand_give_a_warning() -> None:
    long = GIN | {"long_words": {"B": 1}}
    assert doubted(long, 3, progressive=True) == ["too-many-long-words"]  # six cards
    assert doubted(long, 4, progressive=True) == []  # seven
    assert doubted(GIN, 0, progressive=True, min_letters=4) == ["words-too-short"] * 2  # three cards
    assert doubted(GIN, 1, progressive=True, min_letters=4) == []


def test_a_line_asks_for_words_of_both_and_who_ended_it() -> None:
    fields = make_empty_sheet(make_variant_rules("word-gin", {"min_letters": 4}), ["A", "B"]).variant.line_fields()
    assert [(f.name, f.required) for f in fields] == [
        ("outcome", True), ("by", True), ("words", True), ("long_words", False), ("deadwood", True),
    ]  # fmt: skip
    assert dict(fields[0].choices) == {"gin": "gin", "knock": "knock", "stock": "last card"}
    assert "of 4 or more" in fields[2].hint
    assert (fields[4].zero_count_player_field, fields[4].zero_count_outcomes) == ("by", ("gin",))


def test_the_published_sheet_says_which_game_it_is() -> None:
    said = [
        (o.option.name, o.words, o.source)
        for o in make_variant_rules("word-gin", {"progressive": True}).list_published_options()
    ]
    assert said == [
        ("target", "1000", "BWC Gin Rummy, “Game ends”"),
        ("progressive", "yes: eight hands, three to ten cards", "set by the director"),
        ("min_letters", "3", "set by the director"),
    ]


def sheet_of(lines: list[dict[str, Any]], blank: int = 0, **options: Any) -> SheetBlock:
    sheet = sheet_from_json({"rules": "word-gin", "options": options, "sides": ["A", "B"], "lines": lines})
    [block] = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet), blank=blank)
    return block


def texts(block: SheetBlock) -> list[list[str]]:
    return cell_texts(block.lines)


def test_the_sheet_shows_words_long_words_and_deadwood_before_the_points() -> None:
    block = sheet_of([GIN, KNOCK | {"deadwood": {"A": 12, "B": 9}, "long_words": {"B": 1}}], blank=1, target=40)
    own = ["Words", "Long words", "Deadwood", "Points", "Total"]
    assert [heading.text for heading in block.headings] == ["Hand", "Outcome", *own, *own]
    assert [(group.text, group.span) for group in block.groups] == [("", 2), ("A", 5), ("B", 5)]
    assert texts(block) == [
        ["1", "gin, B", "20", "0", "3", "17", "17", "25", "0", "0", "38", "38"],
        ["2", "knock, A", "20", "0", "12", "−12", "5", "15", "1", "9", "68", "106"],
        ["3", *[""] * 11],
    ]
    assert all(cell.write for cell in block.lines[2].cells[1:])
    [foot] = block.footer
    assert [(cell.text, cell.span, cell.mark) for cell in foot.cells] == [
        ("Final", 2, CellMark.NONE), ("", 4, CellMark.NONE), ("5", 1, CellMark.NONE), ("", 4, CellMark.NONE),
        ("106", 1, CellMark.WON),
    ]  # fmt: skip


def test_an_open_sheet_shows_the_current_totals() -> None:
    [foot] = sheet_of([STOCK]).footer
    assert [cell.text for cell in foot.cells] == ["Now", "", "11", "", "−1"]
    assert not any(cell.mark or cell.write for cell in foot.cells)


def test_a_progressive_sheet_has_eight_hands_with_their_cards_printed() -> None:
    block = sheet_of([STOCK, KNOCK], blank=20, progressive=True)
    assert [row[:3] for row in texts(block)] == [
        ["1", "3", "last card, B"], ["2", "4", "knock, A"], *([str(n), str(n + 2), ""] for n in range(3, 9)),
    ]  # fmt: skip
    assert [group.span for group in block.groups] == [3, 5, 5]


def test_a_blank_sheet_is_for_writing() -> None:
    variant = make_empty_sheet(make_variant_rules("word-gin"), ["A", "B"]).variant
    [block] = variant.blocks((), blank=20)
    assert [line.cells[0].text for line in block.lines] == [str(n) for n in range(1, 21)]
    assert [cell.write for cell in block.footer[0].cells] == [False, False, True, False, True]


def test_a_sheet_cannot_be_entered_by_totals() -> None:
    with pytest.raises(InvalidInput, match="a sheet cannot be entered by its totals"):
        judge_totals_line(make_variant_rules("word-gin"), ["A", "B"], {"A": 1000, "B": 500})
