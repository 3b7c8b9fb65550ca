"""Test `run_ledger_case` with cases worked out by hand, and against a second implementation of docs/purse.md."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chance import examples
from tournament.errors import InvalidInput
from tournament.purse.cases import run_ledger_case
from tournament.purse.kinds import AccountKind, MoneyKind
from tournament.purse.pool import DiscountSource
from tournament.purse.postings import MoneyMovement, PostedAmount, make_movement, sum_movements

GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "ledger").glob("*.json"))
CENTS = st.integers(1, 120)
ENTRY = st.integers(1, 2)
METHOD = st.sampled_from(["cash", "card"])


def golden_with(outcome: str) -> list[Any]:
    read = ((path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in GOLDEN)
    return [pytest.param(golden, id=name) for name, golden in read if outcome in golden]


@pytest.mark.parametrize("golden", golden_with("answer"))
def test_the_answer_is_the_one_worked_out_by_hand(golden: dict[str, Any]) -> None:
    assert run_ledger_case(golden["case"]) == golden["answer"]


@pytest.mark.parametrize("golden", golden_with("errors"))
def test_every_error_has_its_code_and_path(golden: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refusal:
        run_ledger_case(golden["case"])
    found = [{"code": problem.code, "path": problem.path} for problem in refusal.value.problems]
    assert found == golden["errors"]
    assert all(problem.message.endswith(".") for problem in refusal.value.problems)


CHARGES = [{"kind": "charge", "entry": entry, "cents": 100} for entry in (1, 2)]
LAST_CHARGE = {"kind": "charge", "entry": 3, "cents": 100}


@pytest.mark.parametrize(
    ("reversed_numbers", "message"),
    [
        ([-1], "-1 does not fit here: it must be 0 or more."),
        ([-2], "-2 does not fit here: it must be 0 or more."),
        (["0"], '"0" is not a whole number.'),
        ([2], "Only an earlier movement can be reversed. The first one has the number 0."),
        ([3], "Only an earlier movement can be reversed. The first one has the number 0."),
        ([0, 2], "Movement 2 is a reversal itself. Record the movement again."),
        ([0, 0], "Movement 0 was reversed already, at movements[2].of."),
    ],
)
def test_a_reversal_names_an_earlier_movement_that_was_not_reversed(reversed_numbers: list[Any], message: str) -> None:
    # Movements 0 and 1 are charges, then come the reversals and another charge.
    steps = [*CHARGES, *({"kind": "reverse", "of": of} for of in reversed_numbers), LAST_CHARGE]
    with pytest.raises(InvalidInput) as refusal:
        run_ledger_case({"movements": steps})
    (problem,) = refusal.value.problems
    last_reversal = f"movements[{1 + len(reversed_numbers)}].of"
    assert (problem.code, problem.path, problem.message) == ("bad-value", last_reversal, message)


@pytest.mark.parametrize(("reversed_numbers", "left"), [([0], ["2", "3"]), ([1], ["1", "3"]), ([0, 1], ["3"])])
def test_each_movement_before_a_reversal_can_be_reversed(reversed_numbers: list[int], left: list[str]) -> None:
    steps = [*CHARGES, *({"kind": "reverse", "of": of} for of in reversed_numbers), LAST_CHARGE]
    assert list(run_ledger_case({"movements": steps})["entries"]) == left


def a_step(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"kind": st.just(kind), **fields})


STEPS = st.one_of(
    a_step("charge", entry=ENTRY, cents=CENTS),
    a_step("discount", entry=ENTRY, cents=CENTS),
    a_step("payment", entry=ENTRY, cents=CENTS, method=METHOD),
    a_step("payment", entry=ENTRY, cents=CENTS, method=METHOD),
    a_step("refund", entry=ENTRY, cents=CENTS, method=METHOD),
    a_step("added", cents=CENTS, method=METHOD),
    a_step("expense", cents=CENTS, method=METHOD, category=st.sampled_from(["Trays", "Staff"])),
    a_step("payout", entry=ENTRY, cents=CENTS, method=METHOD),
    a_step("reverse", of=st.integers(0, 8)),
)
DAYS = st.fixed_dictionaries(
    {"movements": st.lists(STEPS, max_size=12)},
    optional={
        "prize_percent": st.sampled_from(["82", "100", "0", "33.3"]),
        "discounts_from": st.sampled_from(["expenses", "fee"]),
    },
)


def total(done: Sequence[dict[str, Any]], kind: str, **where: Any) -> int:
    """Return the total cents of the movements that have this kind and the field values in `where`."""
    fits = (one for one in done if one["kind"] == kind and all(one.get(name) == of for name, of in where.items()))
    return sum(one["cents"] for one in fits)


def hand(done: Sequence[dict[str, Any]], **where: Any) -> int:
    put_in = total(done, "payment", **where) + total(done, "added", **where)
    return put_in - sum(total(done, kind, **where) for kind in ("refund", "expense", "payout"))


def entry_of(done: Sequence[dict[str, Any]], entry: int) -> dict[str, int]:
    owed = total(done, "charge", entry=entry) - total(done, "discount", entry=entry)
    paid = total(done, "payment", entry=entry) - total(done, "refund", entry=entry)
    return {"owed": owed, "paid": paid, "due": max(0, owed - paid), "to_return": max(0, paid - owed)}


def summary(case: dict[str, Any], done: Sequence[dict[str, Any]]) -> dict[str, Any]:
    entries = {one["entry"]: entry_of(done, one["entry"]) for one in done if one["kind"] == "charge"}
    collected = sum(min(one["owed"], one["paid"]) for one in entries.values())
    let_off = sum(total(done, "discount", entry=entry) for entry, one in entries.items() if not one["due"])
    base = collected + (let_off if case.get("discounts_from", "expenses") == "expenses" else 0)
    pool = math.floor(base * Fraction(case.get("prize_percent", "82")) / 100 + Fraction(1, 2)) + total(done, "added")
    return {
        "entries": {str(entry): one for entry, one in entries.items()},
        "methods": {one["method"]: hand(done, method=one["method"]) for one in done if "method" in one},
        "collected_cents": collected,
        "base_cents": base,
        "pool_cents": pool,
        "expenses_cents": collected + total(done, "added") - pool,
        "spent_cents": total(done, "expense"),
        "paid_out_cents": total(done, "payout"),
        "in_hand_cents": hand(done),
        "sum_cents": 0,
    }


def refused(case: dict[str, Any], done: Sequence[dict[str, Any]], step: dict[str, Any]) -> str:
    kind, entry, cents, method = (step.get(name) for name in ("kind", "entry", "cents", "method"))
    if entry is not None and kind != "charge" and not total(done, "charge", entry=entry):
        return "unknown-entry"
    room = [hand(done, method=method)] if kind in ("refund", "expense", "payout") else []
    if kind == "discount":
        room += [entry_of(done, entry)["owed"]]
    if kind == "refund":
        own = {"entry": entry, "method": method}
        room += [total(done, "payment", **own) - total(done, "refund", **own)]
    if kind == "payout":
        room += [summary(case, done)["pool_cents"] - total(done, "payout")]
    return "too-much" if cents is not None and any(cents > most for most in room) else ""


def by_hand(case: dict[str, Any]) -> dict[str, Any] | tuple[str, int]:
    """Compute the answer to a case without the program's code.

    If a movement is refused, return the refusal's code and the movement's index.
    """
    steps = case["movements"]
    gone: set[int] = set()
    for at, step in enumerate(steps):
        done = [one for index, one in enumerate(steps[:at]) if index not in gone and one["kind"] != "reverse"]
        if step["kind"] != "reverse":
            if code := refused(case, done, step):
                return code, at
            continue
        gone.add(step["of"])
        done = [one for index, one in enumerate(steps[:at]) if index not in gone and one["kind"] != "reverse"]
        if any(refused(case, done[:index], one) for index, one in enumerate(done)):
            return "too-much", at
    return summary(case, [one for index, one in enumerate(steps) if index not in gone and one["kind"] != "reverse"])


def well_formed(case: dict[str, Any]) -> dict[str, Any]:
    """Return the case without malformed reversals, such as a second reversal of the same movement."""
    kept: list[dict[str, Any]] = []
    for step in case["movements"]:
        of = step.get("of", -1)
        taken = {one["of"] for one in kept if one["kind"] == "reverse"}
        if step["kind"] != "reverse" or (of < len(kept) and kept[of]["kind"] != "reverse" and of not in taken):
            kept.append(step)
    return {**case, "movements": kept}


def refusing(case: dict[str, Any]) -> dict[str, Any] | tuple[str, int]:
    try:
        return run_ledger_case(case)
    except InvalidInput as bad:
        (problem,) = bad.problems
        return problem.code, int(problem.path.partition("[")[2].partition("]")[0])


def without_refused(case: dict[str, Any]) -> dict[str, Any]:
    """Return the case cut off before the first movement that would be refused."""
    while isinstance(found := by_hand(case), tuple):
        case = well_formed({**case, "movements": case["movements"][: found[1]]})
    return case


@settings(max_examples=examples(400), deadline=None)
@given(DAYS)
def test_any_day_agrees_with_a_second_implementation(day: dict[str, Any]) -> None:
    case = well_formed(day)
    assert refusing(case) == by_hand(case)


@settings(max_examples=examples(200), deadline=None)
@given(DAYS)
def test_every_cent_is_somewhere(day: dict[str, Any]) -> None:
    case = without_refused(well_formed(day))
    for mode in DiscountSource:
        found = refusing({**case, "discounts_from": str(mode)})
        if isinstance(found, tuple):  # a payout that the other pool does not bear
            continue
        put_in = total(done_of(case), "added")
        assert found["pool_cents"] + found["expenses_cents"] == found["collected_cents"] + put_in
        assert found["in_hand_cents"] == sum(found["methods"].values())
        assert found["sum_cents"] == 0


def done_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    gone = {one["of"] for one in case["movements"] if one["kind"] == "reverse"}
    steps = enumerate(case["movements"])
    return [one for index, one in steps if index not in gone and one["kind"] != "reverse"]


MADE = st.one_of(
    st.builds(make_movement, st.just("charge"), CENTS, entry=ENTRY),
    st.builds(make_movement, st.just("discount"), CENTS, entry=ENTRY),
    st.builds(make_movement, st.just("complimentary"), CENTS, entry=ENTRY),
    st.builds(make_movement, st.just("cancellation"), CENTS, entry=ENTRY),
    st.builds(make_movement, st.just("payment"), CENTS, entry=ENTRY, method=METHOD),
    st.builds(make_movement, st.just("refund"), CENTS, entry=ENTRY, method=METHOD),
    st.builds(make_movement, st.just("added"), CENTS, method=METHOD),
    st.builds(make_movement, st.just("expense"), CENTS, method=METHOD, category=st.sampled_from(["Trays", "Staff"])),
    st.builds(make_movement, st.just("payout"), CENTS, entry=ENTRY, method=METHOD),
)


@given(st.lists(MADE, max_size=15), st.sampled_from(list(DiscountSource)))
def test_any_movements_in_any_order_add_up_to_zero(movements: list[MoneyMovement], mode: DiscountSource) -> None:
    balances = sum_movements(movements)
    assert balances.total == 0
    pool = balances.compute_pool("82", mode)
    assert pool.pool_cents + pool.expenses_cents == balances.collected_cents + balances.added_cents
    assert sum_movements(reversed(movements)) == balances


@given(st.lists(MADE, min_size=1, max_size=8), st.data())
def test_a_reversal_leaves_the_sums_of_the_others(movements: list[MoneyMovement], data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(movements))
    with_both = sum_movements([*movements, one, one.make_reversal()])
    assert (with_both.accounts, with_both.in_hand, with_both.total) == (
        sum_movements(movements).accounts, sum_movements(movements).in_hand, 0,
    )  # fmt: skip


def test_a_movement_must_add_up_to_zero() -> None:
    with pytest.raises(ValueError, match="1 off"):
        MoneyMovement(MoneyKind.PAYMENT, (PostedAmount(AccountKind.MONEY, 2), PostedAmount(AccountKind.ENTRANT, -1)))
    with pytest.raises(ValueError, match="zero or more"):
        make_movement("charge", -1, entry=1)
    assert make_movement("charge", 0, entry=1).postings == ()
