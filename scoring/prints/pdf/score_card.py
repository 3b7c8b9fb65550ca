"""Small score cards to print before play, blank or for a match, with one or two cards on a page.

Sizes are in points.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from reportlab.pdfgen.canvas import Canvas

from scoring.rules.variants.variant import LOW_CARD_TABLE_DRAW
from tournament.core.pdf.paper import (
    BOLD_FONT,
    FELT_GREEN,
    FOOT_HEIGHT,
    INK_BLACK,
    PAPER_SIZES,
    RULE_COLOR,
    SANS_FONT,
    SERIF_FONT,
    SLATE_GRAY,
    VERSION_BASELINE,
    Paper,
    QrBitmap,
    TextLayer,
    choose_qr_encoder,
    draw_qr,
    fit_text,
    make_canvas,
    mark_document_title,
    write_program_version,
)

MARGIN: Final = 20.0
"""The page margin. Printers leave 6 mm (17 points) white."""
QR_CODE_SIZE: Final = 62.0
MIN_BLANK_LINE_HEIGHT: Final = 20.0
"""The minimum height of a line to write on by hand: 7 mm."""
HEADER_HEIGHT: Final = 100.0
NAME_ROW_HEIGHT: Final = 24.0
"""The height of the row with the players' names, which are printed or written in by hand."""
HEADING_ROW_HEIGHT: Final = 14.0
FINAL_SCORE_HEIGHT: Final = 34.0
SIGNATURE_LINE_OFFSET: Final = 51.0
"""The distance from the card's lower edge to the signature lines. Names are printed below the lines."""
SIGNATURE_SPACE_HEIGHT: Final = 29.0
"""The empty space above a signature line."""
MIN_FONT_SIZE: Final = 8.0
"""The smallest font size."""
GUTTER: Final = 14.0
"""The space between the two signature lines."""
MARKED_OPTIONS_HEADING: Final = gettext_lazy("Marked before play")
COLUMN_HEADINGS = (
    gettext_lazy("Hand"),
    gettext_lazy("Up card"),
    gettext_lazy("Points"),
    gettext_lazy("Total"),
    gettext_lazy("Points"),
    gettext_lazy("Total"),
)


@dataclass(frozen=True, slots=True)
class PrintedSide:
    number: int | None
    name: str


@dataclass(frozen=True, slots=True)
class UnplayedCard:
    """The content of a card before play.

    If `table` is 0, players write the table number by hand. If `address` is empty, the card has no QR code. `played` is
    a one-line summary of the rules by which the game is played. `marked` lists all options with their values, to print
    on the back.
    """

    title: str
    round: str
    table: int
    game: int
    target: int
    sides: tuple[PrintedSide, PrintedSide]
    address: str = ""
    played: str = ""
    marked: tuple[str, ...] = ()


CardPage = tuple[UnplayedCard | None, UnplayedCard | None]
"""The left and the right card on a page."""


@dataclass(frozen=True, slots=True)
class CardLayout:
    """The layout of a card with this width and height: the positions and sizes of its elements, in points."""

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
        return self.height - MARGIN

    @property
    def sheet_top(self) -> float:
        """The y coordinate of the sheet's upper edge."""
        return self.top - HEADER_HEIGHT

    @property
    def first_line_top(self) -> float:
        """The y coordinate of the upper edge of the first hand's line."""
        return self.sheet_top - NAME_ROW_HEIGHT - HEADING_ROW_HEIGHT

    @property
    def sheet_bottom(self) -> float:
        """The y coordinate of the sheet's lower edge, above the final scores and signatures."""
        return SIGNATURE_LINE_OFFSET + SIGNATURE_SPACE_HEIGHT + FINAL_SCORE_HEIGHT

    @property
    def line_count(self) -> int:
        return int((self.first_line_top - self.sheet_bottom) // MIN_BLANK_LINE_HEIGHT)

    @property
    def line_height(self) -> float:
        return (self.first_line_top - self.sheet_bottom) / self.line_count

    @property
    def column_edges(self) -> tuple[float, ...]:
        """The x coordinates of the columns' left edges, and of the last column's right edge.

        The columns are the hand, the up card, and each side's points and total.
        """
        first, second = self.left + 28, self.left + 72
        each = (self.right - second) / 4
        return (self.left, first, second, *(second + each * n for n in (1, 2, 3)), self.right)

    @property
    def table_circle_center(self) -> tuple[float, float]:
        """The center of the circle for the table number, next to the QR code."""
        return self.right - QR_CODE_SIZE - 32, self.top - 23

    @property
    def text_width_beside_circle(self) -> float:
        """The maximum width of text to the left of the circle for the table number."""
        return self.table_circle_center[0] - 30 - self.left

    @property
    def signature_width(self) -> float:
        return (self.right - self.left - GUTTER) / 2


def make_card_layout(paper: Paper, *, two_up: bool) -> CardLayout:
    """Return a card's layout on this paper. If `two_up` is true, two cards are side by side on a landscape page."""
    return (
        CardLayout(paper.rotated.width / 2, paper.rotated.height) if two_up else CardLayout(paper.width, paper.height)
    )


def write_unplayed_cards_pdf(
    target: IO[bytes],
    cards: Sequence[UnplayedCard],
    *,
    paper: str = "letter",
    two_up: bool = True,
    back: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write the cards as one PDF, and return its number of pages, including the backs.

    If there are two cards on a page, the second half of the cards is on the right. To restore the order, cut the
    printed stack in half and put the right half under the left half.
    """
    size = PAPER_SIZES[paper].rotated if two_up else PAPER_SIZES[paper]
    title = cards[0].title if cards else _("Score cards")
    canvas = make_canvas(target, size, title, has_own_mark=True, has_own_version=True)
    frame = make_card_layout(PAPER_SIZES[paper], two_up=two_up)
    forms = _draw_card_forms(canvas, frame, size, cards, back)
    make = choose_qr_encoder(len(cards))
    pages = 0
    for page in _arrange_on_pages(cards, two_up):
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
class _CardForms:
    """The fixed parts of cards as PDF form objects, which are drawn once and reused on every page.

    Cards with the same rules share a form object. `numbers` maps the rules (a card's `played` and `marked`) to the
    number of that form object.
    """

    frame: CardLayout
    paper: Paper
    numbers: Mapping[tuple[str, tuple[str, ...]], int]

    @property
    def is_two_up(self) -> bool:
        return self.frame.width < self.paper.width

    def iter_cards_on_page(self, page: CardPage) -> Iterator[tuple[UnplayedCard, float]]:
        """Yield the cards on a page, each with the x coordinate of its left edge."""
        for card, x in zip(page, (0.0, self.frame.width), strict=True):
            if card is not None:
                yield card, x

    def get_form_number(self, card: UnplayedCard) -> int:
        return self.numbers[card.played, card.marked]


def _draw_card_forms(
    canvas: Canvas, frame: CardLayout, paper: Paper, cards: Sequence[UnplayedCard], back: Sequence[str]
) -> _CardForms:
    rules = dict.fromkeys((card.played, card.marked) for card in cards)
    for number, (played, marked) in enumerate(rules):
        canvas.beginForm(f"blank{number}", 0, 0, frame.width, frame.height)
        _draw_blank_card(canvas, frame, played)
        canvas.endForm()
        if back:
            canvas.beginForm(f"back{number}", 0, 0, frame.width, frame.height)
            _draw_rules(canvas, frame, back, marked)
            canvas.endForm()
    return _CardForms(frame, paper, {each: number for number, each in enumerate(rules)})


def _arrange_on_pages(cards: Sequence[UnplayedCard], two_up: bool) -> Iterable[CardPage]:
    if not two_up:
        yield from ((card, None) for card in cards)
        return
    half = (len(cards) + 1) // 2
    for turn in range(half):
        yield cards[turn], cards[turn + half] if turn + half < len(cards) else None


def _draw_page(canvas: Canvas, forms: _CardForms, page: CardPage, make: Callable[[str], QrBitmap]) -> None:
    for card, x in forms.iter_cards_on_page(page):
        if x:
            canvas.saveState()
            canvas.translate(x, 0)
        canvas.doForm(f"blank{forms.get_form_number(card)}")
        _draw_card_content(canvas, forms.frame, card, make)
        if x:
            canvas.restoreState()
    if forms.is_two_up:
        canvas.setDash(2, 4)
        canvas.line(forms.frame.width, MARGIN, forms.frame.width, forms.paper.height - MARGIN)


def _draw_backs(canvas: Canvas, forms: _CardForms, page: CardPage) -> None:
    """Draw each card's rules on the back of the page.

    The page is flipped over its short edge, so the left card's rules go on the right.
    """
    left, right = page
    turned = (right or left, left) if forms.is_two_up else page
    for card, x in forms.iter_cards_on_page(turned):
        canvas.saveState()
        canvas.translate(x, 0)
        canvas.doForm(f"back{forms.get_form_number(card)}")
        canvas.restoreState()


def _draw_rules(canvas: Canvas, frame: CardLayout, sentences: Sequence[str], marked: Sequence[str]) -> None:
    words = TextLayer(canvas)
    width = frame.right - frame.left
    write_card_back(words, (frame.left, frame.top - 6), width, frame.top - 6 - FOOT_HEIGHT, sentences, marked)
    _write_version(words, frame)
    words.draw()


def write_card_back(
    words: TextLayer,
    at: tuple[float, float],
    width: float,
    height: float,
    sentences: Sequence[str],
    marked: Sequence[str],
) -> None:
    """Write the rules, and below them the options in two columns, in the largest font size that fits."""
    x, y = at
    column = (width - GUTTER) / 2

    def lines_of(text: str, size: float, room: float) -> Sequence[str]:
        return fit_text(text, SANS_FONT, size, room, smallest=size, most_lines=9).lines

    def rows_of(size: float) -> list[list[Sequence[str]]]:
        each = [lines_of(option, size, column) for option in marked]
        half = (len(each) + 1) // 2
        return [each[turn::half] for turn in range(half)]

    def height_at(size: float) -> float:
        rules = sum(1.3 * len(lines_of(each, size, width)) + 0.35 for each in sentences)
        rows = sum(1.3 * max(map(len, row)) + 0.2 for row in rows_of(size))
        return size * (rules + rows + (2.65 if marked else 0))

    size = next((size for size in (14, 13, 12, 11, 10.5, 10, 9.5, 9, 8.5) if height_at(size) <= height), MIN_FONT_SIZE)
    for sentence in sentences:
        for line in lines_of(sentence, size, width):
            words.write(line, (x, y), size=size)
            y -= size * 1.3
        y -= size * 0.35
    if marked:
        words.write(str(MARKED_OPTIONS_HEADING), (x, y - size), font=BOLD_FONT, size=size)
        y -= size * 2.65
    for row in rows_of(size):
        for turn, lines in enumerate(row):
            for number, line in enumerate(lines):
                words.write(line, (x + turn * (column + GUTTER), y - size * 1.3 * number), size=size)
        y -= size * (1.3 * max(map(len, row)) + 0.2)


def _draw_card_content(canvas: Canvas, frame: CardLayout, card: UnplayedCard, make: Callable[[str], QrBitmap]) -> None:
    words = TextLayer(canvas)
    words.write_fitted(
        mark_document_title(card.title),
        (frame.left, frame.top - 12),
        frame.text_width_beside_circle,
        font=SERIF_FONT,
        size=13,
    )
    game = _("Game %(game)s") % {"game": card.game} if card.game else _("Game ____")
    text = f"{card.round} · {game}"
    if card.target:
        text = f"{text} · {_('to %(target)s') % {'target': card.target}}"
    words.write_fitted(text, (frame.left, frame.top - 31), frame.text_width_beside_circle, size=10, most_lines=1)
    for side, column in zip(card.sides, (2, 4), strict=True):
        x, width = frame.column_edges[column], frame.column_edges[column + 2] - frame.column_edges[column]
        number = f"{side.number}  " if side.number else ""
        words.write_fitted(f"{number}{side.name}", (x + 4, frame.sheet_top - 15), width - 8, font=BOLD_FONT, size=11)
    for side, x in zip(card.sides, _compute_signature_positions(frame), strict=True):
        words.write_fitted(side.name, (x, SIGNATURE_LINE_OFFSET - 11), frame.signature_width - 50, size=9, most_lines=1)
    if card.table:
        x, y = frame.table_circle_center
        words.write_fitted(str(card.table), (x, y - 8.5), 38, font=BOLD_FONT, size=24, align="center")
    words.draw()
    if card.address:
        draw_qr(canvas, card.address, (frame.right - QR_CODE_SIZE, frame.top - QR_CODE_SIZE), QR_CODE_SIZE, make)


def _compute_signature_positions(frame: CardLayout) -> tuple[float, float]:
    return frame.left, frame.left + frame.signature_width + GUTTER


def _draw_blank_card(canvas: Canvas, frame: CardLayout, played: str) -> None:
    canvas.setFillColor(INK_BLACK)
    canvas.setStrokeColor(INK_BLACK)
    _draw_header(canvas, frame, played)
    _draw_sheet(canvas, frame)
    _draw_footer(canvas, frame)
    canvas.setFillColor(INK_BLACK)


def _draw_header(canvas: Canvas, frame: CardLayout, played: str) -> None:
    """Draw the circle for the table number, the upper edge of the sheet, and the one-line summary of the rules."""
    x, y = frame.table_circle_center
    canvas.setStrokeColor(FELT_GREEN)
    canvas.setLineWidth(1.5)
    canvas.circle(x, y, 22)
    words = TextLayer(canvas)
    cut = _("%(ask)s %(words)s Count your cards.") % {
        "ask": LOW_CARD_TABLE_DRAW.instruction,
        "words": LOW_CARD_TABLE_DRAW.words,
    }
    for turn, line in enumerate(
        fit_text(cut, SANS_FONT, MIN_FONT_SIZE, frame.text_width_beside_circle, smallest=MIN_FONT_SIZE).lines
    ):
        words.write(line, (frame.left, frame.top - 46 - 10.5 * turn), size=MIN_FONT_SIZE)
    words.write(_("TABLE"), (x, frame.top - 56), size=MIN_FONT_SIZE, align="center")
    words.write(_("Low card, keeps score:"), (frame.left, frame.top - 77), size=9)
    width = frame.right - frame.left
    words.write_fitted(played, (frame.left, frame.top - 93), width, size=9, most_lines=1)
    words.draw()
    canvas.setStrokeColor(INK_BLACK)
    canvas.setLineWidth(0.6)
    canvas.line(frame.left + 112, frame.top - 79, frame.left + 300, frame.top - 79)


def _draw_sheet(canvas: Canvas, frame: CardLayout) -> None:
    words = TextLayer(canvas)
    edges = frame.column_edges
    for name, left, right in zip(COLUMN_HEADINGS, edges, edges[1:], strict=False):
        words.write(str(name), ((left + right) / 2, frame.first_line_top + 4), size=MIN_FONT_SIZE, align="center")
    canvas.setStrokeColor(RULE_COLOR)
    canvas.setLineWidth(0.4)
    for turn in range(frame.line_count):
        y = frame.first_line_top - frame.line_height * (turn + 1)
        words.write(str(turn + 1), ((edges[0] + edges[1]) / 2, y + frame.line_height / 2 - 3), size=9, align="center")
        canvas.line(frame.left, y, frame.right, y)
    words.draw()
    canvas.setStrokeColor(INK_BLACK)
    canvas.setLineWidth(0.9)
    canvas.rect(frame.left, frame.sheet_bottom, frame.right - frame.left, frame.sheet_top - frame.sheet_bottom)
    canvas.line(frame.left, frame.first_line_top, frame.right, frame.first_line_top)
    for turn, x in enumerate(edges[1:-1], start=1):
        canvas.setLineWidth(0.9 if turn in (2, 4) else 0.4)
        canvas.line(
            x, frame.sheet_bottom, x, frame.sheet_top if turn in (2, 4) else frame.first_line_top + HEADING_ROW_HEIGHT
        )


def _draw_footer(canvas: Canvas, frame: CardLayout) -> None:
    words = TextLayer(canvas)
    middle = frame.sheet_bottom - FINAL_SCORE_HEIGHT / 2
    for turn, line in enumerate(fit_text(_("FINAL SCORE"), BOLD_FONT, 10.5, 62, smallest=10.5).lines):
        words.write(line, (frame.column_edges[2] - 8, middle + 3 - 13 * turn), font=BOLD_FONT, size=10.5, align="right")
    canvas.setLineWidth(1.4)
    for left, right in ((frame.column_edges[2], frame.column_edges[4]), (frame.column_edges[4], frame.column_edges[6])):
        canvas.rect(left, frame.sheet_bottom - FINAL_SCORE_HEIGHT, right - left, FINAL_SCORE_HEIGHT)
    canvas.setLineWidth(0.6)
    for x in _compute_signature_positions(frame):
        canvas.line(x, SIGNATURE_LINE_OFFSET, x + frame.signature_width, SIGNATURE_LINE_OFFSET)
        words.write(
            _("Signature"), (x + frame.signature_width, SIGNATURE_LINE_OFFSET - 11), size=MIN_FONT_SIZE, align="right"
        )
    sign = _("Both players sign. The up card recorded here is the one that counts.")
    words.write(sign, (frame.width / 2, FOOT_HEIGHT), size=MIN_FONT_SIZE, align="center")
    _write_version(words, frame)
    words.draw()


def _write_version(words: TextLayer, frame: CardLayout) -> None:
    """Write the program's version on the card, because the page may be cut into two cards."""
    words.text.setFillColor(SLATE_GRAY)
    write_program_version(words, (frame.width / 2, VERSION_BASELINE), frame.right - frame.left)
    words.text.setFillColor(INK_BLACK)
