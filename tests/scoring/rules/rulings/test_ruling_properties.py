from __future__ import annotations

import re
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoring.rules.irregularities import IRREGULARITIES
from scoring.rules.rulings.adjudicate import adjudicate, run_adjudicate_case
from scoring.rules.sheet.sheets import judge_line, make_empty_sheet, make_variant_rules
from tests.chance import examples
from tests.scoring.rules.rulings.ruling_strategies import KINDS, SIDES, rulings_asked
from tests.scoring.rules.sheet.sheet_strategies import cards, pip_value
from tournament.errors import InvalidInput

REFUSED_BY_THE_SHEET = {"knock-too-high", "ace-requires-gin"}
"""Problem codes for a hand that cannot have ended in the way that a random case says. Such cases are skipped."""
SCORED = {"accepted-as-undercut", "scored"}
PENALISED = {"game-loss", "elimination", "disqualification"}
RULES = re.compile(r"singles ([4589]|1[0-24-7]|13)|partnership 7|preamble")
asked = settings(max_examples=examples(200), deadline=None)


def answered(case: dict[str, Any]) -> dict[str, Any]:
    try:
        return run_adjudicate_case(case)
    except InvalidInput as bad:
        # Nothing to be said of those; everything else that is refused, should not be.
        assume({problem.code for problem in bad.problems} - REFUSED_BY_THE_SHEET)
        raise


@asked
@given(rulings_asked())
def test_the_line_is_one_that_tally_accepts_and_its_points_agree(case: dict[str, Any]) -> None:
    answer = answered(case)
    if answer["line"] is None:
        assert answer["points"] == {}
        return
    sheet = make_empty_sheet(make_variant_rules(case["rules"], case["options"]), SIDES)
    counted = judge_line(sheet, answer["line"]).line_tally
    assert answer["points"] == {side: points for side, points in counted.points.items() if points}


@asked
@given(rulings_asked())
def test_a_ruling_is_complete_or_names_its_missing_facts(case: dict[str, Any]) -> None:
    answer, ruling = answered(case), adjudicate(case)
    assert RULES.fullmatch(answer["rule"])
    if answer["ruling"] is None:
        assert ruling.missing_facts or ruling.choices
        assert answer["line"] is None
        assert answer["penalties"] == []
        missing = [case["facts"].get(name) for name in ruling.missing_facts]
        assert all(value is None or (isinstance(value, dict) and len(value) < 2) for value in missing)
    if answer["ruling"] in SCORED:
        assert answer["line"] is not None
    assert bool(answer["penalties"]) == (answer["ruling"] in PENALISED)


@asked
@given(rulings_asked())
def test_no_side_is_penalized_twice_and_nobody_gets_credit(case: dict[str, Any]) -> None:
    penalties = answered(case)["penalties"]
    sides = [penalty["side"] for penalty in penalties]
    assert len(sides) == len(set(sides))
    assert set(sides) <= set(SIDES)
    assert not any(penalty["credit_opponent"] for penalty in penalties)


@asked
@given(rulings_asked(among=("improper-knock", "wrong-count", "up-card")))
def test_the_offender_scores_only_by_the_rules(case: dict[str, Any]) -> None:
    """An improper knock scores only for the opponent.

    A wrong count scores for the other side, except after an undercut.
    """
    answer, by = answered(case), case["facts"].get("by")
    if answer["ruling"] == "accepted-as-undercut":
        assert by not in answer["points"]
    if answer["ruling"] == "scored" and case["facts"]["ended"] == "gin":
        assert set(answer["points"]) <= {by}
    assert len(answer["points"]) <= 1


@asked
@given(
    ended=st.sampled_from(("gin", "knock")),
    own=st.integers(0, 10),
    other=st.integers(0, 60),
    missing=st.integers(0, 2),
    extra=st.lists(cards, max_size=2, unique=True),
)
def test_a_player_with_a_wrong_count_scores_only_by_an_undercut(
    ended: str, own: int, other: int, missing: int, extra: list[str]
) -> None:
    """Rule 8 for singles says that a missing card counts ten points, and a surplus card its value.

    The hand then counts like any other.
    """
    assume(bool(missing) != bool(extra))
    own = 0 if ended == "gin" else own
    facts = {
        "plays": 3, "cards": {"A": 10, "B": 10 - missing + len(extra)}, "ended": ended, "by": "A", "up": "TH",
        "counts": {"A": own, "B": other}, "extra": {"B": extra},
    }  # fmt: skip
    answer = run_adjudicate_case({"rules": "gra-singles", "kind": "wrong-count", "facts": facts, "sides": SIDES})
    full = other + 10 * missing + sum(map(pip_value, extra))
    if ended == "gin":
        assert answer["points"] == {"A": full + 25}
    else:
        assert answer["points"] == ({"A": full - own} if own < full else {"B": own - full + 25})
    assert (answer["ruling"], answer["penalties"]) == ("scored", [])


@asked
@given(rulings_asked(among=tuple(kind for kind in KINDS if kind != "up-card")))
def test_a_choice_becomes_the_ruling_or_waits_for_a_fact(case: dict[str, Any]) -> None:
    """Cases about an up card are left out, because the director always decides them. The next test covers them."""
    for choice in answered(case)["choices"]:
        assert choice["whose"] in (*SIDES, "opponent", "director")
        after = adjudicate({**case, "facts": {**case["facts"], "chosen": choice["code"]}})
        assert after.choices == ()
        assert after.ruling is not None or after.missing_facts
        if choice["code"] in PENALISED and after.ruling is not None:
            assert after.ruling == choice["code"]


@asked
@given(rulings_asked(among=("up-card",)))
def test_the_card_chosen_by_the_director_counts_like_a_recorded_one(case: dict[str, Any]) -> None:
    for choice in answered(case)["choices"]:
        chosen = run_adjudicate_case({**case, "facts": {**case["facts"], "chosen": choice["code"]}})
        recorded = run_adjudicate_case({**case, "facts": {**case["facts"], "recorded": choice["code"]}})
        assert (chosen["ruling"], recorded["ruling"]) == ("director-decides", "recorded-stands")
        assert chosen["choices"] == []
        assert (chosen["line"], chosen["points"]) == (recorded["line"], recorded["points"])


@asked
@given(rulings_asked(), st.randoms(use_true_random=False))
def test_the_order_of_facts_does_not_matter_nor_whether_one_is_null_or_left_out(
    case: dict[str, Any], chance: Any
) -> None:
    answer = answered(case)
    named = [*case["facts"].items()]
    chance.shuffle(named)
    shuffled = {name: _turned(value) if name in ("claims", "cards", "counts") else value for name, value in named}
    assert run_adjudicate_case({**case, "facts": shuffled}) == answer
    nulls = dict.fromkeys(fact.name for fact in IRREGULARITIES[case["kind"]].facts)
    assert run_adjudicate_case({**case, "facts": {**nulls, **case["facts"]}}) == answer
    known = {name: value for name, value in named if value is not None}
    assert run_adjudicate_case({**case, "facts": known}) == answer


def _turned(value: Any) -> Any:
    return dict(reversed(value.items())) if isinstance(value, dict) else value


@asked
@given(rulings_asked(), st.data())
def test_a_further_fact_never_changes_a_ruling(case: dict[str, Any], data: st.DataObject) -> None:
    assume(case["facts"])
    left_out = data.draw(st.sampled_from(sorted(case["facts"])))
    assume(left_out not in ("ended", "recorded", "chosen"))  # null says something there: not ended, not recorded
    assume(left_out != "plays" or "ended" not in case["facts"])  # a hand that has ended was played
    assume(left_out != "claims")  # without them there is nothing to choose
    fewer = answered({**case, "facts": {name: v for name, v in case["facts"].items() if name != left_out}})
    assume(case["kind"] != "wrong-count" or left_out != "cards")  # two right hands are found by counting them
    if fewer["ruling"] is not None:
        assert answered(case)["ruling"] == fewer["ruling"]


@asked
@given(rulings_asked())
def test_other_names_for_the_sides_change_nothing_but_the_names(case: dict[str, Any]) -> None:
    answer = answered(case)
    swapped = _named(case, {"A": "B", "B": "A"})
    del answer["text"], (other := run_adjudicate_case(swapped))["text"]
    assert _sorted(_named(answer, {"A": "B", "B": "A"})) == _sorted(other)


def _named(value: Any, names: dict[str, str]) -> Any:
    """Return an answer with other names for the sides, and without the texts of choices."""
    if isinstance(value, dict):
        return {names.get(name, name): _named(v, names) for name, v in value.items() if name != "text"}
    if isinstance(value, list):
        return [_named(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value


def _sorted(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer with sorted choices and penalties, whose order would depend on the order of the sides."""
    by_code = sorted((_named(choice, {}) for choice in answer["choices"]), key=lambda choice: choice["code"])
    return {**answer, "choices": by_code, "penalties": sorted(answer["penalties"], key=lambda p: str(p["side"]))}
