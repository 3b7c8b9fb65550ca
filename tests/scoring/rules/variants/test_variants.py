"""A variant only has to be declared and registered. Its form, score sheet, and prints are made automatically."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from scoring.rules import variants as registry
from scoring.rules.book.options import Option, Rulebook, adapt_options_to_variant
from scoring.rules.hand.hands import GIN_OPTIONS, Hand, UnscoredHand
from scoring.rules.sheet.paper import judge_totals_line
from scoring.rules.sheet.sheets import VariantRules, judge_line, make_empty_sheet, make_variant_rules, run_tally_case
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.gin.two_sided import GinStanding, TwoSidedGin
from scoring.rules.variants.variant import FieldKind
from tests.scoring.rules.helpers import problems_of
from tournament.errors import InputProblem, InvalidInput

LINES: list[dict[str, Any]] = [
    {"up": "TH", "outcome": "knock", "by": "A", "counts": {"A": 8, "B": 8}},
    {"up": "8S", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}, "missing": {"B": 1}},
    {"outcome": "stock"},
    {"up": "9D", "outcome": "points", "to": "B", "points": 12},
    {"up": "3D", "outcome": "knock", "by": "B", "counts": {"A": 8, "B": 3}},
]


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_declares_its_form_and_rule_sheet(name: str) -> None:
    variant = VARIANTS[name]
    assert variant.name == name
    assert variant.title
    assert variant.rulebook.title
    assert variant.edition >= 1
    for option in variant.options:
        assert option.label, option.name
        assert option.meaning.endswith("."), option.name
        assert option.describe(option.default)


OUTCOMES = (
    ("knock", "knock"), ("gin", "gin"), ("stock", "dead hand"), ("void", "thrown in"), ("points", "points only"),
)  # fmt: skip
FIELDS = [
    ("up", "Up card", FieldKind.CARD, "Rank and suit, like TH", True, ()),
    ("outcome", "How it ended", FieldKind.CHOICE, "", True, OUTCOMES),
    ("by", "By", FieldKind.SIDE, "", True, ()),
    ("counts", "Counts", FieldKind.NUMBER_A_SIDE, "Unmatched points after lay-offs", True, ()),
    ("missing", "Cards missing", FieldKind.NUMBER_A_SIDE, "", False, ()),
    ("extra", "Cards too many", FieldKind.CARDS_A_SIDE, "", False, ()),
    ("to", "Points to", FieldKind.SIDE, "", False, ()),
    ("points", "Points", FieldKind.NUMBER, "", True, ()),
    ("dealer", "Dealer", FieldKind.SIDE, "", False, ()),
]


def test_a_line_asks_for_the_fields_of_its_outcome() -> None:
    declared = make_empty_sheet(make_variant_rules("gra-singles"), ["A", "B"]).variant.line_fields()
    assert [(f.name, f.label, f.kind, f.hint, f.required, f.choices) for f in declared] == FIELDS
    fields = {field.name: field for field in declared}
    asked = {name: field.outcomes for name, field in fields.items()}
    assert asked == {
        **dict.fromkeys(["up", "outcome", "dealer"], ()),
        **dict.fromkeys(["by", "counts", "missing", "extra"], ("knock", "gin")),
        **dict.fromkeys(["to", "points"], ("points",)),
    }


def test_the_fields_of_a_line_follow_the_options() -> None:
    rules = make_variant_rules("gra-singles", {"knock": 10, "big_gin_bonus": 31})
    fields = {field.name: field for field in make_empty_sheet(rules, ["A", "B"]).variant.line_fields()}
    assert "big-gin" in dict(fields["outcome"].choices)
    assert fields["by"].outcomes == ("knock", "gin", "big-gin")
    assert not fields["up"].required


def test_the_sheet_has_the_declared_columns() -> None:
    sheet = make_empty_sheet(make_variant_rules("gra-singles"), ["A", "B"])
    for line in LINES:
        sheet = judge_line(sheet, line).sheet
    columns = sheet.variant.columns()
    assert [column.heading for column in columns] == ["Hand", "Up card", "Outcome", "A", "A, total", "B", "B, total"]
    assert [column.side for column in columns] == [None, None, None, "A", "A", "B", "B"]
    assert [column.key for column in columns] == ["hand", "up", "outcome", "points", "running", "points", "running"]
    assert [column.numeric for column in columns] == [True, False, False, True, True, True, True]
    assert [[column.text(row) for column in columns] for row in sheet.list_rows()] == [
        ["1", "10♥", "undercut, 8 against 8", "", "0", "25", "25"],
        ["2", "8♠", "gin, 30", "55", "55", "", "25"],
        ["3", "", "dead hand", "", "55", "", "25"],
        ["4", "9♦", "points only", "", "55", "12", "37"],
        ["5", "3♦", "knock, 3 against 8", "", "55", "5", "42"],
    ]


class ClubGin(TwoSidedGin):
    """A made-up variant in which the first hand is never dead, and a sheet cannot be entered by totals."""

    name = "club"
    title = "Club gin"
    rulebook = Rulebook("The club's own")
    options: ClassVar[tuple[Option, ...]] = adapt_options_to_variant(
        GIN_OPTIONS, {"target": "Club rule 1"}, target=10, gin_bonus=5
    )

    def iter_problems(self, standing: GinStanding, line: Hand | None) -> Iterator[InputProblem]:
        yield from super().iter_problems(standing, line)
        if isinstance(line, UnscoredHand) and not any(standing.totals.values()):
            yield InputProblem("bad-value", "outcome", "Deal again: the first hand is never dead.")

    def make_points_line(self, side: str, points: int) -> Any:
        return None


@pytest.fixture
def club(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.VARIANTS, "club", ClubGin)  # type: ignore[arg-type]


GIN = {"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 5}}


@pytest.mark.usefixtures("club")
def test_a_registered_variant_can_be_played() -> None:
    answer = run_tally_case({"rules": "club", "sides": ["A", "B"], "lines": [GIN]})
    assert (answer["winner"], answer["totals"]) == ("A", {"A": 10, "B": 0})
    assert make_variant_rules("club").list_published_options()[0].source == "Club rule 1"
    assert VariantRules("club", ClubGin.defaults()) == make_variant_rules("club")


@pytest.mark.usefixtures("club")
def test_a_variant_may_refuse_a_line_because_of_the_standing() -> None:
    dead = {"outcome": "stock"}
    case = {"rules": "club", "sides": ["A", "B"], "lines": [dead, dead, GIN, GIN]}
    assert problems_of(run_tally_case, case) == [("bad-value", "lines[0].outcome")]
    assert problems_of(judge_line, make_empty_sheet(make_variant_rules("club"), ["A", "B"]), dead) == [
        ("bad-value", "outcome")
    ]


@pytest.mark.usefixtures("club")
def test_a_variant_may_refuse_totals_from_paper() -> None:
    with pytest.raises(InvalidInput) as refused:
        judge_totals_line(make_variant_rules("club"), ["A", "B"], {"A": 10, "B": 0})
    assert [(p.code, p.path) for p in refused.value.problems] == [("bad-value", "totals")]
    assert refused.value.problems[0].message == "Club gin: a sheet cannot be entered by its totals."


def test_a_sheet_that_ended_in_a_tie_is_complete_too() -> None:
    variant = make_empty_sheet(make_variant_rules("gra-singles"), ["A", "B"]).variant
    [problem] = variant.iter_problems(GinStanding(totals={"A": 5, "B": 5}, complete=True), None)
    assert problem.code == "after-end"
    assert "it ended without a winner" in problem.message
