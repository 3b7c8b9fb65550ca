"""Strings, JSON, and files that no client should send."""

from __future__ import annotations

import io
import json
import random
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, Final

from openpyxl import Workbook
from PIL import Image

# fmt: off
TEXTS: Final = (
    *"""
        0 -1 1e400 NaN -Infinity 0x10 1_000 ٣ ½ ² 1,000.00 $5 1.5 None null true on [] {} __all__ ../../etc/passwd %00
        % %s%n {0} =1+1 @SUM(1) <script>alert(1)</script> İıßŉ 2026-02-30 0000-00-00 9999-12-31 0001-01-01 10000-01-01
        2026-11-27T25:61 9999-12-31T23:59 0001-01-01T00:00 2026-03-08T02:30 24:00 -00:01 12/31/2026
        2026-11-27T14:03:00+99:99 111111111111111111111111111111 9999999999999999999 -9999999999999999999
        9223372036854775807 2147483648 1000000000000000000000000000000.5 1e999999999 a@b @ KS,KS,KS R999M1 1,2,,3
        1-99999999 - , ; A=A
    """.split(),
    "", " ", "\t\r\n", "{{ 7|add:7 }}", "\x00", "a\x00b", "\ud800", "a\udfffb", "\u202eabc", "\u2066x\u2069",
    "\u200b", "\ufeff", "\u2028", "e" + "\u0301" * 300, "' OR 1=1 --", "\\", "🂡" * 50, "\x7f\x1b[31m", "𝒜" * 90,
    "9" * 400, "9" * 5000, "x" * 300, "x" * 5000, "x" * 70_000, "word " * 3000, "\n" * 20_000,
    "a@" + "b" * 300 + ".example", "8H 8H", "1 2 3 4 5 6 7 8 9 10" * 40,
)
# fmt: on
NUMBERS: Final = (0, -1, 1.5, 1e308, 2**31, 2**63, -(2**63) - 1, 10**30, 10**400, float("nan"), float("inf"), True)
# fmt: off
RAW_JSON: Final = (
    b"", b"{", b"[]", b"null", b"1", b'"x"', b"nan", b"{}", b'{"line": NaN}', b"\xff\xfe{\x00}\x00",
    b"\xef\xbb\xbf{}", b'{"line": {"up": "8H"}, "line": 1}', b'{"hand": 1' + b"0" * 5000 + b"}",
    b'{"code": "\\ud800"}', b"{}\x00", b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
    b'{"line": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", b'{"digest": "\xff"}', b'{"line": 1e999}',
    b'{"hand": -0}', b"{'hand': 1}", b'{"hand": 1,}', b'{"code": "\\u0000"}', b'{"a": "' + b"x" * 500_000 + b'"}',
    b'{"a": "' + b"x" * 300_000 + b'"}',
)
# fmt: on


def any_text(dice: random.Random) -> str:
    if dice.random() < 0.15:
        return "".join(
            chr(dice.choice((dice.randrange(1, 256), dice.randrange(0x110000)))) for _ in range(dice.randrange(1, 40))
        )
    if dice.random() < 0.15:
        return str(
            dice.choice((dice.randrange(-10, 300), dice.randrange(10**6), dice.randrange(10**20), dice.random() * 100))
        )
    return dice.choice(TEXTS)


def any_json(dice: random.Random, depth: int = 0) -> Any:
    kind = dice.randrange(6 if depth < 3 else 4)
    if kind == 4:
        return [any_json(dice, depth + 1) for _ in range(dice.randrange(4))]
    if kind == 5:
        return {any_text(dice)[:40]: any_json(dice, depth + 1) for _ in range(dice.randrange(4))}
    return (None, any_text(dice), dice.choice(NUMBERS), dice.random() < 0.5)[kind]


def spoil_json(dice: random.Random, good: Any) -> Any:
    """Replace, remove, add, or wrap one value in the JSON."""
    if isinstance(good, dict) and good and dice.random() < 0.75:
        key, spoiled = dice.choice(sorted(good)), dict(good)
        way = dice.randrange(6)
        if way == 0:
            del spoiled[key]
        elif way == 1:
            spoiled[any_text(dice)[:60]] = any_json(dice)
        elif way == 2:
            spoiled[key] = any_json(dice)
        else:
            spoiled[key] = spoil_json(dice, good[key])
        return spoiled
    if isinstance(good, list) and good and dice.random() < 0.6:
        place = dice.randrange(len(good))
        changed = [*good[:place], spoil_json(dice, good[place]), *good[place + 1 :]]
        return dice.choice((changed, good * dice.choice((2, 50, 3000)), good[:place], [good]))
    if dice.random() < 0.15:
        return [good]
    return any_json(dice)


def to_json(dice: random.Random, value: Any) -> bytes:
    """Encode a value as JSON, but sometimes truncate it or use UTF-16. Lone surrogates are kept."""
    text = json.dumps(value, ensure_ascii=dice.random() < 0.7)
    way = dice.random()
    if way < 0.04:
        return text.encode("utf-16", "surrogatepass")
    if way < 0.1:
        return text.encode("utf-8", "surrogatepass")[: dice.randrange(len(text) + 1)]
    return text.encode("utf-8", "surrogatepass")


CSV: Final = (
    b'name,email,club,seed,partner,paid\r\nIda,ida@example.org,North,1,,25.00\r\n"O\'Neil, Pat",,South,,,yes\r\n'
)


def good_files() -> dict[str, bytes]:
    """Return valid files that can be made without the site."""
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
    """Damage part of a ZIP file and fix its checksums, or damage a stream in a PDF."""
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
