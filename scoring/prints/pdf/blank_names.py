"""The names on a card that nobody has sat down for yet: each has one place to be written in.

That is the heading over its columns. Where a sheet has no such heading, there is a line for each name under the
card's head, and the sheet says A and B.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from scoring.prints.pdf.draw_lines import DrawLines
from scoring.prints.pdf.signatures import PrintedSignature
from scoring.rules.book.layout import Block, Heading, LineCells

Labels = Mapping[str, str]
"""By the word that stands for a side: what the blank card says there; empty where the name is written."""


def labels_of(blocks: Sequence[Block], names: Sequence[str]) -> Labels:
    """Nothing where each has a heading of its own, else a letter each; one player alone is the player."""
    over = {group.text for block in blocks for group in block.groups}
    if over >= set(names):
        return dict.fromkeys(names, "")
    if len(names) == 1:
        return {names[0]: _("Player")}
    return {name: chr(ord("A") + place) for place, name in enumerate(names)}


def with_lines(draw: DrawLines, labels: Labels) -> DrawLines:
    """A line for each name that has no other place, before what is drawn for."""
    return replace(draw, blanks=(*((label, "") for label in labels.values() if label), *draw.blanks))


def lines_to_sign(labels: Labels) -> tuple[PrintedSignature, ...]:
    """One for each side, with its letter."""
    return tuple(PrintedSignature(label if len(labels) > 1 else "") for label in labels.values())


def without_names(blocks: Sequence[Block], labels: Labels) -> tuple[Block, ...]:
    """The same blocks with the labels for the names."""

    def bare(text: str) -> str:
        return labels.get(text, text)

    def line(cells: LineCells) -> LineCells:
        return replace(cells, cells=tuple(replace(cell, text=bare(cell.text)) for cell in cells.cells))

    return tuple(
        replace(
            block,
            groups=tuple(replace(group, text=bare(group.text)) for group in block.groups),
            headings=tuple(_bare_heading(heading, labels) for heading in block.headings),
            lines=tuple(map(line, block.lines)),
            foot=tuple(map(line, block.foot)),
        )
        for block in blocks
    )


def _bare_heading(heading: Heading, labels: Labels) -> Heading:
    """“Player 1, total” is “Total” where nobody is named yet."""
    for name, label in labels.items():
        if heading.text == name:
            return replace(heading, text=label or _("Points"))
        if heading.text.startswith(f"{name}, "):
            what = heading.text.removeprefix(f"{name}, ")
            return replace(heading, text=f"{label}, {what}" if label else what.capitalize())
    return heading
