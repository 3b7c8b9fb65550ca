"""The layout of a sheet, for the screen and for paper: a variant builds blocks of cells, and a renderer draws them.

    variant.blocks(rows, tally) ──► (Block, …)    a sheet as the players know it
    variant.blocks((), blank=20)                 the same before play, with empty lines to write on

A block is a table with grouped headings, lines and a foot. The renderers know marks, but no rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


def format_signed(number: int | str) -> str:
    """Format a number with the typographic minus sign.

    >>> format_signed(-9)
    '−9'
    """
    return str(number).replace("-", "−")


class Mark(StrEnum):
    """A mark drawn around the text of a cell, with a text alternative for people who cannot see it."""

    NONE = ""
    BOX = "box"
    """A circled count: the side won this hand."""
    CLOSED = "closed"
    """The game of this column is over, so nothing more is entered here."""
    WON = "won"
    """The winner's figure."""
    OUT = "out"
    """A player in this cell sits out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of the sheet. A negative number is printed with the typographic minus sign.

    `rings` is the number of circles around the text, or of empty circles to fill in later (Metzker: one per gin). `why`
    explains the calculation and appears on demand. `write` marks a cell that is filled in by hand on blank paper.
    """

    text: str = ""
    span: int = 1
    mark: Mark = Mark.NONE
    rings: int = 0
    numeric: bool = False
    strong: bool = False
    why: str = ""
    write: bool = False

    def __post_init__(self) -> None:
        if self.numeric and self.text.startswith("-"):
            object.__setattr__(self, "text", format_signed(self.text))


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column. `weight` is its relative width, and `key` identifies the column to renderers."""

    text: str
    key: str = ""
    numeric: bool = False
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Group:
    """A heading over several columns, such as a side's name over its points and total."""

    text: str
    span: int = 1


@dataclass(frozen=True, slots=True)
class LineCells:
    """A line of a block. `number` is the recorded line, from 1. It is None if the line shows none or several."""

    cells: tuple[Cell, ...]
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A table of a sheet.

    Raises:
        ValueError: the spans of the groups, of a line, or of a foot line do not add up to the number of columns.
    """

    headings: tuple[Heading, ...]
    lines: tuple[LineCells, ...] = ()
    foot: tuple[LineCells, ...] = ()
    groups: tuple[Group, ...] = ()
    title: str = ""

    def __post_init__(self) -> None:
        width = len(self.headings)
        spans = [sum(cell.span for cell in line.cells) for line in (*self.lines, *self.foot)]
        if self.groups:
            spans.append(sum(group.span for group in self.groups))
        if any(span != width for span in spans):
            raise ValueError(f"a line of {self.title or 'the sheet'} does not fill its {width} columns")


def blank_lines(width: int, count: int, *, first: int = 1) -> Sequence[LineCells]:
    """Return empty lines to write on, numbered in their first cell."""
    return [
        LineCells((Cell(text=str(first + n), numeric=True), *(Cell(write=True) for _ in range(width - 1))))
        for n in range(count)
    ]
