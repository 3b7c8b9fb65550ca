"""Places for the names on a blank card, where each name can be written once.

The place is the heading over a name's columns. A sheet without such headings has a line for each name under the head,
and uses A and B in the sheet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from scoring.prints.pdf.draw_lines import DrawLines
from scoring.prints.pdf.signatures import PrintedSignature
from scoring.rules.book.layout import Block, Heading, LineCells

Labels = Mapping[str, str]
"""The label on a blank card for each side's placeholder name. It is empty if the name is written in its place."""


def labels_of(blocks: Sequence[Block], names: Sequence[str]) -> Labels:
    """Return the labels: empty if each name has a heading of its own, or else letters. A single player is “Player”."""
    over = {group.text for block in blocks for group in block.groups}
    if over >= set(names):
        return dict.fromkeys(names, "")
    if len(names) == 1:
        return {names[0]: _("Player")}
    return {name: chr(ord("A") + place) for place, name in enumerate(names)}


def with_lines(draw: DrawLines, labels: Labels) -> DrawLines:
    """Return the draw's lines with a line in front for each name that has no other place."""
    return replace(draw, blanks=(*((label, "") for label in labels.values() if label), *draw.blanks))


def lines_to_sign(labels: Labels) -> tuple[PrintedSignature, ...]:
    return tuple(PrintedSignature(label if len(labels) > 1 else "") for label in labels.values())


def without_names(blocks: Sequence[Block], labels: Labels) -> tuple[Block, ...]:
    """Return the blocks with labels in place of the names."""

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
    """Return a heading without its name: “Player 1, total” becomes “Total”."""
    for name, label in labels.items():
        if heading.text == name:
            return replace(heading, text=label or _("Points"))
        if heading.text.startswith(f"{name}, "):
            what = heading.text.removeprefix(f"{name}, ")
            return replace(heading, text=f"{label}, {what}" if label else what.capitalize())
    return heading
