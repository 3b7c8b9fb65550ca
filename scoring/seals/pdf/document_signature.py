"""PDFs signed as documents (PAdES), where the tournament has a certificate and the extra package is installed.

It is added at the end of the file: the seal of the file, and what it says, stay as they are.
"""

import io
from importlib.util import find_spec
from typing import Final

from django.utils import timezone

from scoring.rules.evidence.sealing import is_signed_by
from scoring.seals.selectors.certificates import DocumentCertificate, UnreadableCertificate, load_certificate
from scoring.seals.services.sealing import seal_bytes
from tournament.models import Tournament

FIELD: Final = "TournamentSignature"
VOUCHER: Final = "gin-document-certificate/1"


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
    reason = f"Score cards of {tournament.name}"
    return sign_document(content, certificate, reason=reason, vouched=voucher_for(certificate.fingerprint))


def voucher_for(fingerprint: str) -> str:
    """The installation's own key vouches for the certificate, so that anybody who trusts the key knows it as ours."""
    signature, public = seal_bytes(_words(fingerprint))
    return f"{VOUCHER} {public} {signature}"


def read_voucher(text: str, fingerprint: str, publics: frozenset[str]) -> bool:
    """Whether one of these keys vouches for the certificate with this fingerprint (SHA-256, hexadecimal)."""
    name, _, rest = text.partition(" ")
    public, _, signature = rest.partition(" ")
    return name == VOUCHER and public in publics and is_signed_by(public, _words(fingerprint), signature)


def _words(fingerprint: str) -> bytes:
    return f"{VOUCHER} {fingerprint}".encode()


def sign_document(content: bytes, certificate: DocumentCertificate, *, reason: str, vouched: str = "") -> bytes:
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import PdfSignatureMetadata, sign_pdf
    from pyhanko.sign.fields import SigSeedSubFilter
    from pyhanko.sign.signers import SimpleSigner

    signer = SimpleSigner.load_pkcs12_data(certificate.p12, [], certificate.password.encode() or None)
    said = PdfSignatureMetadata(
        field_name=FIELD,
        reason=reason,
        name=certificate.subject,
        contact_info=vouched or None,
        subfilter=SigSeedSubFilter.PADES,
    )
    signed = sign_pdf(IncrementalPdfFileWriter(io.BytesIO(content)), said, signer=signer)
    return bytes(signed.getvalue())
