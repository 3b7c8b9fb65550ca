"""Score pads: any game's points added up, over when its rounds or its target say so; and the games of the book."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.book.layout import Block, Mark
from scoring.rules.sheet.case import answer_tally, read_sheet, write_sheet
from scoring.rules.sheet.sheets import Sheet, judge_line, open_sheet, rule_sheet, tally
from scoring.rules.variants.score_pad.pads import PADS, pad
from scoring.rules.variants.word_gin.word_hands import with_minus
from tests.chance import examples
from tests.scoring.rules.sheet.sheet_strategies import names
from tests.scoring.rules.variants.recount_score_pad import BOOK, meant, recount
from tournament.errors import BadCase

pure = settings(max_examples=examples(80), deadline=None)
round_names = st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=9), max_size=6)
option_sets = st.fixed_dictionaries(
    {},
    optional={
        "game": st.one_of(st.none(), st.sampled_from(sorted(BOOK))),
        "rounds": st.one_of(st.none(), round_names),
        "wins": st.sampled_from(["high", "low", None]),
        "target": st.one_of(st.none(), st.integers(1, 150)),
        "losing_total": st.one_of(st.none(), st.integers(-100, -1)),
        "back_to_zero": st.sampled_from([None, False, True]),
    },
)
points = st.one_of(st.integers(-30, 60), st.sampled_from([0, 50, -(10**9), 10**9]))


@st.composite
def cases(draw: st.DrawFn, most: int = 14) -> dict[str, Any]:
    """A pad, open or complete: no line stands after its end, and nobody wins outright against the points."""
    sides = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    case: dict[str, Any] = {"rules": "score-pad", "options": draw(option_sets), "sides": sides, "lines": []}
    rounds = meant(case["options"])["rounds"]
    for at in range(draw(st.integers(0, most))):
        line: dict[str, Any] = {"points": {side: draw(points) for side in sides}}
        if draw(st.integers(0, 4)) == 0:
            line = {"round": rounds[at] if at < len(rounds) else str(at + 1), **line}
        longer = case | {"lines": [*case["lines"], line]}
        by_points = recount(longer)[0]["winner"]
        if draw(st.integers(0, 8)) == 0:
            line["won_by"] = by_points or draw(st.sampled_from(sides))
        case = longer
        if recount(case)[0]["complete"]:
            break
    return case


@pure
@given(cases())
def test_an_independent_count_comes_to_the_same(case: dict[str, Any]) -> None:
    assert answer_tally(case) == recount(case)[0]


@pure
@given(cases())
def test_running_totals_are_the_sums_of_the_points(case: dict[str, Any]) -> None:
    answer = answer_tally(case)
    sums = dict.fromkeys(case["sides"], 0)
    for line in answer["lines"]:
        sums = {side: sums[side] + line["points"][side] for side in sums}
        assert line["running"] == sums
    assert answer["totals"] == sums


@pure
@given(cases())
def test_the_beginning_of_a_pad_tallies_to_the_beginning_of_the_answer(case: dict[str, Any]) -> None:
    whole = answer_tally(case)["lines"]
    for length in range(len(case["lines"])):
        part = answer_tally(case | {"lines": case["lines"][:length]})
        assert part["lines"] == whole[:length]
        assert (part["complete"], part["winner"]) == (False, None)


@pure
@given(cases())
def test_nothing_stands_after_the_end(case: dict[str, Any]) -> None:
    more = {"points": dict.fromkeys(case["sides"], 0)}
    if not answer_tally(case)["complete"]:
        return
    with pytest.raises(BadCase) as caught:
        answer_tally(case | {"lines": [*case["lines"], more]})
    assert [(p.code, p.path) for p in caught.value.problems] == [("after-end", f"lines[{len(case['lines'])}]")]


@pure
@given(cases())
def test_other_names_give_the_same_answer_under_those_names(case: dict[str, Any]) -> None:
    first, second, *others = case["sides"]
    swapped = {first: second, second: first, **{side: side for side in others}}

    def renamed(value: Any) -> Any:
        if isinstance(value, dict):
            own = set(value) <= set(swapped)
            return {swapped[k] if own else k: v if k in ("round", "event") else renamed(v) for k, v in value.items()}
        if isinstance(value, list):
            return [renamed(item) for item in value]
        return swapped.get(value, value) if isinstance(value, str) else value

    answer = answer_tally(case)
    other = answer_tally(case | {"sides": renamed(case["sides"]), "lines": renamed(case["lines"])})
    assert other["totals"] == {swapped[side]: total for side, total in answer["totals"].items()}
    assert other["winner"] == swapped.get(answer["winner"])
    assert other["complete"] == answer["complete"]


@pure
@given(cases())
def test_a_pad_goes_through_json_unchanged_and_line_by_line(case: dict[str, Any]) -> None:
    sheet = read_sheet(case)
    assert write_sheet(sheet)["lines"] == case["lines"]
    assert read_sheet(json.loads(json.dumps(write_sheet(sheet)))) == sheet
    grown = open_sheet(rule_sheet("score-pad", case["options"]), case["sides"])
    for line in case["lines"]:
        grown = judge_line(grown, line).sheet
    assert tally(grown) == tally(sheet)


@pure
@given(cases())
def test_every_pad_can_be_shown(case: dict[str, Any]) -> None:
    sheet = read_sheet(case)
    counted = tally(sheet)
    block = sheet.variant.blocks(sheet.rows(), counted, blank=3)[0]
    totals = [cell.text for cell in block.foot[0].cells[1:]]
    assert totals == [with_minus(total) if case["lines"] else "" for total in counted.totals.values()]
    won = [side for side, cell in zip(case["sides"], block.foot[0].cells[1:], strict=True) if cell.mark is Mark.WON]
    assert won == ([counted.winner] if counted.winner is not None else [])
    rounds = meant(case["options"])["rounds"]
    expected = len(case["lines"]) if counted.complete else len(rounds) or len(case["lines"]) + 3
    assert len(block.lines) == expected


def play(options: dict[str, Any], *lines: dict[str, int], sides: str = "A B") -> Sheet:
    sheet = open_sheet(rule_sheet("score-pad", options), sides.split())
    for line in lines:
        sheet = judge_line(sheet, {"points": line}).sheet
    return sheet


def verdict(options: dict[str, Any], *lines: dict[str, int]) -> tuple[bool, str | None]:
    counted = tally(play(options, *lines))
    return counted.complete, counted.winner


@pytest.mark.parametrize("book", PADS.values(), ids=lambda book: book.name)
def test_a_pad_of_the_book_is_a_whole_rule_set(book: Any) -> None:
    options = book.options()
    chosen = rule_sheet("score-pad", options)
    assert chosen.options == options
    variant = chosen.variant
    assert set(options) == {option.name for option in variant.options}
    sides = [f"P{n}" for n in range(book.sides[0])]
    by_game = open_sheet(rule_sheet("score-pad", {"game": book.name}), sides).variant
    assert by_game.terms == open_sheet(chosen, sides).variant.terms
    rounds, wins, target = BOOK[book.name]
    assert (options["rounds"], options["wins"], options["target"]) == (rounds, wins, target)
    assert 2 <= book.sides[0] <= book.sides[1] <= variant.most_sides
    assert by_game.low_wins is (wins == "low")


def test_the_book_has_these_games_on_these_pages() -> None:
    assert list(PADS) == list(BOOK)
    assert (
        " ".join(each.page for each in PADS.values()) == "1 2 3 4 5 6 7 8 9–10 11 12 13 14 14 15 16 17 18 19 20 21 22"
    )
    with pytest.raises(BadCase) as caught:
        pad("bridge")
    assert [(p.code, p.path) for p in caught.value.problems] == [("bad-value", "game")]


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
def test_a_round_says_what_it_asks_for(name: str) -> None:
    sheet = play({"game": name}, sides="A B C D")
    block = sheet.variant.blocks((), blank=6)[0]
    assert block.headings[1].text == "This round"
    assert [line.cells[1].text for line in block.lines][: len(ASKED[name])] == ASKED[name]


def test_a_round_asks_for_nothing_where_the_rounds_are_not_the_books() -> None:
    block = play({"game": "arizona-rummy", "rounds": ["first", "second"]}).variant.blocks(())[0]
    assert [heading.text for heading in block.headings] == ["Round", "Points", "Total", "Points", "Total"]
    assert [line.cells[0].text for line in block.lines] == ["first", "second"]


def shown(block: Block) -> list[list[str]]:
    return [[cell.text for cell in line.cells] for line in (*block.lines, *block.foot)]


def test_a_pad_looks_like_this() -> None:
    sheet = play({"game": "push"}, {"A": 0, "B": 45}, {"A": 20, "B": 0})
    main, counts = sheet.variant.blocks(sheet.rows(), tally(sheet))
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
    block = sheet.variant.blocks(sheet.rows())[0]
    assert shown(block)[1][:2] == ["2", "−2 → 3"]
    assert (block.groups, [heading.text for heading in block.headings]) == ((), ["Round", *"ABCDEFG"])
    with pytest.raises(BadCase):
        open_sheet(rule_sheet("score-pad"), [f"P{n}" for n in range(13)])


def test_melds_made_at_ones_own_pace_stand_in_a_table_of_their_own() -> None:
    made = [{"A": 1, "B": 0}, {"A": 0, "B": 0}, {"A": 1, "B": 1}]
    sheet = play({"game": "desert-rummy"}, *made)
    steps = sheet.variant.blocks(sheet.rows(), tally(sheet))[1]
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
    return [doubt.code for doubt in judge_line(play(options, *before, sides=sides), line).doubts]


def four(*numbers: int) -> dict[str, int]:
    return dict(zip("ABCD", numbers, strict=True))


@pytest.mark.parametrize(
    ("options", "line", "codes"),
    [
        ({"game": "canadian-salad"}, {"points": four(130, 0, 0, 0)}, []),
        ({"game": "canadian-salad"}, {"points": four(100, 0, 100, 100)}, []),
        ({"game": "canadian-salad"}, {"points": four(100, 0, 0, 100)}, ["round-total"]),
        ({"game": "canadian-salad"}, {"points": four(127, 3, 0, 0)}, ["odd-points"]),
        ({"game": "hearts"}, {"points": four(26, 26, 26, 0)}, []),
        ({"game": "hearts"}, {"points": four(12, 13, 0, 0)}, ["round-total"]),
        ({"game": "hearts"}, {"points": four(26, 0, 0, 0), "won_by": "B"}, ["won-early"]),
        ({"game": "thirty-one"}, {"points": four(1, 0, 0, 0), "won_by": "B"}, []),
        ({"target": 5}, {"points": four(5, 5, 0, 0), "won_by": "B"}, []),
        ({"game": "push", "rounds": ["x"]}, {"points": four(0, 1, 0, 0)}, ["odd-points"]),
        ({}, {"points": four(7, 1, 0, -3)}, []),
    ],
)
def test_what_is_improbable_warns(options: dict[str, Any], line: dict[str, Any], codes: list[str]) -> None:
    assert doubts(options, line) == codes


def test_the_round_that_is_due_is_the_one_that_is_judged() -> None:
    first = four(130, 0, 0, 0)
    assert doubts({"game": "canadian-salad"}, {"points": four(60, 60, 0, 0)}, first) == []
    assert doubts({"game": "canadian-salad"}, {"points": four(130, 0, 0, 0)}, first) == ["round-total"]


def test_a_line_says_in_words_what_was_counted() -> None:
    sheet = play({"game": "arizona-rummy"}, {"A": 15, "B": 0})
    assert tally(sheet).lines[0].explanation == (
        "Round 1, 3s (deal 3, 3s are wild): 15 to A, 0 to B. Metzker Book of Card Game Rules 2026, page 3"
    )
    down = play({"target": 10, "back_to_zero": True}, {"A": 12, "B": 0}, {"A": 5, "B": 1})
    assert tally(down).lines[1].explanation == "Round 2: -5 to A, 1 to B; A works back to zero"
    won = judge_line(play({}), {"points": {"A": 1, "B": 0}, "won_by": "B"})
    assert won.counted.explanation == "Round 1: 1 to A, 0 to B; won outright by B"


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
    ],
)
def test_a_line_is_read_strictly(line: dict[str, Any], found: list[tuple[str, str]]) -> None:
    problems: list[tuple[str, str]] = []
    try:
        judge_line(play({}), line)
    except BadCase as bad:
        problems = [(p.code, p.path) for p in bad.problems]
    assert problems == found


def test_a_list_of_rounds_is_read_strictly() -> None:
    def refused(rounds: Any) -> list[tuple[str, str]]:
        with pytest.raises(BadCase) as caught:
            rule_sheet("score-pad", {"rounds": rounds})
        return [(p.code, p.path) for p in caught.value.problems]

    whole = [("bad-value", "options.rounds")]
    assert refused("one") == refused({"1": "one"}) == refused(3) == refused(False) == refused(["x"] * 101) == whole
    assert refused(["one", 2, "", None, ["x"], "x" * 61, "\ud800"]) == [
        ("bad-value", f"options.rounds[{n}]") for n in range(1, 7)
    ]
    assert rule_sheet("score-pad", {"rounds": ["x" * 60] * 100}).options["rounds"] == ["x" * 60] * 100


def test_the_published_sheet_names_the_rounds() -> None:
    published = {
        line.option.name: line.words for line in rule_sheet("score-pad", {"rounds": ["one", "two"]}).published()
    }
    assert published["rounds"] == "one, two"
    assert published["game"] == "another game"
    kinds = {option.name: option.kind for option in rule_sheet("score-pad").variant.options}
    assert (kinds["rounds"], kinds["target"], kinds["wins"]) == ("texts", "choice-or-number", "choice")
    none = rule_sheet("score-pad", {"rounds": []})
    assert {line.option.name: line.words for line in none.published()}["rounds"] == "none"
