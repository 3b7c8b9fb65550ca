"""Every hand in Court Whist counts by the rules of its own game, whatever the order of the hands."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.book.layout import CellMark, format_signed_number
from scoring.rules.sheet.sheets import (
    judge_line,
    make_empty_sheet,
    make_variant_rules,
    run_tally_case,
    sheet_from_json,
    tally_sheet,
)
from scoring.rules.variants.court_whist import WHIST_GAMES
from scoring.rules.variants.variant import FieldKind
from tests.chance import examples
from tests.scoring.rules.helpers import problems_of
from tests.scoring.rules.variants.variant_strategies import ALL_HANDS, whist_cards
from tournament.errors import InvalidInput

pure = settings(max_examples=examples(80), deadline=None)


def refused(*lines: Any, sides: Any = ("Ann",)) -> list[tuple[str, str]]:
    return problems_of(run_tally_case, {"rules": "court-whist", "sides": list(sides), "lines": list(lines)})


@pure
@given(whist_cards())
def test_running_totals_and_games_are_sums_of_points(card: dict[str, Any]) -> None:
    answer = run_tally_case(card)
    [name] = card["sides"]
    total = 0
    for line in answer["lines"]:
        total += line["points"][name]
        assert line["running"] == {name: total}
    assert answer["totals"] == {name: total}
    assert sum(answer["games"]) == total
    assert answer["complete"] == (len(card["lines"]) == 28)


@pure
@given(whist_cards(), st.randoms())
def test_the_order_of_the_hands_changes_no_total(card: dict[str, Any], chance: Any) -> None:
    lines = list(card["lines"])
    chance.shuffle(lines)
    one, other = run_tally_case(card), run_tally_case(card | {"lines": lines})
    assert [other[key] for key in ("complete", "totals", "games")] == [
        one[key] for key in ("complete", "totals", "games")
    ]


@pure
@given(whist_cards(), st.data())
def test_exactly_the_duplicate_hands_are_refused(card: dict[str, Any], data: st.DataObject) -> None:
    again = data.draw(st.lists(st.sampled_from(card["lines"]), max_size=4)) if card["lines"] else []
    lines = [*card["lines"], *again]
    code, where = ("after-end", "") if len(card["lines"]) == 28 else ("bad-value", ".hand")
    found = [(code, f"lines[{at}]{where}") for at in range(len(card["lines"]), len(lines))]
    if found:
        assert refused(*lines, sides=card["sides"]) == found


def written(text: str) -> int:
    """Return the number that a cell shows. A typographic minus sign is allowed, and an empty text counts as 0."""
    return int(text.replace("−", "-") or 0)


@pure
@given(whist_cards())
def test_the_printed_card_shows_every_hand_once_with_correct_sums(card: dict[str, Any]) -> None:
    sheet = sheet_from_json(card)
    counted = tally_sheet(sheet)
    *games, grand = sheet.variant.blocks(sheet.list_rows(), counted)
    assert [block.title for block in games] == [game.title for game in WHIST_GAMES.values()]
    shown = [line.number for block in games for line in block.lines if line.number]
    assert sorted(shown) == list(range(1, len(card["lines"]) + 1))
    assert all(len(block.lines) == 4 for block in games)
    [total] = counted.totals.values()
    assert grand.footer[0].cells[1].text == (format_signed_number(total) if card["lines"] else "")
    totals = [written(line.cells[1].text) for line in grand.lines]
    assert totals == list(run_tally_case(card)["games"])
    assert [written(block.footer[0].cells[1].text) for block in games] == totals


def test_the_card_before_play_is_the_printed_one() -> None:
    blocks = make_empty_sheet(make_variant_rules("court-whist"), ["Ann"]).variant.blocks((), blank=20)
    printed = [
        (b.title, b.headings[0].text, [line.cells[0].text for line in b.lines], b.footer[0].cells[0].text)
        for b in blocks
    ]
    suits = ["Spades trump", "Hearts trump", "Clubs trump", "Diamonds trump"]
    kings = [f"Trump declared by owner of King-{suit}" for suit in ("Spades", "Hearts", "Clubs", "Diamonds")]
    last = ["Last card is turned up for trump"] * 4
    assert printed == [
        ("Game 1 – Coronation – Partners", "Total tricks taken", kings, "Total – possible 13"),
        ("Game 2 – Prosperity – Partners", "Each trick counts as double", suits, "Total – possible 26"),
        ("Game 3 – Conspiracy – No partners", "Each player scores own tricks only", last, "Total – possible 13"),
        ("Game 4 – Chivalry – Partners", "2 extra for each trick taken by lady", suits, "Total – possible 13 to 39"),
        ("Game 5 – Revolution – Partners", "Each side scores opponents' tricks", ["No trump"] * 4,
         "Total – possible 13"),
        ("Game 6 – Confiscation – Partners",
         "Each player speaking after cards dealt forfeits 3 points, deducted from the speaker's total", suits,
         "Total – possible 13"),
        ("Game 7 – Restoration – Partners", "Each face card is a point in addition to the tricks", suits,
         "Total – possible 25"),
        ("Grand total", "", [f"Game {n} total" for n in range(1, 8)], "Grand total"),
    ]  # fmt: skip
    assert all(line.cells[1].write for block in blocks for line in (*block.lines, *block.footer))


def test_shaded_scores_are_explained_if_there_are_any() -> None:
    sheet = make_empty_sheet(make_variant_rules("court-whist"), ["Ann"])
    for line, legend in (
        ({"game": 5, "hand": 1, "sit_out": True}, ["Shaded: sat out, 8 at each hand"]),
        ({"game": 5, "hand": 1, "tricks": 3}, []),
    ):
        read = judge_line(sheet, line).sheet
        foot = read.variant.blocks(read.list_rows(), tally_sheet(read))[-1].footer
        assert [each.cells[0].text for each in foot[1:]] == legend


def test_a_hand_on_the_card_explains_its_score() -> None:
    sheet = make_empty_sheet(make_variant_rules("court-whist"), ["Ann"])
    lines = [{"game": 6, "hand": 2, "tricks": 1, "spoken": 2}, {"game": 2, "hand": 3, "sit_out": True}]
    for line in lines:
        sheet = judge_line(sheet, line).sheet
    said = [row.line_tally.explanation for row in sheet.list_rows()]
    assert said == [
        "Confiscation: 1 trick, 2 spoken at −3 each: −5, Court Whist card, game 6",
        "Prosperity: sat out, 8 at each hand, Court Whist rules",
    ]
    blocks = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))
    score = blocks[5].lines[1].cells[1]
    assert (score.text, score.why, blocks[5].lines[1].number) == ("−5", said[0], 1)
    assert (blocks[1].lines[2].cells[1].text, blocks[1].lines[2].cells[1].mark) == ("8", CellMark.OUT)
    shown = [[column.text(row) for column in sheet.variant.columns()] for row in sheet.list_rows()]
    assert shown == [
        ["Confiscation", "2", "Hearts trump", "1, 2 spoken", "-5", "-5"],
        ["Prosperity", "3", "Clubs trump", "sat out", "8", "3"],
    ]


def test_a_line_asks_for_the_counts_of_its_game() -> None:
    fields = {
        field.name: field
        for field in make_empty_sheet(make_variant_rules("court-whist"), ["Ann"]).variant.line_fields()
    }
    assert list(fields) == ["game", "hand", "sit_out", "tricks", "lady_tricks", "spoken", "faces"]
    asked = {name: (field.depends_on, field.outcomes) for name, field in fields.items() if field.outcomes}
    assert asked == {
        "tricks": ("sit_out", ("false",)),
        "lady_tricks": ("game", ("4",)),
        "spoken": ("game", ("6",)),
        "faces": ("game", ("7",)),
    }
    assert fields["game"].choices[3] == ("4", "4 Chivalry")


def test_sit_out_can_be_false() -> None:
    line = {"game": 1, "hand": 1, "tricks": 7}
    sheet = make_empty_sheet(make_variant_rules("court-whist"), ["Ann"])
    assert judge_line(sheet, line | {"sit_out": False}).as_json() == line


def test_a_correction_cannot_duplicate_another_hand() -> None:
    sheet = make_empty_sheet(make_variant_rules("court-whist"), ["Ann"])
    for hand in (1, 2):
        sheet = judge_line(sheet, {"game": 1, "hand": hand, "tricks": 7}).sheet
    assert judge_line(sheet, {"game": 1, "hand": 2, "tricks": 5}, at=1).tally.totals == {"Ann": 12}
    assert problems_of(judge_line, sheet, {"game": 1, "hand": 1, "tricks": 5}, at=1) == [("bad-value", "hand")]


def doubts(*lines: dict[str, Any]) -> list[str]:
    sheet = make_empty_sheet(make_variant_rules("court-whist"), ["Ann"])
    for line in lines:
        judged = judge_line(sheet, line)
        sheet = judged.sheet
    return [doubt.code for doubt in judged.warnings]


def hand(game: int, number: int, tricks: int = 7, **more: int) -> dict[str, Any]:
    return {"game": game, "hand": number, "tricks": tricks, **more}


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        ([hand(1, 1), hand(1, 2)], []),
        ([hand(1, 2)], ["out-of-order"]),
        ([hand(1, 1), hand(2, 1)], ["out-of-order"]),
        ([hand(3, 1), hand(3, 2)], []),
        ([hand(3, 1), hand(1, 1)], []),
        ([hand(1, 1), {"game": 1, "hand": 2, "sit_out": True}], ["sat-out-in-part"]),
        ([{"game": 1, "hand": 1, "sit_out": True}, hand(1, 2)], ["sat-out-in-part"]),
        ([hand(5, 4), hand(6, 1, spoken=5)], []),
        ([hand(5, 4), hand(6, 1, spoken=6)], ["spoke-often"]),
        ([hand(6, 4, spoken=0), hand(7, 1, 1, faces=4)], []),
        ([hand(6, 4, spoken=0), hand(7, 1, 1, faces=5)], ["faces-do-not-fit"]),
        ([hand(6, 4, spoken=0), hand(7, 1, 12, faces=8)], []),
        ([hand(6, 4, spoken=0), hand(7, 1, 12, faces=7)], ["faces-do-not-fit"]),
        ([hand(6, 4, spoken=0), {"game": 7, "hand": 1, "sit_out": True}], []),
    ],
)
def test_improbable_values_give_warnings(lines: list[dict[str, Any]], codes: list[str]) -> None:
    assert doubts(*lines) == codes


def test_the_best_hand_is_every_trick_by_the_lady() -> None:
    assert make_empty_sheet(make_variant_rules("court-whist"), ["Ann"]).variant.compute_max_points() == 39


def test_an_unreadable_sit_out_is_the_only_problem_of_a_line() -> None:
    assert refused({"game": 1, "hand": 1, "sit_out": "yes"}) == [("bad-value", "lines[0].sit_out")]
    assert refused({"game": 4, "hand": 1, "sit_out": None, "tricks": 3, "lady_tricks": 3}) == [
        ("bad-value", "lines[0].sit_out")
    ]


def test_an_unreadable_game_is_the_only_problem() -> None:
    assert refused({"game": "4", "hand": 1, "tricks": 3, "lady_tricks": 3}) == [("bad-value", "lines[0].game")]


def test_a_line_after_the_last_hand_is_refused() -> None:
    lines = [{"game": game, "hand": number, "sit_out": True} for game, number in ALL_HANDS]
    with pytest.raises(InvalidInput, match="The card was complete before this line: all 28 hands are recorded"):
        run_tally_case({"rules": "court-whist", "sides": ["Ann"], "lines": [*lines, lines[0]]})
    with pytest.raises(InvalidInput, match="Court Whist takes 1 side; here are 2"):
        run_tally_case({"rules": "court-whist", "sides": ["Ann", "Bob"], "lines": []})


def test_required_fields_of_a_hand_depend_on_its_game() -> None:
    fields = make_empty_sheet(make_variant_rules("court-whist"), ["Ann"]).variant.line_fields()
    game, hand, sit_out, tricks, *extras = fields
    assert [(one.name, one.label) for one in (game, hand, sit_out)] == [
        ("game", "Game"),
        ("hand", "Hand"),
        ("sit_out", "Sat out"),
    ]
    assert [(one.kind, one.required, one.lowest) for one in (game, hand)] == [(FieldKind.NUMBER, True, 1)] * 2
    assert game.choices == tuple((str(number), f"{number} {WHIST_GAMES[number].name}") for number in range(1, 8))
    assert hand.choices == (("1", "1"), ("2", "2"), ("3", "3"), ("4", "4"))
    assert (sit_out.kind, sit_out.required) == (FieldKind.SWITCH, False)
    assert (tricks.name, tricks.kind, tricks.required, tricks.lowest) == ("tricks", FieldKind.NUMBER, True, 0)
    assert (tricks.depends_on, tricks.outcomes) == ("sit_out", ("false",))
    assert [(one.name, one.depends_on, one.outcomes, one.required) for one in extras] == [
        ("lady_tricks", "game", ("4",), False),
        ("spoken", "game", ("6",), False),
        ("faces", "game", ("7",), False),
    ]
    assert {one.kind for one in extras} == {FieldKind.NUMBER}
