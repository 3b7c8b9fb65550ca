"""`manage.py read_list` reads the letters, dates, amounts and names of real files correctly, or reports a doubt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.commands import ROOT, WRONG_SETTINGS

LISTS = Path(__file__).parents[1] / "golden" / "lists"


def answer(name: str, *options: str) -> dict[str, Any]:
    out = StringIO()
    with suppress(SystemExit):
        call_command("read_list", str(LISTS / name), *options, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def column(read: dict[str, Any], name: str) -> list[Any]:
    return [row[name] for row in read["rows"]]


NAMES = {
    "czech.cp1250.csv": ["Antonín Dvořák", "Bohumil Hašek", "Leoš Janáček", "Jiří Růžička"],
    "english_few.cp437.csv": ["Zoë Quinn", "Bob Stone", "Seán O?Brien", "Ann Lee"],
    "french.cp1252.csv": ["René Lévêque", "Hélène Noël", "François Œuvrard"],
    "german.cp850.csv": ["Jürgen Groß", "Käthe Böll", "Urs Zängerle", "Änne Öhler"],
    "hebrew.cp1255.csv": ["דוד כהן", "רחל לוי"],
    "polish.cp852.csv": ["Łucja Żółć", "Stanisław Świątek", "Jan Kowalski"],
    "russian.cp1251.csv": ["Иван Петров", "Ольга Смирнова", "Жанна Щукина"],
    "spanish.cp850.csv": ["José Muñoz", "Ángel Núñez", "María Hernández"],
    "turkish.cp1254.csv": ["İsmail Şahin", "Ayşe Güneş", "Çağla Yıldız"],
    "surname-caps.csv": [
        *("Jean-Pierre Dupont", "Anna van den Berg", "Todd O'Bryan", "Ronaldinho", "MARTIN LUTHER KING")
    ],
    "two-name-columns.csv": ["Jean Dupont", "Paul Éluard"],
    "commas-more-than-semis.csv": ["Ada Lovelace", "Alan Turing"],
    "header-commas.csv": ["Alan Turing", "Ada Lovelace"],
    "semicolon-in-quoted.csv": ["Ada Lovelace"],
    "sep-line.csv": ["Ada Lovelace", "Alan Turing"],
    "title-rows.csv": ["Ada Lovelace", "Alan Turing"],
    "xlsx-nodim.xlsx": ["Ada Lovelace", "Alan Turing", "Grace Hopper"],
    "xlsx-dim-a1.xlsx": ["Ada Lovelace", "Alan Turing", "Grace Hopper"],
    "xlsx-second-sheet.xlsx": ["Ada Lovelace", "Alan Turing", "Grace Hopper"],
}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_names_of_a_list_come_in_whole(name: str) -> None:
    read = answer(name)
    assert (column(read, "name"), read["sure"]) == (NAMES[name], True)


@pytest.mark.parametrize(
    ("name", "days"),
    [
        ("dates-mixed.csv", ["2026-10-25T00:00", "2026-11-05T00:00", "2026-11-12T00:00"]),
        ("dates-us.csv", ["2025-12-31T00:00", "2025-12-01T00:00", "2026-10-25T17:49"]),
        ("iso-offset.csv", ["2026-11-20T13:39:50+01:00", "2026-11-20T13:41:07+01:00"]),
        ("xlsx-plain.xlsx", ["2026-10-25T17:49", "2026-11-05T00:00", "2026-11-05T12:00"]),
    ],
)
def test_days_in_a_list(name: str, days: list[str]) -> None:
    assert column(answer(name), "registered") == days


def test_amounts_and_doubtful_amounts() -> None:
    read = answer("amounts.csv")
    cents = [None, 3000_00, 110_70, 116_62, 4711_98, 1234_56, 275_00, 275_00, 1000_00, 300_000_00, 275_00]
    assert column(read, "paid_cents") == cents
    assert [row["row"] for row in read["rows"] if row["doubts"]] == [3, 11]
    assert [row["row"] for row in read["rows"] if row["errors"]] == [2]


@pytest.mark.parametrize(("name", "doubted"), [("homonyms.csv", [3, 5]), ("siblings.csv", [3, 5, 7])])
def test_rows_with_the_same_name_or_email_are_doubtful(name: str, doubted: list[int]) -> None:
    assert [row["row"] for row in answer(name)["rows"] if row["doubts"]] == doubted


@pytest.mark.parametrize("name", ["export.csv", "export.xlsx"])
def test_our_own_list_has_no_apostrophes_and_no_state_for_a_club(name: str) -> None:
    read = answer(name)
    assert column(read, "phone") == ["+1 512 555 0100", "", "0049 30 1234567", "5125550100", "07700900123"]
    assert column(read, "club") == ["Reno, NV", "", "", "", "-Tampa-"]
    assert column(read, "notes")[2:] == ["=vegetarian", "", '- no stairs please; table 1 "near" door']
    assert all(row["errors"] == [] for row in read["rows"])


@pytest.mark.parametrize(
    ("name", "cents"),
    [
        ("bank-with-currency.csv", [300_00, 300_00, 1300_00, 300_00, 1300_00, 300_00, 300_00, -45_00]),
        ("bank-type-column.csv", [300_00, -85_50, -1200_00, -300_00]),
        ("bank-first-layout.csv", [300_00, 300_00]),
    ],
)
def test_transfers_of_a_bank(name: str, cents: list[int]) -> None:
    assert column(answer(name, "--kind", "bank"), "amount_cents") == cents


@pytest.mark.parametrize(
    ("name", "doubted"), [("bank-type-column.csv", [2, 3, 4, 5]), ("bank-with-currency.csv", [2, 3])]
)
def test_transfers_in_another_currency_are_doubted(name: str, doubted: list[int]) -> None:
    rows = answer(name, "--kind", "bank", "--currency", "usd")["rows"]
    assert [row["row"] for row in rows if row["doubts"]] == doubted


def test_fees_in_another_currency_are_doubted() -> None:
    rows = answer("amounts.csv", "--currency", "CHF")["rows"]
    assert [row["row"] for row in rows if "not in CHF" in " ".join(row["doubts"])] == [5, 6, 8, 9]


@pytest.mark.parametrize(
    "text",
    [
        "Last name, first name;Club, city, country;Email\nLovelace, Ada;London, UK;ada@example.org\n",
        "Name, first and last;Email, if any\nAda Lovelace;ada@example.org\n",
        "Name;Email,phone\nAda Lovelace;ada@example.org\n",
    ],
)
def test_commas_in_the_headings_of_a_semicolon_list(tmp_path: Path, text: str) -> None:
    (tmp_path / "list.csv").write_text(text)
    read = answer(str(tmp_path / "list.csv"))
    assert (read["delimiter"], column(read, "name"), column(read, "email")) == (
        ";",
        ["Ada Lovelace"],
        ["ada@example.org"],
    )


def test_a_named_encoding_is_used() -> None:
    read = answer("czech.cp1250.csv", "--encoding", "cp1252")
    assert (read["encoding"], read["sure"], read["rows"][0]["name"]) == ("cp1252", True, "Antonín Dvoøák")


def test_an_unknown_order_is_a_choice(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("Name,Date\nAda Lovelace,05/11/2026\n")
    read = answer(str(tmp_path / "list.csv"))
    assert (read["sure"], read["choices"]) == (False, ["month-day", "day-month"])
    assert read["rows"][0]["doubts"]
    assert answer(str(tmp_path / "list.csv"), "--order", "day-month")["rows"][0]["registered"] == "2026-11-05T00:00"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty-list"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)), "not-a-list"),
        (b"PK\x03\x04 and nothing more", "not-a-list"),
        (b"x" * 5_000_001, "too-big"),
    ],
)
def test_a_file_without_a_list_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    (tmp_path / "list.csv").write_bytes(content)
    read = answer(str(tmp_path / "list.csv"))
    assert (read["ok"], [error["code"] for error in read["errors"]]) == (False, [code])


def test_it_needs_no_database_and_refuses_a_folder() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "read_list", str(LISTS)],
        capture_output=True,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **WRONG_SETTINGS},
        timeout=120,
        check=False,
    )
    assert (done.returncode, json.loads(done.stdout)["errors"][0]["code"], done.stderr) == (1, "no-file", b"")
