"""Find a font for each letter of a name. A letter that no font has is printed as its code.

Our own fonts have Latin, Greek, Cyrillic, Hebrew and Arabic letters. Other scripts (Chinese, Japanese, Korean, Thai, …)
need a font on this machine that can be embedded in a PDF.
"""

import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Final

from reportlab.pdfbase.ttfonts import TTFError, TTFontFile

FOLDER: Final = Path(__file__).parent.parent / "core" / "pdf" / "fonts"
SANS: Final = "DejaVuSans"
BOLD: Final = "DejaVuSans-Bold"
SERIF: Final = "DejaVuSerif-Bold"

FONT_FOLDERS: Final = "FONT_FOLDERS"
"""The environment variable with the font folders to search, in the form of PATH. Empty means none."""
_USUAL: Final = {
    "darwin": ("/System/Library/Fonts", "/Library/Fonts", "~/Library/Fonts"),
    "win32": (r"C:\Windows\Fonts", r"~\AppData\Local\Microsoft\Windows\Fonts"),
}
_USUAL_ELSEWHERE: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
_OTHER_SCRIPTS: Final = re.compile(
    r"cjk|wqy|fallback|uming|ukai|nanum|baekmuk|ipa|takao|vl-?gothic|msyh|simsun|simhei|msjh|mingliu|deng|"
    r"msgothic|meiryo|yugoth|malgun|gulim|batang|arial ?uni|heiti|songti|applegothic|applesdgothic|kaiti|"
    r"lohit|thai|loma|garuda|leelawad|tahoma|nirmala|mangal|latha|noto|unifont|freesans|freeserif|code2000",
    re.IGNORECASE,
)
"""Names of fonts for other scripts. Files with other names are not opened, because there may be thousands."""
_MOST_OPENED: Final = 60


def unprintable_letters(text: str) -> str:
    """Return the letters that no font has, each once.

    >>> unprintable_letters("Gödel, Лев, משה")
    ''
    """
    unusual = (letter for letter in dict.fromkeys(text) if not letter.isascii() and not letter.isspace())
    return "".join(letter for letter in unusual if find_font(letter, SANS) is None)


def letter_codes(letters: str) -> str:
    """Return the codes that are printed in place of these letters.

    >>> codes_of("王小")
    '[U+738B U+5C0F]'
    """
    return f"[{' '.join(f'U+{ord(letter):04X}' for letter in letters)}]"


def find_font(letter: str, wanted: str) -> str | None:
    """Return the font that prints a letter: the wanted one, or else our sans font, or else a font file of this machine.

    Our own fonts are returned by name, others as the path of their file. None means that no font has the letter.
    """
    chain = (wanted, BOLD, SANS) if wanted == SERIF else (wanted, SANS)
    code = ord(letter)
    own = next((font for font in chain if code in _own_font_letters(font)), None)
    return own or _find_machine_font(code)


@cache
def _own_font_letters(font: str) -> frozenset[int]:
    return frozenset(TTFontFile(FOLDER / f"{font}.ttf").charToGlyph)


@cache
def _find_machine_font(code: int) -> str | None:
    return next((str(path) for path in _machine_fonts() if code in _letters_of_file(path)), None)


@cache
def _machine_fonts() -> tuple[Path, ...]:
    """Return the font files of this machine for other scripts, regular before bold, then by name."""
    setting = os.environ.get(FONT_FOLDERS)
    usual = _USUAL.get(sys.platform, _USUAL_ELSEWHERE)
    folders = usual if setting is None else [folder for folder in setting.split(os.pathsep) if folder]
    paths = [
        Path(where, name)
        for folder in folders
        for where, _folders, names in os.walk(Path(folder).expanduser())
        for name in names
        if name.lower().endswith((".ttf", ".ttc")) and _OTHER_SCRIPTS.search(name)
    ]
    paths.sort(key=lambda path: ("bold" in path.name.lower(), path.name.lower(), str(path)))
    return tuple(paths[:_MOST_OPENED])


@cache
def _letters_of_file(path: Path) -> frozenset[int]:
    """Return the code points in a font file, or none if the font cannot be read or embedded."""
    try:
        return frozenset(TTFontFile(str(path)).charToGlyph)
    except (TTFError, OSError, ValueError, KeyError, IndexError, AssertionError):
        return frozenset()
