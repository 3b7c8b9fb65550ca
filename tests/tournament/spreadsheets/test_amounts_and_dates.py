from __future__ import annotations

import pytest

from tournament.spreadsheets.cells import (
    UnreadableCell,
    detect_date_order,
    detect_decimal_mark,
    is_foreign_currency,
    read_date_and_time,
    read_money,
)


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("300,00 EUR", 300_00),
        ("EUR 300,00", 300_00),
        ("1 300,00", 1300_00),
        ("1\u202f300,00 €", 1300_00),
        ("1'300.00", 1300_00),
        ("CHF 1’000.-", 1000_00),
        ("300,-", 300_00),
        ("300:- kr", 300_00),
        ("Rs 300/-", 300_00),
        ("R$ 300,00", 300_00),
        ("3000円", 3000_00),
        ("4.711,98 €", 4711_98),
        ("1,250.50", 1250_50),
        ("12.345.678,9", 12_345_678_90),
        ("1,00,000.00", 100_000_00),
        ("kr 300,50", 300_50),
        ("300,00 zł", 300_00),
        ("+300.00", 300_00),
        ("-45,00", -45_00),
        ("−45,00", -45_00),
        ("85,50-", -85_50),
        ("(45.00)", -45_00),
        ("-$50", -50_00),
        ("274.9999999999999", 275_00),
        (".50", 50),
        ("-,5", -50),
        ("300€50", 300_50),
    ],
)
def test_an_amount_in_every_usual_spelling(text: str, cents: int) -> None:
    money = read_money(text)
    assert (money.cents, money.other_text, money.is_unclear) == (cents, "", False)


@pytest.mark.parametrize(
    ("named", "own", "is_other"),
    [
        ("EUR", "USD", True),
        ("€", "EUR", False),
        ("$", "CAD", False),
        ("US$", "CAD", True),
        ("kr", "NOK", False),
        ("Betrag (CHF)", "EUR", True),
        ("Amount", "EUR", False),
        ("eur", "", False),
    ],
)
def test_a_foreign_currency(named: str, own: str, is_other: bool) -> None:
    assert is_foreign_currency(named, own) is is_other


@pytest.mark.parametrize("text", ["three", "NaN", "12,34,56", "1.234,567", "(45.00", "--5", "", "€"])
def test_other_text_is_never_read_as_an_amount(text: str) -> None:
    with pytest.raises(UnreadableCell):
        read_money(text)


@pytest.mark.parametrize(
    ("column", "mark"),
    [
        (["300.00", "3.000"], "."),
        (["300,00", "3.000"], ","),
        (["1.234.567", "5"], ","),
        (["300.00", "300,00"], ""),
        (["3.000", "300"], ""),
    ],
)
def test_a_column_shows_its_decimal_mark(column: list[str], mark: str) -> None:
    assert detect_decimal_mark(column) == mark


@pytest.mark.parametrize(
    ("decimal", "cents", "is_unclear"), [("", 3000_00, True), (",", 3000_00, False), (".", 3_00, True)]
)
def test_three_digits_after_a_mark_are_read_by_their_column(decimal: str, cents: int, is_unclear: bool) -> None:
    money = read_money("3.000", decimal)
    assert (money.cents, money.is_unclear) == (cents, is_unclear)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-10-25 17:49", "2026-10-25 17:49:00"),
        ("10/25/2026", "2026-10-25 00:00:00"),
        ("10/25/2026 5:49 PM", "2026-10-25 17:49:00"),
        ("25/10/2026", "2026-10-25 00:00:00"),
        ("25.10.2026 09:00", "2026-10-25 09:00:00"),
        ("5. 11. 26", "2026-11-05 00:00:00"),
        ("2026. 11. 05.", "2026-11-05 00:00:00"),
        ("2026-11-20T13:39:50+01:00", "2026-11-20 13:39:50+01:00"),
        ("2026-11-20T13:39:50.25Z", "2026-11-20 13:39:50+00:00"),
        ("2026/11/20 1:39:50 PM GMT+1", "2026-11-20 13:39:50+01:00"),
        ("10/25/26 12:05 a.m.", "2026-10-25 00:05:00"),
        ("Nov 5, 2026 5 PM", "2026-11-05 17:00:00"),
        ("Nov 5, 2026", "2026-11-05 00:00:00"),
        ("Thursday, November 5, 2026 at 9:05 PM", "2026-11-05 21:05:00"),
        ("5 de noviembre de 2026", "2026-11-05 00:00:00"),
        ("5. listopadu 2026", "2026-11-05 00:00:00"),
        ("05-Nov-26", "2026-11-05 00:00:00"),
        ("46331.5", "2026-11-05 12:00:00"),
        ("20261105", "2026-11-05 00:00:00"),
        ("2026. 11. 5. 오후 5:49:00", "2026-11-05 17:49:00"),
        ("2026-11-05 오전 12:05", "2026-11-05 00:05:00"),
        ("2026/11/5 下午5:49:00", "2026-11-05 17:49:00"),
    ],
)
def test_dates_of_real_lists(text: str, moment: str) -> None:
    found = read_date_and_time(text)
    assert found is not None
    assert (str(found.at), found.is_unclear) == (moment, False)


def test_two_digits_that_may_be_the_year_are_ambiguous() -> None:
    found = read_date_and_time("26-10-25", *detect_date_order(["26-10-25"])[:1], is_sure=False)
    assert found is not None and found.is_unclear


@pytest.mark.parametrize("text", ["last Tuesday", "13/13/2026", "31/02/2026", "12:30", "2026-13-01", "5", "1/2/3"])
def test_other_text_is_never_read_as_a_date(text: str) -> None:
    with pytest.raises(UnreadableCell):
        read_date_and_time(text)


@pytest.mark.parametrize(
    ("column", "order", "is_sure"),
    [
        (["25/10/2026", "05/11/2026"], "day-month", True),
        (["12/31/2025", "12/01/2025"], "month-day", True),
        (["05/11/2026"], "month-day", False),
        (["05-11-26", "25-10-26"], "day-month", True),
        (["26-10-25", "25-10-26"], "day-month", False),
        (["25/10/2026", "10/25/2026", "05/11/2026"], "", False),
        (["2026-11-05", "05.11.2026", "05/05/2026"], "month-day", True),
    ],
)
def test_one_row_shows_the_order_of_its_column(column: list[str], order: str, is_sure: bool) -> None:
    assert detect_date_order(column) == (order, is_sure)


@pytest.mark.parametrize(("order", "day"), [("day-month", "2026-11-05"), ("month-day", "2026-05-11")])
def test_a_chosen_order_is_used(order: str, day: str) -> None:
    found = read_date_and_time("05/11/2026", order)
    assert found is not None
    assert (str(found.at.date()), found.is_unclear) == (day, False)
