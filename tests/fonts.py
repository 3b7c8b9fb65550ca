"""Choose the fonts of test browsers, because pages have to fit their screens with any laptop's fonts.

A test browser has one of two sets of fonts: the widest that users have (DejaVu, as wide as Verdana), or the narrowest
(Liberation Sans Narrow and Liberation Serif, as narrow as Times).

    On Debian:  apt-get install fonts-dejavu-core fonts-liberation
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

INSTALLED: Final = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts")


@dataclass(frozen=True, slots=True)
class Fonts:
    sans: str
    serif: str
    mono: str
    files: tuple[str, ...]
    """The beginnings of the font files' names."""

    def found(self) -> list[Path]:
        return [path for folder in INSTALLED for start in self.files for path in sorted(folder.rglob(f"{start}.ttf"))]


WIDE: Final = Fonts(
    "DejaVu Sans",
    "DejaVu Serif",
    "DejaVu Sans Mono",
    tuple(f"DejaVu{face}{weight}" for face in ("Sans", "Serif", "SansMono") for weight in ("", "-Bold")),
)
NARROW: Final = Fonts(
    "Liberation Sans Narrow",
    "Liberation Serif",
    "Liberation Mono",
    ("LiberationSansNarrow-*", "LiberationSerif-*", "LiberationMono-*"),
)
FONTS: Final = {"wide": WIDE, "narrow": NARROW}

_GENERIC: Final = {
    "sans": ("sans-serif", "system-ui", "Arial", "Helvetica"),
    "serif": ("serif", "Times New Roman", "Georgia"),
    "mono": ("monospace", "Courier New"),
}


def only_these(fonts: Fonts, folder: Path) -> Path:
    """Write a fontconfig file that gives a browser only these fonts, and return its path.

    Callers check with `fonts.found()` that the fonts are installed.
    """
    kept = folder / "fonts"
    kept.mkdir(parents=True, exist_ok=True)
    for path in fonts.found():
        link = kept / path.name
        if not link.exists():
            link.symlink_to(path)
    aliases = [
        f'<alias binding="same"><family>{escape(asked)}</family>'
        f"<prefer><family>{escape(family)}</family></prefer></alias>"
        for kind, family in (("sans", fonts.sans), ("serif", fonts.serif), ("mono", fonts.mono))
        for asked in _GENERIC[kind]
    ]
    places = [f"<dir>{kept}</dir>", f"<cachedir>{folder / 'cache'}</cachedir>"]
    return _write(folder / "fonts.conf", [*places, *aliases, _for_no_name(fonts.sans)])


def _for_no_name(family: str) -> str:
    """Return a fontconfig rule that uses this font family if a program requests a font without a name.

    Chromium requests `system-ui` without a name, and would otherwise get a random font from the folder.
    """
    edit = f'<edit name="family" mode="append_last" binding="same"><string>{escape(family)}</string></edit>'
    return f'<match target="pattern">{edit}</match>'


def _write(path: Path, lines: Iterable[str]) -> Path:
    head = '<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n<fontconfig>\n'
    path.write_text(head + "\n".join(lines) + "\n</fontconfig>\n", encoding="utf-8")
    return path
