"""Changes at the end of a sealed file. A document signature is allowed, but nothing that a reader can see."""

import io
from collections.abc import Iterator
from typing import Any

from pypdf import PageObject, PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

from scoring.rules.evidence.sealing import Fault, digest_of
from scoring.seals.pdf.signed_files import UNREADABLE, SignedFile
from tournament.said import worded

NOT_SEEN = ("/Parent", "/Annots", "/Tabs")


def appended_faults(file: SignedFile, length: int) -> Iterator[Fault]:
    """Compare each page with the page in the sealed part of the file, and yield the faults."""
    if len(file.content) <= length:
        return
    try:
        sealed = PdfReader(io.BytesIO(file.content[:length])).pages
        pairs = list(zip(sealed, file.reader.pages, strict=False))
    except UNREADABLE:
        yield Fault("file", worded("The sealed part of the file cannot be read."))
        return
    for number, (was, now) in enumerate(pairs, start=1):
        if _seen(was) != _seen(now):
            yield Fault(
                f"page {number}",
                worded("Page %(number)s was replaced by something added to the file later.", number=number),
            )
        if any(not _is_signature_field(write) for write in _notes(now)):
            yield Fault(
                f"page {number}",
                worded("Something was placed over page %(number)s after the file was sealed.", number=number),
            )


def _notes(page: PageObject) -> list[Any]:
    notes = page.get("/Annots")
    return [] if notes is None else [write.get_object() for write in notes.get_object()]


def _is_signature_field(write: Any) -> bool:
    """Return whether the annotation is an invisible signature field, which has no width or no height."""
    left, bottom, right, top = (float(edge) for edge in write.get("/Rect", [0, 0, 1, 1]))
    return write.get("/FT") == "/Sig" and (left == right or bottom == top)


def _seen(page: PageObject) -> str:
    """Return a digest of everything that a page shows, including fonts and pictures."""
    return digest_of(_written(page, set()))


def _written(value: Any, known: set[int]) -> str:
    if isinstance(value, IndirectObject):
        if value.idnum in known:
            return "again"
        known.add(value.idnum)
        return _written(value.get_object(), known)
    if isinstance(value, DictionaryObject):
        parts = [f"{name}={_written(value.raw_get(name), known)}" for name in sorted(value) if name not in NOT_SEEN]
        data = digest_of(value.get_data()) if isinstance(value, StreamObject) else ""
        return f"<{';'.join(parts)}{data}>"
    if isinstance(value, ArrayObject):
        return f"[{','.join(_written(each, known) for each in list.__iter__(value))}]"
    return repr(value)
