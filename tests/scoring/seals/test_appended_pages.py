"""An addition to a sealed file must not change anything visible on its pages."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import FreeText
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    TextStringObject,
)
from reportlab.pdfgen.canvas import Canvas

from scoring.seals.pdf.signed_files import SignedFile
from scoring.verification.pdf.sealed_files import _is_signature_field, find_overlay_faults

REPLACED = "Page {0} was replaced by something added to the file later."
LAID_OVER = "Something was placed over page {0} after the file was sealed."


def sealed_pages() -> bytes:
    """Return a PDF with two pages, each with its content in two streams, as it would be sealed."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(200, 100), invariant=True)
    for words in ("Ada 150 – Alan 98", "Grace 150 – Kurt 20"):
        canvas.drawString(10, 50, words)
        canvas.showPage()
    canvas.save()
    writer = PdfWriter(clone_from=target)
    for page in writer.pages:
        more = DecodedStreamObject()
        more.set_data(b"0 0 m 200 0 l S")
        page[NameObject("/Contents")] = ArrayObject([page.raw_get("/Contents"), writer._add_object(more)])
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


SEALED = sealed_pages()


def said_after(change: Callable[[PdfWriter], Any]) -> list[tuple[str, str]]:
    writer = PdfWriter(io.BytesIO(SEALED), incremental=True)
    change(writer)
    target = io.BytesIO()
    writer.write(target)
    content = target.getvalue()
    assert content.startswith(SEALED) and len(content) > len(SEALED)
    file = SignedFile(content, PdfReader(io.BytesIO(content)), {}, None)
    return [(fault.place, fault.message) for fault in find_overlay_faults(file, len(SEALED))]


def retitled(writer: PdfWriter) -> None:
    writer.metadata = {NameObject("/Title"): TextStringObject("Champion")}


def other_contents(writer: PdfWriter) -> None:
    contents = DecodedStreamObject()
    contents.set_data(b"BT /F1 12 Tf 10 50 Td (Alan won) Tj ET")
    page = writer.pages[1]
    page[NameObject("/Contents")] = ArrayObject([writer._add_object(contents), page["/Contents"][1].indirect_reference])


def other_stream(writer: PdfWriter) -> None:
    writer.pages[1]["/Contents"][1].get_object().set_data(b"0 50 m 200 50 l S")


def other_size(writer: PdfWriter) -> None:
    writer.pages[0][NameObject("/MediaBox")] = ArrayObject([FloatObject(each) for each in (0, 0, 200, 60)])


def turned(writer: PdfWriter) -> None:
    writer.pages[1][NameObject("/Rotate")] = NumberObject(90)


def other_font(writer: PdfWriter) -> None:
    fonts = writer.pages[0]["/Resources"].get_object()["/Font"].get_object()
    for name in list(fonts):
        changed = DictionaryObject(fonts[name].get_object())
        changed[NameObject("/BaseFont")] = NameObject("/Symbol")
        fonts[NameObject(name)] = writer._add_object(changed)


def noted(writer: PdfWriter) -> None:
    writer.add_annotation(1, FreeText(text="Alan won", rect=(10, 10, 190, 90)))


@pytest.mark.parametrize(
    ("change", "pages", "sentence"),
    [
        (retitled, [], ""),
        (other_contents, [2], REPLACED),
        (other_stream, [2], REPLACED),
        (other_size, [1], REPLACED),
        (turned, [2], REPLACED),
        (other_font, [1, 2], REPLACED),
        (noted, [2], LAID_OVER),
    ],
)
def test_what_is_seen_is_held_against_the_sealed_part(
    change: Callable[[PdfWriter], Any], pages: list[int], sentence: str
) -> None:
    assert said_after(change) == [(f"page {number}", sentence.format(number)) for number in pages]


@pytest.mark.parametrize(
    ("note", "taken"),
    [
        ({"/FT": "/Sig", "/Rect": [0, 0, 0, 0]}, True),
        ({"/FT": "/Sig", "/Rect": [10, 10, 10, 90]}, True),
        ({"/FT": "/Sig", "/Rect": [10, 10, 90, 10]}, True),
        ({"/FT": "/Sig", "/Rect": [10, 10, 90, 91]}, False),
        ({"/FT": "/Sig"}, False),
        ({"/FT": "/Tx", "/Rect": [0, 0, 0, 0]}, False),
        ({"/Subtype": "/Text", "/Rect": [10, 10, 10, 10]}, False),
    ],
)
def test_only_a_signature_field_of_no_size_may_lie_on_a_page(note: dict[str, Any], taken: bool) -> None:
    """Other annotations are not allowed, because even an annotation without a size shows an icon."""
    assert _is_signature_field(note) is taken
