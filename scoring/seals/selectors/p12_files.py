"""A certificate with its private key as it is sent (PKCS#12): read without the site, for it may ask for any work."""

from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12
from cryptography.x509 import Name


class UnreadableCertificate(Exception):
    """It is no PKCS#12 with a key, or the password is another."""


@dataclass(frozen=True, slots=True)
class DocumentCertificate:
    """`p12` and `password` as they were set; the rest is what the certificate says of itself."""

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
    """Raises UnreadableCertificate."""
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
        subject=_named(cert.subject),
        issuer=_named(cert.issuer),
        starts=cert.not_valid_before_utc,
        expires=cert.not_valid_after_utc,
        fingerprint=cert.fingerprint(SHA256()).hex(),
    )


def _named(name: Name) -> str:
    return ", ".join(str(part.value) for part in name)
