"""Find a font for each letter in a name. A letter that is in no font is printed as its code point.

Our own fonts contain Latin, Greek, Cyrillic, Hebrew and Arabic letters. Other scripts (Chinese, Japanese, Korean, Thai,
…) need a font on this machine that can be embedded in a PDF.
"""

import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Final

from reportlab.pdfbase.ttfonts import TTFError, TTFontFile

BUNDLED_FONTS_FOLDER: Final = Path(__file__).parent.parent / "core" / "pdf" / "fonts"
SANS_FONT: Final = "DejaVuSans"
BOLD_FONT: Final = "DejaVuSans-Bold"
SERIF_FONT: Final = "DejaVuSerif-Bold"

FONT_FOLDERS_VARIABLE: Final = "FONT_FOLDERS"
"""The environment variable with font folders to search, in the format of PATH. An empty value means none."""
_FONT_FOLDERS_BY_PLATFORM: Final = {
    "darwin": ("/System/Library/Fonts", "/Library/Fonts", "~/Library/Fonts"),
    "win32": (r"C:\Windows\Fonts", r"~\AppData\Local\Microsoft\Windows\Fonts"),
}
_DEFAULT_FONT_FOLDERS: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
_OTHER_SCRIPT_FONTS_PATTERN: Final = re.compile(
    r"cjk|wqy|fallback|uming|ukai|nanum|baekmuk|ipa|takao|vl-?gothic|msyh|simsun|simhei|msjh|mingliu|deng|"
    r"msgothic|meiryo|yugoth|malgun|gulim|batang|arial ?uni|heiti|songti|applegothic|applesdgothic|kaiti|"
    r"lohit|thai|loma|garuda|leelawad|tahoma|nirmala|mangal|latha|noto|unifont|freesans|freeserif|code2000",
    re.IGNORECASE,
)
"""File names of fonts for other scripts. Other files are not opened, because there may be thousands."""
_MAX_FONT_FILES: Final = 60


def find_unprintable_letters(text: str) -> str:
    """Return the letters that are in no font, without duplicates.

    >>> find_unprintable_letters("Gödel, Лев, משה")
    ''
    """
    unusual = (letter for letter in dict.fromkeys(text) if not letter.isascii() and not letter.isspace())
    return "".join(letter for letter in unusual if find_font(letter, SANS_FONT) is None)


def format_letter_codes(letters: str) -> str:
    """Return the code points that are printed instead of these letters.

    >>> format_letter_codes("王小")
    '[U+738B U+5C0F]'
    """
    return f"[{' '.join(f'U+{ord(letter):04X}' for letter in letters)}]"


def find_font(letter: str, wanted: str) -> str | None:
    """Return a font that contains the letter: the wanted font, our own sans-serif font, or a font file on this machine.

    Our own fonts are returned by name, and others as a file path. If no font contains the letter, return None.
    """
    chain = (wanted, BOLD_FONT, SANS_FONT) if wanted == SERIF_FONT else (wanted, SANS_FONT)
    code = ord(letter)
    own = next((font for font in chain if code in _load_own_font_letters(font)), None)
    return own or _find_machine_font(code)


@cache
def _load_own_font_letters(font: str) -> frozenset[int]:
    return frozenset(TTFontFile(BUNDLED_FONTS_FOLDER / f"{font}.ttf").charToGlyph)


@cache
def _find_machine_font(code: int) -> str | None:
    return next((str(path) for path in _list_machine_fonts() if code in _load_font_file_letters(path)), None)


@cache
def _list_machine_fonts() -> tuple[Path, ...]:
    """Return this machine's font files for other scripts, sorted by weight (regular first) and name."""
    setting = os.environ.get(FONT_FOLDERS_VARIABLE)
    usual = _FONT_FOLDERS_BY_PLATFORM.get(sys.platform, _DEFAULT_FONT_FOLDERS)
    folders = usual if setting is None else [folder for folder in setting.split(os.pathsep) if folder]
    paths = [
        Path(where, name)
        for folder in folders
        for where, _folders, names in os.walk(Path(folder).expanduser())
        for name in names
        if name.lower().endswith((".ttf", ".ttc")) and _OTHER_SCRIPT_FONTS_PATTERN.search(name)
    ]
    paths.sort(key=lambda path: ("bold" in path.name.lower(), path.name.lower(), str(path)))
    return tuple(paths[:_MAX_FONT_FILES])


@cache
def _load_font_file_letters(path: Path) -> frozenset[int]:
    """Return the code points in a font file. The result is empty if the font cannot be read or embedded."""
    try:
        return frozenset(TTFontFile(str(path)).charToGlyph)
    except (TTFError, OSError, ValueError, KeyError, IndexError, AssertionError):
        return frozenset()
