"""Checks of the bytes after the sealed end of a file: none, or this installation's own document signature.

A document signature (PAdES) is appended to a file. It is ours if the installation's own key vouches for its
certificate, it covers every byte of the file, and nothing in it was changed.
"""

import io
from collections.abc import Iterator
from typing import Any, Final

from scoring.rules.evidence.sealing import Fault
from scoring.seals.pdf.signed_files import UNREADABLE
from scoring.seals.pdf.vouchers import can_sign_documents, read_voucher
from tournament.said import worded

END: Final = worded("end of the file")
SIGNS: Final = b"/ByteRange"


def added_faults(content: bytes, length: int, publics: frozenset[str]) -> Iterator[Fault]:
    """Yield the faults of the bytes after `length`, where the sealed file ends. `publics` are the trusted keys."""
    added = content[length:]
    if not added:
        return
    if SIGNS not in added:
        yield Fault(str(END), worded("%(added)s bytes were added after the end of the sealed file.", added=len(added)))
    elif not can_sign_documents():
        said = worded("A document signature was added, and it cannot be checked here. Install requirements-pades.txt.")
        yield Fault(str(END), said)
    else:
        yield from _signature_faults(content, publics)


def _signature_faults(content: bytes, publics: frozenset[str]) -> Iterator[Fault]:
    from pyhanko.pdf_utils.misc import PdfError
    from pyhanko.pdf_utils.reader import PdfFileReader

    try:
        signatures = PdfFileReader(io.BytesIO(content)).embedded_signatures
        ours = len(signatures) == 1 and _is_vouched_for(signatures[0], publics)
        whole = ours and _is_whole(signatures[0])
    except (PdfError, *UNREADABLE):
        yield Fault(
            str(END), worded("Bytes were added after the end of the sealed file that no reader of signatures takes.")
        )
        return
    if not ours:
        yield Fault(str(END), worded("A document signature was added that this installation did not make."))
    elif not whole:
        yield Fault(str(END), worded("Bytes were added after the document signature, or it was changed."))


def _is_vouched_for(signature: Any, publics: frozenset[str]) -> bool:
    fingerprint = signature.signer_cert.sha256.hex()
    return read_voucher(str(signature.sig_object.get("/ContactInfo", "")), fingerprint, publics)


def _is_whole(signature: Any) -> bool:
    """Return whether the signature is good and covers every byte of the file except itself.

    The name in its certificate is not checked.
    """
    from pyhanko.sign.validation import SignatureCoverageLevel, validate_pdf_signature
    from pyhanko_certvalidator import ValidationContext

    alone = ValidationContext(trust_roots=[signature.signer_cert], allow_fetching=False)
    status = validate_pdf_signature(signature, alone, skip_diff=True)
    return bool(status.intact and status.valid and status.coverage == SignatureCoverageLevel.ENTIRE_FILE)
