"""Sign PDFs as documents (PAdES), if the tournament has a certificate and the extra package is installed.

The signature is appended to the file, so the seal of the file and its content stay unchanged.
"""

import io
from typing import Final

from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.seals.pdf.vouchers import VOUCHER, can_sign_documents, voucher_words
from scoring.seals.selectors.certificates import load_certificate
from scoring.seals.selectors.p12_files import DocumentCertificate, UnreadableCertificate
from scoring.seals.services.sealing import seal_bytes
from tournament.models import Tournament

FIELD: Final = "TournamentSignature"


def signed_as_document(content: bytes, tournament: Tournament) -> bytes:
    """Return the PDF with the tournament's signature, or unchanged if there is no certificate that is valid today."""
    try:
        certificate = load_certificate(tournament)
    except UnreadableCertificate:
        return content
    if certificate is None or not certificate.is_valid(timezone.now()) or not can_sign_documents():
        return content
    reason = _("Score cards of %(tournament)s") % {"tournament": tournament.name}
    return sign_document(content, certificate, reason=reason, vouched=voucher_for(certificate.fingerprint))


def voucher_for(fingerprint: str) -> str:
    """Return the words by which the installation's key vouches for a certificate.

    Anybody who trusts the key then knows that the certificate is the installation's.
    """
    signature, public = seal_bytes(voucher_words(fingerprint))
    return f"{VOUCHER} {public} {signature}"


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
