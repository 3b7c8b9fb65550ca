"""What a variant declares is what form, sheet and paper show; registering one is enough."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from scoring.rules import VARIANTS, FieldKind, Option, RuleSheet, answer_tally, judge_line, open_sheet, rule_sheet
from scoring.rules import variants as registry
from scoring.rules.options import preset
from scoring.rules.rulebook import Rulebook
from scoring.rules.terms import GIN_OPTIONS
from scoring.rules.two_sided import TwoSidedGin

LINES: list[dict[str, Any]] = [
    {"up": "TH", "outcome": "knock", "by": "A", "counts": {"A": 8, "B": 8}},
    {"up": "8S", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}, "missing": {"B": 1}},
    {"outcome": "stock"},
    {"up": "9D", "outcome": "points", "to": "B", "points": 12},
    {"up": "3D", "outcome": "knock", "by": "B", "counts": {"A": 8, "B": 3}},
]


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_says_what_the_form_and_the_rule_sheet_show(name: str) -> None:
    variant = VARIANTS[name]
    assert variant.name == name
    assert variant.title
    assert variant.rulebook.title
    assert variant.edition >= 1
    for option in variant.options:
        assert option.label, option.name
        assert option.meaning.endswith("."), option.name
        assert option.words(option.default)


def test_a_line_asks_for_the_fields_of_its_outcome() -> None:
    fields = {field.name: field for field in open_sheet(rule_sheet("gra-singles"), ["A", "B"]).variant.line_fields()}
    assert list(fields) == ["up", "outcome", "by", "counts", "missing", "extra", "to", "points", "dealer"]
    assert [value for value, _ in fields["outcome"].choices] == ["knock", "gin", "stock", "void", "points"]
    asked = {name: field.outcomes for name, field in fields.items()}
    assert asked == {
        **dict.fromkeys(["up", "outcome", "dealer"], ()),
        **dict.fromkeys(["by", "counts", "missing", "extra"], ("knock", "gin")),
        **dict.fromkeys(["to", "points"], ("points",)),
    }
    assert {name for name, field in fields.items() if field.required} == {"up", "outcome", "by", "counts", "points"}
    assert fields["counts"].kind is FieldKind.NUMBER_A_SIDE


def test_what_a_line_asks_for_follows_the_options() -> None:
    rules = rule_sheet("gra-singles", {"knock": 10, "big_gin_bonus": 31})
    fields = {field.name: field for field in open_sheet(rules, ["A", "B"]).variant.line_fields()}
    assert "big-gin" in dict(fields["outcome"].choices)
    assert fields["by"].outcomes == ("knock", "gin", "big-gin")
    assert not fields["up"].required


def test_the_sheet_is_shown_by_its_columns() -> None:
    sheet = open_sheet(rule_sheet("gra-singles"), ["A", "B"])
    for line in LINES:
        sheet = judge_line(sheet, line).sheet
    columns = sheet.variant.columns()
    assert [column.heading for column in columns] == ["Hand", "Up card", "Outcome", "A", "A, total", "B", "B, total"]
    assert [column.side for column in columns] == [None, None, None, "A", "A", "B", "B"]
    assert [column.key for column in columns if column.numeric] == ["hand", "points", "running", "points", "running"]
    assert [[column.text(row) for column in columns] for row in sheet.rows()] == [
        ["1", "10♥", "undercut, 8 against 8", "", "0", "25", "25"],
        ["2", "8♠", "gin, 30", "55", "55", "", "25"],
        ["3", "", "dead hand", "", "55", "", "25"],
        ["4", "9♦", "points only", "", "55", "12", "37"],
        ["5", "3♦", "knock, 3 against 8", "", "55", "5", "42"],
    ]


def test_a_variant_that_is_registered_can_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    class ClubGin(TwoSidedGin):
        name = "club"
        title = "Club gin"
        rulebook = Rulebook("The club's own")
        options: ClassVar[tuple[Option, ...]] = preset(GIN_OPTIONS, {"target": "Club rule 1"}, target=10, gin_bonus=5)

    monkeypatch.setitem(registry.VARIANTS, "club", ClubGin)  # type: ignore[arg-type]
    gin = {"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 5}}
    answer = answer_tally({"rules": "club", "sides": ["A", "B"], "lines": [gin]})
    assert (answer["winner"], answer["totals"]) == ("A", {"A": 10, "B": 0})
    assert rule_sheet("club").published()[0].source == "Club rule 1"
    assert RuleSheet("club", ClubGin.defaults()) == rule_sheet("club")
