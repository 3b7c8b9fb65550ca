"""Sheets for the wall fill the page with any number of players, and score sheets keep every line in its place."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace

import pypdfium2
import pytest
from pypdf import PdfReader

from pairing.draws.knockout.bracket import make_bracket
from pairing.draws.knockout.progress import make_bracket_progress
from pairing.results.pdf import ResultLine, ResultSheet, write_result_sheet
from pairing.stages.pdf.brackets import make_bracket_picture, scale_bracket_to_page, write_poster
from pairing.stages.pdf.games import PrintedPairing, write_pairings
from pairing.stages.selectors.boards import BracketBoard
from scoring.prints.pdf.blocks import (
    MIN_PRINTED_LINE_HEIGHT,
    draw_blocks,
    fit_line_height,
    paginate,
    put_sums_side_by_side,
)
from scoring.prints.pdf.whole_sheet import make_sheet_area
from scoring.rules.sheet.sheets import judge_line, make_empty_sheet, make_variant_rules, tally_sheet
from tournament.core.pdf.paper import PAPER_SIZES, make_canvas
from tournament.core.selectors.events import EntryNames

NAMES = ("Ada Lovelace", "Ludwig van Beethoven", "Kurt Gödel", "Sofia Kovalevskaya", "Max Planck")


def texts(content: io.BytesIO, page: int = 0) -> Iterator[tuple[str, float, float]]:
    """Yield the texts on a page with their positions."""
    found: list[tuple[str, float, float]] = []

    def seen(text: str, matrix: list[float], inner: list[float], _font: object, _size: object) -> None:
        if text.strip():
            scale, x, y = matrix[0], matrix[4], matrix[5]
            found.append((text.strip(), x + scale * inner[4], y + scale * inner[5]))

    PdfReader(content).pages[page].extract_text(visitor_text=seen)
    yield from found


def share_of(content: io.BytesIO, wanted: tuple[str, ...]) -> float:
    """Return the share of the page's height that the lines with these words take up."""
    height = float(PdfReader(content).pages[0].mediabox.height)
    places = sorted({round(y) for text, _x, y in texts(content) if any(word in text for word in wanted)})
    rows = max(1, len(places) - 1)
    return (places[-1] - places[0]) * (rows + 1) / rows / height


@pytest.mark.parametrize("count", [4, 8, 14, 30, 70])
def test_pairings_fill_their_sheet(count: int) -> None:
    players = [(number, f"{NAMES[number % 5]} {number}") for number in range(1, count + 1)]
    pairs = [PrintedPairing(n, "Round 1", (players[2 * n - 2], players[2 * n - 1])) for n in range(1, count // 2 + 1)]
    target = io.BytesIO()
    write_pairings(target, "Pairings", "Desert Classic", pairs)
    assert share_of(target, ("Round", "Lovelace", "Beethoven", "Gödel", "Planck")) > 0.5


@pytest.mark.parametrize("count", [4, 8, 16, 40])
def test_results_fill_their_sheet(count: int) -> None:
    lines = [ResultLine(str(n), n, f"{NAMES[n % 5]} {n}", "$100.00" if n < 4 else "") for n in range(1, count + 1)]
    target = io.BytesIO()
    write_result_sheet(target, ResultSheet("Main event", "Desert Classic", "Final results", "Final", lines))
    assert share_of(target, NAMES) > 0.5


@pytest.mark.parametrize("count", [4, 8, 16, 32])
def test_a_small_bracket_fills_its_sheet(count: int) -> None:
    bracket = make_bracket(tuple(range(1, count + 1)))
    board = BracketBoard(
        make_bracket_progress(bracket, []), EntryNames(dict.fromkeys(range(1, count + 1), NAMES[0]), {}), {}, {}
    )
    picture = replace(make_bracket_picture(board, "Desert Classic"), note="As of today")
    target = io.BytesIO()
    write_poster(target, scale_bracket_to_page(picture, "letter"))
    page = PdfReader(target).pages[0].mediabox
    found = list(texts(target))
    across = max(x for _text, x, _y in found) - min(x for _text, x, _y in found)
    down = max(y for _text, _x, y in found) - min(y for _text, _x, y in found)
    assert across > 0.5 * float(page.width) and down > 0.7 * float(page.height)


@pytest.mark.parametrize("paper", PAPER_SIZES)
@pytest.mark.parametrize("notes", [0, 1, 2])
def test_a_signed_whist_card_has_its_grand_total_on_its_page(paper: str, notes: int) -> None:
    sheet = make_empty_sheet(make_variant_rules("court-whist"), ("Ada",))
    for turn in range(28):
        sheet = judge_line(sheet, {"game": turn // 4 + 1, "hand": turn % 4 + 1, "sit_out": True}).sheet
    place = make_sheet_area(1, paper, notes=notes, digest=True)
    blocks = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))
    if fit_line_height(blocks, place) < MIN_PRINTED_LINE_HEIGHT:
        blocks = put_sums_side_by_side(blocks)
    assert len(paginate(blocks, place, MIN_PRINTED_LINE_HEIGHT)) == 1


def test_the_tick_of_a_game_won_stands_beside_the_circle_of_its_score() -> None:
    sheet = make_empty_sheet(make_variant_rules("metzker"), ("Guys", "Girls"))
    for _round in range(3):
        gin = {"outcome": "double-gin", "by": "Guys", "counts": {"Guys": 0, "Girls": 98}}
        sheet = judge_line(sheet, {"results": [gin]}).sheet
    target = io.BytesIO()
    canvas = make_canvas(target, PAPER_SIZES["letter"], "t")
    blocks = sheet.variant.blocks(sheet.list_rows(), tally_sheet(sheet))[:1]
    won = [cell for line in blocks[0].lines for cell in line.cells if cell.mark == "won"]
    assert won and won[0].circle_count
    draw_blocks(canvas, make_sheet_area(2, "letter"), blocks)
    canvas.showPage()
    canvas.save()
    page = pypdfium2.PdfDocument(target.getvalue())[0].get_textpage()
    boxes = [(page.get_text_range(n, 1), page.get_charbox(n)) for n in range(page.count_chars())]
    tick = next(box for letter, box in boxes if letter == "✓")
    in_row = [box for letter, box in boxes if letter.isdigit() and abs(box[1] - tick[1]) < 4 and box[0] > tick[2]]
    middle = (min(box[0] for box in in_row[:3]) + max(box[2] for box in in_row[:3])) / 2
    assert tick[2] < middle - 9, "the tick is inside the circle"
