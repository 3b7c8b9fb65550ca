"""Arrange screenshots of all pages side by side, by screen, colors, and language.

make sheets                                         visit all pages, then write var/screenshots/sheets/*.png
python -m tests.devtools.contact_sheets             only write the sheets again
python -m tests.devtools.contact_sheets 360-light   only the screens whose name begins with this
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from config.environment import BASE_DIR

PAGES: Final = BASE_DIR / "var" / "screenshots" / "pages"
SHEETS: Final = BASE_DIR / "var" / "screenshots" / "sheets"
LABEL: Final = 26
GAP: Final = 12
GROUND: Final = "#8A8F94"
"""A background that differs from both page colors, so that the pages' edges are visible."""


class Columns(NamedTuple):
    count: int
    width: int


COLUMNS: Final = {"360": Columns(4, 360), "768": Columns(3, 500), "1366": Columns(2, 760), "1920": Columns(2, 760)}
TALL: Final = 1500
MOST_PARTS: Final = 3
"""The maximum number of columns for a long page. The rest of the page is cut off."""


class Shot(NamedTuple):
    name: str
    picture: Image.Image


def main(wanted: Sequence[str]) -> None:
    SHEETS.mkdir(parents=True, exist_ok=True)
    for screen in sorted({path.stem for path in PAGES.glob("*/*.png")}):
        if not wanted or screen.startswith(tuple(wanted)):
            for path in lay(screen, COLUMNS[screen.partition("-")[0]]):
                print(path.relative_to(BASE_DIR))


def lay(screen: str, columns: Columns) -> Iterator[Path]:
    """Write the contact sheets for one screen, such as “360-dark-english”."""
    for old in SHEETS.glob(f"{screen}-*.png"):
        old.unlink()
    shots = (shot for path in sorted(PAGES.glob(f"*/{screen}.png")) for shot in shots_of(path, columns.width))
    filled = columns_of(shots)
    number = 0
    while some := list(islice(filled, columns.count)):
        number += 1
        path = SHEETS / f"{screen}-{number:02}.png"
        sheet_of(some, columns).save(path)
        yield path


def shots_of(path: Path, width: int) -> Iterator[Shot]:
    """Scale a screenshot to the column's width. A long screenshot is cut into parts."""
    with Image.open(path) as whole:
        height = max(1, round(whole.height * width / whole.width))
        picture = whole.convert("RGB").resize((width, height))
    for part, top in enumerate(range(0, height, TALL - LABEL)[:MOST_PARTS], start=1):
        name = path.parent.name if part == 1 else f"{path.parent.name}, part {part}"
        yield Shot(name, picture.crop((0, top, width, min(top + TALL - LABEL, height))))


def columns_of(shots: Iterable[Shot]) -> Iterator[list[Shot]]:
    """Stack the screenshots into columns."""
    column: list[Shot] = []
    left = TALL
    for shot in shots:
        needed = shot.picture.height + LABEL
        if column and needed > left:
            yield column
            column, left = [], TALL
        column.append(shot)
        left -= needed + GAP
    if column:
        yield column


def sheet_of(some: Sequence[Sequence[Shot]], columns: Columns) -> Image.Image:
    step = columns.width + GAP
    sheet = Image.new("RGB", (columns.count * step + GAP, TALL + 2 * GAP), GROUND)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(16)
    for place, column in enumerate(some):
        left, top = GAP + place * step, GAP
        for shot in column:
            draw.text((left, top + 2), shot.name, fill="white", font=font)
            sheet.paste(shot.picture, (left, top + LABEL))
            top += shot.picture.height + LABEL + GAP
    return sheet


if __name__ == "__main__":
    main(sys.argv[1:])
