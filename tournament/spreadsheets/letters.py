"""Which letters of a name the fonts on paper lack: such a letter is printed as its code."""

from functools import cache
from pathlib import Path
from typing import Final

from reportlab.pdfbase.ttfonts import TTFontFile

FOLDER: Final = Path(__file__).parent.parent / "core" / "pdf" / "fonts"
FONTS: Final = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSerif-Bold")


def not_on_paper(text: str) -> str:
    """The letters that one of the fonts lacks, each once; empty where all can be printed.

    >>> not_on_paper("Gödel, Лев"), not_on_paper("王小王")
    ('', '王小')
    """
    unusual = (letter for letter in dict.fromkeys(text) if not letter.isascii() and not letter.isspace())
    return "".join(letter for letter in unusual if not all(ord(letter) in letters_of(font) for font in FONTS))


def codes_of(letters: str) -> str:
    """As they are printed instead.

    >>> codes_of("王小")
    '[U+738B U+5C0F]'
    """
    return f"[{' '.join(f'U+{ord(letter):04X}' for letter in letters)}]"


@cache
def letters_of(font: str) -> frozenset[int]:
    """The letters that a font has, by their code points."""
    return frozenset(TTFontFile(FOLDER / f"{font}.ttf").charToGlyph)
