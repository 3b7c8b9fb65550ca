"""Read a PDF in a separate process, and check its attachments and its seal.

This works without Django and the database. The text of pages is compared only if the seal is from a trusted key but the
sealed bytes have changed.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, Final

from pypdf import PageObject, PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

from scoring.rules.evidence.sealing import VerificationFault, check_card_envelope, check_ruling_envelope, sha256_hex
from scoring.seals.pdf.signed_files import (
    PDF_READER_ERRORS,
    SignedFile,
    UnreadablePdf,
    can_sign_documents,
    compute_file_digest,
    compute_page_digest,
    has_valid_signature,
    is_certificate_confirmed,
    read_signed_file,
)
from tournament.lazy_text import lazy_text

MAX_QUOTED_LENGTH: Final = 40
"""The maximum number of characters that a fault quotes."""
MAX_PAGES: Final = 2_000

PageContent = tuple[str, str]
"""A page's text, and a digest of everything drawn on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """The result of reading and checking a PDF.

    `faults` contains the file's own faults. `faults_of` contains the faults of attachments, keyed by the attachment's
    name. `text` is the text of all pages without spaces, or empty if no check needs the text.
    """

    cards: dict[str, dict[str, Any]]
    rulings: dict[str, dict[str, Any]]
    seal: dict[str, Any] | None
    pages: int = 0
    faults: tuple[VerificationFault, ...] = ()
    faults_of: dict[str, list[VerificationFault]] = field(default_factory=dict)
    text: str = ""

    @property
    def has_sealed_content(self) -> bool:
        return bool(self.cards or self.rulings) or self.seal is not None


def read_sealed_file(content: bytes, publics: frozenset[str]) -> CheckedFile:
    """Read and check a sealed PDF.

    Raises:
        UnreadablePdf: The file cannot be read, or it has too many pages.
    """
    file = read_signed_file(content)
    if not (file.cards or file.rulings or file.seal):
        return CheckedFile(cards={}, rulings={}, seal=None)
    if file.pages > MAX_PAGES:
        raise UnreadablePdf
    faults = tuple(dict.fromkeys(_find_file_faults(file, publics)))
    is_asked = bool(faults) and not any(fault.place.startswith("page") for fault in faults)
    return CheckedFile(
        cards=file.cards,
        rulings=file.rulings,
        seal=file.seal,
        pages=file.pages,
        faults=faults,
        faults_of={
            **{name: check_card_envelope(each, publics) for name, each in file.cards.items()},
            **{name: check_ruling_envelope(each, publics) for name, each in file.rulings.items()},
        },
        text="".join("".join(text.split()) for text, _drawing in _read_visible_pages(file)) if is_asked else "",
    )


def _find_file_faults(file: SignedFile, publics: frozenset[str]) -> Iterator[VerificationFault]:
    if file.seal is None:
        yield VerificationFault(
            "attachment", lazy_text("The seal of the file is missing. Something was removed from the file.")
        )
        return
    try:
        yield from _find_seal_faults(file, file.seal, publics)
    except PDF_READER_ERRORS:
        yield VerificationFault("attachment", lazy_text("The seal of the file was changed and can no longer be read."))


def _find_seal_faults(file: SignedFile, seal: dict[str, Any], publics: frozenset[str]) -> Iterator[VerificationFault]:
    for name in seal["cards"]:
        if name not in file.cards and name not in file.rulings:
            word = "ruling" if name.startswith("ruling") else "card"
            yield VerificationFault(
                "attachment",
                lazy_text("The attached %(word)s %(name)s is missing, or cannot be read.", word=word, name=name),
            )
    if not has_valid_signature(seal):
        yield VerificationFault("attachment", lazy_text("The signature on the seal of the file does not belong to it."))
    elif seal["key"] not in publics:
        yield VerificationFault(
            "key", lazy_text("The file was sealed by a key that is not the one of this installation.")
        )
    else:
        yield from _find_change_faults(file, seal, publics)


def _find_change_faults(file: SignedFile, seal: dict[str, Any], publics: frozenset[str]) -> Iterator[VerificationFault]:
    is_whole = compute_file_digest(file.content, seal) == seal["digest"]
    length = int(seal["length"])
    if is_whole and length == len(file.content):
        return
    pages = list(_find_page_differences(_read_visible_pages(file), seal["pages"]))
    yield from pages
    if is_whole:
        laid_over = list(find_overlay_faults(file, length))
        yield from laid_over or _find_appended_faults(file.content, length, publics)
    elif not pages:
        yield VerificationFault(
            "file", lazy_text("The file was changed after it was sealed, but the texts on its pages are the same.")
        )


def _read_visible_pages(file: SignedFile) -> list[PageContent]:
    """Return the pages as they appear to a reader.

    Raises:
        UnreadablePdf: A page cannot be read.
    """
    try:
        texts = [page.extract_text().encode(errors="replace").decode() for page in file.reader.pages]
        return list(zip(texts, map(compute_page_digest, file.reader.pages), strict=True))
    except PDF_READER_ERRORS as error:
        raise UnreadablePdf(str(error)) from error


def _find_page_differences(shown: list[PageContent], sealed: list[dict[str, Any]]) -> Iterator[VerificationFault]:
    if len(shown) != len(sealed):
        yield VerificationFault(
            "pages",
            lazy_text("The file had %(sealed)s pages; now there are %(shown)s.", sealed=len(sealed), shown=len(shown)),
        )
    for number, (page, was) in enumerate(zip(shown, sealed, strict=False), start=1):
        yield from _find_page_faults(page, was, number)


def _find_page_faults(page: PageContent, was: dict[str, Any], number: int) -> Iterator[VerificationFault]:
    sealed, now = str(was["text"]).split(), page[0].split()
    if "".join(sealed) != "".join(now):
        for kind, i, i_end, j, j_end in SequenceMatcher(None, sealed, now, autojunk=False).get_opcodes():
            if kind != "equal":
                before, after = _quote(sealed[i:i_end]), _quote(now[j:j_end])
                yield VerificationFault(f"page {number}", _describe_difference(number, before, after))
    elif page[1] != was["drawing"]:
        text = lazy_text(
            "The texts on page %(number)s are the same, but a line, a drawn signature or the code was changed.",
            number=number,
        )
        yield VerificationFault(f"page {number}", text)


def _describe_difference(number: int, before: str, after: str) -> str:
    if not after:
        return lazy_text(
            "Nothing stands on page %(number)s where “%(before)s” was printed.", number=number, before=before
        )
    return lazy_text(
        "“%(after)s” stands on page %(number)s where “%(before)s” was printed.",
        after=after,
        number=number,
        before=before,
    )


def _quote(words: list[str]) -> str:
    text = " ".join(words)
    return text if len(text) <= MAX_QUOTED_LENGTH else f"{text[:MAX_QUOTED_LENGTH]}…"


# --- Pages drawn over after sealing ----------------------------------------------------------------------------------

INVISIBLE_PAGE_ENTRIES: Final = ("/Parent", "/Annots", "/Tabs")
"""The entries in a page's dictionary that do not affect its appearance."""


def find_overlay_faults(file: SignedFile, length: int) -> Iterator[VerificationFault]:
    """Yield a fault for each page that looks different from the same page in the sealed part of the file.

    An invisible document signature may be appended to the sealed file, but no visible content.
    """
    if len(file.content) <= length:
        return
    try:
        sealed = PdfReader(io.BytesIO(file.content[:length])).pages
        pairs = list(zip(sealed, file.reader.pages, strict=False))
    except PDF_READER_ERRORS:
        yield VerificationFault("file", lazy_text("The sealed part of the file cannot be read."))
        return
    for number, (was, now) in enumerate(pairs, start=1):
        if _compute_appearance_digest(was) != _compute_appearance_digest(now):
            yield VerificationFault(
                f"page {number}",
                lazy_text("Page %(number)s was replaced by something added to the file later.", number=number),
            )
        notes = now.get("/Annots")
        if notes is not None and not all(_is_signature_field(note.get_object()) for note in notes.get_object()):
            yield VerificationFault(
                f"page {number}",
                lazy_text("Something was placed over page %(number)s after the file was sealed.", number=number),
            )


def _is_signature_field(note: Any) -> bool:
    """Return whether the annotation is an invisible signature field, which has no width or no height."""
    left, bottom, right, top = (float(edge) for edge in note.get("/Rect", [0, 0, 1, 1]))
    return note.get("/FT") == "/Sig" and (left == right or bottom == top)


def _compute_appearance_digest(page: PageObject) -> str:
    """Return a digest of a page's whole appearance, including fonts and images."""
    return sha256_hex(_format_pdf_object(page, set()))


def _format_pdf_object(value: Any, known: set[int]) -> str:
    if isinstance(value, IndirectObject):
        if value.idnum in known:
            return "again"
        known.add(value.idnum)
        return _format_pdf_object(value.get_object(), known)
    if isinstance(value, DictionaryObject):
        parts = [
            f"{name}={_format_pdf_object(value.raw_get(name), known)}"
            for name in sorted(value)
            if name not in INVISIBLE_PAGE_ENTRIES
        ]
        data = sha256_hex(value.get_data()) if isinstance(value, StreamObject) else ""
        return f"<{';'.join(parts)}{data}>"
    if isinstance(value, ArrayObject):
        return f"[{','.join(_format_pdf_object(each, known) for each in list.__iter__(value))}]"
    return repr(value)


# --- Bytes after the sealed end --------------------------------------------------------------------------------------
# Nothing may follow the sealed file except this installation's own document signature.

END_OF_FILE_LABEL: Final = lazy_text("end of the file")
SIGNATURE_MARKER: Final = b"/ByteRange"


def _find_appended_faults(content: bytes, length: int, publics: frozenset[str]) -> Iterator[VerificationFault]:
    """Yield the faults in the bytes after `length`, where the sealed file ends. `publics` are the trusted keys."""
    added = content[length:]
    if not added:
        return
    if SIGNATURE_MARKER not in added:
        yield VerificationFault(
            str(END_OF_FILE_LABEL),
            lazy_text("%(added)s bytes were added after the end of the sealed file.", added=len(added)),
        )
    elif not can_sign_documents():
        text = lazy_text(
            "A document signature was added, and it cannot be checked here. Install the program with its extra “pades”."
        )
        yield VerificationFault(str(END_OF_FILE_LABEL), text)
    else:
        yield from _find_signature_faults(content, publics)


def _find_signature_faults(content: bytes, publics: frozenset[str]) -> Iterator[VerificationFault]:
    from pyhanko.pdf_utils.misc import PdfError
    from pyhanko.pdf_utils.reader import PdfFileReader

    try:
        signatures = PdfFileReader(io.BytesIO(content)).embedded_signatures
        ours = len(signatures) == 1 and _is_tournament_signature(signatures[0], publics)
        whole = ours and _is_valid_for_whole_file(signatures[0])
    except (PdfError, *PDF_READER_ERRORS):
        yield VerificationFault(
            str(END_OF_FILE_LABEL),
            lazy_text("Bytes were added after the end of the sealed file that no reader of signatures takes."),
        )
        return
    if not ours:
        yield VerificationFault(
            str(END_OF_FILE_LABEL), lazy_text("A document signature was added that this installation did not make.")
        )
    elif not whole:
        yield VerificationFault(
            str(END_OF_FILE_LABEL), lazy_text("Bytes were added after the document signature, or it was changed.")
        )


def _is_tournament_signature(signature: Any, publics: frozenset[str]) -> bool:
    fingerprint = signature.signer_cert.sha256.hex()
    return is_certificate_confirmed(str(signature.sig_object.get("/ContactInfo", "")), fingerprint, publics)


def _is_valid_for_whole_file(signature: Any) -> bool:
    """Return whether a document signature is valid and covers the whole file except itself.

    The name in its certificate is not checked.
    """
    from pyhanko.sign.validation import SignatureCoverageLevel, validate_pdf_signature
    from pyhanko_certvalidator import ValidationContext

    alone = ValidationContext(trust_roots=[signature.signer_cert], allow_fetching=False)
    status = validate_pdf_signature(signature, alone, skip_diff=True)
    return bool(status.intact and status.valid and status.coverage == SignatureCoverageLevel.ENTIRE_FILE)
