"""Hebrew and Arabic text is printed in the right order, with joined letters, and in fonts that contain the letters."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader

from tournament.core.pdf.paper import (
    BOLD_FONT,
    PAPER_SIZES,
    SANS_FONT,
    SERIF_FONT,
    TextLayer,
    compute_text_width,
    fit_text,
    load_fonts,
    make_canvas,
    replace_unprintable,
    split_by_font,
)
from tournament.spreadsheets.letters import BUNDLED_FONTS_FOLDER


def drawn(text: str, font: str = SANS_FONT) -> str:
    return "".join(part for _font, part in split_by_font(text, font))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Gödel 3", "Gödel 3"),
        ("משה כהן", "ןהכ השמ"),
        ("4  משה", "4  השמ"),
        ("לוי (חיפה)", "(הפיח) יול"),
        ("Ada (Haifa) לוי", "Ada (Haifa) יול"),
        ("David בן-גוריון", "David ןוירוג-ןב"),
        ("بب", "\ufe90\ufe91"),
        ("محمد", "\ufeaa\ufee4\ufea4\ufee3"),
    ],
)
def test_a_line_is_drawn_in_visual_order(text: str, shown: str) -> None:
    assert drawn(text) == shown


@pytest.mark.parametrize("font", [SANS_FONT, BOLD_FONT, SERIF_FONT])
@pytest.mark.parametrize("text", ["Łukasz Göd", "Лев", "Ωμέγα", "משה כהן", "محمد عبد", "پورمند"])
def test_names_in_these_scripts_lose_no_letter(text: str, font: str) -> None:
    assert replace_unprintable(text, font) == text


def test_only_letters_that_the_serif_lacks_are_bold() -> None:
    assert split_by_font("To משה", SERIF_FONT) == ((SERIF_FONT, "To "), (BOLD_FONT, "השמ"))


def test_a_line_is_as_wide_as_it_is_drawn() -> None:
    load_fonts()
    parts = split_by_font("To משה محمد", SERIF_FONT)
    assert compute_text_width("To משה محمد", SERIF_FONT, 12) == sum(
        compute_text_width(part, font, 12) for font, part in parts
    )


def test_lines_are_broken_before_they_are_reversed() -> None:
    load_fonts()
    lines = fit_text("משה כהן בן אברהם", SANS_FONT, 10, 50, smallest=10, most_lines=2).lines
    assert lines[0].startswith("משה") and lines[1].endswith("אברהם")


def test_the_pdf_has_the_letters_joined() -> None:
    target = io.BytesIO()
    canvas = make_canvas(target, PAPER_SIZES["letter"], "t")
    words = TextLayer(canvas)
    words.write("محمد", (40, 700))
    words.draw()
    canvas.save()
    assert "\ufee3" in PdfReader(io.BytesIO(target.getvalue())).pages[0].extract_text()


def with_letter(font: bytes, letter: str) -> bytes:
    """Return the font with an additional letter, which looks like an A."""
    tables = int.from_bytes(font[4:6])
    entries = {font[12 + 16 * n : 16 + 16 * n]: 12 + 16 * n for n in range(tables)}
    glyph, code = 36, ord(letter)  # in DejaVu Sans glyph 36 is the A
    groups = code.to_bytes(4) + code.to_bytes(4) + glyph.to_bytes(4)
    subtable = (12).to_bytes(2) + bytes(2) + (28).to_bytes(4) + bytes(4) + (1).to_bytes(4) + groups
    table = bytes(2) + (1).to_bytes(2) + (3).to_bytes(2) + (10).to_bytes(2) + (12).to_bytes(4) + subtable
    made = bytearray(font + bytes(-len(font) % 4))
    at = entries[b"cmap"]
    made[at + 8 : at + 16] = len(made).to_bytes(4) + len(table).to_bytes(4)
    return bytes(made + table)


ASKED = """
import io
from django.conf import settings
from pypdf import PdfReader
from tournament.core.pdf.paper import PAPER_SIZES, TextLayer, make_canvas
from tournament.spreadsheets import find_unprintable_letters
settings.configure(USE_I18N=False)
target = io.BytesIO()
canvas = make_canvas(target, PAPER_SIZES["letter"], "t")
words = TextLayer(canvas)
words.write("\u738b\u5c0f", (40, 700))
words.draw()
canvas.save()
print(ascii(find_unprintable_letters("\u738b\u5c0f")), ascii(PdfReader(target).pages[0].extract_text().splitlines()[0]))
"""


def test_a_machine_font_prints_other_letters(tmp_path: Path) -> None:
    (tmp_path / "NotoSansCJK-Test.ttf").write_bytes(
        with_letter((BUNDLED_FONTS_FOLDER / f"{SANS_FONT}.ttf").read_bytes(), "王")
    )
    (tmp_path / "NotoBroken.ttf").write_bytes(b"no font")
    done = subprocess.run(
        [sys.executable, "-c", ASKED], env={"FONT_FOLDERS": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    lacking, printed = done.stdout.split()
    assert lacking == r"'\u5c0f'"
    assert printed.endswith("[U+5C0F]'") and "738B" not in printed
