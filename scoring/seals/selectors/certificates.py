"""The certificate by which a tournament signs its PDFs as documents, as it is kept: one file, for its owner alone."""

import base64
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12
from cryptography.x509 import Name
from django.conf import settings

from tournament.models import Tournament

KEY_OF: Final = b"certificates of documents"


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


def place_of(tournament: Tournament) -> Path:
    return Path(settings.MEDIA_ROOT) / "certificates" / f"{tournament.pk}.sealed"


def load_certificate(tournament: Tournament) -> DocumentCertificate | None:
    """None: none is set.

    Raises:
        UnreadableCertificate: it was set under another secret, or the file is damaged.
    """
    try:
        kept = place_of(tournament).read_bytes()
    except FileNotFoundError:
        return None
    try:
        found = json.loads(cipher().decrypt(kept))
        return read_certificate(base64.b64decode(found["p12"]), found["password"])
    except (InvalidToken, ValueError, KeyError, TypeError) as error:
        raise UnreadableCertificate from error


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


def cipher() -> Fernet:
    """From the installation's own secret."""
    secret = str(settings.SECRET_KEY).encode()
    return Fernet(base64.urlsafe_b64encode(HKDF(algorithm=SHA256(), length=32, salt=None, info=KEY_OF).derive(secret)))


def _named(name: Name) -> str:
    return ", ".join(str(part.value) for part in name)
