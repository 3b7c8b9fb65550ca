"""PDFs signed as documents (PAdES), where the tournament has a certificate and the extra package is installed.

It is added at the end of the file: the seal of the file, and what it says, stay as they are.
"""

from __future__ import annotations

import io
from importlib.util import find_spec

from django.utils import timezone

from scoring.selectors.certificates import DocumentCertificate, UnreadableCertificate, load_certificate
from tournament.models import Tournament

FIELD = "TournamentSignature"


def can_sign_documents() -> bool:
    """Whether requirements-pades.txt is installed."""
    return find_spec("pyhanko") is not None


def signed_as_document(content: bytes, tournament: Tournament) -> bytes:
    """The PDF with the tournament's signature; as it is where there is no certificate that counts today."""
    try:
        certificate = load_certificate(tournament)
    except UnreadableCertificate:
        return content
    if certificate is None or not certificate.is_valid(timezone.now()) or not can_sign_documents():
        return content
    return sign_document(content, certificate, reason=f"Score cards of {tournament.name}")


def sign_document(content: bytes, certificate: DocumentCertificate, *, reason: str) -> bytes:
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import PdfSignatureMetadata, sign_pdf
    from pyhanko.sign.fields import SigSeedSubFilter
    from pyhanko.sign.signers import SimpleSigner

    signer = SimpleSigner.load_pkcs12_data(certificate.p12, [], certificate.password.encode() or None)
    said = PdfSignatureMetadata(
        field_name=FIELD, reason=reason, name=certificate.subject, subfilter=SigSeedSubFilter.PADES
    )
    signed = sign_pdf(IncrementalPdfFileWriter(io.BytesIO(content)), said, signer=signer)
    return bytes(signed.getvalue())
