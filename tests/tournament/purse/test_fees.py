from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chance import examples
from tournament.errors import DomainError
from tournament.purse.fees import (
    EntryAccount,
    FeeTerms,
    compute_fee_on_date,
    make_entry_account,
    sum_entry_accounts,
    validate_ledger_line,
)
from tournament.purse.kinds import LedgerTable, MoneyKind, list_money_kinds_in_table

LAST_EARLY_DAY = date(2026, 10, 1)
TOO_LATE = date(2026, 10, 2)
TERMS = FeeTerms(300_00, early_fee_cents=275_00, early_until=LAST_EARLY_DAY)

OFF, FREE, GONE = MoneyKind.DISCOUNT, MoneyKind.COMPLIMENTARY, MoneyKind.CANCELLATION

Line = tuple[MoneyKind, int]


def charge(cents: int) -> Line:
    return MoneyKind.CHARGE, cents


def payment(cents: int) -> Line:
    return MoneyKind.PAYMENT, cents


def refund(cents: int) -> Line:
    return MoneyKind.REFUND, cents


def correction(cents: int) -> Line:
    return MoneyKind.PAYMENT, -cents


def fold(lines: Iterable[Line]) -> EntryAccount:
    sums: Counter[str] = Counter()
    for kind, cents in lines:
        sums[kind] += cents
    return make_entry_account(sums)


@pytest.mark.parametrize(
    ("received_on", "fee"), [(date(2026, 1, 1), 275_00), (LAST_EARLY_DAY, 275_00), (TOO_LATE, 300_00)]
)
def test_the_early_bird_fee_ends_after_its_last_day(received_on: date, fee: int) -> None:
    assert compute_fee_on_date(TERMS, received_on) == fee


def test_without_an_early_bird_fee_nobody_is_early() -> None:
    assert compute_fee_on_date(FeeTerms(300_00), date(1999, 1, 1)) == 300_00


def test_an_early_bird_may_play_free() -> None:
    free = FeeTerms(300_00, early_fee_cents=0, early_until=LAST_EARLY_DAY)
    assert compute_fee_on_date(free, LAST_EARLY_DAY) == 0


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
def test_contradictory_fee_terms_are_refused(terms: dict[str, Any], why: str) -> None:
    with pytest.raises(DomainError) as refusal:
        FeeTerms(**{"fee_cents": 300_00, **terms})
    assert (refusal.value.code, refusal.value.message) == ("bad-value", why)


def test_the_early_fee_may_equal_the_fee() -> None:
    assert (
        compute_fee_on_date(FeeTerms(300_00, early_fee_cents=300_00, early_until=LAST_EARLY_DAY), LAST_EARLY_DAY)
        == 300_00
    )


@pytest.mark.parametrize(
    ("code", "message", "kinds", "missing"),
    [
        (
            "missing-reason",
            "The reason is missing",
            ("discount", "complimentary", "cancellation", "refund", "correction", "reversal"),
            {"reason": ""},
        ),
        ("missing-reason", "The reason is missing", ("discount",), {"reason": " "}),
        ("missing-method", "The method is missing", ("payment", "refund", "correction"), {"method": ""}),
        ("missing-method", "The method is missing", ("payment",), {"method": " "}),
    ],
)
def test_an_incomplete_line_is_refused(
    code: str, message: str, kinds: tuple[str, ...], missing: dict[str, str]
) -> None:
    for kind in kinds:
        with pytest.raises(DomainError, match=message) as refusal:
            validate_ledger_line(MoneyKind(kind), 1, **{"reason": "why", "method": "cash", **missing})
        assert refusal.value.code == code


def test_a_line_needs_no_more_than_its_kind_asks_for() -> None:
    validate_ledger_line(MoneyKind.CHARGE, 0)
    validate_ledger_line(MoneyKind.PAYMENT, 1, method="cash")
    validate_ledger_line(MoneyKind.REVERSAL, 1, reason="typed twice")
    for kind in (OFF, FREE, GONE):
        validate_ledger_line(kind, 1, reason="why")


def test_an_amount_below_zero_is_refused() -> None:
    with pytest.raises(DomainError, match=r"^An amount cannot be below zero. .* a refund\.$") as refusal:
        validate_ledger_line(MoneyKind.CHARGE, -1)
    assert refusal.value.code == "bad-value"


def test_an_account_with_a_line_of_each_kind() -> None:
    lines = [
        charge(300_00), charge(150_00), payment(200_00), payment(250_00), refund(30_00),
        (OFF, 25_00), (MoneyKind.COMPLIMENTARY, 150_00), (MoneyKind.CANCELLATION, 10_00),
        correction(40_00),
    ]  # fmt: skip
    account = fold(lines)
    assert account == EntryAccount(
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
    assert account.net_paid_cents == 380_00
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
        ([charge(300), payment(300), (MoneyKind.CANCELLATION, 300)], 0, 300, 0),
        ([charge(300), payment(300), (MoneyKind.CANCELLATION, 300), refund(300)], 0, 0, 0),
        ([charge(300), payment(300), correction(300)], 300, 0, 0),
        ([payment(20)], 0, 20, 0),
        ([charge(300), (MoneyKind.DISCOUNT, 400)], 0, 0, 0),
        ([charge(300), refund(50)], 350, 0, 0),
    ],
)
def test_what_the_desk_sees(lines: list[Line], due: int, refund_due: int, collected: int) -> None:
    account = fold(lines)
    assert (account.due_cents, account.refund_due_cents, account.collected_cents) == (due, refund_due, collected)
    assert account.balance_cents == due - refund_due
    assert account.is_settled is (due == refund_due == 0)


@pytest.mark.parametrize(
    ("terms", "half"),
    [
        (FeeTerms(300_00, 250_00, LAST_EARLY_DAY), FeeTerms(150_00, 125_00, LAST_EARLY_DAY)),
        (FeeTerms(300_01, 249_99, LAST_EARLY_DAY), FeeTerms(150_01, 125_00, LAST_EARLY_DAY)),
        (FeeTerms(275_00), FeeTerms(137_50)),
    ],
)
def test_half_of_a_pair_owes_half_of_each_price_rounded_up(terms: FeeTerms, half: FeeTerms) -> None:
    assert repr(terms.halve_for_single_player()) == repr(half)


@pytest.mark.parametrize(
    ("lines", "counts"),
    [
        ([charge(100), (OFF, 20)], 0),
        ([charge(100), (OFF, 20), payment(79)], 0),
        ([charge(100), (OFF, 20), payment(80)], 20),
        ([charge(100), (OFF, 20), payment(95)], 20),
        ([charge(100), (FREE, 100)], 100),
        ([charge(100), payment(100)], 0),
        ([charge(100), (OFF, 400)], 100),
        ([(OFF, 20)], 0),
        ([charge(100), (OFF, 20), payment(80), correction(80)], 0),
        ([charge(100), (OFF, 20), payment(80), refund(1)], 0),
        ([charge(100), (OFF, 20), payment(40), (GONE, 40)], 20),
        ([charge(100), (OFF, 20), payment(80), (GONE, 80)], 0),
        ([charge(100), (OFF, 100), (GONE, 1)], 0),
        ([charge(100), (OFF, 20), (GONE, 80), charge(80), payment(80)], 20),
    ],
)
def test_a_discount_counts_for_a_settled_entry_whose_fee_was_not_canceled(lines: list[Line], counts: int) -> None:
    assert fold(lines).settled_discounts_cents == counts


LINES = st.one_of(
    st.tuples(st.sampled_from(sorted(list_money_kinds_in_table(LedgerTable.LINE))), st.integers(0, 500_00)),
    st.builds(correction, st.integers(0, 500_00)),
)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(LINES, max_size=12))
def test_an_account_always_balances(lines: list[Line]) -> None:
    account = fold(lines)
    assert account.due_cents - account.refund_due_cents == account.balance_cents
    assert min(account.due_cents, account.refund_due_cents) == 0
    assert 0 <= account.collected_cents <= account.owed_cents
    assert account.collected_cents <= max(0, account.net_paid_cents)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(LINES, max_size=8), st.integers(0, 9_00))
def test_paying_the_debt_and_refunding_the_rest_settles_every_account(lines: list[Line], too_much: int) -> None:
    lines = [*lines, payment(fold(lines).due_cents + too_much)]
    lines = [*lines, refund(fold(lines).refund_due_cents)]
    account = fold(lines)
    assert account.is_settled
    assert account.collected_cents == account.owed_cents


def test_columns_add_up_and_one_overpayment_hides_no_debt() -> None:
    total = sum_entry_accounts([fold([charge(300), payment(350)]), fold([charge(300), payment(100)])])
    assert (total.owed_cents, total.paid_cents, total.collected_cents) == (600, 450, 400)
    assert (total.due_cents, total.refund_due_cents, total.balance_cents) == (200, 50, 150)
    assert sum_entry_accounts([]) == EntryAccount()


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.lists(LINES, max_size=5), max_size=5))
def test_every_column_is_the_sum_of_its_rows(ledgers: list[list[Line]]) -> None:
    accounts = [fold(lines) for lines in ledgers]
    total = sum_entry_accounts(accounts)
    assert total.net_paid_cents == sum(account.net_paid_cents for account in accounts)
    assert total.due_cents == sum(account.due_cents for account in accounts)
    assert total.discounted_cents == sum(account.discounted_cents for account in accounts)
