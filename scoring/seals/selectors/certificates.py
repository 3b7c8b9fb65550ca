"""Load the certificate by which a tournament signs its PDFs as documents. It is one encrypted file."""

import base64
import json
from typing import Final

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.files.storage import default_storage

from scoring.seals.selectors.p12_files import DocumentCertificate, UnreadableCertificate, read_certificate
from tournament.models import Tournament

KEY_OF: Final = b"certificates of documents"


def certificate_name(tournament: Tournament) -> str:
    return f"certificates/{tournament.pk}.sealed"


def load_certificate(tournament: Tournament) -> DocumentCertificate | None:
    """Return the certificate of the tournament, or None if none is set.

    Raises:
        UnreadableCertificate: it was set under another secret, or the file is damaged.
    """
    try:
        with default_storage.open(certificate_name(tournament)) as file:
            kept = file.read()
    except FileNotFoundError:
        return None
    try:
        found = json.loads(cipher().decrypt(kept))
        return read_certificate(base64.b64decode(found["p12"]), found["password"])
    except (InvalidToken, ValueError, KeyError, TypeError) as error:
        raise UnreadableCertificate from error


def cipher() -> Fernet:
    """Return the cipher that is derived from the installation's own secret."""
    secret = str(settings.SECRET_KEY).encode()
    return Fernet(base64.urlsafe_b64encode(HKDF(algorithm=SHA256(), length=32, salt=None, info=KEY_OF).derive(secret)))
