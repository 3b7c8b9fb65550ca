"""How a sheet looks, on screen and on paper alike: blocks of cells, made by the variant, drawn by anyone who shows
them.

    variant.blocks(rows, tally) ──► (Block, …)    a sheet as the players know it
    variant.blocks((), blank=20)                 the same before play, with empty lines to write on

A block is a table: headings in groups, lines, a foot. The renderers know marks, not rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    """What is drawn around a cell's text besides the text itself. Each also has words for who does not see it."""

    NONE = ""
    BOX = "box"
    """A circled count: a hand won."""
    CLOSED = "closed"
    """The game of this column is over: the cell takes no more."""
    WON = "won"
    """The winner's figure."""
    OUT = "out"
    """Anyone who has this cell sits out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One field of the sheet; a number below nothing gets the minus sign of print.

    `rings`: circles around the text, or empty ones to be written into later (Metzker: one a gin). `why` is the
    working in words, shown on demand. `write` marks a field that is filled in by pencil on blank paper.
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
            object.__setattr__(self, "text", f"−{self.text[1:]}")


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's heading; `weight` is its share of the width against the others. `key` names it to renderers."""

    text: str
    key: str = ""
    numeric: bool = False
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Group:
    """A heading over several columns: a side's name over its points and total."""

    text: str
    span: int = 1


@dataclass(frozen=True, slots=True)
class LineCells:
    """A line of a block. `number`: the recorded line it shows, from 1; None where it shows none, or several."""

    cells: tuple[Cell, ...]
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One table of a sheet; spans of groups, of every line and of every foot line add up to the columns.

    Raises:
        ValueError: they do not.
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
    """Empty lines to write on, numbered in their first cell."""
    return [
        LineCells((Cell(text=str(first + n), numeric=True), *(Cell(write=True) for _ in range(width - 1))))
        for n in range(count)
    ]
