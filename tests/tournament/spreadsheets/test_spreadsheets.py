"""Any bytes are read as a list or refused, and an amount in any format is read correctly to the cent."""

from __future__ import annotations

import csv
import doctest
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

import tournament.purse.entry
import tournament.spreadsheets.bank_statements
import tournament.spreadsheets.cells
import tournament.spreadsheets.columns
import tournament.spreadsheets.encodings
import tournament.spreadsheets.names
import tournament.spreadsheets.rows
from tests.chance import examples
from tournament.spreadsheets import (
    RowParsingContext,
    UnreadableList,
    guess_columns_by_headings,
    map_cells_by_field,
    name_key,
    normalize_text,
    parse_entry_row,
    parse_spreadsheet,
)
from tournament.spreadsheets.cells import PaymentKind, UnreadableCell, has_markup, is_email, is_formula, read_amount


@pytest.mark.parametrize(
    "module",
    [
        tournament.spreadsheets.bank_statements,
        tournament.spreadsheets.cells,
        tournament.spreadsheets.columns,
        tournament.spreadsheets.encodings,
        tournament.spreadsheets.names,
        tournament.spreadsheets.rows,
        tournament.purse.entry,
    ],
    ids=lambda module: module.__name__,
)
def test_the_examples_in_the_docstrings_hold(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0


@settings(max_examples=examples(150), deadline=None)
@given(st.one_of(st.binary(max_size=300), st.binary(max_size=200).map(lambda tail: b"PK\x03\x04" + tail)))
def test_any_bytes_are_a_list_or_refused_with_a_sentence(content: bytes) -> None:
    try:
        read = parse_spreadsheet(content)
    except UnreadableList:
        return
    assert all(len(row) == len(read.headers) for row in read.rows)
    for row in read.rows:
        for wanted in (RowParsingContext("Singles"), RowParsingContext("Pairs", 2, asks=True, two_pools=True)):
            parse_entry_row(map_cells_by_field(row, guess_columns_by_headings(read.headers)), wanted)


CELL = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5))
def test_what_was_written_as_csv_is_read_back(rows: list[tuple[str, str]]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([("Name", "Email"), *rows, ("last", "row")])
    read = parse_spreadsheet(out.getvalue().encode("utf-8-sig"))
    assert [tuple(row) for row in read.rows] == [*rows, ("last", "row")]


def test_an_unclosed_quotation_mark_swallows_no_line() -> None:
    read = parse_spreadsheet(b'Name,Notes\nAda "the Countess,hi\n"Zed Quinn,x\nBob,"a, b"\n')
    assert read.rows == (('Ada "the Countess', "hi"), ("Zed Quinn", "x"), ("Bob", "a, b"))


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("Name,Paid\nTotal,600\n", "a-sum"),
        ("Name,Paid\nAda ada@x.org,300\n", "more-than-name"),
        ("Name,Phone\nAda,1.51256E+10\n", "lost-figures"),
        ("Name,City\nJosÃ©,Reno\n", "odd-letters"),
    ],
)
def test_damage_by_spreadsheets_is_doubtful(content: str, code: str) -> None:
    read = parse_spreadsheet(content.encode())
    reading = parse_entry_row(
        map_cells_by_field(read.rows[0], guess_columns_by_headings(read.headers)), RowParsingContext("Singles")
    )
    assert code in [remark.code for remark in reading.remarks if remark.level == "look"]


@given(st.integers(1, 99_999_999), st.sampled_from(["{}", "${}", " {} ", "{} USD", "€{}", "{} (early)"]))
def test_an_amount_keeps_its_cents_in_any_format(cents: int, dress: str) -> None:
    for written in (f"{cents // 100}.{cents % 100:02}", f"{cents // 100},{cents % 100:02}", f"{cents / 100:,.2f}"):
        assert read_amount(dress.format(written)).cents == cents


@pytest.mark.parametrize("cell", ["-50", "(50)", "−50", "$-50", "three", "300 + 20", "1e5", "300 tomorrow", "NaN"])
def test_other_text_is_never_read_as_an_amount(cell: str) -> None:
    with pytest.raises(UnreadableCell):
        read_amount(cell)


@pytest.mark.parametrize(
    ("cell", "paid", "cents"),
    [
        ("", PaymentKind.NOTHING, 0),
        ("0", PaymentKind.NOTHING, 0),
        ("comp", PaymentKind.COMPLIMENTARY, 0),
        ("Complimentary", PaymentKind.COMPLIMENTARY, 0),
        ("$275.00 (early)", PaymentKind.EARLY, 27500),
        ("500,00", PaymentKind.PAYMENT, 50000),
        (" 300 ", PaymentKind.PAYMENT, 30000),
        ("1,250", PaymentKind.PAYMENT, 125000),
        ("1.250,50", PaymentKind.PAYMENT, 125050),
        ("7.5", PaymentKind.PAYMENT, 750),
    ],
)
def test_amounts_of_real_lists(cell: str, paid: PaymentKind, cents: int) -> None:
    amount = read_amount(cell)
    assert (amount.kind, amount.cents) == (paid, cents)


@pytest.mark.parametrize("cell", ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-HYPERLINK(1)", " =1"])
def test_formulas_are_recognized(cell: str) -> None:
    assert is_formula(cell)


@pytest.mark.parametrize("cell", ["+1 865 682 3732", "- no stairs", "O'Keeffe", "a=b"])
def test_telephone_numbers_and_dashes_are_no_formulas(cell: str) -> None:
    assert not is_formula(cell)


def test_markup_is_recognized_but_hearts_are_not() -> None:
    assert has_markup("<script>alert(1)</script>")
    assert has_markup("< img src=x>")
    assert not has_markup("I <3 gin")


@given(st.text(max_size=60))
def test_a_key_of_a_key_is_the_key_and_a_tidy_text_stays(text: str) -> None:
    assert name_key(name_key(text)) == name_key(text)
    assert normalize_text(normalize_text(text)) == normalize_text(text)
    is_email(text)
    has_markup(text)


def test_a_workbook_has_only_filled_columns() -> None:
    book = Workbook()
    book.active.append(["Name", "Email", "Phone"])
    book.active.append(["Ada Lovelace", "ada@example.org", None, None, " "])
    out = io.BytesIO()
    book.save(out)
    read = parse_spreadsheet(out.getvalue())
    assert read.headers == ("Name", "Email", "Phone")
    assert read.rows == (("Ada Lovelace", "ada@example.org", ""),)
