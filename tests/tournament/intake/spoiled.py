"""Make harmful files that are small to upload but expensive to read. Every run makes the same files."""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib

from openpyxl import Workbook
from PIL import Image

MB = 1024 * 1024


def a_pdf(*objects: bytes, root: str = "1 0 R") -> bytes:
    """Return a PDF made of `objects`, which are numbered from 1. `root` is the reference to its catalog."""
    content, places = b"%PDF-1.7\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    table += b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        content
        + table
        + f"trailer\n<</Size {len(places) + 1}/Root {root}>>\nstartxref\n{len(content)}\n%%EOF\n".encode()
    )


def stream(data: bytes, more: bytes = b"/Filter/FlateDecode") -> bytes:
    return b"<<%s/Length %d>>\nstream\n%s\nendstream" % (more, len(data), data)


def with_attachment(data: bytes, pages: bytes = b"<</Type/Pages/Kids[3 0 R]/Count 1>>", *more: bytes) -> bytes:
    names = b"<</Names[(card.json)<</Type/Filespec/F(card.json)/EF<</F 5 0 R>>>>]>>"
    return a_pdf(
        b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles 4 0 R>>>>",
        pages,
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 6 0 R/Resources<</Font<</F %s>>>>>>" % FONT,
        names,
        data,
        *(more or (stream(zlib.compress(b"")),)),
    )


FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
CARD = b'{"format":"gin-signed-card/1"}'


def text_bomb(size: int = 60 * MB) -> bytes:
    """Return a PDF whose page repeats a word millions of times.

    A score card is attached to the PDF, because the program reads pages only if there is one.
    """
    words = b"BT /F 9 Tf " + b"(x) Tj " * (size // 7) + b"ET"
    return with_attachment(
        stream(zlib.compress(CARD)), b"<</Type/Pages/Kids[3 0 R]/Count 1>>", stream(zlib.compress(words))
    )


def attached_bomb(size: int = 400 * MB) -> bytes:
    """Return a PDF with an attachment of many zeros. It is compressed twice, so that the file is small."""
    packer = zlib.compressobj(9)
    once = b"".join(packer.compress(b"\0" * MB) for _ in range(size // MB)) + packer.flush()
    return with_attachment(stream(zlib.compress(once, 9), b"/Filter[/FlateDecode/FlateDecode]"))


def many_pages(number: int = 200_000) -> bytes:
    return with_attachment(
        stream(zlib.compress(CARD)), b"<</Type/Pages/Kids[" + b"3 0 R " * number + b"]/Count %d>>" % number
    )


def pages_in_a_ring() -> bytes:
    return with_attachment(stream(zlib.compress(CARD)), b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>")


def nested(depth: int = 200_000) -> bytes:
    return a_pdf(
        b"<</Type/Catalog/Pages 2 0 R/A " + b"[" * depth + b"]" * depth + b">>", b"<</Type/Pages/Kids[]/Count 0>>"
    )


def huge_table() -> bytes:
    """Return a PDF whose cross-reference table claims to have ten million objects."""
    return (
        b"%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\nxref\n0 10000000\n"
        + b"0000000009 00000 n \n" * 50_000
        + b"trailer\n<</Size 10000000/Root 1 0 R>>\nstartxref\n44\n%%EOF\n"
    )


def broken_objects(size: int = 6 * MB) -> bytes:
    """Return a PDF without a cross-reference table, so that a reader has to search the file for every object."""
    return b"%PDF-1.4\n" + b"1 0 obj\n" * (size // 8)


def deep_json(depth: int = 900) -> bytes:
    """Return a PDF with an attached score card whose JSON is nested so deeply that it can be read but not written."""
    card = b'{"format":"gin-signed-card/1","digest":' + b"[" * depth + b"]" * depth + b"}"
    return with_attachment(stream(zlib.compress(card)))


def half_letters() -> bytes:
    card = b'{"format":"gin-signed-card/1","digest":"\\ud800","content":{"sides":[{"name":"\\ud800","side":"A"}]}}'
    return with_attachment(stream(zlib.compress(card)))


def long_seal(size: int = 200_000) -> bytes:
    """Return a PDF whose seal describes so much page text that comparing it with the page would take an hour."""
    sealed = b'{"format":"gin-signed-file/1","cards":[],"key":"00","length":"1","digest":"","signature":"",'
    sealed += b'"pages":[{"text":"'
    sealed += b"a b c d " * (size // 8) + b'","drawing":""}]}'
    words = b"BT /F 9 Tf (" + b"d c b a " * (size // 8) + b") Tj ET"
    return with_attachment(
        stream(zlib.compress(sealed)), b"<</Type/Pages/Kids[3 0 R]/Count 1>>", stream(zlib.compress(words))
    )


PDFS = {
    "text bomb": text_bomb,
    "attached bomb": attached_bomb,
    "many pages": many_pages,
    "pages in a ring": pages_in_a_ring,
    "nested": nested,
    "huge table": huge_table,
    "broken objects": broken_objects,
    "deep json": deep_json,
    "half letters": half_letters,
    "long seal": long_seal,
}

FIRST = b'{"format":"gin-log/1","tournament":"%s"}\n'
LOGS = {
    "log of half letters": lambda: FIRST % b"\\ud800" + b'{"seq":"\\ud800"}\n' * 9,
    "log of zeros": lambda: FIRST % b"\\u0000" + b'{"seq":1}\n',
    "log of lists": lambda: FIRST % b"x" + b'{"seq":' + b"[]," * (5 * MB) + b"0}\n",
    "deep log": lambda: FIRST % b"x" + b'{"seq":1,"a":' + b"[" * 900 + b"]" * 900 + b"}\n",
    "deeper log": lambda: FIRST % b"x" + b"[" * 5 * MB,
    "log of empty rows": lambda: FIRST % b"x" + b"{}\n" * (600_000),
    "log of line breaks": lambda: FIRST % b"x" + b"\n" * (19 * MB),
    "log of a long number": lambda: FIRST % b"x" + b'{"seq":' + b"9" * 4_000 + b"}\n",
}


def workbook(rows: int = 30, columns: int = 4) -> bytes:
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(["Name", "Email", "Phone", "Notes"][:columns] + [f"C{n}" for n in range(4, columns)])
    for number in range(rows):
        sheet.append([f"Ada {number}", f"a{number}@example.org", "555", "x"][:columns] + ["y"] * (columns - 4))
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def repacked(content: bytes, name: str, data: bytes) -> bytes:
    """Return the workbook after replacing the content of its part `name` with `data`."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as was, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as now:
        for each in was.namelist():
            now.writestr(each, data if each == name else was.read(each))
    return target.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
OPEN = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
CLOSE = b"</sheetData></worksheet>"


def of_cells(*texts: bytes) -> bytes:
    cells = b"".join(b'<c t="inlineStr"><is><t>%s</t></is></c>' % text for text in texts)
    return OPEN + b'<row r="1">' + cells + b'</row><row r="2">' + cells + b"</row>" + CLOSE


def zip_bomb() -> bytes:
    return repacked(workbook(), SHEET, OPEN + b" " * (900 * MB) + CLOSE)


def million_cells() -> bytes:
    row = b"<row>" + b"<c><v>1</v></c>" * 1000 + b"</row>"
    return repacked(workbook(), SHEET, OPEN + row * 1000 + CLOSE)


def long_cells() -> bytes:
    """Return a workbook in which every cell refers to the same long text."""
    row = b"<row>" + b'<c t="s"><v>0</v></c>' * 60 + b"</row>"
    book = repacked(workbook(), SHEET, OPEN + row * 2900 + CLOSE)
    main = (
        b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>'
        + b"x" * 2000
        + b"</t></si></sst>"
    )
    return repacked(book, "xl/sharedStrings.xml", main)


def entities() -> bytes:
    """Return a workbook with ten XML entities, each ten times as long as the previous one."""
    said = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    head = f'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY l0 "lol">{said}]>'.encode()
    return repacked(workbook(), SHEET, head + of_cells(b"&l9;"))


LISTS = {
    "line breaks": lambda: b"\n" * 5_000_000,
    "carriage returns": lambda: b"\r" * 5_000_000,
    "commas": lambda: b"Name\n" + b"," * 4_900_000,
    "quotes": lambda: b'"' * 4_999_999,
    "one word": lambda: b"x" * 5_000_000,
    "no encoding": lambda: b"Name\n" + bytes(range(128, 256)) * 39_000,
    "zeros": lambda: "Name\nA\0da\n".encode("utf-16"),
    "half letters": lambda: b"\xff\xfe" + "Name\nAda".encode("utf-16-le") + b"\x00\xd8\n\x00B\x00",
    "zip bomb": zip_bomb,
    "million cells": million_cells,
    "long cells": long_cells,
    "entities": entities,
    "half letters in a workbook": lambda: repacked(workbook(), SHEET, of_cells(b"Name_xD800_", b"_x0000_")),
    "half a tag": lambda: repacked(workbook(), SHEET, OPEN + b"<row><c"),
    "a number that is none": lambda: repacked(
        workbook(), SHEET, OPEN + b"<row r='x'><c r='A1'><v>1e999999</v></c></row>" + CLOSE
    ),
    "many files": lambda: _many_files(),
}


def _many_files() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        for number in range(40_000):
            packed.writestr(f"{number}", b"")
    return target.getvalue()


def a_png(width: int, height: int, data: bytes = b"") -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def zeros(size: int) -> bytes:
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(b"\0" * MB) for _ in range(size // MB)) + packer.flush()


def a_photo(form: str, size: tuple[int, int] = (900, 600)) -> bytes:
    target = io.BytesIO()
    Image.effect_noise(size, 40).convert("RGB").save(target, form)
    return target.getvalue()


def jpeg_of(side: int) -> bytes:
    """Return a small photo whose header claims that its width and height are this many pixels."""
    content = a_photo("JPEG")
    at = content.index(b"\xff\xc0") + 5
    return content[:at] + struct.pack(">HH", side, side) + content[at + 4 :]


PHOTOS = {
    "a wall": lambda: a_png(60_000, 60_000, zeros(64 * MB)),
    "just too large": lambda: a_png(8_900, 8_900, zeros(230 * MB)),
    "a wide line": lambda: a_png(2**31 - 1, 1),
    "jpeg of a wall": lambda: jpeg_of(65_500),
    "cut off": lambda: a_photo("JPEG")[:4000],
    "cut png": lambda: a_photo("PNG")[:4000],
    "no bytes": lambda: b"\xff\xd8\xff",
    "a comment without end": lambda: b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 2**31 - 1) + b"zTXt" + b"x" * 100,
}


def damaged(content: bytes, seed: int) -> bytes:
    """Return the content with some bytes changed, removed or added. The damage depends only on the seed."""
    chance, found = random.Random(seed), bytearray(content)
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(found))
        match chance.randrange(4):
            case 0:
                found[at] = chance.randrange(256)
            case 1:
                del found[at : at + chance.randint(1, 40)]
            case 2:
                found[at:at] = chance.randbytes(chance.randint(1, 40))
            case _ if chance.random() < 0.3:
                del found[max(at, 100) :]
    return bytes(found)
