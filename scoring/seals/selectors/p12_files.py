"""Read a certificate with its private key from a PKCS#12 file.

This module does not import Django, so that a separate process can read uploaded files.
"""

from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12
from cryptography.x509 import Name


class UnreadableCertificate(Exception):
    """Raised if a file is not a PKCS#12 file with a key, or if its password is wrong."""


@dataclass(frozen=True, slots=True)
class DocumentCertificate:
    """A certificate that signs PDFs, with its PKCS#12 file and password."""

    p12: bytes
    password: str
    subject: str
    issuer: str
    starts: datetime
    expires: datetime
    fingerprint: str

    def is_valid(self, now: datetime) -> bool:
        return self.starts <= now < self.expires


def read_certificate(p12: bytes, password: str) -> DocumentCertificate:
    """Read a PKCS#12 file.

    Raises:
        UnreadableCertificate: The file has no key or is damaged, or the password is wrong.
    """
    try:
        opened = load_pkcs12(p12, password.encode() or None)
    except (ValueError, TypeError) as error:
        raise UnreadableCertificate from error
    if opened.cert is None or opened.key is None:
        raise UnreadableCertificate
    cert = opened.cert.certificate
    return DocumentCertificate(
        p12,
        password,
        subject=_format_certificate_name(cert.subject),
        issuer=_format_certificate_name(cert.issuer),
        starts=cert.not_valid_before_utc,
        expires=cert.not_valid_after_utc,
        fingerprint=cert.fingerprint(SHA256()).hex(),
    )


def _format_certificate_name(name: Name) -> str:
    return ", ".join(str(part.value) for part in name)
