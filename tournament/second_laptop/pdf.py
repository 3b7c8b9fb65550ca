"""Print *When the laptop dies*: what to do if the first laptop breaks, with the addresses of this installation."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from reportlab.platypus import HRFlowable, PageBreak, Spacer
from reportlab.platypus.flowables import Flowable

from tournament.core.pdf.flow import (
    PageLayout,
    TextFlowable,
    make_grid,
    make_headings,
    place_side_by_side,
    stack_flowables,
)
from tournament.core.pdf.paper import BOLD_FONT, FELT_GREEN, PAPER_SIZES, SANS_FONT, SERIF_FONT
from tournament.second_laptop.words import SHEET_SECTIONS, SHEET_TITLE, SheetSection, format_takeover_command

SHEET_FONT_SIZES: Final = tuple(half / 2 for half in range(30, 20, -1))
"""The possible font sizes in points, largest first. Many readers are over sixty."""
MOST_SHEET_PAGES: Final = 2
"""The two sides of one sheet of paper."""
_MOST_LINES: Final = 40
_PARAGRAPH_GAP: Final = 0.4
"""The space between two paragraphs, as a multiple of the font size."""
_NUMBER_WIDTH: Final = 24.0
_FACT_LABEL_SHARE: Final = 0.34
_LINE_TO_WRITE_ON: Final = "_" * 34


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetFacts:
    """The facts about this installation at the top of the sheet. An unknown fact is printed as a line to write on.

    `copies` are the names of the USB sticks and disks to which every backup is copied. `printed` says for which
    tournament and when the sheet was printed.
    """

    first_address: str = ""
    second_address: str = ""
    copies: Sequence[str] = ()
    printed: str = ""


def make_emergency_sheet(facts: SheetFacts, *, paper: str = "letter") -> bytes:
    """Return the sheet as a PDF, in the largest font size at which it fits on the two sides of one sheet."""
    layout = PageLayout(PAPER_SIZES[paper], str(SHEET_TITLE), make_headings(str(SHEET_TITLE), facts.printed))
    for size in SHEET_FONT_SIZES:
        target = io.BytesIO()
        if layout.write(target, list(_iter_flowables(facts, layout.width, size))) <= MOST_SHEET_PAGES:
            break
    return target.getvalue()


def _iter_flowables(facts: SheetFacts, width: float, size: float) -> Iterator[Flowable]:
    yield _make_facts(facts, width, size)
    for section in SHEET_SECTIONS:
        if section.starts_side:
            yield PageBreak()
        first, *rest = _iter_section(section, width, size)
        heading = TextFlowable(section.title, SERIF_FONT, size + 3, most_lines=3, after=size * 0.4)
        yield stack_flowables([Spacer(0, 0 if section.starts_side else size), heading, first], width)
        yield from rest
    yield TextFlowable(format_takeover_command(), BOLD_FONT, size, most_lines=_MOST_LINES)


def _iter_section(section: SheetSection, width: float, size: float) -> Iterator[Flowable]:
    if section.before:
        yield _make_paragraph(section.before, size)
        yield Spacer(0, size * _PARAGRAPH_GAP)
    for number, step in enumerate(section.steps, start=1):
        mark = TextFlowable(f"{number}." if section.is_numbered else "•", BOLD_FONT, size)
        yield place_side_by_side([mark, _make_paragraph(step, size)], [_NUMBER_WIDTH, width - _NUMBER_WIDTH])
        yield Spacer(0, size * _PARAGRAPH_GAP)
    for text in section.after:
        yield _make_paragraph(text, size)
        yield Spacer(0, size * _PARAGRAPH_GAP)


def _make_paragraph(text: str | Promise, size: float) -> TextFlowable:
    return TextFlowable(text, SANS_FONT, size, most_lines=_MOST_LINES)


def _make_facts(facts: SheetFacts, width: float, size: float) -> Flowable:
    rows = (
        (_("First laptop"), facts.first_address),
        (_("Second laptop"), facts.second_address),
        (_("Copies of the backups"), ", ".join(facts.copies)),
    )
    label_width = width * _FACT_LABEL_SHARE
    cells = [
        [
            TextFlowable(label, SANS_FONT, size, most_lines=2),
            TextFlowable(text or _LINE_TO_WRITE_ON, BOLD_FONT if text else SANS_FONT, size, most_lines=2),
        ]
        for label, text in rows
    ]
    return stack_flowables(
        [
            HRFlowable("100%", 1.5, color=FELT_GREEN, spaceBefore=0, spaceAfter=6),
            make_grid(cells, [label_width, width - label_width], [size * 1.9] * len(cells)),
            HRFlowable("100%", 1.5, color=FELT_GREEN, spaceBefore=6, spaceAfter=0),
        ],
        width,
    )
