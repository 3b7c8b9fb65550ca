"""Files as the site makes or takes them, and how they are damaged."""

from __future__ import annotations

import io
import random
import zipfile
import zlib
from collections.abc import Callable
from typing import Final

from openpyxl import Workbook
from PIL import Image

CSV: Final = (
    b'name,email,club,seed,partner,paid\r\nIda,ida@example.org,North,1,,25.00\r\n"O\'Neil, Pat",,South,,,yes\r\n'
)


def good_files() -> dict[str, bytes]:
    """What can be made without the site; its own prints and logs are fetched from it."""
    return {"list.csv": CSV, "list.xlsx": _workbook(), "photo.jpg": _photo("JPEG"), "photo.png": _photo("PNG"),
            "list.zip": _zipped({"a.csv": CSV}), "small.pdf": _pdf()}  # fmt: skip


def damage(dice: random.Random, content: bytes) -> bytes:
    ways: tuple[Callable[[random.Random, bytes], bytes], ...] = (
        _cut, _flipped, _flipped, _flipped, _doubled, _filled, _inside, _inside, _inside, _junk
    )  # fmt: skip
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        content = dice.choice(ways)(dice, content)
    return content[:3_000_000]


def _cut(dice: random.Random, content: bytes) -> bytes:
    begins = dice.choice((0, 0, 0, dice.randrange(len(content) + 1)))
    return content[begins : dice.randrange(begins, len(content) + 1)]


def _flipped(dice: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(dice.choice((1, 5, 50)) if changed else 0):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed)


def _doubled(dice: random.Random, content: bytes) -> bytes:
    return content * dice.choice((2, 3, 40))


def _filled(dice: random.Random, content: bytes) -> bytes:
    at, filling = dice.randrange(len(content) + 1), dice.choice((b"\0", b"\n", b",", b'"', b"\xff", b"<", b"("))
    return content[:at] + filling * dice.choice((1, 100, 100_000)) + content[at:]


def _junk(dice: random.Random, content: bytes) -> bytes:
    return content[: dice.choice((0, 4, 8, 300))] + dice.randbytes(dice.choice((0, 1, 500, 20_000)))


def _inside(dice: random.Random, content: bytes) -> bytes:
    """A zip with its parts damaged and its sums right; of a PDF a stream."""
    if content.startswith(b"PK"):
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                parts = {name: archive.read(name) for name in archive.namelist()}
        except Exception:  # damaged before
            return content
        if not parts:
            return content
        name = dice.choice(sorted(parts))
        way = dice.randrange(4)
        if way == 0:
            del parts[name]
        elif way == 1:
            parts[dice.choice(("../" + name, name + "\0", "x" * 300))] = parts.pop(name)
        elif way == 2:
            parts[name] = b"<a>" * 60_000
        else:
            parts[name] = _flipped(dice, parts[name])
        return _zipped(parts)
    if content.startswith(b"%PDF"):
        word = dice.choice(
            (b"/Length", b"/Root", b"/Pages", b"/Kids", b"/Filter", b"startxref", b"xref", b"endobj", b" 0 R")
        )
        at = [place for place in range(len(content)) if content.startswith(word, place)][:200]
        if not at:
            return content
        place, other = (
            dice.choice(at),
            dice.choice((b"", b"/Nothing", b" 9999999999 ", b" -1 ", b"<<" * 3000, b"1 0 R")),
        )
        return content[:place] + other + content[place + len(word) :]
    return _flipped(dice, content)


def _workbook() -> bytes:
    book, kept = Workbook(), io.BytesIO()
    sheet = book.active
    for row in (["name", "email", "paid"], ["Ida", "ida@example.org", 25], ["Pat", "", "yes"]):
        sheet.append(row)
    book.save(kept)
    return kept.getvalue()


def _photo(kind: str) -> bytes:
    kept = io.BytesIO()
    Image.new("RGB", (40, 30)).save(kept, kind)
    return kept.getvalue()


def _zipped(parts: dict[str, bytes]) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), part, zipfile.ZIP_DEFLATED)
    return kept.getvalue()


def _pdf() -> bytes:
    text = zlib.compress(b"BT /F1 12 Tf (Ada) Tj ET " * 50)
    return (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R>>endobj\n4 0 obj<</Filter/FlateDecode/Length "
        + str(len(text)).encode()
        + b">>stream\n"
        + text
        + b"\nendstream endobj\ntrailer<</Root 1 0 R/Size 5>>\nstartxref\n0\n%%EOF"
    )
