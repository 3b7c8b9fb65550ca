"""Parse a file's bytes into headings and rows of text.

The encoding, separator, sheet and heading line are detected. If a file can be parsed in several ways, the result lists
them, so that staff can choose.
"""

import csv
import datetime as dt
import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from tournament.errors import DomainError
from tournament.intake import LIST_FILE_LIMITS
from tournament.lazy_text import lazy_text
from tournament.spreadsheets.cells import is_email
from tournament.spreadsheets.columns import guess_columns_by_headings
from tournament.spreadsheets.encodings import decode_as, detect_encoding

MAX_FILE_BYTES: Final = LIST_FILE_LIMITS.most_bytes
MAX_ROWS: Final = 3_000
MAX_COLUMNS: Final = 60
MAX_CELL_LENGTH: Final = 2_000
MAX_TOTAL_CHARACTERS: Final = 5_000_000
"""The maximum number of characters in all cells. A workbook can reuse one long text in many cells."""
MAX_UNPACKED_BYTES: Final = 30_000_000
DELIMITERS: Final = ",;\t|"
MAX_HEADING_SEARCH_LINES: Final = 20
"""The number of lines that are searched for headings."""
MAX_DELIMITER_SEARCH_LINES: Final = 60
"""The number of lines from which the separator is detected."""

NOT_A_LIST_MESSAGE: Final = lazy_text("This is not a CSV or XLSX file. Save the list as one of the two.")
INVALID_CHARACTERS_PATTERN: Final = re.compile("[\x00\ud800-\udfff]")
"""Characters that a workbook can contain, but a database rejects."""
_SEP_LINE: Final = re.compile(r'"?sep=(.)"?[;,\t]*\s*', re.IGNORECASE)
_UNSPLIT_CELL_PATTERNS: Final = {
    delimiter: re.compile(rf"(?<=[^\s\d])[{others}](?=\S)|(?<=\d)[{others}](?=[^\s\d])")
    for delimiter in DELIMITERS
    if (others := re.escape(DELIMITERS.replace(delimiter, "")))
}
"""For each separator, a pattern that finds another separator inside a cell, directly after a word or number.

If many cells match, the file probably uses that other separator.
"""
_HYPERLINK: Final = re.compile(r'=HYPERLINK\(\s*"[^"]*"\s*[,;]\s*"([^"]*)"\s*\)', re.IGNORECASE)

ColumnFinder = Callable[[Sequence[str]], dict[str, int]]
"""A function that returns each known column's index, given a line of headings."""


class UnreadableList(DomainError):
    """Raised if a file cannot be read as a list."""


@dataclass(frozen=True, slots=True)
class ParsedSpreadsheet:
    """The contents of a list. Each row in `rows` has as many cells as `headers`.

    - `first`: the line number of the first row in the file.
    - `encodings`: the possible encodings, if several are equally likely.
    - `titles`: the lines above the headings.
    - `sheets`: the names of all sheets of a workbook.
    - `has_headings`: false if the first line is already an entry.
    """

    encoding: str
    delimiter: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first: int = 2
    encodings: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    has_headings: bool = True


def parse_spreadsheet(
    content: bytes, encoding: str = "", sheet: str = "", columns: ColumnFinder = guess_columns_by_headings
) -> ParsedSpreadsheet:
    """Parse a CSV or XLSX file. `encoding` and `sheet` are the user's choices, if any.

    Raises:
        UnreadableList: `too-big`, `too-many-rows`, `empty-list`, `not-a-list`.
    """
    if len(content) > MAX_FILE_BYTES:
        raise UnreadableList(
            "too-big", lazy_text("The file is larger than 5 MB. Save only the sheet with the entries.")
        )
    if content.startswith(b"PK\x03\x04"):
        return _read_workbook(content, sheet, columns)
    choices: tuple[str, ...] = ()
    if encoding:
        text = decode_as(content, encoding)
    else:
        detected = detect_encoding(content)
        encoding, text, choices = detected.encoding, detected.text, detected.choices
    if "\x00" in text:
        raise UnreadableList("not-a-list", NOT_A_LIST_MESSAGE)
    try:
        delimiter, lines = _split_cells(text.removeprefix("\ufeff"), columns)
    except csv.Error as error:
        message = lazy_text("A cell of the file is far too long. Save the list again as CSV.")
        raise UnreadableList("not-a-list", message) from error
    skipped = 1 if _SEP_LINE.fullmatch(text.lstrip("\ufeff").partition("\n")[0]) else 0
    return ParsedSpreadsheet(
        encoding, delimiter, **_split_headings_and_rows(lines, columns, skipped), encodings=choices
    )


def _split_cells(text: str, columns: ColumnFinder) -> tuple[str, list[list[str]]]:
    """Return the separator, and the cells of each line.

    A line such as `sep=;` specifies the separator. Otherwise, choose the one that gives the best headings and rows.
    """
    first, _end, rest = text.partition("\n")
    if named := _SEP_LINE.fullmatch(first):
        return named[1], _parse_lines(rest, named[1])
    start = "".join(islice(io.StringIO(text, newline=""), MAX_DELIMITER_SEARCH_LINES))

    def rate(delimiter: str) -> tuple[float, ...]:
        try:
            rows = [row for row in _parse_lines(start, delimiter) if not _is_blank(row)]
        except csv.Error:  # a cell without an end
            return (-1.0, -1.0, 0.0, 0)
        known = max((len(columns(row)) for row in rows[:MAX_HEADING_SEARCH_LINES]), default=0)
        counts = Counter(map(len, rows))
        width, even = max(counts.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
        joined = sum(any(map(_UNSPLIT_CELL_PATTERNS[delimiter].search, row)) for row in rows) / max(1, len(rows))
        return (-joined, known if width > 1 or known > 1 else 0, even / max(1, len(rows)) if width > 1 else 0.0, width)

    delimiter = max(DELIMITERS, key=rate)
    return delimiter, _parse_lines(text, delimiter)


def _parse_lines(text: str, delimiter: str) -> list[list[str]]:
    """Return the cells of each line.

    An opening quotation mark that is never closed is treated as an ordinary character.
    """
    most = MAX_ROWS + MAX_HEADING_SEARCH_LINES + 2
    try:
        return list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), most))
    except csv.Error:
        return [_parse_line(line, delimiter) for line in islice(io.StringIO(text, newline=""), most)]


def _parse_line(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return [cell.strip('"') for cell in line.rstrip("\r\n").split(delimiter)]


def _read_workbook(content: bytes, sheet: str, columns: ColumnFinder) -> ParsedSpreadsheet:
    """Read the sheet that the user chose, or otherwise the sheet with the most known headings."""
    sheets = _read_sheets(content)
    chosen = sheet if sheet in sheets else ""
    filled = {name: rows for name, rows in sheets.items() if sum(not _is_blank(row) for row in rows) > 1}
    if not chosen:
        known = {
            name: max(len(columns(row)) for row in rows[:MAX_HEADING_SEARCH_LINES]) for name, rows in filled.items()
        }
        chosen = max(known, key=lambda name: known[name], default=next(iter(sheets), ""))
    return ParsedSpreadsheet(
        "xlsx", "", **_split_headings_and_rows(sheets.get(chosen, []), columns), sheet=chosen, sheets=tuple(sheets)
    )


def _read_sheets(content: bytes) -> dict[str, list[list[str]]]:
    from openpyxl import load_workbook  # here, because it takes a tenth of the time in which a process starts

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            if sum(item.file_size for item in packed.infolist()) > MAX_UNPACKED_BYTES:
                raise UnreadableList(
                    "too-big", lazy_text("The workbook is too large. Save only the sheet with the entries.")
                )
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=False)
        most = MAX_ROWS + MAX_HEADING_SEARCH_LINES + 2
        visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"] or book.worksheets
        return {
            sheet.title: [
                [_format_cell(cell.value, cell.data_type) for cell in row]
                for row in sheet.iter_rows(max_row=most, max_col=MAX_COLUMNS)
            ]
            for sheet in visible[:MAX_COLUMNS]
        }
    except (DomainError, MemoryError):
        raise
    except Exception as error:  # openpyxl raises many kinds for a damaged workbook
        raise UnreadableList(
            "not-a-list", lazy_text("The workbook cannot be read. Save it again as XLSX, or as CSV.")
        ) from error


def _format_cell(value: Any, kind: str) -> str:
    """Return the value of a workbook's cell as people would type it.

    Text that looks like a formula gets an apostrophe, as in CSV files.
    """
    if value is None:
        return ""
    if isinstance(value, dt.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.12g}"
    if kind == "f" and not isinstance(value, str):
        return str(getattr(value, "text", None) or "=")
    if isinstance(value, str) and kind == "f" and (link := _HYPERLINK.fullmatch(value)):
        return link[1]
    if isinstance(value, str) and kind != "f" and value[:1] in ("=", "@"):
        return f"'{value}"
    return str(value)


def _split_headings_and_rows(lines: Iterable[list[str]], columns: ColumnFinder, skipped: int = 0) -> dict[str, Any]:
    """Return the headings, the rows below them, and the lines above them, as fields for `ParsedSpreadsheet`."""
    rows = [
        [INVALID_CHARACTERS_PATTERN.sub("\ufffd", cell[:MAX_CELL_LENGTH]) for cell in row[:MAX_COLUMNS]]
        for row in lines
    ]
    while rows and _is_blank(rows[-1]):
        rows.pop()
    place, has_headings = _find_headings(rows, columns)
    if len(rows) - place < 1 + has_headings:
        message = lazy_text(
            "There are no entries in the file. It needs a line of headings, then one line for each entry."
        )
        raise UnreadableList("empty-list", message)
    body = rows[place + has_headings :]
    if len(body) > MAX_ROWS:
        raise UnreadableList(
            "too-many-rows", lazy_text("The list has more than %(most)s lines. Cut it into parts.", most=MAX_ROWS)
        )
    if sum(len(cell) for row in rows for cell in row) > MAX_TOTAL_CHARACTERS:
        raise UnreadableList("too-big", lazy_text("The list is too long. Save only the columns of the entries."))
    # Spreadsheets may add any number of empty columns, so only those up to the last filled one count.
    filled = (number for row in rows[place:] for number, cell in enumerate(row, start=1) if cell.strip())
    width = max(filled, default=0)
    even = [tuple([*row, *[""] * width][:width]) for row in rows[place:]]
    headers = tuple(" ".join(cell.split())[:100] for cell in even[0]) if has_headings else ("",) * width
    return {
        "headers": headers,
        "rows": tuple(even[has_headings:]),
        "first": skipped + place + has_headings + 1,
        "titles": tuple(
            " ".join(filter(None, map(str.strip, row)))[:200] for row in rows[:place] if not _is_blank(row)
        ),
        "has_headings": bool(has_headings),
    }


def _find_headings(rows: list[list[str]], columns: ColumnFinder) -> tuple[int, int]:
    """Return the index of the line where the list begins, and how many of its lines are headings (1 or 0).

    A list without headings begins with its first entry.
    """
    filled = [place for place, row in enumerate(rows[:MAX_HEADING_SEARCH_LINES]) if not _is_blank(row)]
    known = {place: len(columns(rows[place])) for place in filled}
    best = max(filled, key=lambda place: known[place], default=0)
    if not filled or known[best]:
        return best, 1
    widest = max(sum(bool(cell.strip()) for cell in rows[place]) for place in filled)
    first = next(place for place in filled if sum(bool(cell.strip()) for cell in rows[place]) == widest)
    return (first, 0) if _is_entry(rows[first]) else (first, 1)


def _is_entry(row: list[str]) -> bool:
    """Return whether a line is an entry rather than headings: it has an email or a number, or is just a name."""
    cells = [cell.strip() for cell in row if cell.strip()]
    if len(cells) == 1:
        return " " in cells[0] and not any(map(str.isdigit, cells[0]))
    return any(is_email(cell) or re.fullmatch(r"[+$€£]?[\d\s().,/:-]{2,}", cell) for cell in cells)


def _is_blank(row: list[str]) -> bool:
    return not any(cell.strip() for cell in row)
