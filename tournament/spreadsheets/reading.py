"""From the bytes of a file to headers and rows of text: encoding and delimiter are found out, not asked for."""

import csv
import datetime as dt
import io
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import dropwhile, islice
from typing import Any, Final

from charset_normalizer import from_bytes
from openpyxl import load_workbook

from tournament.errors import DomainError
from tournament.intake.limits import LISTS
from tournament.said import worded

MAX_BYTES: Final = LISTS.most_bytes
MAX_ROWS: Final = 3_000
MAX_COLUMNS: Final = 60
MAX_CELL: Final = 2_000
MAX_TEXT: Final = 5_000_000
"""Characters of all cells: a workbook writes a long text once, and names it in many."""
MAX_UNPACKED: Final = 30_000_000
DELIMITERS: Final = ",;\t|"
WESTERN: Final = ("cp1252", "cp1250", "mac_roman")


NO_LIST: Final = worded("This is not a CSV or XLSX file. Save the list as one of the two.")
NO_TEXT: Final = re.compile("[\x00\ud800-\udfff]")
"""What a workbook can spell, and no database takes."""


class UnreadableList(DomainError):
    """The file is no list that can be read; the sentence says what to do."""


@dataclass(frozen=True, slots=True)
class ReadList:
    """`rows` have as many cells as `headers`; the headings are row 1, so the first of `rows` is row 2."""

    encoding: str
    delimiter: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def read_list(content: bytes) -> ReadList:
    """A CSV or XLSX file, told apart by its content.

    Raises:
        UnreadableList: `too-big`, `too-many-rows`, `empty-list`, `not-a-list`.
    """
    if len(content) > MAX_BYTES:
        raise UnreadableList("too-big", worded("The file is larger than 5 MB. Save only the sheet with the entries."))
    if content.startswith(b"PK\x03\x04"):
        return _shaped("xlsx", "", _sheet(content))
    if b"\x00" in content and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableList("not-a-list", NO_LIST)
    encoding, text = decode(content)
    delimiter = find_delimiter(text)
    if "\x00" in text:
        raise UnreadableList("not-a-list", NO_LIST)
    try:
        return _shaped(encoding, delimiter, csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        said = worded("A cell of the file never ends: a quotation mark is missing. Save it again as CSV.")
        raise UnreadableList("not-a-list", said) from error


def decode(content: bytes) -> tuple[str, str]:
    """The name of the encoding and the text. UTF-8 where it is UTF-8, else what fits the letters best."""
    for encoding, mark in (("utf-8-sig", b"\xef\xbb\xbf"), ("utf-16", b"\xff\xfe"), ("utf-16", b"\xfe\xff")):
        if content.startswith(mark):
            return encoding, content.decode(encoding, errors="replace")
    try:
        return "utf-8", content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    # A short list gives statistics too little to go by: of all that fit, take the one whose words look like words.
    fitting = [match.encoding for match in from_bytes(content, cp_isolation=list(WESTERN))]
    ranked = sorted({*fitting, "cp1252"}, key=lambda name: (_odd_letters(content, name), _rank(name)))
    return ranked[0], content.decode(ranked[0], errors="replace")


def _odd_letters(content: bytes, encoding: str) -> int:
    """How many signs beyond ASCII stand where no letter of a name would: a capital or a sign inside a word."""
    text = content.decode(encoding, errors="replace")
    pairs = zip(" " + text, text, strict=False)
    return sum(not char.isalpha() or (char.isupper() and before.islower()) for before, char in pairs if char > "\x7f")


def _rank(encoding: str) -> int:
    return WESTERN.index(encoding) if encoding in WESTERN else len(WESTERN)


def find_delimiter(text: str) -> str:
    """The sign that cuts the first line into the most columns; the comma where none does."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return max(DELIMITERS, key=lambda sign: len(next(csv.reader([first], delimiter=sign))))


def _sheet(content: bytes) -> list[list[str]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            if sum(item.file_size for item in packed.infolist()) > MAX_UNPACKED:
                raise UnreadableList(
                    "too-big", worded("The workbook is too large. Save only the sheet with the entries.")
                )
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=False)
        sheet = book.worksheets[0]
        limits = {"max_row": MAX_ROWS + 2, "max_col": MAX_COLUMNS}
        return [[_text(cell) for cell in row] for row in sheet.iter_rows(values_only=True, **limits)]
    except (DomainError, MemoryError):
        raise
    except Exception as error:  # anything its reader stumbles over in a damaged workbook
        raise UnreadableList(
            "not-a-list", worded("The workbook cannot be read. Save it again as XLSX, or as CSV.")
        ) from error


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dt.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _shaped(encoding: str, delimiter: str, lines: Iterable[list[str]]) -> ReadList:
    rows = [_cut(row) for row in islice(dropwhile(_is_blank, lines), MAX_ROWS + 2)]
    if len(rows) < 2:
        said = worded("There are no entries in the file. It needs a line of headings, then one line for each entry.")
        raise UnreadableList("empty-list", said)
    if len(rows) > MAX_ROWS + 1:
        raise UnreadableList(
            "too-many-rows", worded("The list has more than %(most)s lines. Cut it into parts.", most=MAX_ROWS)
        )
    if sum(len(cell) for row in rows for cell in row) > MAX_TEXT:
        raise UnreadableList("too-big", worded("The list is too long. Save only the columns of the entries."))
    while rows and _is_blank(rows[-1]):
        rows.pop()
    width = max(_last_filled(row) for row in rows)
    cut = [tuple([*row, *[""] * width][:width]) for row in rows]
    headers = tuple(" ".join(cell.split())[:100] for cell in cut[0])
    return ReadList(encoding, delimiter, headers, tuple(cut[1:]))


def _is_blank(row: list[str]) -> bool:
    return not any(cell.strip() for cell in row)


def _cut(row: list[str]) -> list[str]:
    return [NO_TEXT.sub("\ufffd", cell[:MAX_CELL]) for cell in row[:MAX_COLUMNS]]


def _last_filled(row: list[str]) -> int:
    """How many columns the row uses: spreadsheets give empty ones without end."""
    return max((place for place, cell in enumerate(row, start=1) if cell.strip()), default=0)
