"""Test the options of rule sheets.

Unknown options and values out of range are rejected. A rule sheet has a value for every option. The published sheet
names the source of each value: a rule of the rule set, or the director.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from scoring.rules.book.options import NamedValue, NumberRange, Option, adapt_options_to_variant
from scoring.rules.sheet.sheets import SET_BY_DIRECTOR_TEXT, make_variant_rules
from scoring.rules.variants import VARIANTS
from tests.scoring.rules.helpers import problems_of
from tournament.errors import InvalidInput

# The table of CONTRACTS.md, tally, “Options and presets”.
PRESETS = {
    "gra-singles": [150, "up-card", "gin", 25, 25, None, False, 0, 0, "none"],
    "standard": [100, 10, "one", 25, 25, 31, False, 25, 100, "double"],
    "oklahoma": [150, "up-card", "gin", 25, 25, None, True, 25, 100, "double"],
}
NAMES = [
    "target", "knock", "ace", "gin_bonus", "undercut_bonus", "big_gin_bonus", "spades_double", "box_bonus",
    "game_bonus", "shutout",
]  # fmt: skip


def refused(options: dict[str, Any], rules: str = "gra-singles") -> list[tuple[str, str]]:
    return problems_of(make_variant_rules, rules, options)


@pytest.mark.parametrize("rules", PRESETS)
def test_a_rule_sheet_has_every_option_of_its_preset(rules: str) -> None:
    values = dict(zip(NAMES, PRESETS[rules], strict=True))
    assert make_variant_rules(rules).options == values
    assert json.dumps(make_variant_rules(rules).options) == json.dumps(values), "true is not 1"


def test_a_given_option_has_its_value_and_the_others_their_defaults() -> None:
    changed = make_variant_rules("standard", {"target": 250, "big_gin_bonus": None, "knock": "up-card"}).options
    assert changed == make_variant_rules("standard").options | {
        "target": 250,
        "big_gin_bonus": None,
        "knock": "up-card",
    }


def test_a_rule_sheet_is_equal_to_one_made_of_its_own_options() -> None:
    sheet = make_variant_rules("oklahoma", {"target": 99})
    assert make_variant_rules("oklahoma", sheet.options) == sheet


@pytest.mark.parametrize("value", [1, 2**53 - 1])
def test_a_target_is_any_whole_number_from_one(value: int) -> None:
    assert make_variant_rules("gra-singles", {"target": value}).options["target"] == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("target", 0), ("target", -150), ("target", 2**53), ("target", 150.0), ("target", "150"), ("target", True),
        ("target", None), ("knock", -1), ("knock", 101), ("knock", "upcard"), ("knock", None), ("knock", 10.0),
        ("ace", "ONE"), ("ace", 1), ("ace", None), ("gin_bonus", -1), ("gin_bonus", None), ("gin_bonus", 10**9 + 1),
        ("undercut_bonus", False), ("big_gin_bonus", "none"), ("big_gin_bonus", -31), ("spades_double", 1),
        ("spades_double", 0), ("spades_double", None), ("spades_double", "true"), ("box_bonus", [25]),
        ("game_bonus", {"A": 1}), ("shutout", None), ("shutout", True), ("shutout", "triple"),
    ],
)  # fmt: skip
def test_a_value_that_an_option_does_not_accept_is_refused(name: str, value: Any) -> None:
    assert refused({name: value}) == [("bad-value", f"options.{name}")]


@pytest.mark.parametrize(
    ("name", "value"),
    [("knock", 0), ("knock", 100), ("gin_bonus", 0), ("gin_bonus", 10**9), ("big_gin_bonus", 0), ("game_bonus", 10**9)],
)
def test_both_ends_of_a_range_are_accepted(name: str, value: int) -> None:
    assert make_variant_rules("gra-singles", {name: value}).options[name] == value


def test_an_unknown_option_is_refused_with_the_names_of_the_known_ones() -> None:
    assert refused({"targt": 1, "bonus": 2, "gin_bonus": "x"}) == [
        ("unknown-option", "options.targt"),
        ("unknown-option", "options.bonus"),
        ("bad-value", "options.gin_bonus"),
    ]
    with pytest.raises(
        InvalidInput,
        match=r'There is no option "targt" here. There are: ace, big_gin_bonus, box_bonus, game_bonus, gin_bonus',
    ):
        make_variant_rules("gra-singles", {"targt": 1})


def test_a_refusal_lists_the_allowed_values() -> None:
    said = {"target": "a whole number, 1 or more", "knock": '"up-card" or a whole number from 0 to 100'}
    said |= {"big_gin_bonus": "null or a whole number from 0 to 1000000000", "spades_double": "false or true"}
    for name, words in said.items():
        with pytest.raises(InvalidInput) as caught:
            make_variant_rules("gra-singles", {name: "?"})
        assert caught.value.problems[0].message == f'"?" does not fit {name}: it takes {words}.'


def test_unknown_rules_are_refused_with_the_names_of_the_known_ones() -> None:
    with pytest.raises(InvalidInput) as caught:
        make_variant_rules("gin")
    assert [(p.code, p.path) for p in caught.value.problems] == [("unknown-rules", "rules")]
    assert all(name in caught.value.problems[0].message for name in VARIANTS)


def test_the_published_sheet_names_the_rule_or_the_director() -> None:
    published = {line.option.name: line for line in make_variant_rules("gra-singles").list_published_options()}
    assert list(published) == NAMES
    sources = {name: line.source for name, line in published.items()}
    assert sources == {
        **dict.fromkeys(NAMES, SET_BY_DIRECTOR_TEXT),
        **dict.fromkeys(["knock", "ace"], "GRA singles rule 4"),
        **dict.fromkeys(["gin_bonus", "undercut_bonus"], "GRA singles rule 6"),
    }
    assert all(line.value == line.option.default for line in published.values())
    assert [published[name].words for name in ("knock", "ace", "big_gin_bonus", "spades_double", "shutout")] == [
        "the value of the up card",
        "play for gin",
        "big gin is not played",
        "no",
        "no extra",
    ]


def test_what_the_director_changed_is_marked_as_theirs() -> None:
    sheet = make_variant_rules(
        "gra-singles", {"gin_bonus": 20, "target": 150, "spades_double": True, "big_gin_bonus": 31}
    )
    changed = {
        line.option.name: (line.words, line.source)
        for line in sheet.list_published_options()
        if line.value != line.option.default
    }
    assert changed == {
        "gin_bonus": ("20", SET_BY_DIRECTOR_TEXT),
        "spades_double": ("yes", SET_BY_DIRECTOR_TEXT),
        "big_gin_bonus": ("31", SET_BY_DIRECTOR_TEXT),
    }


def test_an_option_says_how_a_form_asks_for_it() -> None:
    kinds = {option.name: option.kind for option in VARIANTS["gra-singles"].options}
    assert kinds == {
        **dict.fromkeys(NAMES, "number"),
        **dict.fromkeys(["knock", "big_gin_bonus"], "choice-or-number"),
        **dict.fromkeys(["ace", "shutout"], "choice"),
        "spades_double": "switch",
    }


def test_a_preset_cannot_name_an_undeclared_option() -> None:
    declared = (Option(name="target", label="", meaning="", default=1, numbers=NumberRange(1)),)
    with pytest.raises(ValueError, match="no such option: targt"):
        adapt_options_to_variant(declared, {}, targt=1)
    with pytest.raises(ValueError, match="no such option: knock"):
        adapt_options_to_variant(declared, {"knock": "rule 4"})
    with pytest.raises(ValueError, match="target does not take 0"):
        adapt_options_to_variant(declared, {}, target=0)
    assert adapt_options_to_variant(declared, {"target": "rule 1"}, target=5)[0].default == 5
    ruled = adapt_options_to_variant(declared, {"target": "rule 1"})
    assert ruled[0].rule == "rule 1"
    assert adapt_options_to_variant(ruled, {}, target=7)[0].rule == "rule 1"


def test_true_differs_from_one_and_null_from_a_number() -> None:
    both = Option(
        name="x", label="", meaning="", default=1, named=(NamedValue(True, "yes"), NamedValue(None, "never")),
        numbers=NumberRange(0, 5),
    )  # fmt: skip
    assert [both.describe(True), both.describe(1), both.describe(None)] == ["yes", "1", "never"]
    assert [both.accepts(value) for value in (True, False, 1, 6, None)] == [True, False, True, False, True]
