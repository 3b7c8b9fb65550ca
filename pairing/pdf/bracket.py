"""The bracket on paper, from the same layout as on the screen: one poster, or tiles to glue together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO

from reportlab.pdfgen.canvas import Canvas

from pairing.draws import Box, Layout
from tournament.pdf.paper import BOLD, FELT, INK, PAPERS, RULE, SANS, SERIF, Paper, Words, new_canvas

EDGE = 24.0
TITLE = 44.0
OVERLAP = 12.0


@dataclass(frozen=True, slots=True)
class BoxLine:
    """One side of a match as printed: the winner is bold with a tick."""

    text: str
    score: str = ""
    won: bool = False


@dataclass(frozen=True, slots=True)
class BracketPicture:
    title: str
    layout: Layout
    rounds: Mapping[int, str]
    lines: Mapping[str, tuple[BoxLine, BoxLine]]


def write_poster(target: IO[bytes], picture: BracketPicture) -> int:
    """The whole bracket on one page as large as it needs."""
    layout = picture.layout
    size = Paper("poster", layout.width + 2 * EDGE, layout.height + 2 * EDGE + TITLE)
    canvas = new_canvas(target, size, picture.title)
    _draw(canvas, picture, size.height)
    canvas.showPage()
    canvas.save()
    return 1


def write_tiles(target: IO[bytes], picture: BracketPicture, *, paper: str = "letter") -> int:
    """The same picture over as many sheets as it takes, upright, with an overlap to glue; numbered row by row."""
    layout, size = picture.layout, PAPERS[paper]
    width, height = layout.width + 2 * EDGE, layout.height + 2 * EDGE + TITLE
    across, down = size.width - 2 * OVERLAP, size.height - 2 * OVERLAP
    columns, rows = -(-int(width) // int(across)), -(-int(height) // int(down))
    canvas = new_canvas(target, size, picture.title)
    canvas.beginForm("bracket", 0, 0, width, height)
    _draw(canvas, picture, height)
    canvas.endForm()
    for row in range(rows):
        for column in range(columns):
            canvas.saveState()
            canvas.translate(OVERLAP - column * across, size.height - OVERLAP - height + row * down)
            canvas.doForm("bracket")
            canvas.restoreState()
            words = Words(canvas)
            words.write(f"{row + 1}.{column + 1} of {rows}.{columns}", (size.width - 8, 6), size=6, align="right")
            words.draw()
            canvas.showPage()
    canvas.save()
    return rows * columns


def _draw(canvas: Canvas, picture: BracketPicture, height: float) -> None:
    words = Words(canvas)
    words.write(picture.title, (EDGE, height - EDGE - 20), font=SERIF, size=22)
    top = height - EDGE - TITLE
    for header in picture.layout.headers:
        name = picture.rounds.get(header.round, "")
        words.write(name, (EDGE + header.x + header.width / 2, top - 16), font=BOLD, size=11, align="center")
    canvas.setStrokeColor(FELT)
    canvas.setLineWidth(1)
    for connector in picture.layout.connectors:
        path = canvas.beginPath()
        for turn, point in enumerate(connector.points):
            (path.lineTo if turn else path.moveTo)(EDGE + point.x, top - point.y)
        canvas.drawPath(path)
    for box in picture.layout.boxes:
        _draw_box(canvas, words, box, top, picture.lines[box.match])
    words.draw()


def _draw_box(canvas: Canvas, words: Words, box: Box, top: float, lines: tuple[BoxLine, BoxLine]) -> None:
    x, y = EDGE + box.x, top - box.y - box.height
    width, height = box.width, box.height
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.8)
    canvas.roundRect(x, y, width, height, 4)
    canvas.setStrokeColor(RULE)
    canvas.line(x, y + height / 2, x + width, y + height / 2)
    for side, line in enumerate(lines):
        base = y + height - height * (1 + 2 * side) / 4 - 4
        font = BOLD if line.won else SANS
        words.write_fitted(line.text, (x + 6, base), width - 46, font=font, size=11, most_lines=1)
        words.write(line.score + (" ✓" if line.won else ""), (x + width - 6, base), font=font, size=10, align="right")
