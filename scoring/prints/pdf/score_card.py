"""Blank score cards, filled in with names, table, game and QR code; whole sheets or two to a page.

The fixed parts are a form, drawn once a document; a card adds its names and its code.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from reportlab.pdfgen.canvas import Canvas

from scoring.rules.variants.table_draw import LOW_DEALS_AND_KEEPS
from tournament.core.pdf.paper import BOLD, FELT, INK, PAPERS, RULE, SANS, SERIF, Paper, Words, draw_qr, fit, new_canvas
from tournament.core.pdf.qr import QrBits, qr_maker

MARGIN = 30.0
QR_SIDE = 62.0
ROW = 15.0
SIGN = 41.0
"""The line to sign on, above the edge."""
HEADINGS = ("Hand", "Up card", "Points", "Total", "Points", "Total")


@dataclass(frozen=True, slots=True)
class PrintedSide:
    number: int | None
    name: str


@dataclass(frozen=True, slots=True)
class PrintedCard:
    """What stands on one card before play; `table` 0 is written in by hand, an empty `address` has no code.

    `marked`: each option as it was marked before play, in words.
    """

    title: str
    round: str
    table: int
    game: int
    target: int
    sides: tuple[PrintedSide, PrintedSide]
    address: str = ""
    marked: tuple[str, ...] = ()


Page = tuple[PrintedCard | None, PrintedCard | None]
"""The upper and the lower card of a page."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the parts of a card stand on a piece of paper of this width and height."""

    width: float
    height: float

    @property
    def left(self) -> float:
        return MARGIN

    @property
    def right(self) -> float:
        return self.width - MARGIN

    @property
    def top(self) -> float:
        return self.height - 26

    @property
    def head(self) -> float:
        """The upper rule of the sheet."""
        return self.top - 66

    @property
    def first(self) -> float:
        """The upper edge of the first hand's line."""
        return self.head - 32

    @property
    def lines(self) -> int:
        return int((self.first - 80) // ROW)

    @property
    def bottom(self) -> float:
        """The lower rule of the sheet, above final scores and signatures."""
        return self.first - ROW * self.lines

    @property
    def columns(self) -> tuple[float, ...]:
        """Left edges: hand, up card, then points and total for each side; the last is the right edge."""
        first, second = self.left + 34, self.left + 88
        each = (self.right - second) / 4
        return (self.left, first, second, *(second + each * n for n in (1, 2, 3)), self.right)


def write_cards(
    target: IO[bytes],
    cards: Sequence[PrintedCard],
    *,
    paper: str = "letter",
    two_up: bool = True,
    back: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write the cards as one document and say how many pages it has, those with the rules on the back among them.

    Two to a page they lie so that, cut across the middle and the lower pile put under the upper one, the stack is
    in the order of `cards`.
    """
    size = PAPERS[paper]
    canvas = new_canvas(target, size, cards[0].title if cards else "Score cards")
    frame = Frame(size.width, size.height / 2 if two_up else size.height)
    forms = _define_forms(canvas, frame, size, cards, back)
    make = qr_maker(len(cards))
    pages = 0
    for page in _pages(cards, two_up):
        _draw_page(canvas, forms, page, make)
        canvas.showPage()
        pages += 1
        if back:
            _draw_backs(canvas, forms, page)
            canvas.showPage()
            pages += 1
        if progress is not None and pages % 20 == 0:
            progress(pages)
    canvas.save()
    return pages


@dataclass(frozen=True, slots=True)
class Forms:
    """The fixed parts, drawn once for each set of marked options: what a card adds to stands at that number."""

    frame: Frame
    paper: Paper
    numbers: Mapping[tuple[str, ...], int]

    def places(self, page: Page) -> Iterator[tuple[PrintedCard, float]]:
        """The cards of a page, each with the height of its lower edge."""
        two_up = self.frame.height < self.paper.height
        for card, y in zip(page, (self.paper.height / 2 if two_up else 0.0, 0.0), strict=True):
            if card is not None:
                yield card, y


def _define_forms(
    canvas: Canvas, frame: Frame, paper: Paper, cards: Sequence[PrintedCard], back: Sequence[str]
) -> Forms:
    numbers = {marked: number for number, marked in enumerate(dict.fromkeys(card.marked for card in cards))}
    for marked, number in numbers.items():
        canvas.beginForm(f"blank{number}", 0, 0, paper.width, frame.height)
        _draw_blank(canvas, frame, marked)
        canvas.endForm()
        if back:
            canvas.beginForm(f"back{number}", 0, 0, paper.width, frame.height)
            _draw_rules(canvas, frame, (*back, *marked))
            canvas.endForm()
    return Forms(frame, paper, numbers)


def _pages(cards: Sequence[PrintedCard], two_up: bool) -> Iterable[Page]:
    if not two_up:
        yield from ((card, None) for card in cards)
        return
    half = (len(cards) + 1) // 2
    for turn in range(half):
        yield cards[turn], cards[turn + half] if turn + half < len(cards) else None


def _draw_page(canvas: Canvas, forms: Forms, page: Page, make: Callable[[str], QrBits]) -> None:
    for card, y in forms.places(page):
        if y:
            canvas.saveState()
            canvas.translate(0, y)
        canvas.doForm(f"blank{forms.numbers[card.marked]}")
        _draw_filled(canvas, forms.frame, card, make)
        if y:
            canvas.restoreState()
    if forms.frame.height < forms.paper.height:
        canvas.setDash(2, 4)
        canvas.line(0, forms.paper.height / 2, forms.paper.width, forms.paper.height / 2)


def _draw_backs(canvas: Canvas, forms: Forms, page: Page) -> None:
    """Behind each place the rules of a card; on the last page, too, where only one stands."""
    for card, y in forms.places((page[0], page[1] or page[0])):
        canvas.saveState()
        canvas.translate(0, y)
        canvas.doForm(f"back{forms.numbers[card.marked]}")
        canvas.restoreState()


def _draw_rules(canvas: Canvas, frame: Frame, sentences: Sequence[str]) -> None:
    """As large as they fit."""
    words = Words(canvas)
    width = frame.right - frame.left

    def lines_of(sentence: str, size: float) -> Sequence[str]:
        return fit(sentence, SANS, size, width, smallest=size, most_lines=9).lines

    heights = {size: sum(len(lines_of(each, size)) for each in sentences) * size * 1.45 for size in (10, 9, 8, 7)}
    size = next((size for size, height in heights.items() if height < frame.height - 50), 6.5)
    y = frame.top - 6
    for sentence in sentences:
        for line in lines_of(sentence, size):
            words.write(line, (frame.left, y), size=size)
            y -= size * 1.3
        y -= size * 0.35
    words.draw()


def _draw_filled(canvas: Canvas, frame: Frame, card: PrintedCard, make: Callable[[str], QrBits]) -> None:
    words = Words(canvas)
    words.write_fitted(card.title, (frame.left, frame.top - 4), 320, font=SERIF, size=13)
    target = f" · to {card.target}" if card.target else ""
    game = f"Game {card.game}" if card.game else "Game ____"
    words.write_fitted(f"{card.round} · {game}{target}", (frame.left, frame.top - 20), 320, size=9)
    for side, column in zip(card.sides, (2, 4), strict=True):
        x, width = frame.columns[column], frame.columns[column + 2] - frame.columns[column]
        number = f"{side.number}  " if side.number else ""
        words.write_fitted(f"{number}{side.name}", (x + 4, frame.head - 12), width - 8, font=BOLD, size=11)
    for side, x in zip(card.sides, _signature_places(frame), strict=True):
        words.write_fitted(side.name, (x, SIGN - 9), 200, size=7.5, most_lines=1)
    if card.table:
        center = frame.right - QR_SIDE - 44
        words.write_fitted(str(card.table), (center, frame.top - 35), 38, font=BOLD, size=24, align="center")
    words.draw()
    if card.address:
        draw_qr(canvas, card.address, (frame.right - QR_SIDE, frame.top - QR_SIDE + 8), QR_SIDE, make)


def _signature_places(frame: Frame) -> tuple[float, float]:
    return frame.left, frame.width / 2 + 10


def _draw_blank(canvas: Canvas, frame: Frame, marked: Sequence[str]) -> None:
    canvas.setFillColor(INK)
    canvas.setStrokeColor(INK)
    _draw_head(canvas, frame)
    _draw_sheet(canvas, frame)
    _draw_foot(canvas, frame, "; ".join(marked))
    canvas.setFillColor(INK)


def _draw_head(canvas: Canvas, frame: Frame) -> None:
    center = frame.right - QR_SIDE - 44
    canvas.setStrokeColor(FELT)
    canvas.setLineWidth(1.5)
    canvas.circle(center, frame.top - 27, 23)
    words = Words(canvas)
    cut = f"{LOW_DEALS_AND_KEEPS.ask} {LOW_DEALS_AND_KEEPS.words} Count your cards."
    words.write(cut, (frame.left, frame.top - 37), size=7.5)
    words.write("Low card, keeps score:", (frame.left, frame.top - 54), size=8)
    words.write("TABLE", (center, frame.top - 60), size=7, align="center")
    words.draw()
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.6)
    canvas.line(frame.left + 102, frame.top - 56, frame.left + 270, frame.top - 56)


def _draw_sheet(canvas: Canvas, frame: Frame) -> None:
    words = Words(canvas)
    edges = frame.columns
    for name, left, right in zip(HEADINGS, edges, edges[1:], strict=False):
        words.write(name, ((left + right) / 2, frame.head - 27), size=7.5, align="center")
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.4)
    for turn in range(frame.lines):
        y = frame.first - ROW * (turn + 1)
        words.write(str(turn + 1), (frame.left + 17, y + ROW / 2 - 3), size=8, align="center")
        canvas.line(frame.left, y, frame.right, y)
    words.draw()
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.9)
    canvas.rect(frame.left, frame.bottom, frame.right - frame.left, frame.head - frame.bottom)
    canvas.line(frame.left, frame.first, frame.right, frame.first)
    for turn, x in enumerate(edges[1:-1], start=1):
        canvas.setLineWidth(0.9 if turn in (2, 4) else 0.4)
        canvas.line(x, frame.bottom, x, frame.head if turn in (2, 4) else frame.head - 18)


def _draw_foot(canvas: Canvas, frame: Frame, marked: str) -> None:
    words = Words(canvas)
    words.write("FINAL SCORE", (frame.columns[2] - 6, frame.bottom - 15), font=BOLD, size=8, align="right")
    canvas.setLineWidth(0.9)
    for left, right in ((frame.columns[2], frame.columns[4]), (frame.columns[4], frame.columns[6])):
        canvas.rect(left, frame.bottom - 22, right - left, 22)
    canvas.setLineWidth(0.6)
    for x in _signature_places(frame):
        canvas.line(x, SIGN, x + 230, SIGN)
        words.write("Signature", (x + 230, SIGN + 3), size=6.5, align="right")
    sign = "Both players sign. The up card recorded here is the one that counts."
    words.write(sign, (frame.width / 2, SIGN - 19), size=6.5, align="center")
    if marked:
        small = fit(marked, SANS, 6, frame.right - frame.left, smallest=6)
        for turn, line in enumerate(small.lines):
            words.write(line, (frame.width / 2, SIGN - 28 - 7 * turn), size=small.size, align="center")
    words.draw()
