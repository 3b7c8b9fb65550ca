from __future__ import annotations

import datetime as dt

import pytest

from tests.kit import refused
from tournament.spreadsheets.bank_statements import read_bank_statement


def cents_of(text: str) -> list[int | None]:
    return [row.cents for row in read_bank_statement(text.encode()).rows]


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("Date,Amount\n2026-11-02,300.00\n2026-11-03,-45.00\n", [300_00, -45_00]),
        ("Date;Betrag;S/H\n2.11.2026;300,00;H\n3.11.2026;45,00;S\n", [300_00, -45_00]),
        ("Date,Amount,Debit/Credit\n2026-11-02,300.00,C\n2026-11-03,45.00,D\n", [300_00, -45_00]),
        ("Date,Amount,Type\n2026-11-02,300.00,Credit\n2026-11-03,45.00,Direct Debit\n", [300_00, -45_00]),
        ("Date,Amount,Type\n2026-11-02,300.00,Transfer\n2026-11-03,-45.00,Card\n", [300_00, -45_00]),
        ("Date,Paid out,Paid in\n2026-11-02,,300.00\n2026-11-03,45.00,\n2026-11-04,-5.00,\n", [300_00, -45_00, -5_00]),
        ("Date,Amount\n2026-11-02,300.00 CR\n2026-11-03,45.00 DR\n", [300_00, -45_00]),
        ("Date,Amount,Direction\n2026-11-02,300.00,in\n2026-11-03,-45.00,out\n", [300_00, -45_00]),
        ("Date,Amount,Type\n2026-11-02,300.00,Incoming payment\n2026-11-03,45.00,Outgoing payment\n", [300_00, -45_00]),
        ("Date;Gutschrift in CHF;Lastschrift in CHF\n2.11.2026;1'300.00;\n3.11.2026;;-120.00\n", [1300_00, -120_00]),
        ("Дата;Сумма;Дебет/Кредит\n2.11.2026;300,00;Кредит\n3.11.2026;45,00;Дебет\n", [300_00, -45_00]),
        ("Date,Amount,Which\n2026-11-02,300.00,Incoming\n2026-11-03,45.00,Outgoing\n", [300_00, -45_00]),
        ("Date,Amount,Kind of card\n2026-11-02,300.00,Credit\n2026-11-03,45.00,Debit\n", [300_00, 45_00]),
        ("Ημερομηνία;Περιγραφή;Ποσό\n2.11.2026;α;300,00\n3.11.2026;β;-45,00\n", [300_00, -45_00]),
        ("תאריך;תיאור;חובה;זכות\n2.11.2026;א;;300.00\n3.11.2026;ב;45.00;\n", [300_00, -45_00]),
        ("Täna;Sõna;Raha\n2.11.2026;a;300,00\n3.11.2026;b;-45,00\n", [300_00, -45_00]),
        ("11/02/2026,300.00,*,ZELLE\n11/13/2026,-20.00,*,OFFICE\n", [300_00, -20_00]),
    ],
)
def test_the_direction_of_money(text: str, cents: list[int]) -> None:
    assert cents_of(text) == cents


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Date,Amount,Debit/Credit\n2026-11-02,300.00,C\n2026-11-03,45.00,maybe\n", "no-direction"),
        ("Date,Amount,Debit/Credit\n2026-11-02,300.00,C\n2026-11-03,-45.00,C\n", "two-directions"),
        ("Date,Paid out,Paid in\n2026-11-02,,300.00\n2026-11-03,45.00,45.00\n", "two-amounts"),
        ("Date,Amount\n2026-11-02,300.00\n2026-11-03,three\n", "bad-amount"),
        ("Date,Amount,Text\n2026-11-02,300.00,fee\n2026-11-03,,fee\n", "no-amount"),
        ("Date,Amount,Text\n2026-11-02,300.00,fee\n,300.00,Total\n", "a-sum"),
    ],
)
def test_an_unreadable_row_is_listed_but_no_transfer(text: str, code: str) -> None:
    good, bad = read_bank_statement(text.encode()).rows
    assert good.is_incoming
    assert (bad.is_incoming, code in [remark.code for remark in bad.remarks]) == (False, True)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Date,Words\n2026-11-20,fee\n", "no-amounts"),
        ("Täna;Raha;Jääk\n2.11.2026;300,00;1300,00\n", "no-amounts"),
        ("Date,Amount,Direction\n2026-11-20,300.00,foo\n", "no-directions"),
        ("Date,Amount,Type\n2026-11-20,300.00,foo\n2026-11-20,300.00,bar\n", "no-directions"),
    ],
)
def test_an_incomplete_list_is_refused(text: str, code: str) -> None:
    with refused(code, "file"):
        read_bank_statement(text.encode())


def test_a_reference_is_found_in_any_column() -> None:
    text = "Date;Text;Amount;Balance\n2026-11-02;RF95 0000 0011;300,00;1300,00\n2026-11-03;fee rf6800000012;300,00;0\n"
    assert [row.reference for row in read_bank_statement(text.encode()).rows] == ["RF95 0000 0011", "rf6800000012"]


@pytest.mark.parametrize("day", ["2026-12-24", "2005-11-26"])
def test_a_future_or_old_day_is_doubtful(day: str) -> None:
    read = read_bank_statement(f"Date,Amount\n{day},300.00\n".encode(), today=dt.date(2026, 11, 28))
    assert [remark.code for remark in read.rows[0].remarks] == ["unlikely-date"]


@pytest.mark.parametrize(
    "text",
    [
        "Date,Amount,Currency\n2026-11-02,300.00,EUR\n",
        "Date;Amount\n2026-11-02;300,00 EUR\n",
        "Date;Amount (EUR)\n2026-11-02;300,00\n",
        "Date;Paid in EUR;Paid out EUR\n2026-11-02;300,00;\n",
        "Date;Amount\n2026-11-02;300.000\n",
    ],
)
def test_an_amount_in_doubt_is_no_transfer_that_is_recorded(text: str) -> None:
    (row,) = read_bank_statement(text.encode(), currency="USD").rows
    assert (row.is_incoming, row.is_doubtful, row.is_unreadable) == (False, True, False)


def test_our_own_currency_is_not_in_doubt() -> None:
    (row,) = read_bank_statement(b"Date,Amount,Currency\n2026-11-02,$300.00,USD\n", currency="USD").rows
    assert (row.is_incoming, row.currency) == (True, "USD")


def test_lists_above_the_headings_and_blank_lines_keep_their_numbers() -> None:
    text = "Account 12-345\nFrom 1 to 30 November\n\nDate;Amount\n2026-11-02;300,00\n;\n2026-11-03;45,00\n"
    read = read_bank_statement(text.encode())
    assert [(row.number, row.is_blank) for row in read.rows] == [(5, False), (6, True), (7, False)]


def test_a_page_shows_day_and_payer_once() -> None:
    row = read_bank_statement("Date;Nom;Libellé;Montant\n13/11/2026;Zoé Müller;Tournoi RF95;300,00\n".encode()).rows[0]
    assert (row.payer, row.remaining_text) == ("Zoé Müller", "Tournoi RF95")
