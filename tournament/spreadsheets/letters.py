"""Find a font for each letter of a name. A letter that no font has is printed as its code.

The project's own fonts have Latin, Greek, Cyrillic, Hebrew and Arabic letters. For other scripts (Chinese, Japanese,
Korean, Thai, …) the fonts of this machine are asked, if it has any that can be embedded in a PDF.
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
"""The environment variable that names other folders than the usual ones, as PATH does; empty: none are searched."""
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
"""The names of fonts for other scripts; a file of another name is not opened, since there may be thousands."""
_MOST_OPENED: Final = 60


def not_on_paper(text: str) -> str:
    """The letters that no font has, each once; empty where all can be printed.

    >>> not_on_paper("Gödel, Лев, משה")
    ''
    """
    unusual = (letter for letter in dict.fromkeys(text) if not letter.isascii() and not letter.isspace())
    return "".join(letter for letter in unusual if font_of(letter, SANS) is None)


def codes_of(letters: str) -> str:
    """As they are printed instead.

    >>> codes_of("王小")
    '[U+738B U+5C0F]'
    """
    return f"[{' '.join(f'U+{ord(letter):04X}' for letter in letters)}]"


def font_of(letter: str, wanted: str) -> str | None:
    """The font that prints a letter: the wanted one if it has it, else a sans one, else a file of this machine.

    Own fonts are answered by their name, others by the path of their file; None: no font has the letter.
    """
    chain = (wanted, BOLD, SANS) if wanted == SERIF else (wanted, SANS)
    code = ord(letter)
    own = next((font for font in chain if code in letters_of(font)), None)
    return own or _font_of_machine(code)


@cache
def letters_of(font: str) -> frozenset[int]:
    """The letters that one of the project's own fonts has, by their code points."""
    return frozenset(TTFontFile(FOLDER / f"{font}.ttf").charToGlyph)


@cache
def _font_of_machine(code: int) -> str | None:
    return next((str(path) for path in _machine_fonts() if code in _letters_of_file(path)), None)


@cache
def _machine_fonts() -> tuple[Path, ...]:
    """The fonts of this machine for other scripts, in the order of their names."""
    named = os.environ.get(FONT_FOLDERS)
    usual = _USUAL.get(sys.platform, _USUAL_ELSEWHERE)
    folders = usual if named is None else [folder for folder in named.split(os.pathsep) if folder]
    found = [
        Path(where, name)
        for folder in folders
        for where, _folders, names in os.walk(Path(folder).expanduser())
        for name in names
        if name.lower().endswith((".ttf", ".ttc")) and _OTHER_SCRIPTS.search(name)
    ]
    found.sort(key=lambda path: ("bold" in path.name.lower(), path.name.lower(), str(path)))
    return tuple(found[:_MOST_OPENED])


@cache
def _letters_of_file(path: Path) -> frozenset[int]:
    """Nothing where the file cannot be read, or its font cannot be embedded."""
    try:
        return frozenset(TTFontFile(str(path)).charToGlyph)
    except (TTFError, OSError, ValueError, KeyError, IndexError, AssertionError):
        return frozenset()
