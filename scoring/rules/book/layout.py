"""The layout of a score sheet, on screen and on paper: a variant builds blocks of cells, and a renderer draws them.

    variant.blocks(rows, tally) ──► (Block, …)    the sheet with its recorded lines
    variant.blocks((), blank=20)                 the sheet before play, with empty lines to write on

A block is a table with grouped headings, lines and a footer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


def format_signed_number(number: int | str) -> str:
    """Format a number with a typographic minus sign if it is negative.

    >>> format_signed_number(-9)
    '−9'
    """
    return str(number).replace("-", "−")


class CellMark(StrEnum):
    """A mark around a cell's text. Screen readers read out a description instead."""

    NONE = ""
    BOX = "box"
    """A circle around the number, because the side won this hand."""
    CLOSED = "closed"
    """The game in this column is over, so nothing more is written in the column."""
    WON = "won"
    """The winner's total."""
    OUT = "out"
    """The player in this cell sits out the hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of a score sheet. Negative numbers are shown with a typographic minus sign.

    `circle_count` is the number of circles to draw, one for each gin (Metzker). `why` explains the calculation. `write`
    is True for a cell that players fill in by hand.
    """

    text: str = ""
    span: int = 1
    mark: CellMark = CellMark.NONE
    circle_count: int = 0
    numeric: bool = False
    strong: bool = False
    why: str = ""
    write: bool = False

    def __post_init__(self) -> None:
        if self.numeric and self.text.startswith("-"):
            object.__setattr__(self, "text", format_signed_number(self.text))


@dataclass(frozen=True, slots=True)
class Heading:
    """A column heading. `weight` is the column's relative width, and `key` identifies the column for renderers."""

    text: str
    key: str = ""
    numeric: bool = False
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class HeadingGroup:
    """A heading that spans several columns, such as a side's name above its points and total."""

    text: str
    span: int = 1


@dataclass(frozen=True, slots=True)
class LineCells:
    """The cells of a line in a block.

    `number` is the number of the recorded line, starting at 1. It is None unless the cells belong to exactly one
    recorded line.
    """

    cells: tuple[Cell, ...]
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetBlock:
    """A table on a score sheet, with headings, lines and a footer.

    Raises:
        ValueError: the spans of the groups, of a line, or of a footer line do not add up to the number of columns.
    """

    headings: tuple[Heading, ...]
    lines: tuple[LineCells, ...] = ()
    footer: tuple[LineCells, ...] = ()
    groups: tuple[HeadingGroup, ...] = ()
    title: str = ""

    def __post_init__(self) -> None:
        width = len(self.headings)
        spans = [sum(cell.span for cell in line.cells) for line in (*self.lines, *self.footer)]
        if self.groups:
            spans.append(sum(group.span for group in self.groups))
        if any(span != width for span in spans):
            raise ValueError(f"a line of {self.title or 'the sheet'} does not fill its {width} columns")


def make_blank_lines(width: int, count: int, *, first: int = 1) -> Sequence[LineCells]:
    """Return empty lines for writing by hand, with the line number in the first cell."""
    return [
        LineCells((Cell(text=str(first + n), numeric=True), *(Cell(write=True) for _ in range(width - 1))))
        for n in range(count)
    ]
