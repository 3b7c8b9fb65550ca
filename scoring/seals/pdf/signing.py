"""Attach signed cards to a PDF, seal the file, and sign it as a document. See `signed_files` for the format."""

import io
import json
from collections.abc import Sequence
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext as _
from pypdf import PdfWriter

from scoring.rules.evidence.sealing import encode_canonical_json, sha256_hex
from scoring.seals.pdf.signed_files import (
    CERTIFICATE_STATEMENT_FORMAT,
    DIGEST_PLACEHOLDER,
    LENGTH_PLACEHOLDER,
    SEAL_ATTACHMENT_NAME,
    SIGNATURE_PLACEHOLDER,
    SIGNED_FILE_FORMAT,
    can_sign_documents,
    compute_page_digest,
    encode_certificate_confirmation,
    encode_json_field,
    encode_signable_file,
    make_attachment_name,
)
from scoring.seals.selectors.keys import load_certificate
from scoring.seals.selectors.p12_files import DocumentCertificate, UnreadableCertificate
from scoring.seals.services.sealing import seal_bytes
from tournament.models import Tournament

PDF_SIGNATURE_FIELD_NAME: Final = "TournamentSignature"


def attach_and_seal_pdf(
    content: bytes, cards: Sequence[dict[str, Any]], printed: Sequence[dict[str, Any]] = ()
) -> bytes:
    """Attach cards or rulings to a PDF and seal it.

    `printed` describes the status of each printed card, including unsigned ones. If `cards` and `printed` are both
    empty, the PDF is returned unchanged.
    """
    if not cards and not printed:
        return content
    writer = PdfWriter(clone_from=io.BytesIO(content))
    for card in cards:
        text = json.dumps(card, ensure_ascii=False, indent=1, sort_keys=True)
        writer.add_attachment(make_attachment_name(card), text.encode())
    seal = {
        "format": SIGNED_FILE_FORMAT,
        "cards": [make_attachment_name(card) for card in cards],
        "pages": [{"text": page.extract_text(), "drawing": compute_page_digest(page)} for page in writer.pages],
        **({"printed": list(printed)} if printed else {}),
        "length": LENGTH_PLACEHOLDER,
        "digest": DIGEST_PLACEHOLDER,
        "signature": SIGNATURE_PLACEHOLDER,
        "key": seal_bytes(b"")[1],
    }
    writer.add_attachment(SEAL_ATTACHMENT_NAME, encode_canonical_json(seal))
    target = io.BytesIO()
    writer.write(target)
    return _add_digest_and_signature(target.getvalue())


def _add_digest_and_signature(content: bytes) -> bytes:
    content = content.replace(
        encode_json_field("length", LENGTH_PLACEHOLDER), encode_json_field("length", f"{len(content):010}"), 1
    )
    digest = sha256_hex(content)
    signature, _public = seal_bytes(encode_signable_file(digest))
    content = content.replace(encode_json_field("digest", DIGEST_PLACEHOLDER), encode_json_field("digest", digest), 1)
    return content.replace(
        encode_json_field("signature", SIGNATURE_PLACEHOLDER), encode_json_field("signature", signature), 1
    )


# --- Document signatures ---------------------------------------------------------------------------------------------


def sign_with_tournament_certificate(content: bytes, tournament: Tournament) -> bytes:
    """Add a document signature (PAdES) to the PDF.

    Return the PDF unchanged if the tournament has no valid certificate or pyHanko is not installed.
    """
    try:
        certificate = load_certificate(tournament)
    except UnreadableCertificate:
        return content
    if certificate is None or not certificate.is_valid(timezone.now()) or not can_sign_documents():
        return content
    reason = _("Score cards of %(tournament)s") % {"tournament": tournament.name}
    # The installation's key confirms the certificate, so that `is_certificate_confirmed` accepts the signature later.
    signature, public = seal_bytes(encode_certificate_confirmation(certificate.fingerprint))
    return sign_pdf_with_certificate(
        content, certificate, reason=reason, vouched=f"{CERTIFICATE_STATEMENT_FORMAT} {public} {signature}"
    )


def sign_pdf_with_certificate(
    content: bytes, certificate: DocumentCertificate, *, reason: str, vouched: str = ""
) -> bytes:
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import PdfSignatureMetadata, sign_pdf
    from pyhanko.sign.fields import SigSeedSubFilter
    from pyhanko.sign.signers import SimpleSigner

    signer = SimpleSigner.load_pkcs12_data(certificate.p12, [], certificate.password.encode() or None)
    metadata = PdfSignatureMetadata(
        field_name=PDF_SIGNATURE_FIELD_NAME,
        reason=reason,
        name=certificate.subject,
        contact_info=vouched or None,
        subfilter=SigSeedSubFilter.PADES,
    )
    signed = sign_pdf(IncrementalPdfFileWriter(io.BytesIO(content)), metadata, signer=signer)
    return bytes(signed.getvalue())
