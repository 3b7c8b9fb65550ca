from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chance import examples
from tournament.errors import DomainError
from tournament.purse import (
    Account,
    FeeLine,
    FeeTerms,
    MethodTotal,
    fee_for,
    fold_ledger,
    sum_accounts,
    total_by_method,
)
from tournament.purse.kinds import MoneyKind, Record, kinds_in

LAST_EARLY_DAY = date(2026, 10, 1)
TOO_LATE = date(2026, 10, 2)
TERMS = FeeTerms(300_00, early_fee_cents=275_00, early_until=LAST_EARLY_DAY)


def charge(cents: int) -> FeeLine:
    return FeeLine(MoneyKind.CHARGE, cents)


def payment(cents: int, method: str = "cash") -> FeeLine:
    return FeeLine(MoneyKind.PAYMENT, cents, method=method)


def refund(cents: int, method: str = "cash") -> FeeLine:
    return FeeLine(MoneyKind.REFUND, cents, reason="paid too much", method=method)


def less(kind: MoneyKind, cents: int) -> FeeLine:
    return FeeLine(kind, cents, reason="said by the director", method="cash")


@pytest.mark.parametrize(
    ("received_on", "fee"),
    [(date(2026, 1, 1), 275_00), (LAST_EARLY_DAY, 275_00), (TOO_LATE, 300_00)],
)
def test_the_early_bird_fee_holds_on_its_last_day_and_not_after(received_on: date, fee: int) -> None:
    assert fee_for(TERMS, received_on) == fee


def test_without_an_early_bird_fee_nobody_is_early() -> None:
    assert fee_for(FeeTerms(300_00), date(1999, 1, 1)) == 300_00


def test_an_early_bird_may_play_free() -> None:
    free = FeeTerms(300_00, early_fee_cents=0, early_until=LAST_EARLY_DAY)
    assert fee_for(free, LAST_EARLY_DAY) == 0


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({"fee_cents": -1}, "A fee is zero or more."),
        ({"early_fee_cents": -1, "early_until": LAST_EARLY_DAY}, "A fee is zero or more."),
        ({"early_fee_cents": 275_00}, "An early-bird fee and its last date belong together."),
        ({"early_until": LAST_EARLY_DAY}, "An early-bird fee and its last date belong together."),
        ({"early_fee_cents": 300_01, "early_until": LAST_EARLY_DAY}, "The early-bird fee is no more than the fee."),
        ({"late_fee_cents": 325_00}, "A late fee and its first day belong together."),
        ({"late_fee_cents": 299_99, "late_from": LAST_EARLY_DAY}, "The late fee is no less than the fee."),
        (
            {"early_fee_cents": 1, "early_until": LAST_EARLY_DAY, "late_fee_cents": 3e4, "late_from": LAST_EARLY_DAY},
            "The late fee begins after the last day of the early-bird fee.",
        ),
    ],
)
def test_terms_that_make_no_sense_are_refused(terms: dict[str, Any], why: str) -> None:
    with pytest.raises(DomainError) as refusal:
        FeeTerms(**{"fee_cents": 300_00, **terms})
    assert (refusal.value.code, refusal.value.message) == ("bad-value", why)


def test_an_early_fee_as_high_as_the_fee_is_no_offer_but_no_mistake() -> None:
    assert fee_for(FeeTerms(300_00, early_fee_cents=300_00, early_until=LAST_EARLY_DAY), LAST_EARLY_DAY) == 300_00


@pytest.mark.parametrize("kind", ["discount", "complimentary", "cancellation", "refund", "correction"])
def test_a_line_that_needs_a_reason_says_why(kind: str) -> None:
    for blank in ("", " "):
        with pytest.raises(DomainError, match="The reason is missing") as refusal:
            FeeLine(MoneyKind(kind), 1, reason=blank, method="cash")
        assert refusal.value.code == "missing-reason"


@pytest.mark.parametrize("kind", ["payment", "refund", "correction"])
def test_a_line_that_moves_money_says_how(kind: str) -> None:
    for blank in ("", " "):
        with pytest.raises(DomainError, match="The method is missing") as refusal:
            FeeLine(MoneyKind(kind), 1, reason="why", method=blank)
        assert refusal.value.code == "missing-method"


def test_no_line_asks_for_more_than_it_needs() -> None:
    assert FeeLine(MoneyKind.CHARGE, 1).cents == 1
    assert FeeLine(MoneyKind.PAYMENT, 1, method="cash").cents == 1
    for kind in (MoneyKind.DISCOUNT, MoneyKind.COMPLIMENTARY, MoneyKind.CANCELLATION):
        assert FeeLine(kind, 1, reason="why").cents == 1


def test_no_line_is_below_zero() -> None:
    with pytest.raises(DomainError, match=r"^An amount cannot be below zero. .* a refund\.$") as refusal:
        charge(-1)
    assert refusal.value.code == "bad-value"
    assert charge(0).cents == 0


def test_an_account_with_a_line_of_each_kind() -> None:
    lines = [
        charge(300_00), charge(150_00), payment(200_00, "check"), payment(250_00), refund(30_00),
        less(MoneyKind.DISCOUNT, 25_00), less(MoneyKind.COMPLIMENTARY, 150_00), less(MoneyKind.CANCELLATION, 10_00),
        less(MoneyKind.CORRECTION, 40_00),
    ]  # fmt: skip
    account = fold_ledger(lines)
    assert account == Account(
        discounted_cents=25_00,
        complimentary_cents=150_00,
        owed_cents=265_00,
        paid_cents=410_00,
        refunded_cents=30_00,
        collected_cents=265_00,
        due_cents=0,
        refund_due_cents=115_00,
        settled_discounts_cents=175_00,
    )
    assert account.kept_cents == 380_00
    assert account.balance_cents == -115_00
    assert not account.is_settled


@pytest.mark.parametrize(
    ("lines", "due", "refund_due", "collected"),
    [
        ([], 0, 0, 0),
        ([charge(300)], 300, 0, 0),
        ([charge(300), payment(100)], 200, 0, 100),
        ([charge(300), payment(300)], 0, 0, 300),
        ([charge(300), payment(350)], 0, 50, 300),
        ([charge(300), payment(350), refund(50)], 0, 0, 300),
        ([charge(300), payment(300), less(MoneyKind.CANCELLATION, 300)], 0, 300, 0),
        ([charge(300), payment(300), less(MoneyKind.CANCELLATION, 300), refund(300)], 0, 0, 0),
        ([charge(300), payment(300), less(MoneyKind.CORRECTION, 300)], 300, 0, 0),
        ([payment(20)], 0, 20, 0),
        ([charge(300), less(MoneyKind.DISCOUNT, 400)], 0, 0, 0),
        ([charge(300), refund(50)], 350, 0, 0),
    ],
)
def test_what_the_desk_sees(lines: list[FeeLine], due: int, refund_due: int, collected: int) -> None:
    account = fold_ledger(lines)
    assert (account.due_cents, account.refund_due_cents, account.collected_cents) == (due, refund_due, collected)
    assert account.balance_cents == due - refund_due
    assert account.is_settled is (due == refund_due == 0)


LAST_DAY = date(2026, 10, 1)


@pytest.mark.parametrize(
    ("terms", "half"),
    [
        (FeeTerms(300_00, 250_00, LAST_DAY), FeeTerms(150_00, 125_00, LAST_DAY)),
        (FeeTerms(300_01, 249_99, LAST_DAY), FeeTerms(150_01, 125_00, LAST_DAY)),
        (FeeTerms(275_00), FeeTerms(137_50)),
    ],
)
def test_half_of_a_pair_owes_half_of_each_price_and_half_a_cent_up(terms: FeeTerms, half: FeeTerms) -> None:
    assert repr(terms.for_half_a_pair()) == repr(half)


OFF, FREE, GONE = MoneyKind.DISCOUNT, MoneyKind.COMPLIMENTARY, MoneyKind.CANCELLATION


@pytest.mark.parametrize(
    ("lines", "counts"),
    [
        ([charge(100), less(OFF, 20)], 0),
        ([charge(100), less(OFF, 20), payment(79)], 0),
        ([charge(100), less(OFF, 20), payment(80)], 20),
        ([charge(100), less(OFF, 20), payment(95)], 20),
        ([charge(100), less(FREE, 100)], 100),
        ([charge(100), payment(100)], 0),
        ([charge(100), less(OFF, 400)], 100),
        ([less(OFF, 20)], 0),
        ([charge(100), less(OFF, 20), payment(80), less(MoneyKind.CORRECTION, 80)], 0),
        ([charge(100), less(OFF, 20), payment(80), refund(1)], 0),
        ([charge(100), less(OFF, 20), payment(40), less(GONE, 40)], 20),
        ([charge(100), less(OFF, 20), payment(80), less(GONE, 80)], 0),
        ([charge(100), less(OFF, 100), less(GONE, 1)], 0),
        ([charge(100), less(OFF, 20), less(GONE, 80), charge(80), payment(80)], 20),
    ],
)
def test_a_discount_counts_once_nothing_more_is_owed_and_not_where_the_fee_fell_away(
    lines: list[FeeLine], counts: int
) -> None:
    assert fold_ledger(lines).settled_discounts_cents == counts


REVERSIBLE = sorted(kinds_in(Record.LINE))
LINES = st.builds(less, st.sampled_from([*REVERSIBLE, MoneyKind.CORRECTION]), st.integers(0, 500_00))


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(LINES, max_size=6), st.sampled_from(REVERSIBLE), st.integers(0, 500_00))
def test_a_line_and_its_reversal_are_as_if_they_had_never_been(
    lines: list[FeeLine], kind: MoneyKind, cents: int
) -> None:
    back = FeeLine(MoneyKind.REVERSAL, cents, reason="typed twice", method="cash", reverses=kind)
    assert fold_ledger([*lines, less(kind, cents), back]) == fold_ledger(lines)


def test_a_reversal_names_the_kind_of_what_it_reverses_and_says_why() -> None:
    for kind, of in ((MoneyKind.REVERSAL, None), (MoneyKind.CHARGE, MoneyKind.CHARGE)):
        with pytest.raises(ValueError, match="names the kind"):
            FeeLine(kind, 1, reason="why", reverses=of)
    with pytest.raises(DomainError, match="The reason is missing"):
        FeeLine(MoneyKind.REVERSAL, 1, reverses=MoneyKind.REFUND)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(LINES, max_size=12), st.randoms(use_true_random=False))
def test_the_fold_does_not_depend_on_the_order_of_the_lines(lines: list[FeeLine], chance: Any) -> None:
    assert fold_ledger(chance.sample(lines, len(lines))) == fold_ledger(lines)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(LINES, max_size=12))
def test_an_account_always_balances(lines: list[FeeLine]) -> None:
    account = fold_ledger(lines)
    assert account.due_cents - account.refund_due_cents == account.balance_cents
    assert min(account.due_cents, account.refund_due_cents) == 0
    assert 0 <= account.collected_cents <= account.owed_cents
    assert account.collected_cents <= max(0, account.kept_cents)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(LINES, max_size=8), st.integers(0, 9_00))
def test_paying_what_is_due_and_handing_back_the_rest_settles_every_account(
    lines: list[FeeLine], too_much: int
) -> None:
    lines = [*lines, payment(fold_ledger(lines).due_cents + too_much)]
    lines = [*lines, refund(fold_ledger(lines).refund_due_cents)]
    account = fold_ledger(lines)
    assert account.is_settled
    assert account.collected_cents == account.owed_cents


def test_columns_add_up_and_one_overpayment_hides_no_debt() -> None:
    total = sum_accounts([fold_ledger([charge(300), payment(350)]), fold_ledger([charge(300), payment(100)])])
    assert (total.owed_cents, total.paid_cents, total.collected_cents) == (600, 450, 400)
    assert (total.due_cents, total.refund_due_cents, total.balance_cents) == (200, 50, 150)
    assert sum_accounts([]) == Account()


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.lists(LINES, max_size=5), max_size=5))
def test_every_column_is_the_sum_of_its_rows(ledgers: list[list[FeeLine]]) -> None:
    accounts = [fold_ledger(lines) for lines in ledgers]
    total = sum_accounts(accounts)
    assert total.kept_cents == sum(account.kept_cents for account in accounts)
    assert total.due_cents == sum(account.due_cents for account in accounts)
    assert total.discounted_cents == sum(account.discounted_cents for account in accounts)


def test_totals_by_method_agree_with_the_drawer() -> None:
    lines = [
        charge(900), payment(300, "cash"), payment(200, "check"), refund(50, "cash"), payment(100, "cash"),
        less(MoneyKind.CORRECTION, 30), less(MoneyKind.DISCOUNT, 5),
    ]  # fmt: skip
    totals = total_by_method(iter(lines))
    assert totals == {"cash": MethodTotal(370, 50), "check": MethodTotal(200, 0)}
    assert list(totals) == ["cash", "check"]
    assert totals["cash"].kept_cents == 320
    assert total_by_method([charge(300)]) == {}
