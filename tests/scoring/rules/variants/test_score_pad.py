"""A game on a score pad ends after its last round, or when a side reaches the target."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from scoring.rehearsal.selectors.hands import make_random_score_pad_round
from scoring.rehearsal.selectors.playable import RehearsalRandomizer
from scoring.rules.book.layout import CellMark, SheetBlock, format_signed_number
from scoring.rules.sheet.sheets import (
    ScoreSheet,
    judge_line,
    make_empty_sheet,
    make_variant_rules,
    sheet_from_json,
    tally_sheet,
)
from scoring.rules.variants.score_pad.pads import SCORE_PAD_GAMES
from tests.chance import examples
from tests.scoring.rules.helpers import cell_texts, play_sheet, problems_of
from tests.scoring.rules.variants.recount_score_pad import BOOK, meant
from tests.scoring.rules.variants.variant_strategies import pad_cases
from tournament.errors import InvalidInput

pure = settings(max_examples=examples(80), deadline=None)


@pure
@given(pad_cases())
def test_every_pad_has_a_sheet(case: dict[str, Any]) -> None:
    sheet = sheet_from_json(case)
    counted = tally_sheet(sheet)
    block = sheet.variant.blocks(sheet.list_rows(), counted, blank=3)[0]
    totals = [cell.text for cell in block.footer[0].cells[1:]]
    assert totals == [format_signed_number(total) if case["lines"] else "" for total in counted.totals.values()]
    won = [
        side for side, cell in zip(case["sides"], block.footer[0].cells[1:], strict=True) if cell.mark is CellMark.WON
    ]
    assert won == ([counted.winner] if counted.winner is not None else [])
    rounds = meant(case["options"])["rounds"]
    expected = len(case["lines"]) if counted.complete else len(rounds) or len(case["lines"]) + 3
    assert len(block.lines) == expected


def play(options: dict[str, Any], *lines: dict[str, int], sides: str = "A B") -> ScoreSheet:
    return play_sheet("score-pad", *({"points": line} for line in lines), sides=sides, **options)


def verdict(options: dict[str, Any], *lines: dict[str, int]) -> tuple[bool, str | None]:
    counted = tally_sheet(play(options, *lines))
    return counted.complete, counted.winner


@pytest.mark.parametrize("book", SCORE_PAD_GAMES.values(), ids=lambda book: book.name)
def test_a_pad_of_the_book_is_a_complete_rule_set(book: Any) -> None:
    options = book.make_options()
    chosen = make_variant_rules("score-pad", options)
    assert chosen.options == options
    variant = chosen.variant
    assert set(options) == {option.name for option in variant.options}
    sides = [f"P{n}" for n in range(book.sides[0])]
    by_game = make_empty_sheet(make_variant_rules("score-pad", {"game": book.name}), sides).variant
    assert by_game.terms == make_empty_sheet(chosen, sides).variant.terms
    rounds, wins, target = BOOK[book.name]
    assert (options["rounds"], options["wins"], options["target"]) == (rounds, wins, target)
    assert 2 <= book.sides[0] <= book.sides[1] <= variant.most_sides
    assert by_game.low_wins is (wins == "low")


def test_the_book_has_these_games_on_these_pages() -> None:
    assert list(SCORE_PAD_GAMES) == list(BOOK)
    assert (
        " ".join(each.page for each in SCORE_PAD_GAMES.values())
        == "1 2 3 4 5 6 7 8 9–10 11 12 13 14 14 15 16 17 18 19 20 21 22"
    )


ASKED = {
    "10-dime-rummy": ["1 set of 3", "2 sets of 3", "1 set of 4", "2 sets of 4", "1 set of 5", "2 sets of 5"],
    "arizona-rummy": ["deal 3, 3s are wild", "deal 4, 4s are wild"],
    "hand-and-foot-canasta": ["minimum meld 90", "minimum meld 120", "minimum meld 150", "minimum meld 180"],
    "hearts": ["pass left", "pass right", "pass across", "no passing (keeper)", "pass left"],
    "honeymoon-whist": ["Clubs trump", "Diamonds trump", "Hearts trump", "Spades trump", "no trump"],
    "push": ["6 cards dealt: 2 sets of three", "7 cards dealt: 1 set of 3, 1 run of 4"],
    "mexican-train": ["starts with the double 12", "starts with the double 11"],
    "chicken-foot": ["starts with the 0-0", "starts with the 1-1"],
}


@pytest.mark.parametrize("name", ASKED)
def test_a_round_has_its_task(name: str) -> None:
    sheet = play({"game": name}, sides="A B C D")
    block = sheet.variant.blocks((), blank=6)[0]
    assert block.headings[1].text == "This round"
    assert [line.cells[1].text for line in block.lines][: len(ASKED[name])] == ASKED[name]


def test_custom_rounds_have_no_tasks() -> None:
    block = play({"game": "arizona-rummy", "rounds": ["first", "second"]}).variant.blocks(())[0]
    assert [heading.text for heading in block.headings] == ["Round", "Points", "Total", "Points", "Total"]
    assert [line.cells[0].text for line in block.lines] == ["first", "second"]


def shown(block: SheetBlock) -> list[list[str]]:
    return cell_texts((*block.lines, *block.footer))


def test_a_pad_looks_like_this() -> None:
    sheet = play({"game": "push"}, {"A": 0, "B": 45}, {"A": 20, "B": 0})
    main, counts = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))
    assert (main.title, [(group.text, group.span) for group in main.groups]) == (
        "Push (Rummy)", [("", 2), ("A", 2), ("B", 2)],
    )  # fmt: skip
    assert shown(main) == [
        ["1st", "6 cards dealt: 2 sets of three", "0", "0", "45", "45"],
        ["2nd", "7 cards dealt: 1 set of 3, 1 run of 4", "20", "20", "0", "45"],
        ["3rd", "8 cards dealt: 2 runs of 4", "", "", "", ""],
        ["4th", "9 cards dealt: 3 sets of 3", "", "", "", ""],
        ["5th", "10 cards dealt: 2 runs of 5", "", "", "", ""],
        ["Total", "20", "45"],
        ["The lowest total wins; 5 rounds."],
    ]
    assert [line.number for line in main.lines] == [1, 2, None, None, None]
    assert ["Ace", "20 points"] in shown(counts)
    assert shown(counts)[-1] == ["Metzker Book of Card Game Rules 2026, page 15"]


def test_many_sides_share_a_column_each() -> None:
    sides = " ".join("ABCDEFG")
    sheet = play({"wins": "low"}, dict.fromkeys("ABCDEFG", 5), dict.fromkeys("ABCDEFG", -2), sides=sides)
    assert [column.heading for column in sheet.variant.columns()] == ["Round", *"ABCDEFG"]
    block = sheet.variant.blocks(sheet.list_rows())[0]
    assert shown(block)[1][:2] == ["2", "−2 → 3"]
    assert (block.groups, [heading.text for heading in block.headings]) == ((), ["Round", *"ABCDEFG"])
    with pytest.raises(InvalidInput):
        make_empty_sheet(make_variant_rules("score-pad"), [f"P{n}" for n in range(13)])


def test_steps_have_a_table_of_their_own() -> None:
    made = [{"A": 1, "B": 0}, {"A": 0, "B": 0}, {"A": 1, "B": 1}]
    sheet = play({"game": "desert-rummy"}, *made)
    steps = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))[1]
    assert shown(steps)[:3] == [
        ["1", "2 sets of 3", "1", "3"],
        ["2", "2 runs of 3", "3", ""],
        ["3", "1 run of 4 and 1 set of 3", "", ""],
    ]
    assert len(steps.lines) == 11


@pytest.mark.parametrize(
    ("options", "rounds", "ended"),
    [
        ({}, [(5, 3)], (False, None)),
        ({"rounds": ["a", "b"]}, [(5, 3)], (False, None)),
        ({"rounds": ["a", "b"]}, [(5, 3), (0, 1)], (True, "A")),
        ({"rounds": ["a", "b"], "wins": "low"}, [(5, 3), (0, 1)], (True, "B")),
        ({"target": 10}, [(9, 3)], (False, None)),
        ({"target": 10}, [(10, 3)], (True, "A")),
        ({"target": 10}, [(12, 12)], (False, None)),
        ({"target": 10, "wins": "low"}, [(12, 12)], (True, None)),
        ({"target": 10, "wins": "low"}, [(3, 10)], (True, "A")),
        ({"losing_total": -5}, [(-4, 0)], (False, None)),
        ({"losing_total": -5}, [(-5, 0)], (True, "B")),
        ({"losing_total": -5, "wins": "low"}, [(-5, 0)], (False, None)),
        ({"target": 10, "back_to_zero": True}, [(10, 0), (9, 50)], (False, None)),
        ({"target": 10, "back_to_zero": True}, [(10, 0), (10, 50)], (True, "A")),
        ({"target": 10, "back_to_zero": True}, [(10, 20), (10, 20)], (True, None)),
        ({"back_to_zero": True}, [(10, 20), (10, 20)], (False, None)),
        ({"game": "hearts", "target": 50}, [(26, 0), (24, 2)], (True, "B")),
        ({"game": "hearts", "wins": "high"}, [(100, 0)], (True, "A")),
        ({"game": "push", "rounds": []}, [(0, 5)] * 7, (False, None)),
    ],
)
def test_when_a_pad_is_over(
    options: dict[str, Any], rounds: list[tuple[int, int]], ended: tuple[bool, str | None]
) -> None:
    assert verdict(options, *({"A": a, "B": b} for a, b in rounds)) == ended


def doubts(options: dict[str, Any], line: dict[str, Any], *before: dict[str, int], sides: str = "A B C D") -> list[str]:
    return [doubt.code for doubt in judge_line(play(options, *before, sides=sides), line).warnings]


def four(*numbers: int) -> dict[str, int]:
    return dict(zip("ABCD", numbers, strict=True))


@pytest.mark.parametrize(
    ("options", "line", "codes"),
    [
        ({"game": "push", "rounds": ["x"]}, {"points": four(0, 1, 5, 5)}, ["odd-points"]),
        ({"game": "hearts"}, {"points": four(12, 14, 0, 0), "won_by": "B"}, ["won-early"]),
        ({"game": "thirty-one"}, {"points": four(1, 0, 0, 0), "won_by": "B"}, []),
        ({"target": 5}, {"points": four(5, 5, 0, 0), "won_by": "B"}, []),
        ({}, {"points": four(7, 1, 0, -3)}, []),
    ],
)
def test_improbable_values_give_warnings(options: dict[str, Any], line: dict[str, Any], codes: list[str]) -> None:
    assert doubts(options, line) == codes


EXCLUDED: list[tuple[str, str, list[str]]] = [
    ("10-dime-rummy", "-35 120", []),
    ("10-dime-rummy", "7 5", ["odd-points"]),
    ("arizona-rummy", "0 15 40", []),
    ("arizona-rummy", "5 15 40", ["who-scores"]),
    ("arizona-rummy", "-5 0 0", ["points-too-low"]),
    ("canadian-salad", "40 30 60 0", []),
    ("canadian-salad", "100 0 100 100", []),
    ("canadian-salad", "130 0 0 0", ["took-everything"]),
    ("canadian-salad", "100 0 0 100", ["round-total"]),
    ("canadian-salad", "127 3 0 0", ["odd-points"]),
    ("desert-rummy", "1 0 1", []),
    ("desert-rummy", "2 0 1", ["no-such-points"]),
    ("desert-rummy", "0 0 0", ["who-scores"]),
    ("euchre", "0 4", []),
    ("euchre", "0 3", ["no-such-points"]),
    ("euchre", "1 2", ["who-scores"]),
    ("five-hundreds", "250 170 -15", []),
    ("five-hundreds", "250 175 0", ["points-too-high"]),
    ("golf", "-100 80", []),
    ("golf", "-101 81", ["points-too-low", "points-too-high"]),
    ("hearts", "13 9 4 0", []),
    ("hearts", "0 26 26 26", []),
    ("hearts", "26 0", []),
    ("hearts", "26 0 0 0", ["took-everything"]),
    ("hearts", "12 13 0 0", ["round-total"]),
    ("hearts", "12 12 2 0", ["queen-of-spades"]),
    ("hearts", "30 -4 0 0", ["points-too-low"]),
    ("honeymoon-whist", "7 0", []),
    ("honeymoon-whist", "8 0", ["points-too-high"]),
    ("honeymoon-whist", "3 2", ["who-scores"]),
    ("mexican-train", "0 0 31", []),
    ("mexican-train", "4 1 31", ["who-scores"]),
    ("mexican-train", "0 1093", ["points-too-high"]),
    ("push", "0 45", []),
    ("push", "0 0", ["who-scores"]),
    ("saskatchewan-rummy", "20 25 20 0", []),
    ("saskatchewan-rummy", "20 25 20 5", ["round-total"]),
    ("sticks", "1 3 0", []),
    ("sticks", "0 0 0", ["who-scores"]),
    ("sweep", "0 12 31", []),
    ("sweep", "0 0 31", ["who-scores"]),
    ("thirty-one", "1 2 0", []),
    ("thirty-one", "3 0 0", ["no-such-points"]),
    ("thirty-one", "2 2 0", ["two-knocked"]),
    ("thirty-one", "0 0 0", ["who-scores"]),
    ("10000", "1000 0 2350", []),
    ("10000", "-500 0 0", ["points-too-low"]),
    ("10000", "1025 0 0", ["odd-points"]),
    ("10000", "950 0 0", ["first-meld"]),
]


@pytest.mark.parametrize(("game", "points", "codes"), EXCLUDED)
def test_points_that_the_book_excludes_warn(game: str, points: str, codes: list[str]) -> None:
    sides = [f"P{n}" for n, _each in enumerate(points.split())]
    line = {"points": dict(zip(sides, map(int, points.split()), strict=True))}
    assert doubts({"game": game}, line, sides=" ".join(sides)) == codes


@pytest.mark.parametrize(
    ("cards", "bids", "points", "codes"),
    [
        (1, "0 1 0", "10 11 10", []),
        (1, "1 1 0", "11 0 10", []),
        (1, "1 1 1", "11 0 10", ["not-the-bid"]),
        (1, "1 1 0", "11 11 10", ["too-many-tricks"]),
        (1, "0 0 0", "10 10 10", ["everybody-made-it"]),
        (1, "0 0 0", "10 10 0", []),
        (1, "0 0 1", "10 10 0", ["bid-was-made"]),
        (1, "1 0 2", "11 10 0", ["bid-too-high"]),
        (1, "", "7 13 0", ["no-bid", "no-such-points"]),
        (1, "", "11 10 10", ["no-bid"]),
        (3, "1 1 0", "11 0 10", []),
        (3, "1 1 1", "11 11 0", ["bids-add-up"]),
        (3, "", "11 11 11", ["no-bid", "everybody-made-it"]),
        (3, "3 2 0", "13 12 0", ["too-many-tricks"]),
        (3, "0 3 2", "0 13 0", ["bid-was-made"]),
        (10, "10 0 1", "110 10 0", []),
        (10, "10 0 1", "20 10 0", ["no-such-points"]),
    ],
)
def test_bids_and_tricks_have_to_fit_together(cards: int, bids: str, points: str, codes: list[str]) -> None:
    def by_side(numbers: str) -> dict[str, int]:
        return dict(zip("ABC", map(int, numbers.split()), strict=True))

    earlier = [by_side("0 0 0")] * (10 - cards)
    line = {"points": by_side(points)} | ({"bids": by_side(bids)} if bids else {})
    assert doubts({"game": "oh-hell"}, line, *earlier, sides="A B C") == codes


@pytest.mark.parametrize(
    ("bid", "points", "codes"),
    [(7, 17, []), (8, 0, ["bid-too-high"]), (7, 18, ["no-such-points"]), (7, 7, ["no-such-points"]), (0, 10, [])],
)
def test_the_highest_bid_of_six_players_is_seven(bid: int, points: int, codes: list[str]) -> None:
    line = {"bids": dict.fromkeys("ABCDE", 1) | {"F": bid}, "points": dict.fromkeys("ABCDE", 0) | {"F": points}}
    assert doubts({"game": "oh-hell-6-7"}, line, sides="A B C D E F") == codes


def test_a_bid_of_ten_has_a_1_in_front() -> None:
    line = {"bids": {"A": 10, "B": 1, "C": 1}, "points": {"A": 20, "B": 0, "C": 0}}
    found = judge_line(play({"game": "oh-hell"}, sides="A B C"), line).warnings
    assert "10 to 19, or 110 for a bid of 10" in str(found[0].message)


@pytest.mark.parametrize(
    ("bid", "points", "before", "codes"),
    [
        ("A 70", "75 50", None, []),
        ("A 70", "70 55", None, []),
        ("A 70", "-70 60", None, []),
        ("A 70", "65 60", None, ["not-the-bid"]),
        ("A 70", "75 45", None, ["not-the-bid"]),
        ("A 70 NT", "125 50", None, []),
        ("A 70 NT", "75 50", None, ["not-the-bid"]),
        ("B 60", "0 125", None, []),
        ("A 55", "75 50", None, ["bid-too-low"]),
        ("A 130", "-130 125", None, ["bid-too-high"]),
        ("A 70", "75 -5", None, ["points-too-high"]),
        ("A 70", "75 10", "0 485", []),
        ("A 70", "75 50", "0 485", ["points-too-high"]),
        ("", "75 50", None, ["no-bid"]),
        ("", "125 50", None, ["no-bid"]),
        ("", "55 70", None, ["no-bid"]),
        ("", "-55 70", None, ["no-bid", "not-the-bid"]),
        ("", "-75 40", None, ["no-bid", "not-the-bid"]),
    ],
)
def test_the_points_of_500_rummy_follow_from_the_bid(
    bid: str, points: str, before: str | None, codes: list[str]
) -> None:
    def by_side(numbers: str) -> dict[str, int]:
        return dict(zip("AB", map(int, numbers.split()), strict=True))

    line: dict[str, Any] = {"points": by_side(points)}
    if bid:
        by, number, *no_trump = bid.split()
        line |= {"bid_by": by, "bid": int(number), "no_trump": bool(no_trump)}
    assert doubts({"game": "500-rummy"}, line, *([by_side(before)] if before else []), sides="A B") == codes


def test_payday_pays_out_the_pot() -> None:
    paid = [four(20, 25, 20, 0), four(5, 25, 25, 10), four(10, 10, 20, 0), four(0, 25, 0, 0), four(0, 0, 0, 50)]
    game = {"game": "saskatchewan-rummy"}
    assert doubts(game, {"points": four(-120, 5, -65, -65)}, *paid) == []
    assert doubts(game, {"points": four(-120, 5, -65, 0)}, *paid) == ["pot-left"]


def test_the_next_round_is_judged() -> None:
    first = four(40, 30, 60, 0)
    assert doubts({"game": "canadian-salad"}, {"points": four(60, 60, 0, 0)}, first) == []
    assert doubts({"game": "canadian-salad"}, {"points": four(130, 0, 0, 0)}, first) == ["round-total"]


@pytest.mark.parametrize("book", SCORE_PAD_GAMES.values(), ids=lambda book: book.name)
def test_a_possible_round_raises_no_doubt(book: Any) -> None:
    dice = RehearsalRandomizer(31)
    for _game in range(12):
        sides = [f"P{n}" for n in range(dice.randint(book.sides[0], min(book.sides[1], 6)))]
        sheet = make_empty_sheet(make_variant_rules("score-pad", {"game": book.name}), sides)
        for _round in range(25):
            judged = judge_line(sheet, make_random_score_pad_round(dice, sheet))
            assert [d for d in judged.warnings if d.code != "won-early"] == [], judged.line
            sheet = judged.sheet
            if judged.tally.complete:
                break


def test_bids_are_on_the_sheet_and_in_the_explanation() -> None:
    sheet = play({"game": "oh-hell"}, sides="Ann Bob Cat")
    line = {"bids": {"Ann": 3, "Bob": 4, "Cat": 4}, "points": {"Ann": 13, "Bob": 0, "Cat": 14}}
    judged = judge_line(sheet, line)
    main = judged.sheet.variant.blocks(judged.sheet.list_rows(), judged.tally)[0]
    assert [heading.text for heading in main.headings[2:5]] == ["Bid", "Points", "Total"]
    assert shown(main)[0] == ["10 cards", "", "3", "13", "13", "4", "0", "0", "4", "14", "14"]
    assert "Ann bid 3; Bob bid 4; Cat bid 4" in judged.line_tally.explanation
    assert judged.as_json() == line


def test_the_highest_bid_is_on_the_sheet_and_in_the_explanation() -> None:
    line = {"bid_by": "A", "bid": 70, "no_trump": True, "points": {"A": 125, "B": 50}}
    judged = judge_line(play({"game": "500-rummy"}), line)
    main = judged.sheet.variant.blocks(judged.sheet.list_rows(), judged.tally)[0]
    assert shown(main)[0] == ["1", "A 70, no trump", "125", "125", "50", "50"]
    assert "A bid 70, no trump" in judged.line_tally.explanation
    assert judged.as_json() == line


@pytest.mark.parametrize(("game", "sides", "fields"), [("oh-hell", 3, 9), ("oh-hell-6-7", 7, 14), ("500-rummy", 2, 5)])
def test_a_blank_pad_has_room_for_bids(game: str, sides: int, fields: int) -> None:
    sheet = play({"game": game}, sides=" ".join("ABCDEFG"[:sides]))
    line = sheet.variant.blocks((), blank=4)[0].lines[0]
    assert sum(cell.write for cell in line.cells) == fields


def test_a_line_explains_its_points() -> None:
    sheet = play({"game": "arizona-rummy"}, {"A": 15, "B": 0})
    assert tally_sheet(sheet).lines[0].explanation == (
        "Round 1, 3s (deal 3, 3s are wild): 15 to A, 0 to B. Metzker Book of Card Game Rules 2026, page 3"
    )
    down = play({"target": 10, "back_to_zero": True}, {"A": 12, "B": 0}, {"A": 5, "B": 1})
    assert tally_sheet(down).lines[1].explanation == "Round 2: -5 to A, 1 to B; A works back to zero"
    won = judge_line(play({}), {"points": {"A": 1, "B": 0}, "won_by": "B"})
    assert won.line_tally.explanation == "Round 1: 1 to A, 0 to B; won outright by B"


def test_a_line_asks_for_the_points_of_every_side() -> None:
    fields = play({}).variant.line_fields()
    assert [(field.name, field.required, field.lowest) for field in fields] == [
        ("points", True, None), ("won_by", False, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ({"points": {"A": 10**9, "B": -(10**9)}}, []),
        ({"points": {"A": 10**9 + 1, "B": 0}}, [("bad-value", "points.A")]),
        ({"points": {"A": 0, "B": -(10**9) - 1}}, [("bad-value", "points.B")]),
        ({"points": {"A": True, "B": None}}, [("bad-value", "points.A"), ("bad-value", "points.B")]),
        ({"points": {"A": 1, "B": 1}, "round": "2"}, [("bad-value", "round")]),
        ({"points": {"A": 1, "B": 1}, "round": "1"}, []),
        ({"points": {"A": 1, "B": 1}, "round": ""}, [("bad-value", "round")]),
        ({"points": {"A": 1, "B": 1}, "won_by": None}, [("bad-value", "won_by")]),
        ({"points": {"A": 1, "B": 1}, "bids": {"A": 1, "B": 1}}, [("unknown-field", "bids")]),
        ({"points": {"A": 1, "B": 1}, "bid": 60}, [("unknown-field", "bid")]),
    ],
)
def test_a_line_is_read_strictly(line: dict[str, Any], found: list[tuple[str, str]]) -> None:
    if found:
        assert problems_of(judge_line, play({}), line) == found
    else:
        judge_line(play({}), line)


@pytest.mark.parametrize(
    ("game", "bids", "found"),
    [
        ("oh-hell", {"bids": {"A": 1}}, [("missing-field", "bids.B")]),
        ("oh-hell", {"bids": {"A": 1, "B": -1}}, [("bad-value", "bids.B")]),
        ("oh-hell", {"bid": 60}, [("unknown-field", "bid")]),
        ("500-rummy", {"bid": 60}, [("missing-field", "bid_by")]),
        ("500-rummy", {"bid_by": "A"}, [("missing-field", "bid")]),
        ("500-rummy", {"no_trump": True}, [("missing-field", "bid"), ("missing-field", "bid_by")]),
        ("500-rummy", {"bid": 60, "bid_by": "C"}, [("unknown-side", "bid_by")]),
    ],
)
def test_bids_are_read_strictly(game: str, bids: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert problems_of(judge_line, play({"game": game}), {"points": {"A": 0, "B": 0}, **bids}) == found


def test_a_list_of_rounds_is_read_strictly() -> None:
    def refused(rounds: Any) -> list[tuple[str, str]]:
        return problems_of(make_variant_rules, "score-pad", {"rounds": rounds})

    whole = [("bad-value", "options.rounds")]
    assert refused("one") == refused({"1": "one"}) == refused(3) == refused(False) == refused(["x"] * 101) == whole
    assert refused(["one", 2, "", None, ["x"], "x" * 61, "\ud800"]) == [
        ("bad-value", f"options.rounds[{n}]") for n in range(1, 7)
    ]
    assert make_variant_rules("score-pad", {"rounds": ["x" * 60] * 100}).options["rounds"] == ["x" * 60] * 100


def test_the_published_sheet_names_the_rounds() -> None:
    published = {
        line.option.name: line.words
        for line in make_variant_rules("score-pad", {"rounds": ["one", "two"]}).list_published_options()
    }
    assert published["rounds"] == "one, two"
    assert published["game"] == "another game"
    kinds = {option.name: option.kind for option in make_variant_rules("score-pad").variant.options}
    assert (kinds["rounds"], kinds["target"], kinds["wins"]) == ("texts", "choice-or-number", "choice")
    none = make_variant_rules("score-pad", {"rounds": []})
    assert {line.option.name: line.words for line in none.list_published_options()}["rounds"] == "none"
